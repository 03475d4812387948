//! The answer in words.

use std::fmt::Write;

use occlint::arch::Limits;
use occlint::occupancy::{
    Limiter, MAX_BLOCK_THREADS, MAX_REGISTERS, Residency, Steps, carved_shared_bytes, warps_by_registers,
};
use occlint::text::count;

use super::args::Question;

/// The most static shared memory that ptxas accepts, on every part.
const STATIC_SHARED_BYTES: u32 = 48 * 1024;

/// Limit by limit, with the arithmetic.
pub(super) fn answer(question: &Question, limits: &Limits, residency: &Residency, steps: &Steps) -> String {
    let mut text = headline(question, residency);
    let _ = writeln!(text, "\n\n  {:<14} {:>8}", "limit", "blocks");
    let limiters = residency.limiters();
    for limiter in Limiter::ALL {
        let blocks =
            residency.limit(limiter).map_or_else(|| "no limit".to_owned(), |blocks| blocks.to_string());
        let mark = if limiters.contains(&limiter) { "<" } else { " " };
        let why = why(limiter, question, limits, residency);
        let _ = writeln!(text, "  {:<14} {blocks:>8} {mark} {why}", limiter.word());
    }
    text.push_str(&allocated(question, limits, residency));
    text.push_str(&ceiling(residency));
    text.push_str(&steps_words(residency, steps));
    text
}

/// The theoretical occupancy; of a block that cannot launch there is none.
fn ceiling(residency: &Residency) -> String {
    if residency.blocks == 0 {
        return "\n".to_owned();
    }
    let percent = residency.occupancy() * 100.0;
    let resident = u64::from(residency.blocks) * u64::from(residency.warps_per_block);
    let all = residency.max_warps;
    format!(
        "\n  theoretical occupancy {percent:.1} %: {resident} of {all} warps. It is a ceiling and not a score\n"
    )
}

fn headline(question: &Question, residency: &Residency) -> String {
    let words: Vec<&str> = residency.limiters().into_iter().map(Limiter::word).collect();
    // Three names are too long for the line.
    let space = if words.len() > 2 { "\n" } else { " " };
    let (words, arch) = (words.join(" and "), question.arch);
    match residency.blocks {
        0 => format!("the block cannot launch on {arch},{space}because of {words}"),
        1 => format!("1 block fits on one SM of {arch},{space}limited by {words}"),
        blocks => format!("{blocks} blocks fit on one SM of {arch},{space}limited by {words}"),
    }
}

fn why(limiter: Limiter, question: &Question, limits: &Limits, residency: &Residency) -> String {
    let resources = &question.resources;
    match limiter {
        Limiter::Registers => registers(question, limits, residency),
        Limiter::SharedMemory => shared_memory(question, limits, residency),
        Limiter::Warps if residency.warps == 0 => {
            format!("{} threads: at most {MAX_BLOCK_THREADS} a block", resources.block_threads)
        }
        Limiter::Warps => format!("⌊{} / {}⌋ warps", residency.max_warps, residency.warps_per_block),
        Limiter::Blocks => "the most that the SM holds".to_owned(),
        Limiter::Barriers => match (limits.barrier_pool, resources.barriers) {
            (None, _) => "not before compute capability 9.0".to_owned(),
            (Some(_), 0) => "none used".to_owned(),
            (Some(pool), used) => format!("⌊{pool} / {used}⌋ named barriers"),
        },
    }
}

fn registers(question: &Question, limits: &Limits, residency: &Residency) -> String {
    let Some(on_sm) = warps_by_registers(limits, question.resources.registers) else {
        return "none used".to_owned();
    };
    if question.resources.registers > MAX_REGISTERS {
        return format!("{} a thread: at most {MAX_REGISTERS}", question.resources.registers);
    }
    let (warps, partitions) = (residency.warps_per_block, limits.sub_partitions);
    let per_warp = residency.registers_allocated / warps.max(1);
    if residency.registers == Some(0) {
        // The launch check counts whole rounds of four warps.
        let (counted, most) = (warps.next_multiple_of(4), limits.registers_per_block);
        let rounded = if counted == warps { String::new() } else { format!("{warps} warps as ") };
        return format!("{rounded}{counted} × {per_warp}: over the {most} of a block");
    }
    let partition = limits.registers / partitions;
    format!("{partitions} × ⌊{partition} / {per_warp}⌋ = {on_sm} warps; ⌊{on_sm} / {warps}⌋")
}

fn shared_memory(question: &Question, limits: &Limits, residency: &Residency) -> String {
    let block = residency.shared_allocated_bytes;
    match residency.shared_memory {
        None => "none used".to_owned(),
        Some(0) => {
            format!(
                "{block} bytes: at most {} a block",
                limits.opt_in_shared_bytes + limits.reserved_shared_bytes
            )
        }
        Some(_) => {
            let carved = match question.resources.carveout_percent {
                Some(_) if limits.carveouts_kib.is_empty() => ", no carve-out before 7.0",
                Some(_) => " of the carve-out",
                None => "",
            };
            format!("⌊{} / {block}⌋ bytes{carved}", carved_shared_bytes(limits, &question.resources))
        }
    }
}

