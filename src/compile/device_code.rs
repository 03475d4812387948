//! What kind of device code the user's flags ask for.

use crate::compile::options::{FlagOption, options};

/// What nvcc makes of a unit's device code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum DeviceCode {
    /// Whole-program code: ptxas' figures are final.
    #[default]
    Whole,
    /// Relocatable code (`-rdc=true`): the device link has the last word.
    Relocatable,
    /// Intermediate code for link-time optimisation (`-dlto`): ptxas runs at the device link, nothing is known before.
    LinkTime,
}

impl DeviceCode {
    /// What these flags of nvcc ask for.
    pub fn of_flags(flags: &[impl AsRef<str>]) -> Self {
        Self::with_place(flags).0
    }

    /// The same, and the index of the flag that decides; of contradicting ones nvcc takes the last.
    pub fn with_place(flags: &[impl AsRef<str>]) -> (Self, Option<usize>) {
        let flags: Vec<&str> = flags.iter().map(AsRef::as_ref).collect();
        Self::of_options(options(&flags))
    }

    /// The same of flags that were taken apart.
    pub(crate) fn of_options<'a>(options: impl IntoIterator<Item = FlagOption<'a>>) -> (Self, Option<usize>) {
        let (mut relocatable, mut link_time) = (None, None);
        for FlagOption { name, value, at } in options {
            match name {
                "rdc" | "relocatable-device-code" => relocatable = (value != "false").then_some(at),
                "dc" | "device-c" | "ewp" | "extensible-whole-program" => relocatable = Some(at),
                "dw" | "device-w" => relocatable = None,
                "dlto" | "lto" | "dlink-time-opt" => link_time = Some(at),
                "code" | "gpu-code" | "arch" | "gpu-architecture" | "gencode" | "generate-code"
                    if value.contains("lto_") =>
                {
                    link_time = Some(at);
                }
                _ => {}
            }
        }
        match (relocatable, link_time) {
            (_, Some(at)) => (Self::LinkTime, Some(at)),
            (Some(at), None) => (Self::Relocatable, Some(at)),
            (None, None) => (Self::Whole, None),
        }
    }

    /// Whether a device link finishes the code.
    pub const fn is_linked(self) -> bool {
        !matches!(self, Self::Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relocatable_code_is_seen_in_each_spelling() {
        for flags in [
            &["-rdc=true"][..],
            &["-rdc true"],
            &["-O3", "-rdc", "true"],
            &["--relocatable-device-code=true"],
            &["--relocatable-device-code", "true", "-O3"],
            &["-dc"],
            &["--device-c"],
            &["-ewp"],
            &["--extensible-whole-program"],
            &["-rdc=false", "-rdc=true"],
        ] {
            assert_eq!(DeviceCode::of_flags(flags), DeviceCode::Relocatable, "{flags:?}");
        }
    }

    #[test]
    fn link_time_optimisation_is_seen_in_each_spelling() {
        for flags in [
            &["-dlto"][..],
            &["--dlink-time-opt"],
            &["-lto"],
            &["--lto", "-rdc=true"],
            &["-dc", "-dlto"],
            &["-code=lto_90"],
            &["--gpu-code", "lto_90a"],
            &["-arch=lto_120"],
            &["-gencode", "arch=compute_90,code=lto_90"],
            &["--generate-code=arch=compute_80,code=[lto_80,sm_80]"],
        ] {
            assert_eq!(DeviceCode::of_flags(flags), DeviceCode::LinkTime, "{flags:?}");
        }
    }

    #[test]
    fn everything_else_is_whole_program_code() {
        for flags in [
            &[][..],
            &["-O3", "-lineinfo"],
            &["-rdc=false"],
            &["-rdc", "false"],
            &["-rdc=true", "-rdc=false"],
            &["-dw"],
            &["--device-w"],
            // the host compiler's, a macro's, the archiver's
            &["-Xcompiler", "-flto"],
            &["-Xcompiler", "-dlto"],
            &["-D", "-dc"],
            &["-Xarchive", "-rdc=true"],
            &["-code=sm_90"],
            &["-rdcx=true"],
            &["true"],
        ] {
            assert_eq!(DeviceCode::of_flags(flags), DeviceCode::Whole, "{flags:?}");
        }
    }

    #[test]
    fn the_flag_that_decides_is_named() {
        assert_eq!(DeviceCode::with_place(&["-O3", "-rdc", "true"]), (DeviceCode::Relocatable, Some(1)));
        assert_eq!(DeviceCode::with_place(&["-dc", "-dlto"]), (DeviceCode::LinkTime, Some(1)));
        assert_eq!(DeviceCode::with_place(&["-O3"]), (DeviceCode::Whole, None));
    }
}
