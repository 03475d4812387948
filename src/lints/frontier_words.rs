//! A frontier in words: the table below a finding's advice.

use crate::check::CheckedKernel;
use crate::kernel::{Change, Frontier, FrontierRow, NoFrontier, Remedy};
use crate::lints::Draft;
use crate::text::{count, percent, sanitize, shorten_name, without_signature};

/// What a table begins with: the kernel's name where instantiations share a place, the architecture, the compiler.
const TITLE: &str = "the same PTX, assembled again with other bounds";
/// How a table ends.
const ENDING: &str = "fewer resident warps without spills can be faster or slower: measure both";
/// How a table ends where nothing spills.
const MEASURE: &str = "more resident warps can be faster or slower: measure";
/// How a table ends whose block nothing says.
const UNKNOWN_BLOCK: &str =
    "no block is assumed: give `block`, or `__launch_bounds__`, for the residency; measure both";
/// What is beside the bytes in the column of spills.
const SHARED: &str = "spill st/ld +N: bytes of local memory, and N spill instructions to shared memory";
/// Titles of the columns.
const COLUMNS: [&str; 6] = ["min blocks", "registers", "spill st/ld", "residency", "occupancy", "limiter"];
/// A cell that nothing says.
const UNKNOWN: &str = "?";
/// Marks of the row with the most residency of those that do not spill; of today's build; of one that is both. The first
/// that fits is taken.
const BEST: [&str; 2] = ["most without spills", "no spill"];
const NOW: [&str; 1] = ["now"];
const NOW_AND_BEST: [&str; 3] = ["now, most without spills", "now, no spill", "now"];
/// A line's columns: a report of 100 indents by 8.
const WIDTH: usize = 92;
/// The longest name in a title.
const NAME: usize = 28;

/// Adds to a draft what was assembled: the changes that `relevant` chooses, or why there are none, and the table.
pub(crate) fn with_experiments(draft: Draft, kernel: &CheckedKernel, relevant: fn(&Change) -> bool) -> Draft {
    let frontier = kernel.kernel.frontier.as_ref();
    let remedies = frontier.map(|frontier| frontier.remedies.as_slice()).unwrap_or_default();
    let remedies = remedies.iter().filter(|remedy| relevant(&remedy.change));
    let remedies = remedies.map(|remedy| format!("{}: measure", remedy_words(remedy)));
    let why = kernel.kernel.no_frontier.and_then(why_none);
    let lines: Vec<String> = draft.help.into_iter().chain(remedies).chain(why).collect();
    Draft { help: (!lines.is_empty()).then(|| lines.join("\n")), table: table(kernel), ..draft }
}

/// Changes against spills.
pub(crate) const fn against_spills(change: &Change) -> bool {
    matches!(change, Change::NoUnitCap(_) | Change::NoCap(_) | Change::Block { min_blocks: None, .. })
}

/// Changes for blocks that do not fit.
pub(crate) const fn for_blocks(change: &Change) -> bool {
    !against_spills(change)
}

/// Whether a change that meets the blocks asked for is known, or that fewer are asked for.
pub(crate) fn is_met(kernel: &CheckedKernel) -> bool {
    let frontier = kernel.kernel.frontier.as_ref();
    frontier.is_some_and(|frontier| frontier.remedies.iter().any(|remedy| for_blocks(&remedy.change)))
}

/// `assembled with min blocks 12: 40 registers, 448/472 bytes spilled, and 12 blocks fit of the 16 asked`.
pub(crate) fn remedy_words(remedy: &Remedy) -> String {
    let with =
        |blocks: Option<u32>| blocks.map(|blocks| format!(" and min blocks {blocks}")).unwrap_or_default();
    let change = match remedy.change {
        Change::MinBlocks(blocks) => format!("assembled with min blocks {blocks}"),
        Change::AskFor(blocks) => format!("asking for {} only", count(blocks, "block")),
        Change::Block { threads, min_blocks } => {
            format!("assembled with blocks of at most {threads} threads{}", with(min_blocks))
        }
        Change::SharedMemory { bytes, min_blocks } => {
            format!("with at most {} of shared memory per block{}", count(bytes, "byte"), with(min_blocks))
        }
        Change::NoUnitCap(cap) => format!("assembled without `-maxrregcount {cap}`"),
        Change::NoCap(cap) => format!("assembled without its cap of {}", count(cap, "register")),
    };
    let spilled = spill_words(remedy);
    let short = remedy.asked.filter(|&asked| remedy.residency.is_some_and(|blocks| blocks < asked));
    let of = short.map(|asked| format!(" of the {asked} asked")).unwrap_or_default();
    let verb = if remedy.residency == Some(1) { "fits" } else { "fit" };
    let fit = remedy.residency.map(|blocks| format!(", and {} {verb}{of}", count(blocks, "block")));
    let fit = fit.filter(|_| !matches!(remedy.change, Change::AskFor(_)));
    format!("{change}: {}, {spilled}{}", count(remedy.registers, "register"), fit.unwrap_or_default())
}

