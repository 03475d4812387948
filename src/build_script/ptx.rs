//! PTX: its architecture, and its text without what only the check needs.

use crate::arch::Arch;

/// The architecture in `.target sm_90, debug`.
pub(super) fn target(ptx: &str) -> Option<Arch> {
    let rest = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"))?;
    rest.split(',').next()?.trim().parse().ok()
}

/// The PTX as nvcc writes it without `-lineinfo`: no lines, no names of files.
pub(super) fn without_lines(ptx: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    let mut lines = ptx.lines();
    while let Some(line) = lines.next() {
        let word = line.trim_start();
        if word.starts_with(".section") && word.contains(".debug_") {
            // to the line that closes it
            while lines.next().is_some_and(|line| line.trim() != "}") {}
        } else if !word.starts_with(".loc\t") && !word.starts_with(".file\t") {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "//\n.version 9.0\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{\n\t.loc\t1 3 0\n\
        \tret;\n}\n\t.file\t1 \"/home/me/k.cu\"\n\t.section\t.debug_str\n\t{\n$L__info_string0:\n.b8 95,90\n\t}\n";

    #[test]
    fn lines_and_files_go_and_all_else_stays() {
        assert_eq!(target(PTX).map(|arch| arch.to_string()).as_deref(), Some("sm_90a"));
        let text = without_lines(PTX);
        assert_eq!(
            text,
            "//\n.version 9.0\n.target sm_90a\n.address_size 64\n\n.visible .entry k()\n{\n\tret;\n}\n"
        );
        assert_eq!(without_lines(&text), text);
    }
}
