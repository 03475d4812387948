//! cc's own methods, forwarded.

use std::ffi::OsStr;
use std::path::Path;

use crate::build_script::Build;

/// Forwards methods that take one value each.
macro_rules! forward {
    ($($name:ident($value:ident: $kind:ty);)*) => { $(
        #[doc = concat!("As `cc::Build::", stringify!($name), "`.")]
        pub fn $name(&mut self, $value: $kind) -> &mut Self {
            self.cc.$name($value);
            self
        }
    )* };
}

impl Build {
    forward! {
        file(file: impl AsRef<Path>);
        include(folder: impl AsRef<Path>);
        object(object: impl AsRef<Path>);
        flag(flag: impl AsRef<OsStr>);
        flag_if_supported(flag: impl AsRef<OsStr>);
        remove_flag(flag: &str);
        ar_flag(flag: impl AsRef<OsStr>);
        no_default_flags(no: bool);
        cudart(kind: &str);
        ccbin(give: bool);
        std(name: &str);
        warnings(warn: bool);
        extra_warnings(warn: bool);
        warnings_into_errors(deny: bool);
        opt_level(level: u32);
        opt_level_str(level: &str);
        debug(debug: bool);
        force_frame_pointer(force: bool);
        pic(pic: bool);
        use_plt(plt: bool);
        static_crt(fixed: bool);
        target(triple: &str);
        host(triple: &str);
        compiler(path: impl AsRef<Path>);
        archiver(path: impl AsRef<Path>);
        ranlib(path: impl AsRef<Path>);
        link_lib_modifier(modifier: impl AsRef<OsStr>);
        cpp_link_stdlib_static(fixed: bool);
        emit_rerun_if_env_changed(emit: bool);
        cargo_debug(debug: bool);
    }

    /// As `cc::Build::files`.
    pub fn files<P: AsRef<Path>>(&mut self, files: impl IntoIterator<Item = P>) -> &mut Self {
        for file in files {
            self.cc.file(file);
        }
        self
    }

    /// As `cc::Build::includes`.
    pub fn includes<P: AsRef<Path>>(&mut self, folders: impl IntoIterator<Item = P>) -> &mut Self {
        for folder in folders {
            self.cc.include(folder);
        }
        self
    }

    /// As `cc::Build::objects`.
    pub fn objects<P: AsRef<Path>>(&mut self, objects: impl IntoIterator<Item = P>) -> &mut Self {
        for object in objects {
            self.cc.object(object);
        }
        self
    }

    /// As `cc::Build::flags`.
    pub fn flags<F: AsRef<OsStr>>(&mut self, flags: impl IntoIterator<Item = F>) -> &mut Self {
        for flag in flags {
            self.cc.flag(flag);
        }
        self
    }

    /// As `cc::Build::define`.
    pub fn define<'v>(&mut self, name: &str, value: impl Into<Option<&'v str>>) -> &mut Self {
        self.cc.define(name, value);
        self
    }

    /// As `cc::Build::cpp_link_stdlib`.
    pub fn cpp_link_stdlib<'v>(&mut self, library: impl Into<Option<&'v str>>) -> &mut Self {
        self.cc.cpp_link_stdlib(library);
        self
    }

    /// As `cc::Build::cpp_set_stdlib`.
    pub fn cpp_set_stdlib<'v>(&mut self, library: impl Into<Option<&'v str>>) -> &mut Self {
        self.cc.cpp_set_stdlib(library);
        self
    }

    /// As `cc::Build::env`.
    pub fn env(&mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> &mut Self {
        self.cc.env(name, value);
        self
    }

    /// As `cc::Build::out_dir`; what the check leaves goes there too.
    pub fn out_dir(&mut self, folder: impl AsRef<Path>) -> &mut Self {
        self.cc.out_dir(folder.as_ref());
        self.out = Some(folder.as_ref().to_owned());
        self
    }

    /// As `cc::Build::cargo_metadata`; the lines of the check are left out too.
    pub fn cargo_metadata(&mut self, emit: bool) -> &mut Self {
        self.cc.cargo_metadata(emit);
        self.metadata = emit;
        self
    }

    /// As `cc::Build::cargo_warnings`: those of the compilers. Findings are still shown.
    pub fn cargo_warnings(&mut self, emit: bool) -> &mut Self {
        self.cc.cargo_warnings(emit);
        self.warnings = emit;
        self
    }
}
