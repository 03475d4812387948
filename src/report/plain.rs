//! An error that has no place in a text: what is wrong, what a compiler said of it, what to do next.

use crate::text::sanitize;

/// Lines of a compiler's output that are shown.
const SHOWN_LINES: usize = 40;

/// `error: …`, the complaints below it, and `help: …`.
pub fn plain(message: &str, complaints: &[String], help: Option<&str>) -> String {
    let lines = |text: &str| text.lines().map(sanitize).collect::<Vec<_>>().join("\n");
    let mut text = format!("error: {}\n", lines(message));
    for line in complaints.iter().take(SHOWN_LINES) {
        text.push_str(&format!("  | {line}\n"));
    }
    if complaints.len() > SHOWN_LINES {
        text.push_str(&format!("  | … and {} lines more\n", complaints.len() - SHOWN_LINES));
    }
    if let Some(help) = help {
        text.push_str(&format!("  help: {}\n", lines(help)));
    }
    text
}

/// What a compiler complains of, line by line: its output without the reports on kernels.
pub fn complaints(output: &str) -> Vec<String> {
    let is_report = |line: &&str| {
        let of_link = line.starts_with("nvlink info")
            && ["Function properties for", " registers, used ", " gmem"]
                .iter()
                .any(|part| line.contains(part));
        line.starts_with("ptxas info") || of_link || line.contains("bytes stack frame")
    };
    output.lines().filter(|line| !is_report(line)).map(sanitize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_shown_below_the_message_and_counted() {
        let output = "ptxas info    : 0 bytes gmem\n    0 bytes stack frame, 0 bytes spill stores\nk.cu(1): error\x1b\n";
        assert_eq!(complaints(output), ["k.cu(1): error\u{fffd}"]);
        let link = "nvlink error   : Undefined reference to 'f'\nnvlink info    : Function properties for 'k':\n\
                    nvlink info    : used 8 registers, used 0 barriers\nnvlink info    : 4 bytes gmem (target: sm_90)\n\
                    nvlink info    : doing partial LTO\n";
        let told = ["nvlink error   : Undefined reference to 'f'", "nvlink info    : doing partial LTO"];
        assert_eq!(complaints(link), told);
        let many: Vec<String> = (0..42).map(|n| format!("line {n}")).collect();
        let text = plain("no\x1b", &many, Some("try\nthis"));
        assert!(text.starts_with("error: no\u{fffd}\n  | line 0\n"), "{text}");
        assert!(text.ends_with("  | line 39\n  | … and 2 lines more\n  help: try\nthis\n"), "{text}");
        assert_eq!(plain("m", &[], None), "error: m\n");
    }
}
