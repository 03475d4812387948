//! Which bounds to assemble, given what is known.

use std::collections::BTreeMap;

use crate::experiment::{Case, Figures, Threads, Variant};
use crate::occupancy::{MAX_REGISTERS, Residency};

/// The most variants of a kernel that spills, or of which too few blocks fit.
const MOST_VARIANTS: usize = 4;

/// The most variants of this kernel.
pub(super) fn most(case: &Case) -> usize {
    let both = case.built.may_spill() && case.asked.is_some();
    MOST_VARIANTS + usize::from(both)
}

/// The variants to assemble next; empty where nothing more is worth its time. Call again with their figures.
///
/// A kernel that spills is assembled without its bounds first: that says whether they are the cause, and how many registers
/// it wants; where it spills even so, ptxas held it to fewer than there are, which min blocks of 1 give it. Then come the
/// most blocks that leave so many, and one step more, upward as long as nothing spills.
/// A kernel of which too few blocks fit is assembled for the blocks asked, for one step, and for a smaller block.
pub fn next(case: &Case, done: &BTreeMap<Variant, Figures>) -> Vec<Variant> {
    let mut wanted = if case.built.may_spill() { against_spills(case, done) } else { Vec::new() };
    wanted.extend(for_residency(case));
    let mut fresh: Vec<Variant> = Vec::new();
    for variant in wanted {
        if !done.contains_key(&variant) && !fresh.contains(&variant) {
            fresh.push(variant);
        }
    }
    fresh.truncate(most(case).saturating_sub(done.len()));
    fresh
}

fn against_spills(case: &Case, done: &BTreeMap<Variant, Figures>) -> Vec<Variant> {
    let built = case.residency(&case.built).and_then(|built| built.registers);
    let free = case.without_bounds();
    let mut wanted = Vec::new();
    let registers = if case.is_capped() {
        let Some(without) = done.get(&free) else { return vec![free] };
        if without.may_spill() { MAX_REGISTERS } else { without.registers }
    } else {
        wanted.extend(smaller_block(case));
        // Without a declared block there is nothing that min blocks could be added to.
        if case.bounds.block().is_none() {
            return wanted;
        }
        MAX_REGISTERS
    };
    let steps = steps(case, case.held_min_blocks.or(built).unwrap_or(0), registers);
    let variant = |blocks: &u32| case.with_min_blocks(Some(*blocks));
    wanted.extend(steps.iter().rev().take(2).map(variant));
    let spill_free =
        |blocks: &&u32| done.get(&variant(blocks)).is_some_and(|figures| figures.spills() == Some(false));
    if let Some(best) = steps.iter().position(|blocks| spill_free(&blocks)).filter(|&best| best > 0) {
        wanted.push(variant(&steps[best - 1]));
    }
    wanted
}

/// Min blocks below `above` that leave more registers, one for each amount, descending, down to the first that leaves
/// `registers`.
fn steps(case: &Case, above: u32, registers: u32) -> Vec<u32> {
    let mut steps = Vec::new();
    let mut left = case.built.registers.max(case.registers_for(above));
    for blocks in (1..above).rev() {
        let fits = case.registers_for(blocks);
        if fits > left {
            left = fits;
            steps.push(blocks);
        }
        if fits >= registers {
            break;
        }
    }
    steps
}

/// The block itself bounds the registers: half of it leaves twice as many.
pub(super) fn smaller_block(case: &Case) -> Option<Variant> {
    let half = case.bounds.block()?.threads / 2 / 32 * 32;
    (half > 0 && case.registers_for(1) < MAX_REGISTERS).then_some(Variant {
        threads: Threads::AtMost(half),
        min_blocks: None,
        max_registers: None,
        without_unit_cap: false,
    })
}

