//! Names: demangled for people, normalised for keys.
//!
//! The compiler marks names of internal linkage with a hash of the file's absolute path, sometimes with its process
//! id, and libraries put their version and the list of architectures into theirs. None of that belongs to a key.

mod normal;
mod qualified;

use std::fmt;

use cpp_demangle::{BorrowedSymbol, DemangleNodeType, DemangleOptions, DemangleWrite};

use crate::kernel::Name;

/// Longer names are left as they are: demangling could take long.
const LONGEST_MANGLED: usize = 8 * 1024;

/// A longer result is dropped: a few substitutions can multiply a name without end.
const LONGEST_DEMANGLED: usize = 64 * 1024;

/// All forms of a name as the compiler or a log prints it: mangled, of C linkage, or demangled already.
pub fn name(mangled: &str) -> Name {
    let plain = normal::without_static_prefix(mangled);
    let demangled = match demangle(plain) {
        Some(text) => normal::readable(&text),
        None if plain.starts_with("_Z") => normal::mangled(plain),
        None => normal::readable(plain),
    };
    let key = normal::key(&demangled);
    let qualified = qualified::qualified(&key);
    Name { mangled: mangled.to_owned(), demangled, qualified, key }
}

/// The qualified name in a demangled one, without return type, template arguments and parameters.
#[cfg(feature = "baseline")]
pub(crate) fn qualified(demangled: &str) -> String {
    qualified::qualified(demangled)
}

/// The last part of a qualified name: what stands in the source at its declaration.
///
/// `softmax` of `ns::softmax`; the name itself where it has no scope.
pub fn base(qualified: &str) -> &str {
    let operator = qualified.rfind("operator");
    let scope = qualified[..operator.unwrap_or(qualified.len())].rfind("::");
    scope.map_or(qualified, |at| &qualified[at + 2..])
}

fn demangle(name: &str) -> Option<String> {
    if !name.starts_with("_Z") || name.len() > LONGEST_MANGLED {
        return None;
    }
    // The device linker marks its copies of a function with `$N`.
    let symbol = BorrowedSymbol::new(name.as_bytes()).or_else(|error| match name.split_once('$') {
        Some((own, _)) => BorrowedSymbol::new(own.as_bytes()),
        None => Err(error),
    });
    let mut text = Capped(String::new());
    symbol.ok()?.structured_demangle(&mut text, &DemangleOptions::new()).ok()?;
    (!text.0.is_empty()).then_some(text.0)
}

struct Capped(String);

impl DemangleWrite for Capped {
    fn push_demangle_node(&mut self, _: DemangleNodeType) {}

    fn write_string(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST_DEMANGLED {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }

    fn pop_demangle_node(&mut self) {}
}

/// Whether a function is one that the driver brings: PTX declares it, and no device link defines it.
pub(crate) fn is_drivers(mangled: &str) -> bool {
    ["__assertfail", "free", "malloc", "vprintf"].contains(&mangled)
}

#[cfg(test)]
mod tests;
