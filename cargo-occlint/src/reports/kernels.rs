//! A kernel's line, as the record that a check makes.

use std::sync::Arc;

use occlint::baseline::{Comparison, Entry};
use occlint::check::CheckedKernel;
use occlint::expect::{Expectation, Target};
use occlint::kernel::{
    Block, BlockFrom, Bounds, CodeLine, DeviceFunction, Kernel, Link, Name, Place, SpillLine, SpillWitness,
    Spills, UnboundedStack, Unread, Usage,
};
use occlint::occupancy::{Resources, residency, steps};

use crate::reports::Sources;
use crate::reports::fields::Fields;

/// Residency and steps are computed anew from the figures. Local memory that is no spill, and what other bounds would cost,
/// are left out: findings have them in words.
pub(super) fn kernel(line: Fields<'_>, sources: &Sources) -> Result<CheckedKernel, String> {
    let kernel = Kernel {
        name: name(line)?,
        arch: line.arch()?,
        units: line.texts("units")?,
        place: place(line, sources)?,
        bounds: bounds(line)?,
        usage: usage(line)?,
        dynamic_shared: line.flag("uses_dynamic_smem")?,
        spills: spills(line, sources)?,
        functions: functions(line)?,
        unbounded_stack: line.text("unbounded_stack")?.map(unbounded).transpose()?,
        link: link(line)?,
        code: code(line)?,
        settings: line.text("settings")?.map(Arc::from),
        compiler: line.text("compiler")?.map(Arc::from),
        ..Kernel::default()
    };
    let dynamic_shared_bytes = line.number("dynamic_smem")?;
    let target = Target { dynamic_shared_bytes, ..Target::default() };
    let before = line.object("before")?.map(entry).transpose()?;
    let checked = CheckedKernel {
        block: block(line)?,
        limits: None,
        residency: None,
        steps: None,
        expectation: Expectation { target, ..Expectation::default() },
        before,
        comparison: Comparison::New,
        renamed_from: line.text("renamed_from")?.map(str::to_owned),
        fired: Vec::new(),
        kernel,
    };
    Ok(with_residency(checked))
}

/// Computes what follows from the figures.
fn with_residency(checked: CheckedKernel) -> CheckedKernel {
    let usage = &checked.kernel.usage;
    let limits = checked.kernel.arch.and_then(|arch| arch.limits().ok());
    let resources = checked.block.zip(usage.registers).map(|(block, registers)| Resources {
        block_threads: block.threads,
        registers,
        static_shared_bytes: usage.static_shared_bytes.unwrap_or(0),
        dynamic_shared_bytes: checked.expectation.target.dynamic_shared_bytes.unwrap_or(0),
        barriers: usage.barriers.unwrap_or(0),
        carveout_percent: None,
    });
    let known = limits.zip(resources);
    CheckedKernel {
        limits,
        residency: known.map(|(limits, resources)| residency(limits, &resources)),
        steps: known.map(|(limits, resources)| steps(limits, &resources)),
        ..checked
    }
}

fn name(line: Fields<'_>) -> Result<Name, String> {
    let text = |field| line.needed(field).map(str::to_owned);
    Ok(Name {
        mangled: text("mangled")?,
        demangled: text("name")?,
        qualified: text("qualified")?,
        key: text("key")?,
    })
}

fn place(line: Fields<'_>, sources: &Sources) -> Result<Option<Place>, String> {
    let (file, number) = (line.text("source")?, line.number("line")?);
    let foreign = line.flag("foreign")?.unwrap_or(false);
    Ok(file.zip(number).map(|(file, line)| Place {
        file: file.to_owned(),
        line,
        foreign,
        text: sources.get(file),
        declarator: None,
        bounds: None,
    }))
}

fn bounds(line: Fields<'_>) -> Result<Bounds, String> {
    let Some(bounds) = line.object("bounds")? else { return Ok(Bounds::default()) };
    // only the product of the dimensions is written
    let threads = |field| Ok::<_, String>(bounds.number(field)?.map(|threads| [threads, 1, 1]));
    Ok(Bounds {
        max_threads: threads("max_threads")?,
        required_threads: threads("required_threads")?,
        min_blocks: bounds.number("min_blocks")?,
        max_registers: bounds.number("max_registers")?,
        max_cluster_rank: bounds.number("max_cluster_rank")?,
        required_cluster: None,
    })
}

