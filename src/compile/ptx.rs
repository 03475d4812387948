//! What a `.ptx` source says of the program that it belongs to.

use crate::evidence::names;

/// Whether PTX needs a device link: it declares functions or variables of other modules, or offers functions to them.
pub(super) fn needs_link(ptx: &str) -> bool {
    ptx.lines().any(|line| {
        let line = line.split("//").next().unwrap_or_default();
        let mut words =
            line.split(|c: char| c.is_whitespace() || "(),;".contains(c)).filter(|w| !w.is_empty());
        match (words.next(), words.next()) {
            (Some(".extern"), Some(".func")) => !words.any(names::is_drivers),
            (Some(".extern"), Some(".global" | ".const")) => true,
            (Some(".visible" | ".weak"), Some(".func")) => true,
            _ => false,
        }
    })
}

/// Functions that ptxas says are not defined: `Unresolved extern function 'f'`.
pub(super) fn unresolved(output: &str) -> Option<&str> {
    let rest = output.lines().find_map(|line| line.split_once("Unresolved extern function '"))?.1;
    rest.split_once('\'').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_modules_define_or_use_needs_a_link() {
        for ptx in [
            ".version 9.0\n.extern .func  (.param .b32 r) heavy\n(\n.param .b64 p\n)\n;\n",
            ".extern .global .align 4 .b8 table[16];",
            ".visible .func  (.param .b32 r) heavy(",
            "\t.weak .func tmpl()",
        ] {
            assert!(needs_link(ptx), "{ptx}");
        }
        for ptx in [
            ".visible .entry k(\n.param .u64 p\n)\n{\n.local .align 8 .b8 d[8];\n}",
            ".extern .func  (.param .b32 func_retval0) vprintf\n(\n",
            ".extern .func __assertfail(",
            ".func (.param .b32 r) own()",
            ".extern .shared .align 16 .b8 s[];",
            "// .visible .func f()",
            "",
        ] {
            assert!(!needs_link(ptx), "{ptx}");
        }
    }

    #[test]
    fn the_function_that_ptxas_misses_is_named() {
        let output = "ptxas fatal   : Unresolved extern function '_Z5heavyPKfi'\n";
        assert_eq!(unresolved(output), Some("_Z5heavyPKfi"));
        assert_eq!(unresolved("ptxas error : other"), None);
    }
}
