//! The line table: `.debug_line`, DWARF 2 or 3, with the compiler's extension for inlined calls.

use std::collections::BTreeMap;

use gimli::{
    DebugLine, DebugLineOffset, DwLne, EndianSlice, IncompleteLineProgram, LineInstruction,
    LineProgramHeader, LineRow, LittleEndian, Reader, Relocate, RelocateReader,
};

use super::elf::{Fixup, Image};
use super::{CubinError, Site};

/// The extended opcode for inlined calls: the row of the call site within the sequence (from 1; 0 for none), and where
/// the callee's name stands in `.debug_str`.
const INLINED_CALL: DwLne = DwLne(0x90);
/// Names that are longer than any path are damage.
const LONGEST_PATH: usize = 4096;
const DAMAGED: CubinError = CubinError::Malformed("the line table");

/// Places in one section's code whose line is wanted: offset and answer, by offset.
pub(super) type Wanted = Vec<(u32, Option<u32>)>;

/// Files and lines, each once.
#[derive(Default)]
pub(super) struct Sites {
    files: BTreeMap<String, u32>,
    known: BTreeMap<Site, u32>,
}

impl Sites {
    fn file(&mut self, path: String) -> u32 {
        let next = count(self.files.len());
        *self.files.entry(path).or_insert(next)
    }

    fn site(&mut self, site: Site) -> u32 {
        let next = count(self.known.len());
        *self.known.entry(site).or_insert(next)
    }

    /// The files and sites by number.
    pub(super) fn into_lists(self) -> (Vec<String>, Vec<Site>) {
        let mut files = vec![String::new(); self.files.len()];
        for (path, number) in self.files {
            files[number as usize] = path;
        }
        let mut sites: Vec<(u32, Site)> =
            self.known.into_iter().map(|(site, number)| (number, site)).collect();
        sites.sort_unstable();
        (files, sites.into_iter().map(|(_, site)| site).collect())
    }
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Turns the address of a `set_address` into section and offset: the section's index in the upper half.
#[derive(Clone, Debug)]
struct ToSections<'a>(&'a BTreeMap<usize, (u64, Option<u64>)>);

impl Relocate for ToSections<'_> {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        let (section, fixed) = self.0.get(&offset).copied().unwrap_or_default();
        Ok(section << 32 | (fixed.unwrap_or(0).wrapping_add(value) & 0xffff_ffff))
    }

    fn relocate_offset(&self, _offset: usize, value: usize) -> gimli::Result<usize> {
        Ok(value)
    }
}

type Input<'a> = RelocateReader<EndianSlice<'a, LittleEndian>, ToSections<'a>>;

/// Answers where the wanted places (by section) stand in the source.
///
/// Tables of a DWARF version other than 2, 3 and 4 are left alone: their places stay without a line.
pub(super) fn locate(
    image: &Image<'_>,
    wanted: &mut BTreeMap<usize, Wanted>,
    sites: &mut Sites,
) -> Result<(), CubinError> {
    let Some(index) = image.sections.iter().position(|section| section.name == ".debug_line") else {
        return Ok(());
    };
    let data = image.sections[index].data;
    let addresses = addresses(image, index);
    let slice = EndianSlice::new(data, LittleEndian);
    let table = DebugLine::from(RelocateReader::new(slice, ToSections(&addresses)));
    let mut offset = 0;
    while let Some(head) = data.get(offset..offset + 6) {
        let version = u16::from_le_bytes([head[4], head[5]]);
        let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let next = offset.checked_add(4 + length).filter(|&next| next <= data.len()).ok_or(DAMAGED)?;
        if matches!(version, 2..=4) {
            let mut program = table.program(DebugLineOffset(offset), 8, None, None).map_err(|_| DAMAGED)?;
            run(&mut program, wanted, sites)?;
        }
        offset = next;
    }
    Ok(())
}

/// Where relocations apply: the symbol's section, and what to add.
fn addresses(image: &Image<'_>, line_section: usize) -> BTreeMap<usize, (u64, Option<u64>)> {
    let fixups = image.fixups(line_section);
    let address = |fixup: &Fixup| {
        let symbol = image.symbols.get(fixup.symbol)?;
        let added = symbol.value.wrapping_add(fixup.addend.unwrap_or(0).cast_unsigned());
        Some((usize::try_from(fixup.offset).ok()?, (symbol.section as u64, Some(added))))
    };
    fixups.iter().filter_map(address).collect()
}

/// A row of the table: code from `offset` on, up to the next row.
#[derive(Clone, Copy)]
struct Row {
    section: usize,
    offset: u32,
    line: u32,
    file: u64,
    /// The number of the call site's row within the sequence, from 1; 0 for none.
    call: usize,
}

/// A row without a copy: a call was named and the address moved on. ptxas leaves the copy out where file and line stay.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Uncopied {
    /// There is none.
    #[default]
    No,
    /// A call was named since the last row.
    Named,
    /// And the address moved on: the code from here on was inlined through that call.
    Moved,
}