/// `nothing spilled`, `84/84 bytes spilled`, `24 spill instructions to shared memory`.
fn spill_words(remedy: &Remedy) -> String {
    let (stores, loads) = (remedy.spill_store_bytes, remedy.spill_load_bytes);
    let bytes = (stores > 0 || loads > 0).then(|| format!("{stores}/{loads} bytes spilled"));
    let shared = match remedy.shared_spills {
        Some(0) => None,
        Some(number) => Some(format!("{} to shared memory", count(number, "spill instruction"))),
        None => Some("spills to shared memory unknown".to_owned()),
    };
    match (bytes, shared) {
        (None, None) => "nothing spilled".to_owned(),
        (Some(words), None) | (None, Some(words)) => words,
        (Some(bytes), Some(shared)) => format!("{bytes} and {shared}"),
    }
}

/// Why there is no table, and what to do to have one; `None` where the finding says it already.
fn why_none(why: NoFrontier) -> Option<String> {
    Some(match why {
        NoFrontier::LinkTime => {
            "other bounds are not assembled: with link-time optimisation the device link makes the code; \
                                 compile without `-dlto` to see what they cost"
                .to_owned()
        }
        NoFrontier::Linked => {
            "other bounds are not assembled: the device link decides its registers; change them in the \
                               source, and compare the linked figures"
                .to_owned()
        }
        NoFrontier::Callees => {
            "other bounds are not assembled: relocatable code, and the functions that it calls are compiled \
                                apart; where it calls into no other unit, compile without `-rdc=true` to see what they cost"
                .to_owned()
        }
        NoFrontier::Limit(most) => {
            format!(
                "other bounds are not assembled: `--max-experiments {most}` was used up; a larger one shows what they cost"
            )
        }
        NoFrontier::Failed => "other bounds could not be assembled: a note of the run says why".to_owned(),
        NoFrontier::NothingToTry
        | NoFrontier::NothingAsked
        | NoFrontier::RegistersAreFree
        | NoFrontier::UnknownBlock => return None,
    })
}

/// The table of a kernel's frontier, lines of their own; `None` where there is nothing to compare.
fn table(kernel: &CheckedKernel) -> Option<String> {
    let frontier = kernel.kernel.frontier.as_ref().filter(|frontier| frontier.rows.len() > 1)?;
    let rows: Vec<Vec<String>> = frontier.rows.iter().map(cells).collect();
    let titles: Vec<String> = COLUMNS.iter().map(|title| (*title).to_owned()).collect();
    let mut lines = vec![format!("{}:", title(kernel, frontier)), line(&titles, &[])];
    lines.extend(rows.iter().zip(&frontier.rows).map(|(cells, row)| line(cells, marks(row))));
    lines.extend(frontier.rows.iter().any(|row| row.shared_spills != Some(0)).then(|| SHARED.to_owned()));
    lines.push(ending(frontier).to_owned());
    Some(lines.join("\n"))
}

const fn marks(row: &FrontierRow) -> &'static [&'static str] {
    match (row.current, row.best_without_spill) {
        (true, true) => &NOW_AND_BEST,
        (true, false) => &NOW,
        (false, true) => &BEST,
        (false, false) => &[],
    }
}

fn ending(frontier: &Frontier) -> &'static str {
    match frontier.block_threads {
        None => UNKNOWN_BLOCK,
        Some(_) if frontier.rows.iter().any(|row| row.spills() != Some(false)) => ENDING,
        Some(_) => MEASURE,
    }
}

