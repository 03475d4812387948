use super::*;
use crate::baseline::{Baseline, Differences, differences};

fn entry(registers: u32, spills: u32, residency: u32, limiter: &str) -> Entry {
    Entry {
        registers: Some(registers),
        spill_stores: Some(spills),
        spill_loads: Some(spills),
        shared_spills: Some(0),
        static_smem: Some(1024),
        block: Some(256),
        residency: Some(residency),
        limiters: vec![limiter.to_owned()],
        ..Entry::default()
    }
}

fn baseline(entries: &[(&str, u16, Entry)]) -> Baseline {
    let entry = |(key, arch, entry): &(&str, u16, Entry)| {
        (((*key).to_owned(), Arch::from_cc_tenths(*arch)), entry.clone())
    };
    Baseline { entries: entries.iter().map(entry).collect() }
}

fn both() -> Vec<Change> {
    let before = baseline(&[
        ("demo/void softmax<float>(float*)", 80, entry(64, 0, 4, "warps")),
        ("demo/void softmax<float>(float*)", 90, entry(64, 0, 4, "warps")),
        ("demo/void softmax<float>(float*)", 120, entry(64, 0, 4, "warps")),
        ("demo/ns::gone(int)", 90, entry(20, 0, 8, "warps")),
        ("demo/k(int)", 90, entry(20, 0, 8, "warps")),
        ("demo/k(long)", 90, entry(20, 0, 8, "warps")),
    ]);
    let mut larger = entry(20, 0, 8, "warps");
    (larger.block, larger.shared_spills, larger.limiters) =
        (Some(512), Some(3), vec!["shared_memory".to_owned()]);
    let after = baseline(&[
        ("demo/void softmax<float>(float*)", 80, entry(72, 24, 3, "registers")),
        ("demo/void softmax<float>(float*)", 90, entry(72, 24, 3, "registers")),
        ("demo/void softmax<float>(float*)", 120, entry(64, 24, 4, "warps")),
        ("demo/k(int)", 90, larger),
        ("demo/k(long)", 90, entry(21, 0, 8, "warps")),
        ("demo/fresh(int)", 90, entry(20, 0, 8, "warps")),
    ]);
    differences(&before, &after).changes
}

fn with(changes: Vec<Change>, unchanged: usize) -> Differences {
    Differences { changes, unchanged }
}

#[test]
fn the_table_says_what_was_and_what_is() {
    let table = changes(&with(both(), 12), 80);
    insta::assert_snapshot!(table, @r"
      arch             regs  spill st/ld  shared  blocks/SM  limiter
    softmax<float>
      sm_80, sm_90  64 → 72  0/0 → 24/24    1024      4 → 3  warps → registers
    k(int)
      sm_90              20          0/0    1024          8  warps → shared memory
        block 256 → 512; spill instructions to shared memory 0 → 3
    softmax<float>
      sm_120             64  0/0 → 24/24    1024          4  warps
    k(long)
      sm_90         20 → 21          0/0    1024          8  warps
    fresh  (new)
      sm_90              20          0/0    1024          8  warps
    ns::gone  (gone)
      sm_90              20          0/0    1024          8  warps
    2 with fewer blocks, 2 with more spills, 1 otherwise changed, 1 new, 1 gone, 12
    unchanged
    fewer blocks are a lower ceiling and not a slower kernel: measure
    ");
    assert!(table.lines().all(|line| text::width(line) <= 80), "{table}");
}

#[test]
fn limiters_have_a_line_of_their_own_where_the_table_is_narrow() {
    let table = changes(&with(both(), 12), 60);
    assert!(table.lines().all(|line| text::width(line) <= 60), "{table}");
    assert!(table.contains("\n    limiter warps → registers\n"), "{table}");
}

#[test]
fn no_change_is_said() {
    insta::assert_snapshot!(changes(&with(Vec::new(), 3), 80), @r"
    3 unchanged
    fewer blocks are a lower ceiling and not a slower kernel: measure
    ");
    insta::assert_snapshot!(changes_markdown(&with(Vec::new(), 3)), @r"
    ### occlint: 3 unchanged

    Fewer blocks are a lower ceiling and not a slower kernel: measure.
    ");
}

#[test]
fn markdown_shows_regressions_and_folds_the_rest() {
    insta::assert_snapshot!(changes_markdown(&with(both(), 12)), @r"
    ### occlint: 2 with fewer blocks, 2 with more spills, 1 otherwise changed, 1 new, 1 gone, 12 unchanged

    | kernel | arch | registers | spill stores/loads | shared memory | blocks per SM | limiters |
    |---|---|---|---|---|---|---|
    | softmax&#60;float&#62; | sm&#95;80, sm&#95;90 | 64 → 72 | 0/0 → 24/24 | 1024 | 4 → 3 | warps → registers |
    | k(int) | sm&#95;90 | 20 | 0/0 | 1024 | 8; block 256 → 512; spill instructions to shared memory 0 → 3 | warps → shared memory |
    | softmax&#60;float&#62; | sm&#95;120 | 64 | 0/0 → 24/24 | 1024 | 4 | warps |

    <details><summary>3 rows changed otherwise</summary>

    | kernel | arch | registers | spill stores/loads | shared memory | blocks per SM | limiters |
    |---|---|---|---|---|---|---|
    | k(long) | sm&#95;90 | 20 → 21 | 0/0 | 1024 | 8 | warps |
    | fresh  (new) | sm&#95;90 | 20 | 0/0 | 1024 | 8 | warps |
    | ns&#58;&#58;gone  (gone) | sm&#95;90 | 20 | 0/0 | 1024 | 8 | warps |

    </details>

    Fewer blocks are a lower ceiling and not a slower kernel: measure.
    ");
}

#[test]
fn names_break_out_of_nothing() {
    let bad = "demo/k<\"|`@all](x) --> </details> ::error::\u{1b}[31m\n\">()";
    let changed = differences(&baseline(&[]), &baseline(&[(bad, 90, entry(1, 0, 1, "<b>|\u{1b}"))]));
    let table = changes(&changed, 80);
    assert!(!table.contains('\u{1b}'), "{table}");
    let comment = changes_markdown(&changed);
    assert!(
        !comment.contains("</details> ") && !comment.contains("-->") && !comment.contains("@all"),
        "{comment}"
    );
    assert_eq!(comment.matches("<b>").count(), 0, "{comment}");
    for line in changes_json(&changed, &Report::default()).lines() {
        let read: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(read["reason"] == "changes" || read["key"] == bad);
        assert!(!line.contains('\u{1b}'), "{line}");
    }
}

#[test]
fn json_has_a_line_for_each_change_and_one_with_counts() {
    let text = changes_json(&with(both(), 12), &Report::default());
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 8);
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["kind"].as_str()).collect();
    assert_eq!(kinds, ["fewer-blocks", "fewer-blocks", "more-spills", "more-spills", "other", "new", "gone"]);
    assert_eq!((&lines[0]["before"]["registers"], &lines[0]["after"]["registers"]), (&64.into(), &72.into()));
    assert!(lines[5]["before"].is_null() && lines[6]["after"].is_null());
    assert_eq!((&lines[7]["changed"], &lines[7]["unchanged"]), (&7.into(), &12.into()));
}
