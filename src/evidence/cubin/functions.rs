//! A cubin, put together.

use std::collections::BTreeMap;

use crate::arch::Arch;
use crate::digest;

use super::elf::{Image, Section, Symbol};
use super::flow::Loops;
use super::lines::{self, Sites, Wanted};
use super::{Access, Cubin, CubinError, CubinFunction, MemoryOp, code, info};

/// Flags of sections with code.
const SHF_EXECINSTR: u64 = 4;
/// Sections that are read, by how their names begin: they must not overlap, or a small file would be a lot to read.
const READ: [&str; 4] = [".text.", ".nv.info", ".nv.callgraph", ".rel"];
/// Bytes of shared memory that the driver reserves, from cc 9.0 on part of a linked kernel's section.
const RESERVE: u64 = 1024;
/// Callees in `.nv.callgraph` from here on are no symbols: marks of the sections' ends and unknown callees.
const NO_SYMBOL: u32 = 0xffff_fff0;

/// The architecture in a cubin's header, without the letter.
///
/// # Errors
/// It is no cubin, or truncated.
pub fn arch_of(bytes: &[u8]) -> Result<Arch, CubinError> {
    architecture(&Image::parse(bytes)?)
}

fn architecture(image: &Image<'_>) -> Result<Arch, CubinError> {
    let number = u16::try_from(image.sm).ok().filter(|&number| number >= 20);
    number.map(Arch::from_cc_tenths).ok_or(CubinError::Architecture(image.sm))
}

/// Reads a cubin.
///
/// # Errors
/// It is no cubin, or truncated or damaged.
pub fn read(bytes: &[u8]) -> Result<Cubin, CubinError> {
    let image = Image::parse(bytes)?;
    let arch = architecture(&image)?;
    let mut reader = Reader::new(&image, bytes.len())?;
    let decoded = image.sm >= code::FIRST_SM;
    if decoded {
        reader.code()?;
    }
    reader.attributes()?;
    reader.shared();
    let outside = reader.calls(bytes.len())?;
    let mut sites = Sites::default();
    let mut wanted = reader.wanted();
    lines::locate(&image, &mut wanted, &mut sites)?;
    reader.answer(&wanted);
    let (files, sites) = sites.into_lists();
    let functions: Vec<CubinFunction> = reader.functions.into_iter().map(|one| one.function).collect();
    let mut by_name: Vec<usize> = (0..functions.len()).collect();
    by_name.sort_by_key(|&index| (functions[index].name.as_str(), !functions[index].entry));
    let annotates = image.new_layout || functions.iter().any(|function| !function.annotated.is_empty());
    let linked = image.linked;
    Ok(Cubin { arch, linked, functions, outside, files, sites, decoded, annotates, by_name })
}

/// A function and where its code is.
struct Placed {
    function: CubinFunction,
    section: usize,
    start: u64,
    end: u64,
}

impl Placed {
    /// Where a kernel's code begins.
    fn first(&self) -> Option<u32> {
        u32::try_from(self.start).ok().filter(|_| self.function.entry)
    }
}

/// Functions that are called and not defined.
#[derive(Default)]
struct Outside {
    by_symbol: BTreeMap<u32, usize>,
    names: Vec<String>,
    /// Bytes that further names may have.
    room: usize,
}

impl Outside {
    /// The index of a symbol's name; `None` for one without.
    fn index(&mut self, image: &Image<'_>, symbol: u32) -> Result<Option<usize>, CubinError> {
        if let Some(&known) = self.by_symbol.get(&symbol) {
            return Ok(Some(known));
        }
        let name = usize::try_from(symbol).ok().and_then(|symbol| image.symbols.get(symbol));
        let Some(name) = name.map(|symbol| symbol.name).filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let left = self.room.checked_sub(name.len());
        self.room = left.ok_or(CubinError::Malformed("names overlap"))?;
        self.by_symbol.insert(symbol, self.names.len());
        self.names.push(name.to_owned());
        Ok(Some(self.names.len() - 1))
    }
}