fn title(kernel: &CheckedKernel, frontier: &Frontier) -> String {
    let record = &kernel.kernel;
    let mut facts: Vec<String> = record.arch.iter().map(ToString::to_string).collect();
    let name = record.name.demangled.as_str();
    if name.contains('<') {
        facts.insert(0, format!("`{}`", short(name)));
    }
    facts.push(format!("ptxas {}", frontier.ptxas));
    match frontier.block_threads {
        None => facts.push("unknown block".to_owned()),
        Some(threads) if kernel.block.is_none_or(|block| block.threads != threads) => {
            facts.push(format!("blocks of {threads} threads"));
        }
        Some(_) => {}
    }
    format!("{TITLE} ({})", facts.join(", "))
}

/// A name without its signature, of a length that leaves the title in a line.
fn short(name: &str) -> String {
    shorten_name(without_signature(&sanitize(name)), NAME)
}

fn cells(row: &FrontierRow) -> Vec<String> {
    let limiters: Vec<&str> = row.limiters.iter().map(|limiter| limiter.word()).collect();
    vec![
        bound(row),
        row.registers.to_string(),
        format!("{}/{}{}", row.spill_store_bytes, row.spill_load_bytes, shared_cell(row)),
        row.residency.map_or_else(|| UNKNOWN.to_owned(), |blocks| blocks.to_string()),
        row.occupancy.map_or_else(|| UNKNOWN.to_owned(), percent),
        limiters.join(", "),
    ]
}

/// What the bytes of a row leave out: `+24`, and `+?` where that is not known.
fn shared_cell(row: &FrontierRow) -> String {
    match row.shared_spills {
        Some(0) => String::new(),
        Some(number) => format!("+{number}"),
        None => format!("+{UNKNOWN}"),
    }
}

/// The min blocks, and what became of them in the build.
fn bound(row: &FrontierRow) -> String {
    match (row.max_registers, row.min_blocks) {
        (Some(cap), _) => format!("cap {cap}"),
        (None, None) => "–".to_owned(),
        (None, Some(blocks)) if row.min_blocks_hold => blocks.to_string(),
        (None, Some(blocks)) => format!("{blocks} dropped"),
    }
}