fn usage(line: Fields<'_>) -> Result<Usage, String> {
    Ok(Usage {
        registers: line.number("registers")?,
        barriers: line.number("barriers")?,
        static_shared_bytes: line.number("static_smem")?,
        stack_frame_bytes: line.number("stack")?,
        cumulative_stack_bytes: line.number("cumulative_stack")?,
        local_bytes: line.number("local_bytes")?,
        spill_store_bytes: line.number("spill_stores")?,
        spill_load_bytes: line.number("spill_loads")?,
    })
}

fn block(line: Fields<'_>) -> Result<Option<Block>, String> {
    const FROM: [BlockFrom; 3] = [BlockFrom::Target, BlockFrom::RequiredThreads, BlockFrom::MaxThreads];
    let Some((threads, word)) = line.number("block")?.zip(line.text("block_from")?) else { return Ok(None) };
    let from = FROM.into_iter().find(|from| from.word() == word);
    let from = from.ok_or_else(|| format!("`block_from` is `{word}`, which says nothing"))?;
    Ok(Some(Block { threads, from }))
}

fn link(line: Fields<'_>) -> Result<Link, String> {
    Ok(match line.flag("linked")? {
        None => Link::NotRelocatable,
        Some(false) => {
            Link::Preliminary { why: line.text("preliminary_because")?.unwrap_or_default().to_owned() }
        }
        Some(true) => {
            let registers = line.number("compiled_registers")?;
            Link::Linked { compiled: Usage { registers, ..Usage::default() } }
        }
    })
}

fn unbounded(word: &str) -> Result<UnboundedStack, String> {
    match word {
        "reported" => Ok(UnboundedStack::Reported),
        "recursion" => Ok(UnboundedStack::Recursion(Vec::new())),
        "indirect-call" => Ok(UnboundedStack::IndirectCall),
        "alloca" => Ok(UnboundedStack::Alloca),
        other => Err(format!("`unbounded_stack` is `{other}`, which says nothing")),
    }
}

fn functions(line: Fields<'_>) -> Result<Vec<DeviceFunction>, String> {
    let function = |function: Fields<'_>| {
        let name = function.needed("name")?.to_owned();
        Ok(DeviceFunction {
            name: Name {
                mangled: function.needed("mangled")?.to_owned(),
                qualified: name.clone(),
                key: name.clone(),
                demangled: name,
            },
            stack_frame_bytes: function.number("stack")?,
            spill_store_bytes: function.number("spill_stores")?,
            spill_load_bytes: function.number("spill_loads")?,
            place: None,
        })
    };
    line.objects("functions")?.unwrap_or_default().into_iter().map(function).collect()
}

/// Where nothing says that all is read, what is unread is unknown as a whole.
fn spills(line: Fields<'_>, sources: &Sources) -> Result<Option<Spills>, String> {
    let Some(lines) = line.objects("spill_lines")? else { return Ok(None) };
    let lines =
        lines.into_iter().map(|line| spill_line(line, sources)).collect::<Result<Vec<_>, String>>()?;
    let none = Spills {
        instructions: 0,
        // which of the two it was is not written
        witness: SpillWitness::Annotations,
        adds_up: line.flag("spill_instructions_add_up")?,
        lines: Vec::new(),
        unread: Unread {
            functions: line.texts("spills_unknown_in")?,
            through_pointer: line.flag("spills_unknown_through_pointer")?.unwrap_or(false),
        },
    };
    Ok(Some(none.with(lines)))
}

fn spill_line(line: Fields<'_>, sources: &Sources) -> Result<SpillLine, String> {
    let count = |field| Ok::<_, String>(line.number(field)?.unwrap_or(0));
    let [stores, loads] = [count("stores")?, count("loads")?];
    let [shared_stores, shared_loads] = [count("shared_stores")?, count("shared_loads")?];
    let all = [stores, loads, shared_stores, shared_loads];
    if all.iter().try_fold(0_u32, |sum, &one| sum.checked_add(one)).is_none() {
        return Err(format!("`spill_lines` has more than {} instructions in a line", u32::MAX));
    }
    let chain = line.objects("inlined_from")?.unwrap_or_default();
    let chain = chain.into_iter().map(|at| code_line(at, sources)).collect::<Result<Vec<_>, String>>()?;
    Ok(SpillLine {
        function: line.text("function")?.map(str::to_owned),
        at: code_line(line, sources)?,
        inlined_from: chain.into_iter().flatten().collect(),
        stores,
        loads,
        shared_stores,
        shared_loads,
        hot: line.flag("hot")?.unwrap_or(false),
    })
}