/// The rows of the sequence that is read.
#[derive(Default)]
struct Rows {
    /// By address, those without a copy among them.
    all: Vec<Row>,
    /// Where in `all` those stand that have a number, which those without a copy do not.
    numbered: Vec<usize>,
    call: usize,
    uncopied: Uncopied,
}

impl Rows {
    fn push(&mut self, row: &LineRow) -> Result<(), CubinError> {
        self.all.push(Row {
            section: usize::try_from(row.address() >> 32).map_err(|_| DAMAGED)?,
            offset: offset_of(row.address()),
            line: row.line().map_or(0, |line| u32::try_from(line.get()).unwrap_or(u32::MAX)),
            file: row.file_index(),
            call: self.call,
        });
        Ok(())
    }

    /// Before an instruction: one that neither moves nor copies leaves what was named as a row.
    fn before(&mut self, instruction: &LineInstruction<Input<'_>>, row: &LineRow) -> Result<(), CubinError> {
        use LineInstruction::{AdvancePc, ConstAddPc, Copy, EndSequence, FixedAddPc, Special};
        self.uncopied = match (self.uncopied, instruction) {
            (Uncopied::Named, AdvancePc(_) | ConstAddPc | FixedAddPc(_)) => Uncopied::Moved,
            (named, AdvancePc(_) | ConstAddPc | FixedAddPc(_)) => named,
            (_, Copy | Special(_) | EndSequence) => Uncopied::No,
            (Uncopied::Moved, _) => {
                self.push(row)?;
                Uncopied::No
            }
            (named, _) => named,
        };
        Ok(())
    }
}

/// Runs a line program; each finished sequence answers what is wanted of it.
fn run(
    program: &mut IncompleteLineProgram<Input<'_>>,
    wanted: &mut BTreeMap<usize, Wanted>,
    sites: &mut Sites,
) -> Result<(), CubinError> {
    let header = program.header().clone();
    let mut instructions = header.instructions();
    let mut row = LineRow::new(&header);
    let (mut rows, mut files) = (Rows::default(), BTreeMap::new());
    while let Some(instruction) = instructions.next_instruction(&header).map_err(|_| DAMAGED)? {
        rows.before(&instruction, &row)?;
        if let LineInstruction::UnknownExtended(INLINED_CALL, mut operands) = instruction {
            let site = operands.read_uleb128().map_err(|_| DAMAGED)?;
            rows.call = usize::try_from(site).map_err(|_| DAMAGED)?;
            rows.uncopied = Uncopied::Named;
            continue;
        }
        if !row.execute(instruction, program).map_err(|_| DAMAGED)? {
            continue;
        }
        if row.end_sequence() {
            let end = offset_of(row.address());
            let mut sequence = Sequence { header: &header, rows: &rows, files: &mut files, sites };
            sequence.answer(end, wanted)?;
            rows = Rows::default();
        } else {
            rows.numbered.push(rows.all.len());
            rows.push(&row)?;
        }
        row.reset(&header);
    }
    Ok(())
}

/// The lower half of an address.
fn offset_of(address: u64) -> u32 {
    u32::try_from(address & 0xffff_ffff).unwrap_or(u32::MAX)
}

/// The rows of one stretch of code.
struct Sequence<'a> {
    header: &'a LineProgramHeader<Input<'a>>,
    rows: &'a Rows,
    /// Numbers of files of this program.
    files: &'a mut BTreeMap<u64, u32>,
    sites: &'a mut Sites,
}

impl Sequence<'_> {
    /// Answers what is wanted between the first row and `end`. Of rows for one place the last one counts.
    fn answer(&mut self, end: u32, wanted: &mut BTreeMap<usize, Wanted>) -> Result<(), CubinError> {
        let Some(first) = self.rows.all.first() else { return Ok(()) };
        let Some(places) = wanted.get_mut(&first.section) else { return Ok(()) };
        let from = places.partition_point(|&(offset, _)| offset < first.offset);
        let mut known = vec![None; self.rows.all.len()];
        let mut at = 0;
        for (offset, answer) in places[from..].iter_mut().take_while(|(offset, _)| *offset < end) {
            while self.rows.all.get(at + 1).is_some_and(|next| next.offset <= *offset) {
                at += 1;
            }
            *answer = Some(self.site(at, &mut known)?);
        }
        Ok(())
    }

    /// The site of a row, with those of the calls that it was inlined through; `known`: those that were asked for, by row.
    fn site(&mut self, row: usize, known: &mut [Option<u32>]) -> Result<u32, CubinError> {
        if let Some(site) = known[row] {
            return Ok(site);
        }
        // From the row outwards; a call site stands before the rows that were inlined through it.
        let mut open = vec![row];
        let mut outer = None;
        while let Some(&inner) = open.last() {
            if let Some(site) = known[inner] {
                outer = Some(site);
                open.pop();
                break;
            }
            let Some(call) = self.rows.all[inner].call.checked_sub(1) else { break };
            let call = self.rows.numbered.get(call).filter(|&&call| call < inner);
            open.push(*call.ok_or(DAMAGED)?);
        }
        for inner in open.into_iter().rev() {
            let Row { line, file, .. } = self.rows.all[inner];
            let file = self.file(file)?;
            let site = self.sites.site(Site { file, line, inlined_at: outer });
            known[inner] = Some(site);
            outer = Some(site);
        }
        outer.ok_or(DAMAGED)
    }

    fn file(&mut self, index: u64) -> Result<u32, CubinError> {
        if let Some(&file) = self.files.get(&index) {
            return Ok(file);
        }
        let path = path(self.header, index)?;
        let file = self.sites.file(path);
        self.files.insert(index, file);
        Ok(file)
    }
}