/// What a block is given, and how its request is rounded.
fn allocated(question: &Question, limits: &Limits, residency: &Residency) -> String {
    let resources = &question.resources;
    let asked = u64::from(resources.static_shared_bytes) + u64::from(resources.dynamic_shared_bytes);
    let reserve = match limits.reserved_shared_bytes {
        0 => String::new(),
        bytes => format!(" + {bytes} reserved"),
    };
    let mut text = format!(
        "\n  allocated per block: {} ({} × {})\n",
        count(residency.registers_allocated, "register"),
        count(residency.warps_per_block, "warp"),
        residency.registers_allocated / residency.warps_per_block.max(1),
    );
    let _ = writeln!(
        text,
        "  and {} of shared memory ({asked}{reserve}; unit {})",
        count(residency.shared_allocated_bytes, "byte"),
        limits.shared_unit_bytes
    );
    if resources.static_shared_bytes > STATIC_SHARED_BYTES {
        text.push_str("  ptxas refuses over 48 KiB of static shared memory: make it dynamic\n");
    }
    text
}

fn steps_words(residency: &Residency, steps: &Steps) -> String {
    let mut text = String::new();
    if let Some(step) = steps.fewer_registers {
        let amount = count(step.amount, "register");
        let _ = writeln!(text, "  {amount} fewer per thread: room for {}", count(step.blocks, "block"));
    }
    if let Some(step) = steps.fewer_shared_bytes {
        let amount = count(step.amount, "byte");
        let _ = writeln!(text, "  {amount} fewer of shared memory: room for {}", count(step.blocks, "block"));
    }
    if residency.blocks > 0 {
        let free = [
            (steps.free_registers, "register", "per thread", steps.blocks_past_free_registers),
            (steps.free_shared_bytes, "byte", "of shared memory", steps.blocks_past_free_shared),
        ];
        for (amount, unit, of, past) in free {
            let past = count(past, "block");
            let _ = match amount {
                0 => writeln!(text, "  1 {unit} more {of}: {past}"),
                amount => writeln!(text, "  {} more {of}: free; one past: {past}", count(amount, unit)),
            };
        }
    }
    if residency.blocks > 0 {
        text.push_str("  more blocks can be faster or slower: measure\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use occlint::occupancy::{Resources, residency, steps};

    use super::*;

    fn text(arch: &str, resources: Resources) -> String {
        let question = Question { arch: arch.parse().unwrap(), resources };
        let limits = question.arch.limits().unwrap();
        answer(&question, limits, &residency(limits, &resources), &steps(limits, &resources))
    }

    fn block(block_threads: u32, registers: u32, static_shared_bytes: u32) -> Resources {
        Resources { block_threads, registers, static_shared_bytes, ..Resources::default() }
    }

    #[test]
    fn each_limit_has_its_arithmetic() {
        assert_eq!(
            text("sm_80", block(256, 64, 49_152)),
            "\
3 blocks fit on one SM of sm_80, limited by shared memory

  limit            blocks
  registers             4   4 × ⌊16384 / 2048⌋ = 32 warps; ⌊32 / 8⌋
  shared memory         3 < ⌊167936 / 50176⌋ bytes
  warps                 8   ⌊64 / 8⌋ warps
  blocks               32   the most that the SM holds
  barriers       no limit   not before compute capability 9.0

  allocated per block: 16384 registers (8 warps × 2048)
  and 50176 bytes of shared memory (49152 + 1024 reserved; unit 128)

  theoretical occupancy 37.5 %: 24 of 64 warps. It is a ceiling and not a score
  8192 bytes fewer of shared memory: room for 4 blocks
  16 registers more per thread: free; one past: 2 blocks
  5760 bytes more of shared memory: free; one past: 2 blocks
  more blocks can be faster or slower: measure
"
        );
    }

    #[test]
    fn what_cannot_launch_says_why() {
        let text = text("sm_90", Resources { barriers: 3, ..block(1025, 255, 240_000) });
        for part in [
            "the block cannot launch on sm_90,\nbecause of registers and shared memory and warps\n",
            "33 warps as 36 × 8192: over the 65536 of a block\n",
            "241024 bytes: at most 233472 a block\n",
            "1025 threads: at most 1024 a block\n",
            "⌊64 / 3⌋ named barriers\n",
            "ptxas refuses over 48 KiB",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        for part in ["free", "occupancy", "measure"] {
            assert!(!text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn at_an_edge_nothing_is_free() {
        let text = text("sm_80", block(256, 64, 0));
        assert!(text.contains("\n  1 register more per thread: 3 blocks\n"), "{text}");
    }

    #[test]
    fn a_carve_out_is_what_the_blocks_share() {
        let resources = Resources { carveout_percent: Some(50), ..block(128, 32, 10_000) };
        assert!(text("sm_90", resources).contains("⌊135168 / 11136⌋ bytes of the carve-out\n"));
        assert!(text("sm_61", resources).contains("⌊98304 / 10240⌋ bytes, no carve-out before 7.0\n"));
    }

    #[test]
    fn no_line_is_wider_than_80_columns() {
        for arch in occlint::arch::known().map(|arch| arch.to_string()) {
            for (threads, registers, bytes) in
                [(1, 0, 0), (1024, 255, u32::MAX), (992, 64, 48_999), (33, 255, 99_999)]
            {
                for carveout_percent in [None, Some(37)] {
                    let resources = Resources {
                        barriers: 16,
                        carveout_percent,
                        dynamic_shared_bytes: bytes,
                        ..block(threads, registers, bytes)
                    };
                    for line in text(&arch, resources).lines() {
                        assert!(line.chars().count() <= 80, "{line}");
                    }
                }
            }
        }
    }
}
