//! Names: demangled for people, normalised for keys.

use crate::kernel::Name;

/// All forms of a mangled name.
pub fn name(mangled: &str) -> Name {
    Name {
        mangled: mangled.to_owned(),
        demangled: mangled.to_owned(),
        qualified: mangled.to_owned(),
        key: mangled.to_owned(),
    }
}
