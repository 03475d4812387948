//! The clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::sys::env::Env;

/// The first second of the year 10000.
const YEAR_10000: u64 = 253_402_300_800;

/// Seconds since 1970 in UTC: `SOURCE_DATE_EPOCH`, where a build is to be the same again; where that is none before the year 10000,
/// the machine's clock. `None` where that makes no sense either.
pub fn unix_seconds(env: &Env) -> Option<u64> {
    let own = env.text("SOURCE_DATE_EPOCH").and_then(|text| text.trim().parse().ok());
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs());
    own.filter(|&seconds| seconds < YEAR_10000).or_else(clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reproducible_build_has_its_own_day() {
        let at = |text: &str| unix_seconds(&Env::from_pairs([("SOURCE_DATE_EPOCH", text)]));
        assert_eq!(at("1709164800"), Some(1_709_164_800));
        for text in ["soon", "-1", "1.5", "253402300800", ""] {
            assert!(at(text).unwrap() > 1_790_000_000, "{text}");
        }
        // after this was written
        assert!(unix_seconds(&Env::default()).unwrap() > 1_790_000_000);
    }
}