struct Reader<'a> {
    image: &'a Image<'a>,
    /// By section, then by start; a section's own function comes before those within it.
    functions: Vec<Placed>,
    /// Functions by their symbols.
    by_symbol: BTreeMap<usize, usize>,
    /// Names of sections' own functions, with the section.
    sections: BTreeMap<&'a str, usize>,
}

impl<'a> Reader<'a> {
    fn new(image: &'a Image<'a>, size: usize) -> Result<Self, CubinError> {
        let mut sections = BTreeMap::new();
        let mut room = size;
        for (index, section) in image.sections.iter().enumerate() {
            if READ.iter().any(|name| section.name.starts_with(name)) {
                let left = room.checked_sub(section.data.len());
                room = left.ok_or(CubinError::Malformed("sections overlap"))?;
            }
            let own = section.name.strip_prefix(".text.");
            if let Some(own) = own.filter(|_| section.flags & SHF_EXECINSTR != 0) {
                sections.insert(own, index);
            }
        }
        let mut symbols: Vec<(usize, &Symbol<'_>)> = image.symbols.iter().enumerate().collect();
        symbols.retain(|(_, symbol)| symbol.function && is_code(image, symbol, &sections));
        symbols.sort_by_key(|(index, symbol)| (symbol.section, !own(image, symbol), symbol.value, *index));
        let mut reader = Self { image, functions: Vec::new(), by_symbol: BTreeMap::new(), sections };
        let mut room = size;
        for (index, symbol) in symbols {
            room = room.checked_sub(symbol.name.len()).ok_or(CubinError::Malformed("names overlap"))?;
            reader.by_symbol.insert(index, reader.functions.len());
            reader.functions.push(placed(image, symbol)?);
        }
        Ok(reader)
    }

    /// Reads each section's instructions and annotations, and gives them to its functions.
    fn code(&mut self) -> Result<(), CubinError> {
        let notes = self.annotations()?;
        let mut first = 0;
        while let Some(placed) = self.functions.get(first) {
            let section = placed.section;
            let after = self.functions.partition_point(|one| one.section <= section);
            let code = self.image.sections[section].data;
            let loops = Loops::of(code, self.image.sm);
            let own = &mut self.functions[first..after];
            for (index, instruction) in code::instructions(code).enumerate() {
                let (access, bytes) = code::access(instruction);
                if matches!(access, Access::LocalStore | Access::LocalLoad) {
                    let op = operation(index, access, bytes, &loops)?;
                    owner(own, op.offset).local.push(op);
                }
            }
            for &offset in notes.get(&section).into_iter().flatten() {
                let op = noted(code, offset, &loops)?;
                owner(own, op.offset).annotated.push(op);
            }
            first = after;
        }
        Ok(())
    }

    /// Offsets that are annotated as spills, by code section; ascending, each once.
    fn annotations(&self) -> Result<BTreeMap<usize, Vec<u32>>, CubinError> {
        let mut notes: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for (code, section) in self.infos() {
            for attribute in info::attributes(section.data) {
                let attribute = attribute?;
                if attribute.id == info::ANNOTATIONS {
                    let spills =
                        info::pairs(attribute.payload).filter(|&(kind, _)| kind == info::SPILL_REFILL);
                    notes.entry(code).or_default().extend(spills.map(|(_, offset)| offset));
                }
            }
        }
        for offsets in notes.values_mut() {
            offsets.sort_unstable();
            offsets.dedup();
        }
        Ok(notes)
    }

    /// Sections with attributes of one kernel or device function, each with its code's section.
    fn infos(&self) -> impl Iterator<Item = (usize, &'a Section<'a>)> + '_ {
        self.image.sections.iter().filter_map(|section| {
            let own = section.name.strip_prefix(".nv.info.")?;
            Some((*self.sections.get(own)?, section))
        })
    }

    /// The function that a code section is named after.
    fn of_section(&self, section: usize) -> Option<usize> {
        let first = self.functions.partition_point(|one| one.section < section);
        self.functions.get(first).filter(|one| one.section == section).map(|_| first)
    }

