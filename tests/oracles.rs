//! Residency against the vendor's occupancy header, the driver's answers and blocks counted on an H200.

#![allow(clippy::unwrap_used, reason = "a test that cannot read its oracle must fail")]

use occlint::arch::{Arch, Limits};
use occlint::occupancy::{Limiter, Resources, residency, steps};

fn limits(cc_tenths: u16) -> &'static Limits {
    Arch::from_cc_tenths(cc_tenths).limits().unwrap()
}

/// The vendor's figure for "no limit".
const NO_LIMIT: i64 = 2_147_483_647;

#[test]
fn every_column_of_the_vendor_header_agrees() {
    let table = include_str!("oracles/occupancy-header.csv");
    let mut rows = 0;
    for line in table.lines().skip(1) {
        let n: Vec<i64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let u = |at: usize| u32::try_from(n[at]).unwrap();
        let resources = Resources {
            block_threads: u(1),
            registers: u(2),
            static_shared_bytes: u(3),
            dynamic_shared_bytes: u(4),
            barriers: u(5),
            carveout_percent: u8::try_from(n[6]).ok(),
        };
        let got = residency(limits(u16::try_from(n[0]).unwrap()), &resources);
        let limit = |limit: Option<u32>| limit.map_or(NO_LIMIT, i64::from);
        let answer = [
            i64::from(got.blocks),
            limit(got.registers),
            limit(got.shared_memory),
            i64::from(got.warps),
            i64::from(got.max_blocks),
            limit(got.barriers),
            i64::from(got.registers_allocated),
            i64::from(got.shared_allocated_bytes),
        ];
        assert_eq!(answer, n[7..], "{line}");
        rows += 1;
    }
    assert_eq!(rows, 8400);
}

#[test]
fn every_row_of_the_h200_agrees() {
    let table = include_str!("oracles/residency-h200.csv");
    let mut rows = std::collections::BTreeMap::<String, usize>::new();
    for line in table.lines().skip(1) {
        let field: Vec<&str> = line.split(',').collect();
        let n = |at: usize| field[at].parse::<u32>().unwrap();
        let barriers = if field[1] == "bars" { n(2) } else { u32::from(field[1] == "smem") };
        let resources = Resources {
            block_threads: n(3),
            registers: n(4),
            static_shared_bytes: n(5),
            dynamic_shared_bytes: n(6),
            barriers,
            carveout_percent: None,
        };
        let got = residency(limits(90), &resources).blocks;
        assert_eq!(got, n(7), "{line}");
        match field[0] {
            "api" => {}
            "hw" => assert_eq!(got, n(8), "{line}"),
            other => panic!("a row of kind {other}"),
        }
        *rows.entry(format!("{} {}", field[0], field[1])).or_default() += 1;
    }
    let rows: Vec<(&str, usize)> = rows.iter().map(|(kind, &rows)| (kind.as_str(), rows)).collect();
    let all = [
        ("api bars", 137),
        ("api regs", 283),
        ("api smem", 4397),
        ("hw bars", 9),
        ("hw regs", 27),
        ("hw smem", 5),
    ];
    assert_eq!(rows, all);
}

#[test]
fn the_table_agrees_with_the_devices_own_properties_and_with_ptxas() {
    let sm90 = limits(90);
    let properties = include_str!("oracles/residency-h200.csv").lines().next().unwrap();
    for (name, value) in [
        ("thr/sm", sm90.max_threads),
        ("regs/sm", sm90.registers),
        ("regs/blk", sm90.registers_per_block),
        ("smem/sm", sm90.shared_bytes),
        ("optin", sm90.opt_in_shared_bytes),
        ("reserved", sm90.reserved_shared_bytes),
        ("blocks/sm", sm90.max_blocks),
    ] {
        assert!(properties.contains(&format!("{name}={value}")), "{name}={value}");
    }
    let mut rows = 0;
    for line in include_str!("oracles/arch-limits-probed.txt").lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
        let row = words[0].parse::<Arch>().unwrap().limits().unwrap();
        assert_eq!(numbers, [row.max_threads, row.max_blocks], "{line}");
        rows += 1;
    }
    assert_eq!(rows, 13);
}

#[test]
fn the_seed_examples() {
    let block = |threads, registers, kib: u32| Resources {
        block_threads: threads,
        registers,
        static_shared_bytes: kib * 1024,
        ..Resources::default()
    };
    let ampere = residency(limits(80), &block(256, 64, 48));
    assert_eq!(
        (ampere.registers, ampere.shared_memory, ampere.warps, ampere.blocks),
        (Some(4), Some(3), 8, 3)
    );
    assert_eq!((ampere.limiters(), ampere.occupancy()), (vec![Limiter::SharedMemory], 0.375));
    let hopper = residency(limits(90), &block(384, 168, 90));
    assert_eq!((hopper.registers, hopper.shared_memory, hopper.blocks), (Some(1), Some(2), 1));
    let tie = residency(limits(90), &block(1024, 32, 0));
    assert_eq!(tie.limiters(), [Limiter::Registers, Limiter::Warps]);
    let three_barriers = Resources { block_threads: 64, registers: 16, barriers: 3, ..Resources::default() };
    assert_eq!(residency(limits(90), &three_barriers).blocks, 21);
}