/// Cells in the middle of their columns, the last one at its left, and the first of the marks that fits. A line of a table
/// begins with a space.
fn line(cells: &[String], marks: &[&str]) -> String {
    let mut out = String::from("  ");
    for (index, (cell, title)) in cells.iter().zip(COLUMNS).enumerate() {
        let width = if index + 1 < COLUMNS.len() { title.len() } else { "registers".len() };
        match index + 1 < COLUMNS.len() {
            true => out.push_str(&format!("{cell:^width$}  ")),
            false => out.push_str(&format!("{cell:width$}   ")),
        }
    }
    let room = WIDTH.saturating_sub(out.chars().count());
    out.push_str(marks.iter().find(|mark| mark.len() <= room).unwrap_or(&""));
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::Rules;
    use crate::kernel::{Bounds, Kernel, Name};
    use crate::occupancy::Limiter;

    fn row(min_blocks: Option<u32>, registers: u32, bytes: (u32, u32), residency: u32) -> FrontierRow {
        FrontierRow {
            min_blocks,
            min_blocks_hold: true,
            max_registers: None,
            registers,
            spill_store_bytes: bytes.0,
            spill_load_bytes: bytes.1,
            shared_spills: Some(0),
            residency: Some(residency),
            occupancy: Some(f64::from(residency) / 16.0),
            limiters: vec![Limiter::Registers],
            current: false,
            best_without_spill: bytes.0 == 0,
        }
    }

    fn checked(name: &str, rows: Vec<FrontierRow>) -> CheckedKernel {
        let frontier = Frontier {
            ptxas: "13.5.37".to_owned(),
            block_threads: Some(128),
            rows,
            bounds_cause_spills: Some(true),
            cap_causes_spills: None,
            remedies: Vec::new(),
        };
        let kernel = Kernel {
            name: Name { demangled: name.to_owned(), ..Name::default() },
            arch: "sm_90".parse().ok(),
            bounds: Bounds { max_threads: Some([128, 1, 1]), ..Bounds::default() },
            frontier: Some(frontier),
            ..Kernel::default()
        };
        CheckedKernel {
            block: kernel.bounds.block(),
            limits: None,
            residency: None,
            steps: None,
            expectation: Rules::default().expectation(&kernel),
            before: None,
            comparison: crate::baseline::Comparison::New,
            renamed_from: None,
            fired: Vec::new(),
            kernel,
        }
    }

    #[test]
    fn the_table_is_the_designs() {
        let today = FrontierRow { current: true, ..row(Some(8), 64, (980, 1124), 8) };
        let rows = vec![today, row(Some(5), 96, (176, 192), 5), row(Some(4), 128, (0, 0), 4)];
        insta::assert_snapshot!(table(&checked("forced_spill(float*)", rows)).unwrap(), @r"
        the same PTX, assembled again with other bounds (sm_90, ptxas 13.5.37):
          min blocks  registers  spill st/ld  residency  occupancy  limiter
              8          64       980/1124        8        50 %     registers   now
              5          96        176/192        5       31.2 %    registers
              4          128         0/0          4        25 %     registers   most without spills
        fewer resident warps without spills can be faster or slower: measure both
        ");
    }

    #[test]
    fn a_long_name_a_lost_bound_and_many_limiters_stay_within_the_report() {
        let mut lost = row(Some(16), 72, (0, 0), 7);
        (lost.min_blocks_hold, lost.current) = (false, true);
        lost.limiters = vec![Limiter::Registers, Limiter::SharedMemory];
        let rows = vec![lost, row(None, 255, (12_345, 12_345), 32)];
        let name = format!("void ns::kernel<{}>(float*)", "long::type, ".repeat(20));
        let text = table(&checked(&name, rows)).unwrap();
        let rows = || text.lines().filter(|line| line.starts_with(' '));
        assert!(rows().count() == 3 && rows().all(|line| line.chars().count() <= WIDTH), "{text}");
        insta::assert_snapshot!(text, @r"
        the same PTX, assembled again with other bounds (`kernel<long::type,…::type, >`, sm_90, ptxas 13.5.37):
          min blocks  registers  spill st/ld  residency  occupancy  limiter
          16 dropped     72          0/0          7       43.8 %    registers, shared memory   now
              –          255     12345/12345     32        200 %    registers
        fewer resident warps without spills can be faster or slower: measure both
        ");
    }

    #[test]
    fn spills_to_shared_memory_stand_beside_the_bytes() {
        let shared = |row: FrontierRow, shared_spills: Option<u32>| FrontierRow {
            shared_spills,
            best_without_spill: false,
            ..row
        };
        let rows = vec![
            shared(row(Some(5), 48, (84, 84), 5), Some(42)),
            shared(row(Some(4), 64, (0, 0), 4), Some(24)),
            shared(row(None, 72, (0, 0), 3), None),
        ];
        insta::assert_snapshot!(table(&checked("sm", rows)).unwrap(), @r"
        the same PTX, assembled again with other bounds (sm_90, ptxas 13.5.37):
          min blocks  registers  spill st/ld  residency  occupancy  limiter
              5          48       84/84+42        5       31.2 %    registers
              4          64        0/0+24         4        25 %     registers
              –          72         0/0+?         3       18.8 %    registers
        spill st/ld +N: bytes of local memory, and N spill instructions to shared memory
        fewer resident warps without spills can be faster or slower: measure both
        ");
        let words = |bytes: u32, shared_spills: Option<u32>| {
            spill_words(&Remedy {
                change: Change::NoCap(40),
                registers: 64,
                spill_store_bytes: bytes,
                spill_load_bytes: bytes,
                shared_spills,
                residency: None,
                asked: None,
            })
        };
        assert_eq!(words(0, Some(0)), "nothing spilled");
        assert_eq!(words(8, Some(0)), "8/8 bytes spilled");
        assert_eq!(words(0, Some(1)), "1 spill instruction to shared memory");
        assert_eq!(words(8, Some(24)), "8/8 bytes spilled and 24 spill instructions to shared memory");
        assert_eq!(words(0, None), "spills to shared memory unknown");
    }

    #[test]
    fn one_row_is_no_table() {
        assert_eq!(table(&checked("k", vec![row(Some(8), 64, (4, 4), 8)])), None);
    }
}
