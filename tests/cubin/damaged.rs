//! Damaged cubins: an error that names what is wrong, never a panic.

use occlint::evidence::cubin::{self, CubinError};
use proptest::prelude::*;

use crate::units::built;

/// A small real cubin.
fn sample() -> &'static [u8] {
    &built("13.5", "rdc", "sm_120").bytes
}

#[test]
fn every_prefix_is_refused() {
    let bytes = sample();
    assert!(cubin::read(bytes).is_ok());
    for end in 0..bytes.len() {
        let error = cubin::read(&bytes[..end]).unwrap_err();
        let known = matches!(error, CubinError::NotElf | CubinError::Truncated(_));
        assert!(known, "{end} of {}: {error}", bytes.len());
    }
}

#[test]
fn other_files_are_refused() {
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert!(matches!(cubin::read(&own), Err(CubinError::Machine(_) | CubinError::NotElf)));
    let mut host = sample().to_vec();
    host[18] = 62;
    assert_eq!(cubin::read(&host), Err(CubinError::Machine(62)));
    assert_eq!(cubin::read(b""), Err(CubinError::NotElf));
    assert_eq!(cubin::read(b"!<arch>\n0123456789abcdef"), Err(CubinError::NotElf));
    let mut old = sample().to_vec();
    (old[49], old[7]) = (7, 65);
    assert_eq!(cubin::read(&old), Err(CubinError::Architecture(7)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn changed_bytes_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let mut bytes = sample().to_vec();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        let _ = cubin::read(&bytes);
    }

    /// Headers, symbols, attributes and the line table are where damage matters.
    #[test]
    fn changed_words_of_the_frame_do_no_harm(
        from_end in 0_usize..4096,
        value in prop_oneof![Just(u64::MAX), Just(u64::MAX >> 1), Just(u64::from(u32::MAX)), Just(0), any::<u64>()],
        length in 1_usize..=8,
    ) {
        let mut bytes = sample().to_vec();
        let at = bytes.len() - length - from_end.min(bytes.len() - length);
        bytes[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
        let _ = cubin::read(&bytes);
    }

    #[test]
    fn noise_after_a_header_does_no_harm(noise in prop::collection::vec(any::<u8>(), 0..2000)) {
        let mut bytes = sample()[..64].to_vec();
        bytes.extend(noise);
        let _ = cubin::read(&bytes);
    }
}