fn for_residency(case: &Case) -> Vec<Variant> {
    let (Some(asked), Some(found), Some(room)) =
        (case.asked, case.residency(&case.built), case.without_registers())
    else {
        return Vec::new();
    };
    let reach = asked.min(room.blocks);
    let worth =
        |blocks: u32| (case.held_min_blocks != Some(blocks)).then(|| case.with_min_blocks(Some(blocks)));
    let mut wanted = Vec::new();
    if found.registers.is_some_and(|limit| limit < reach) && reach > 0 {
        let step = found.blocks + 1;
        let same = |blocks: &u32| case.registers_for(*blocks) == case.registers_for(step);
        let step = (step..=reach).take_while(same).last().unwrap_or(step);
        wanted.extend([reach, step].into_iter().filter_map(worth));
    } else {
        // Shared memory or barriers are in the way: fewer min blocks give registers back, where the bound took some.
        let bound = case.held_min_blocks.map(|blocks| case.registers_for(blocks));
        let binds = bound.is_some_and(|cap| case.built.registers + 8 > cap) || case.built.may_spill();
        wanted.extend((found.blocks > 0 && binds).then(|| case.with_min_blocks(Some(found.blocks))));
    }
    wanted.extend(
        with_less_shared_memory(case, asked).filter(|_| !registers_allow(&found, asked)).and_then(worth),
    );
    wanted.extend(block_for(case, asked));
    wanted
}

/// The blocks asked for, where less shared memory would let them fit.
pub(super) fn with_less_shared_memory(case: &Case, asked: u32) -> Option<u32> {
    let room = case.without_registers()?;
    let short = room.blocks < asked && room.without_shared >= asked;
    (short && case.shared_for(asked) > 0).then_some(asked)
}

/// Whether so many blocks fit, as far as registers are concerned.
pub(super) fn registers_allow(found: &Residency, blocks: u32) -> bool {
    found.registers.is_none_or(|limit| limit >= blocks)
}