/// The path of a file as the compiler recorded it: its folder before its name, unless the name is absolute.
fn path(header: &LineProgramHeader<Input<'_>>, index: u64) -> Result<String, CubinError> {
    let Some(file) = header.file(index) else { return Ok(String::new()) };
    let text = |value: gimli::AttributeValue<Input<'_>>| match value {
        gimli::AttributeValue::String(name) if name.len() <= LONGEST_PATH => {
            Ok(name.to_string_lossy().map_err(|_| DAMAGED)?.into_owned())
        }
        _ => Err(DAMAGED),
    };
    let name = text(file.path_name())?;
    let folder = match file.directory_index() {
        0 => None,
        _ => file.directory(header).map(text).transpose()?,
    };
    Ok(match folder.filter(|folder| !folder.is_empty() && !name.starts_with('/')) {
        Some(folder) => format!("{}/{name}", folder.trim_end_matches('/')),
        None => name,
    })
}

#[cfg(test)]
mod tests {
    use super::super::elf::Section;
    use super::*;

    /// A DWARF 2 table of two files, as ptxas writes it.
    fn table(program: &[u8]) -> Vec<u8> {
        let head =
            [&[1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0][..], b"k.cu\0\0\0\0h.h\0\0\0\0\0"].concat();
        let length = |bytes: usize| u32::try_from(bytes).unwrap().to_le_bytes();
        let rest = [&2_u16.to_le_bytes()[..], &length(head.len()), &head, program].concat();
        [&length(rest.len())[..], &rest].concat()
    }

    /// The lines of each place, innermost first.
    fn chains(program: &[u8], places: &[u32]) -> Vec<Vec<(String, u32)>> {
        let data = table(program);
        let section = |name, data| Section { name, kind: 1, flags: 0, info: 0, size: 0, data };
        let sections = vec![section(".text.k", &[][..]), section(".debug_line", &data)];
        let image = Image { sm: 80, linked: true, new_layout: true, sections, symbols: Vec::new() };
        let mut wanted = BTreeMap::from([(0, places.iter().map(|&place| (place, None)).collect())]);
        let mut known = Sites::default();
        locate(&image, &mut wanted, &mut known).unwrap();
        let (files, sites) = known.into_lists();
        let chain = |site: u32| {
            let next = |site: &Site| site.inlined_at.map(|outer| sites[outer as usize]);
            std::iter::successors(Some(sites[site as usize]), next)
                .map(|site| (files[site.file as usize].clone(), site.line))
                .collect()
        };
        wanted[&0].iter().map(|&(_, site)| site.map(chain).unwrap_or_default()).collect()
    }

    #[test]
    fn a_call_that_changes_without_a_row_counts_from_the_next_address_on() {
        // As in a real table (gemv.cu, sm_80): where file and line stay, ptxas names another call, moves the address,
        // and leaves the copy out. Rows that are left out have no number.
        let program = [
            &[0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &[3, 0xd5, 0, 1],                               // row 1: k.cu 86
            &[3, 0x7a, 1],                                  // row 2: k.cu 80
            &[4, 2, 0, 3, 0x90, 2, 0, 3, 0x38, 1],          // row 3: h.h 136, called in row 2
            &[0, 3, 0x90, 1, 0, 2, 0x10],                   // from 0x10 on: called in row 1
            &[0, 3, 0x90, 2, 0, 2, 0x10],                   // from 0x20 on: called in row 2
            &[4, 1, 0, 3, 0x90, 0, 0, 3, 0x51, 2, 0x10, 1], // row 4: k.cu 89
            &[4, 2, 0, 3, 0x90, 4, 0, 3, 0x2f, 2, 0x10, 1], // row 5: h.h 136, called in row 4
            &[2, 0x10, 0, 1, 1],
        ]
        .concat();
        let (k, h) = (|line| ("k.cu".to_owned(), line), ("h.h".to_owned(), 136));
        assert_eq!(
            chains(&program, &[0, 0x10, 0x20, 0x30, 0x40, 0x50]),
            [
                vec![h.clone(), k(80)],
                vec![h.clone(), k(86)],
                vec![h.clone(), k(80)],
                vec![k(89)],
                vec![h, k(89)],
                vec![]
            ]
        );
    }
}