#[test]
fn steps_are_what_trying_every_amount_gives() {
    let mut seed = 1_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((seed >> 33) % below).unwrap()
    };
    for limits in occlint::arch::known().map(|arch| arch.limits().unwrap()) {
        for _ in 0..60 {
            let resources = Resources {
                block_threads: 1 + draw(1024),
                registers: draw(256),
                static_shared_bytes: draw(60_000),
                dynamic_shared_bytes: draw(2) * draw(40_000),
                barriers: draw(17),
                carveout_percent: (draw(2) == 1).then(|| u8::try_from(draw(101)).unwrap()),
            };
            check_steps(limits, &resources);
        }
    }
}

fn check_steps(limits: &Limits, resources: &Resources) {
    let now = residency(limits, resources).blocks;
    let got = steps(limits, resources);
    let registers = |registers| residency(limits, &Resources { registers, ..*resources }).blocks;
    let fewer = (1..=resources.registers).find(|less| registers(resources.registers - less) > now);
    let found = got.fewer_registers.map(|step| (step.amount, step.blocks));
    assert_eq!(
        found,
        fewer.map(|less| (less, registers(resources.registers - less))),
        "{limits:?} {resources:?}"
    );
    let past = (1..=256).find(|more| registers(resources.registers + more) < now);
    assert_eq!(got.free_registers, past.map_or(0, |more| more - 1), "{limits:?} {resources:?}");
    assert_eq!(got.blocks_past_free_registers, past.map_or(0, |more| registers(resources.registers + more)));
    let total = resources.static_shared_bytes + resources.dynamic_shared_bytes;
    let shared = |bytes| {
        let other = Resources { static_shared_bytes: bytes, dynamic_shared_bytes: 0, ..*resources };
        residency(limits, &other).blocks
    };
    match got.fewer_shared_bytes {
        Some(step) => {
            assert_eq!(shared(total - step.amount), step.blocks);
            assert!(step.blocks > now && shared(total - step.amount + 1) == now, "{limits:?} {resources:?}");
        }
        None => {
            assert!((0..=total).step_by(97).all(|bytes| shared(bytes) <= now), "{limits:?} {resources:?}")
        }
    }
    assert_eq!(shared(total + got.free_shared_bytes), now);
    assert_eq!(got.blocks_past_free_shared < now, now > 0, "{limits:?} {resources:?}");
    let past = if now == 0 { 0 } else { shared(total + got.free_shared_bytes + 1) };
    assert_eq!(got.blocks_past_free_shared, past, "{limits:?} {resources:?}");
    assert!(now > 0 || got.free_shared_bytes == 0);
}

/// Steps are found by halving: that is exact only while more of a resource never gives more blocks.
#[test]
fn more_of_a_resource_never_gives_more_blocks() {
    for limits in occlint::arch::known().map(|arch| arch.limits().unwrap()) {
        for percent in (0..=100).map(Some).chain([None]) {
            let blocks = |bytes| {
                let resources = Resources {
                    block_threads: 1,
                    registers: 1,
                    static_shared_bytes: bytes,
                    carveout_percent: percent,
                    ..Resources::default()
                };
                residency(limits, &resources).shared_memory.unwrap_or(u32::MAX)
            };
            let all: Vec<u32> = (0..=limits.shared_bytes + 1024).step_by(64).map(blocks).collect();
            assert!(all.is_sorted_by(|less, more| less >= more), "{limits:?} {percent:?}");
        }
        for block_threads in 1..=1024 {
            let blocks = |registers| {
                residency(limits, &Resources { block_threads, registers, ..Resources::default() }).blocks
            };
            let all: Vec<u32> = (0..=256).map(blocks).collect();
            assert!(all.is_sorted_by(|less, more| less >= more), "{limits:?} {block_threads}");
        }
    }
}

#[test]
fn steps_of_a_block_that_cannot_launch() {
    let heavy = Resources { block_threads: 1024, registers: 65, ..Resources::default() };
    let got = steps(limits(90), &heavy);
    assert_eq!(got.fewer_registers.map(|step| (step.amount, step.blocks)), Some((1, 1)));
    assert_eq!((got.free_registers, got.free_shared_bytes, got.fewer_shared_bytes), (0, 0, None));
    let large = |bytes| Resources {
        block_threads: 32,
        registers: 8,
        static_shared_bytes: bytes,
        dynamic_shared_bytes: 232_448,
        ..Resources::default()
    };
    let fewer = |bytes| steps(limits(90), &large(bytes)).fewer_shared_bytes.map(|step| step.amount);
    assert_eq!((fewer(1), fewer(u32::MAX)), (Some(1), Some(u32::MAX)));
    assert_eq!(steps(limits(86), &large(u32::MAX)).fewer_shared_bytes, None);
}

#[test]
fn no_input_overflows() {
    for limits in occlint::arch::known().map(|arch| arch.limits().unwrap()) {
        for value in [0, 1, 255, 256, 1024, 1025, u32::MAX / 2, u32::MAX] {
            let resources = Resources {
                block_threads: value,
                registers: value,
                static_shared_bytes: value,
                dynamic_shared_bytes: value,
                barriers: value,
                carveout_percent: Some(u8::MAX),
            };
            assert!(residency(limits, &resources).blocks <= limits.max_blocks);
            let _ = steps(limits, &resources);
        }
    }
}