/// A smaller block of which as many fit as are asked for.
pub(super) fn block_for(case: &Case, asked: u32) -> Option<Variant> {
    let threads = case.smaller_block_for(asked)?;
    Some(Variant { threads: Threads::AtMost(threads), ..case.with_min_blocks(Some(asked)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::Arch;
    use crate::kernel::Bounds;

    pub(crate) fn figures(registers: u32, bytes: u32) -> Figures {
        Figures {
            registers,
            barriers: Some(0),
            static_shared_bytes: 0,
            spill_store_bytes: bytes,
            spill_load_bytes: bytes,
            shared_spills: Some(0),
        }
    }

    fn case(arch: u16, threads: u32, min_blocks: Option<u32>, built: Figures) -> Case {
        Case {
            bounds: Bounds { max_threads: Some([threads, 1, 1]), min_blocks, ..Bounds::default() },
            block_threads: Some(threads),
            built,
            limits: Arch::from_cc_tenths(arch).limits().unwrap(),
            dynamic_shared_bytes: 0,
            held_min_blocks: min_blocks,
            unit_cap: None,
            cap_beneath: None,
            asked: None,
        }
    }

    fn variant(threads: Threads, min_blocks: Option<u32>) -> Variant {
        Variant { threads, min_blocks, max_registers: None, without_unit_cap: false }
    }

    fn blocks(variants: &[Variant]) -> Vec<Option<u32>> {
        variants.iter().map(|variant| variant.min_blocks).collect()
    }

    #[test]
    fn a_spill_is_first_assembled_without_its_bounds_and_then_at_the_edge() {
        let case = case(90, 128, Some(8), figures(64, 980));
        let mut done = BTreeMap::new();
        let free = next(&case, &done);
        assert_eq!(blocks(&free), [None]);
        done.insert(free[0], figures(128, 0));
        let edge = next(&case, &done);
        assert_eq!(blocks(&edge), [Some(4), Some(5)]);
        done.insert(edge[0], figures(128, 0));
        done.insert(edge[1], figures(96, 176));
        assert_eq!(next(&case, &done), []);
    }

    #[test]
    fn the_search_goes_up_while_nothing_spills() {
        let case = case(90, 128, Some(8), figures(64, 980));
        let mut done = BTreeMap::from([(case.with_min_blocks(None), figures(128, 0))]);
        done.insert(case.with_min_blocks(Some(4)), figures(128, 0));
        done.insert(case.with_min_blocks(Some(5)), figures(96, 0));
        assert_eq!(blocks(&next(&case, &done)), [Some(6)]);
        done.insert(case.with_min_blocks(Some(6)), figures(80, 0));
        assert_eq!(next(&case, &done), [], "{MOST_VARIANTS} are enough");
    }

    #[test]
    fn spills_to_shared_memory_are_tried_as_others_are() {
        let shared =
            |registers: u32, spills: Option<u32>| Figures { shared_spills: spills, ..figures(registers, 0) };
        let case = case(90, 128, Some(8), shared(64, Some(24)));
        let mut done = BTreeMap::from([(case.with_min_blocks(None), figures(128, 0))]);
        done.insert(case.with_min_blocks(Some(4)), figures(128, 0));
        done.insert(case.with_min_blocks(Some(5)), shared(96, Some(2)));
        assert_eq!(next(&case, &done), [], "upward only while nothing spills");
        let unknown = Case { built: shared(64, None), ..case };
        assert_eq!(blocks(&next(&unknown, &BTreeMap::new())), [None]);
    }

    #[test]
    fn where_the_block_alone_bounds_registers_half_of_it_is_tried() {
        let half = next(&case(90, 1024, None, figures(64, 40)), &BTreeMap::new());
        assert_eq!(half, [variant(Threads::AtMost(512), None)]);
        assert_eq!(next(&case(90, 128, None, figures(255, 40)), &BTreeMap::new()), []);
    }

    #[test]
    fn too_few_blocks_for_registers_are_tried_as_asked_and_one_step_up() {
        let dropped =
            Case { held_min_blocks: None, asked: Some(16), ..case(120, 128, Some(16), figures(72, 0)) };
        assert_eq!(blocks(&next(&dropped, &BTreeMap::new())), [Some(12), Some(8)]);
    }

    #[test]
    fn what_other_bounds_cannot_change_is_not_assembled() {
        let shared = Figures { static_shared_bytes: 24_576, ..figures(24, 0) };
        let shared = Case { asked: Some(12), ..case(90, 64, Some(12), shared) };
        assert_eq!(next(&shared, &BTreeMap::new()), [], "registers are free already");
        assert_eq!(next(&case(90, 128, Some(4), figures(32, 0)), &BTreeMap::new()), []);
    }

    #[test]
    fn a_smaller_block_and_less_shared_memory_are_tried_for_the_blocks_asked() {
        // 128 registers: 16 warps fit, so three blocks of five
        let case = Case { asked: Some(3), held_min_blocks: None, ..case(90, 256, None, figures(128, 0)) };
        let block = variant(Threads::AtMost(160), Some(3));
        assert_eq!(next(&case, &BTreeMap::new()), [case.with_min_blocks(Some(3)), block]);
        // 24 KiB let nine blocks fit, and 128 registers eight of 64 threads: twelve need less of both
        let built = Figures { static_shared_bytes: 24_576, ..figures(128, 0) };
        let both = Case { asked: Some(12), block_threads: Some(64), ..self::case(90, 64, None, built) };
        assert_eq!(blocks(&next(&both, &BTreeMap::new())), [Some(9), Some(12)]);
        // 228 KiB over twelve blocks: 19 KiB, a KiB of it the driver's
        assert_eq!((both.shared_for(12), with_less_shared_memory(&both, 12)), (18_432, Some(12)));
    }

    #[test]
    fn without_a_block_only_the_cap_is_lifted() {
        let bounds = Bounds { max_registers: Some(40), ..Bounds::default() };
        let case = Case { bounds, block_threads: None, ..case(90, 128, None, figures(40, 268)) };
        let free = variant(Threads::Declared, None);
        assert_eq!(next(&case, &BTreeMap::new()), [free]);
        assert_eq!(next(&case, &BTreeMap::from([(free, figures(128, 0))])), []);
        let bounds = Bounds::default();
        let unit = Case { bounds, unit_cap: Some(40), ..case };
        assert_eq!(next(&unit, &BTreeMap::new()), [Variant { without_unit_cap: true, ..free }]);
    }

    #[test]
    fn a_bound_on_threads_alone_may_hold_registers_back_and_one_min_block_gives_them() {
        // ptxas 13.0 gives a kernel of 256 threads 32 registers and 3,400 bytes of spills, with min blocks of 1 255 and 1,540
        let held = case(90, 256, None, figures(32, 3400));
        assert_eq!(blocks(&next(&held, &BTreeMap::new())), [Some(1), Some(2)]);
        // and where a bound on blocks is lifted and it spills as much, that is not all it can have
        let bound = case(90, 256, Some(3), figures(80, 3068));
        let without = BTreeMap::from([(bound.without_bounds(), figures(32, 3400))]);
        assert_eq!(blocks(&next(&bound, &without)), [Some(1), Some(2)]);
    }
}
