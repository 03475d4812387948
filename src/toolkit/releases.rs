//! The table of releases that can be pinned: exact wheels with their hashes.

/// One release of the CUDA toolkit as wheels.
#[derive(Debug)]
pub struct Release {
    /// `13.0`.
    pub name: &'static str,
    /// Wheel, exact version, and the hashes of its files for the platforms we know.
    pub wheels: &'static [(&'static str, &'static str, &'static [&'static str])],
}

/// All releases, ascending.
pub static RELEASES: &[Release] = &[];
