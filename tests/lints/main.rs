//! The lints through the check: each fires with the right value, and not in the neighbouring case that is fine.

#[cfg(feature = "baseline")]
mod baseline;
mod causes;
mod configuration;
mod declared;
#[cfg(feature = "package")]
mod logs;
mod residency;
mod spill_lines;
mod support;
mod units;
mod usage;
mod waivers;
