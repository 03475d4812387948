//! The frame of a cubin: sections, symbols, relocations.

use object::elf::{self, FileHeader64, Rel64, Rela64, SectionHeader64};
use object::pod;
use object::read::elf::{FileHeader as _, Rela as _, SectionHeader as _, Sym as _, SymbolTable};
use object::{LittleEndian, SymbolIndex};

use super::CubinError;

type Header = FileHeader64<LittleEndian>;

/// `e_machine` of cubins.
const EM_CUDA: u16 = 190;
/// The operating system ABI from which the architecture and barriers stand elsewhere (CUDA 13.0).
const NEW_ABI: u8 = 65;
/// `st_other` of kernels.
const STO_CUDA_ENTRY: u8 = 0x10;
/// Sections of memory that nothing in the file fills: `.nv.global` and `.nv.shared.*` of relocatable code (linked
/// code has plain `NOBITS`). Measured with 13.0 and 13.5: they may end beyond the file.
const NO_BITS: [u32; 2] = [0x7000_0007, 0x7000_000a];
const ENDIAN: LittleEndian = LittleEndian;

/// A cubin's sections and symbols.
pub(super) struct Image<'a> {
    /// The architecture's number: 90 for `sm_90`.
    pub(super) sm: u32,
    /// Not relocatable.
    pub(super) linked: bool,
    /// The layout of CUDA 13.0 and later.
    pub(super) new_layout: bool,
    pub(super) sections: Vec<Section<'a>>,
    pub(super) symbols: Vec<Symbol<'a>>,
}

/// A section.
#[derive(Clone, Copy)]
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) info: u32,
    pub(super) size: u64,
    pub(super) data: &'a [u8],
}

/// A symbol.
#[derive(Clone, Copy)]
pub(super) struct Symbol<'a> {
    pub(super) name: &'a str,
    /// The section's index; 0 without one.
    pub(super) section: usize,
    pub(super) value: u64,
    pub(super) size: u64,
    pub(super) function: bool,
    pub(super) entry: bool,
}

/// A place that gets a symbol's address.
#[derive(Clone, Copy)]
pub(super) struct Fixup {
    pub(super) offset: u64,
    pub(super) symbol: usize,
    /// `None`: it stands at the place itself.
    pub(super) addend: Option<i64>,
}

impl<'a> Image<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, CubinError> {
        let ident = bytes.get(..16).ok_or(CubinError::NotElf)?;
        if ident[..6] != [0x7f, b'E', b'L', b'F', 2, 1] {
            return Err(CubinError::NotElf);
        }
        let header = Header::parse(bytes).map_err(|_| CubinError::Truncated("the header"))?;
        let machine = header.e_machine(ENDIAN).0;
        if machine != EM_CUDA {
            return Err(CubinError::Machine(machine));
        }
        header.program_headers(ENDIAN, bytes).map_err(|_| CubinError::Truncated("a program header"))?;
        let table = header.sections(ENDIAN, bytes).map_err(|_| CubinError::Truncated("a section header"))?;
        let mut sections = Vec::with_capacity(table.len());
        for section in table.iter() {
            let name = table.section_name(ENDIAN, section).unwrap_or_default();
            sections.push(read_section(section, name, bytes)?);
        }
        if sections.is_empty() {
            return Err(CubinError::Truncated("the section table"));
        }
        let symbols = table
            .symbols(ENDIAN, bytes, elf::SHT_SYMTAB)
            .map_err(|_| CubinError::Truncated("the symbol table"))?;
        let symbols =
            symbols.enumerate().map(|(index, symbol)| read_symbol(&symbols, index, symbol)).collect();
        let (flags, new_layout) = (header.e_flags(ENDIAN).0, ident[7] >= NEW_ABI);
        Ok(Self {
            sm: if new_layout { flags >> 8 & 0xff } else { flags & 0xff },
            linked: header.e_type(ENDIAN) != elf::ET_REL,
            new_layout,
            sections,
            symbols,
        })
    }

    /// The relocations of a section, by offset.
    pub(super) fn fixups(&self, section: usize) -> Vec<Fixup> {
        let mut fixups = Vec::new();
        let of_section = |other: &&Section<'_>| usize::try_from(other.info) == Ok(section);
        for relocations in self.sections.iter().filter(of_section) {
            if relocations.kind == elf::SHT_RELA.0 {
                let all = pod::slice_from_all_bytes::<Rela64<LittleEndian>>(relocations.data);
                fixups.extend(all.unwrap_or_default().iter().map(|one| Fixup {
                    offset: one.r_offset(ENDIAN),
                    symbol: one.symbol(ENDIAN, false).map_or(0, |index| index.0),
                    addend: Some(one.r_addend(ENDIAN)),
                }));
            } else if relocations.kind == elf::SHT_REL.0 {
                let all = pod::slice_from_all_bytes::<Rel64<LittleEndian>>(relocations.data);
                fixups.extend(all.unwrap_or_default().iter().map(|one| Fixup {
                    offset: one.r_offset.get(ENDIAN),
                    symbol: usize::try_from(one.r_sym(ENDIAN)).unwrap_or_default(),
                    addend: None,
                }));
            }
        }
        fixups.sort_by_key(|fixup| fixup.offset);
        fixups
    }
}

fn read_section<'a>(
    section: &SectionHeader64<LittleEndian>,
    name: &'a [u8],
    bytes: &'a [u8],
) -> Result<Section<'a>, CubinError> {
    let kind = section.sh_type(ENDIAN).0;
    let data = section.data(ENDIAN, bytes).map_err(|_| CubinError::Truncated("a section"));
    Ok(Section {
        name: text(name),
        kind,
        flags: section.sh_flags(ENDIAN).0,
        info: section.sh_info(ENDIAN),
        size: section.sh_size(ENDIAN),
        data: if NO_BITS.contains(&kind) { &[] } else { data? },
    })
}

fn read_symbol<'a>(
    table: &SymbolTable<'a, Header>,
    index: SymbolIndex,
    symbol: &elf::Sym64<LittleEndian>,
) -> Symbol<'a> {
    Symbol {
        name: text(table.symbol_name(ENDIAN, symbol).unwrap_or_default()),
        section: table.symbol_section(ENDIAN, symbol, index).ok().flatten().map_or(0, |index| index.0),
        value: symbol.st_value(ENDIAN),
        size: symbol.st_size(ENDIAN),
        function: symbol.st_type() == elf::STT_FUNC,
        entry: symbol.st_other().0 & STO_CUDA_ENTRY != 0,
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}