    fn attributes(&mut self) -> Result<(), CubinError> {
        for section in self.image.sections.iter().filter(|section| section.name == ".nv.info") {
            for attribute in info::attributes(section.data) {
                self.of_symbol(attribute?);
            }
        }
        let infos: Vec<_> = self.infos().collect();
        for (code, section) in infos {
            let Some(index) = self.of_section(code) else { continue };
            let function = &mut self.functions[index].function;
            for attribute in info::attributes(section.data) {
                let attribute = attribute?;
                let words: Vec<u32> = info::words(attribute.payload).take(3).collect();
                match (attribute.id, words.as_slice()) {
                    (info::MAX_THREADS, &[x, y, z]) => function.max_threads = Some([x, y, z]),
                    (info::REQUIRED_THREADS, &[x, y, z]) => function.required_threads = Some([x, y, z]),
                    (info::BARRIERS, _) if self.image.new_layout => {
                        function.barriers = Some(u32::from(attribute.value & 0xff));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// An attribute of `.nv.info`: symbol and value.
    fn of_symbol(&mut self, attribute: info::Attribute<'_>) {
        let Some((symbol, value)) = info::pairs(attribute.payload).next() else { return };
        let known = usize::try_from(symbol).ok().and_then(|symbol| self.by_symbol.get(&symbol));
        let Some(&index) = known else { return };
        let function = &mut self.functions[index].function;
        let value = Some(value).filter(|&value| value != u32::MAX);
        match attribute.id {
            info::REGISTERS => function.registers = value,
            info::FRAME_SIZE => function.frame_bytes = value,
            info::MIN_STACK_SIZE => function.min_stack_bytes = value,
            _ => {}
        }
    }

    /// Static shared memory; what a kernel has no section for is 0.
    fn shared(&mut self) {
        let reserve = if self.image.linked && self.image.sm >= 90 { RESERVE } else { 0 };
        for one in self.functions.iter_mut().filter(|one| one.function.entry) {
            one.function.static_shared_bytes = Some(0);
        }
        for section in &self.image.sections {
            let own = section.name.strip_prefix(".nv.shared.").and_then(|own| self.sections.get(own));
            let Some(index) = own.and_then(|&code| self.of_section(code)) else { continue };
            let bytes = u32::try_from(section.size.saturating_sub(reserve)).unwrap_or(u32::MAX);
            let function = &mut self.functions[index].function;
            function.static_shared_bytes = function.entry.then_some(bytes);
        }
    }

    /// Who calls whom; the names of what is called and not defined.
    fn calls(&mut self, size: usize) -> Result<Vec<String>, CubinError> {
        for index in 0..self.functions.len() {
            let first = self.of_section(self.functions[index].section);
            if let Some(first) = first.filter(|&first| first != index) {
                self.functions[first].function.calls.push(index);
            }
        }
        let mut outside = Outside { room: size, ..Outside::default() };
        for section in self.image.sections.iter().filter(|section| section.name == ".nv.callgraph") {
            for (caller, callee) in info::pairs(section.data) {
                let get =
                    |symbol: u32| usize::try_from(symbol).ok().and_then(|s| self.by_symbol.get(&s)).copied();
                let (Some(caller), callee_index) = (get(caller), get(callee)) else { continue };
                let function = &mut self.functions[caller].function;
                function.indirect_calls |= callee >= NO_SYMBOL;
                match callee_index {
                    Some(callee) => function.calls.push(callee),
                    None if callee >= NO_SYMBOL => {}
                    None => function.outside.extend(outside.index(self.image, callee)?),
                }
            }
        }
        for CubinFunction { calls, outside, .. } in self.functions.iter_mut().map(|one| &mut one.function) {
            for list in [calls, outside] {
                list.sort_unstable();
                list.dedup();
            }
        }
        Ok(outside.names)
    }

    /// The places whose lines are wanted, by section.
    fn wanted(&self) -> BTreeMap<usize, Wanted> {
        let mut wanted: BTreeMap<usize, Wanted> = BTreeMap::new();
        for one in &self.functions {
            let ops = one.function.local.iter().chain(&one.function.annotated);
            let places = wanted.entry(one.section).or_default();
            places.extend(ops.map(|op| (op.offset, None)));
            places.extend(one.first().map(|offset| (offset, None)));
        }
        for places in wanted.values_mut() {
            // Ascending runs: a sort that merges them.
            places.sort();
            places.dedup();
        }
        wanted
    }

    fn answer(&mut self, wanted: &BTreeMap<usize, Wanted>) {
        for one in &mut self.functions {
            let Some(places) = wanted.get(&one.section) else { continue };
            let site = |at: usize, offset: u32| {
                places.get(at).filter(|(own, _)| *own == offset).and_then(|&(_, site)| site)
            };
            let find = |offset: u32| places.partition_point(|&(own, _)| own < offset);
            one.function.opening = one.first().and_then(|offset| site(find(offset), offset));
            for ops in [&mut one.function.local, &mut one.function.annotated] {
                // Both ascend: the next place is a few further on.
                let mut at = ops.first().map_or(0, |op| find(op.offset));
                for op in ops {
                    while places.get(at).is_some_and(|&(own, _)| own < op.offset) {
                        at += 1;
                    }
                    op.site = site(at, op.offset);
                }
            }
        }
    }
}

/// Whether a symbol is in one of the code sections.
fn is_code(image: &Image<'_>, symbol: &Symbol<'_>, sections: &BTreeMap<&str, usize>) -> bool {
    let section = image.sections.get(symbol.section);
    let own = section.and_then(|section| section.name.strip_prefix(".text."));
    own.and_then(|own| sections.get(own)) == Some(&symbol.section)
}

/// Whether a symbol is the one that its section is named after.
fn own(image: &Image<'_>, symbol: &Symbol<'_>) -> bool {
    image.sections[symbol.section].name.strip_prefix(".text.") == Some(symbol.name)
}

fn placed(image: &Image<'_>, symbol: &Symbol<'_>) -> Result<Placed, CubinError> {
    let section = &image.sections[symbol.section];
    let end = symbol.value.checked_add(symbol.size);
    let end = end.filter(|&end| end <= section.data.len() as u64);
    let end = end.ok_or(CubinError::Malformed("a function ends outside its section"))?;
    let range =
        usize::try_from(symbol.value).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX);
    // Within a kernel's section, a device function is called `$kernel$function`.
    let within = section
        .name
        .strip_prefix(".text.")
        .and_then(|own| symbol.name.strip_prefix('$')?.strip_prefix(own)?.strip_prefix('$'));
    let entry = symbol.entry;
    let old_barriers = u32::try_from(section.flags >> 20 & 0x7f).unwrap_or_default();
    let barriers = if image.new_layout { 0 } else { old_barriers };
    let function = CubinFunction {
        name: within.unwrap_or(symbol.name).to_owned(),
        entry,
        barriers: entry.then_some(barriers),
        code: section.data.get(range).map_or(0, digest::of_code),
        ..CubinFunction::default()
    };
    Ok(Placed { function, section: symbol.section, start: symbol.value, end })
}

fn operation(index: usize, access: Access, bytes: u8, loops: &Loops) -> Result<MemoryOp, CubinError> {
    let offset =
        u32::try_from(index * code::SIZE).map_err(|_| CubinError::Malformed("a section is too large"))?;
    Ok(MemoryOp { offset, access, bytes, hot: loops.contains(index), site: None })
}

/// The instruction that an annotation is about.
fn noted(code: &[u8], offset: u32, loops: &Loops) -> Result<MemoryOp, CubinError> {
    let whole = usize::try_from(offset).ok().filter(|offset| offset.is_multiple_of(code::SIZE));
    let index = whole.map(|offset| offset / code::SIZE);
    let instruction = index.and_then(|index| Some((index, code::instructions(code).nth(index)?)));
    let (index, instruction) = instruction.ok_or(CubinError::Malformed("an annotation outside the code"))?;
    let (access, bytes) = code::access(instruction);
    operation(index, access, bytes, loops)
}

/// The function of a section that an instruction is in: the last one within it whose code covers the place, else the
/// section's own.
fn owner(functions: &mut [Placed], offset: u32) -> &mut CubinFunction {
    let offset = u64::from(offset);
    let within = functions[1..].partition_point(|one| one.start <= offset);
    let index = if within > 0 && offset < functions[within].end { within } else { 0 };
    &mut functions[index].function
}