fn code_line(at: Fields<'_>, sources: &Sources) -> Result<Option<CodeLine>, String> {
    let place = at.text("file")?.zip(at.number("line")?);
    Ok(place.map(|(file, line)| CodeLine {
        file: file.to_owned(),
        line,
        foreign: false,
        text: sources.get(file),
    }))
}

/// What the baseline had of a kernel.
fn entry(before: Fields<'_>) -> Result<Entry, String> {
    Ok(Entry {
        registers: before.number("registers")?,
        spill_stores: before.number("spill_stores")?,
        spill_loads: before.number("spill_loads")?,
        shared_spills: before.number("shared_spills")?,
        static_smem: before.number("static_smem")?,
        block: before.number("block")?,
        residency: before.number("residency")?,
        limiters: before.texts("limiters")?,
        free_registers: before.number("free_registers")?,
        free_smem: before.number("free_smem")?,
        findings: Vec::new(),
        settings: before.text("settings")?.map(Arc::from),
        compiler: before.text("compiler")?.map(Arc::from),
        code: code(before)?,
    })
}

/// A digest of code: 16 hexadecimal digits.
fn code(line: Fields<'_>) -> Result<Option<u64>, String> {
    let Some(digits) = line.text("code")? else { return Ok(None) };
    let code = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 16);
    code.map(Some).ok_or_else(|| "`code` is no digest".to_owned())
}

/// A kernel as a baseline has it: its residency is the recorded one, since shared memory that the launch brings and
/// barriers are not in it.
pub(super) fn of_entry(key: &str, arch: occlint::arch::Arch, entry: &Entry) -> CheckedKernel {
    let name = key.split_once('/').map_or(key, |(_, name)| name).to_owned();
    let kernel = Kernel {
        name: Name { mangled: name.clone(), qualified: name.clone(), demangled: name, key: key.to_owned() },
        arch: Some(arch),
        usage: Usage {
            registers: entry.registers,
            static_shared_bytes: entry.static_smem,
            spill_store_bytes: entry.spill_stores,
            spill_load_bytes: entry.spill_loads,
            ..Usage::default()
        },
        spills: entry.shared_spills.map(shared_spills),
        code: entry.code,
        settings: entry.settings.clone(),
        compiler: entry.compiler.clone(),
        ..Kernel::default()
    };
    let checked = with_residency(CheckedKernel {
        block: entry.block.map(|threads| Block { threads, from: BlockFrom::Target }),
        limits: None,
        residency: None,
        steps: None,
        expectation: Expectation::default(),
        before: None,
        comparison: Comparison::New,
        renamed_from: None,
        fired: Vec::new(),
        kernel,
    });
    as_recorded(checked, entry)
}

fn shared_spills(instructions: u32) -> Spills {
    let line = SpillLine {
        function: None,
        at: None,
        inlined_from: Vec::new(),
        stores: 0,
        loads: 0,
        shared_stores: instructions,
        shared_loads: 0,
        hot: false,
    };
    let (witness, unread) = (SpillWitness::Annotations, Unread::default());
    Spills {
        instructions,
        witness,
        adds_up: None,
        lines: if instructions > 0 { vec![line] } else { Vec::new() },
        unread,
    }
}

/// Puts the recorded residency, its limiters and what was free in the place of what the figures alone would give.
fn as_recorded(mut checked: CheckedKernel, entry: &Entry) -> CheckedKernel {
    let (Some(blocks), Some(found)) = (entry.residency, checked.residency.as_mut()) else {
        (checked.residency, checked.steps) = (None, None);
        return checked;
    };
    found.blocks = blocks;
    let limits = |key: &str| entry.limiters.iter().any(|limiter| limiter == key);
    // A resource limits what it alone allows as many blocks of; the others allow more.
    let optional = |limit: Option<u32>, key: &str| match limit {
        _ if limits(key) => Some(blocks),
        limit => limit.map(|limit| limit.max(blocks.saturating_add(1))),
    };
    let plain =
        |limit: u32, key: &str| if limits(key) { blocks } else { limit.max(blocks.saturating_add(1)) };
    found.registers = optional(found.registers, "registers");
    found.shared_memory = optional(found.shared_memory, "shared_memory");
    found.barriers = optional(found.barriers, "barriers");
    found.warps = plain(found.warps, "warps");
    found.max_blocks = plain(found.max_blocks, "blocks");
    if let Some(steps) = checked.steps.as_mut() {
        (steps.fewer_registers, steps.fewer_shared_bytes) = (None, None);
        steps.free_registers = entry.free_registers.unwrap_or(steps.free_registers);
        steps.free_shared_bytes = entry.free_smem.unwrap_or(steps.free_shared_bytes);
    }
    checked
}
