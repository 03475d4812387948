//! The clock.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::sys::env::Env;

/// Seconds since 1970 in UTC: `SOURCE_DATE_EPOCH`, where a build is to be the same again, else the machine's clock. `None` where
/// neither makes sense.
pub fn unix_seconds(env: &Env) -> Option<u64> {
    match env.text("SOURCE_DATE_EPOCH") {
        Some(text) => text.trim().parse().ok(),
        None => SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reproducible_build_has_its_own_day() {
        let at = |text: &str| unix_seconds(&Env::from_pairs([("SOURCE_DATE_EPOCH", text)]));
        assert_eq!((at("1709164800"), at("soon")), (Some(1_709_164_800), None));
        // after this was written
        assert!(unix_seconds(&Env::default()).unwrap() > 1_790_000_000);
    }
}
