//! Digests that are the same in every version of occlint and on every machine, which the standard library's hasher does
//! not promise. They tell things apart; they protect against nothing.

#[cfg(any(feature = "cache", feature = "experiment"))]
use std::fmt;

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// FNV-1a, 64 bits.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(OFFSET, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// FNV-1a as 16 hexadecimal digits.
pub fn hex(text: &str) -> String {
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// A digest of machine code: eight bytes at a time, since there is much of it. The length is part of it.
#[cfg(any(feature = "cache", feature = "cubin"))]
pub(crate) fn of_code(code: &[u8]) -> u64 {
    let (words, rest) = code.as_chunks::<8>();
    let step = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = words.iter().fold(code.len() as u64, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let hash = rest.iter().fold(hash, |hash, &byte| step(hash, u64::from(byte)));
    hash ^ (hash >> 32)
}

/// A digest of a file's contents, 128 bits: as [`of_code`], from two beginnings that differ.
#[cfg(feature = "cache")]
pub(crate) fn of_contents(bytes: &[u8]) -> u128 {
    let (words, rest) = bytes.as_chunks::<8>();
    let step = |[one, two]: [u64; 2], word: u64| {
        let one = (one.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        [one, (two.rotate_left(29) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93)]
    };
    let start = [bytes.len() as u64, OFFSET];
    let halves = words.iter().fold(start, |halves, word| step(halves, u64::from_le_bytes(*word)));
    let [one, two] = rest.iter().fold(halves, |halves, &byte| step(halves, byte.into()));
    u128::from(one ^ (one >> 32)) << 64 | u128::from(two ^ (two >> 32))
}

/// What something depends on, as 128 bits: text by text.
#[cfg(any(feature = "cache", feature = "experiment"))]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Key(u128);

#[cfg(any(feature = "cache", feature = "experiment"))]
impl Key {
    /// The key of nothing: FNV-1a's beginning.
    pub(crate) const fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    /// The key with a text added, eight bytes at a time; texts do not run into each other.
    pub(crate) fn and(self, text: &str) -> Self {
        let step = |hash: u128, word: u64| {
            let hash = (hash ^ u128::from(word)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
            hash ^ (hash >> 67)
        };
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        let hash = words.iter().fold(self.0, |hash, word| step(hash, u64::from_le_bytes(*word)));
        let last = rest.iter().fold(1, |last: u64, &byte| last << 8 | u64::from(byte));
        Self(step(step(hash, last), text.len() as u64))
    }

    /// The key with a value's own words added.
    pub(crate) fn and_debug(self, value: &impl fmt::Debug) -> Self {
        self.and(&format!("{value:?}"))
    }

    /// A short name for files: half of it.
    pub(crate) fn short(self) -> String {
        format!("{:016x}", self.0 >> 64)
    }

    /// Reads what `Display` writes.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        u128::from_str_radix(text, 16).ok().filter(|_| digits).map(Self)
    }
}

#[cfg(any(feature = "cache", feature = "experiment"))]
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_fnv_1a() {
        assert_eq!(hex(""), "cbf29ce484222325");
        assert_eq!(hex("a"), "af63dc4c8601ec8c");
        assert_eq!(hex("foobar"), "85944171f73967e8");
    }

    #[cfg(feature = "cache")]
    #[test]
    fn contents_that_differ_anywhere_have_other_halves() {
        let contents: Vec<u8> = (0_u8..100).collect();
        let halves = |bytes: &[u8]| [of_contents(bytes) >> 64, of_contents(bytes) & u128::from(u64::MAX)];
        let whole = halves(&contents);
        for at in 0..contents.len() {
            let mut other = contents.clone();
            other[at] ^= 1;
            assert!(halves(&other)[0] != whole[0] && halves(&other)[1] != whole[1], "{at}");
        }
        assert!(halves(&[0; 8])[1] != halves(&[0; 16])[1] && halves(&[])[0] != halves(&[0])[0]);
    }

    #[cfg(feature = "cache")]
    #[test]
    fn keys_of_texts_that_differ_anywhere_or_are_cut_elsewhere_differ() {
        let text: String = ('a'..='z').chain('A'..='Z').collect();
        let mut keys: Vec<Key> =
            (0..=text.len()).map(|at| Key::new().and(&text[..at]).and(&text[at..])).collect();
        keys.extend((0..=text.len()).map(|at| Key::new().and(&text[..at])));
        keys.extend((0..text.len()).map(|at| Key::new().and(&text.replace(&text[at..=at], "\0"))));
        let all = keys.len();
        keys.sort();
        keys.dedup();
        // The empty text behind the whole one and before it are two keys, and none is one of the others.
        assert_eq!(keys.len(), all);
        assert_eq!(Key::parse(&Key::new().and("x").to_string()), Some(Key::new().and("x")));
    }

    #[cfg(feature = "cubin")]
    #[test]
    fn code_that_differs_anywhere_has_another_digest() {
        let code: Vec<u8> = (0_u8..100).collect();
        let whole = of_code(&code);
        assert_eq!(whole, of_code(&code.clone()));
        for at in 0..code.len() {
            let mut other = code.clone();
            other[at] ^= 1;
            assert_ne!(of_code(&other), whole, "{at}");
        }
        assert_ne!(of_code(&code[..99]), whole);
        assert_ne!(of_code(&[0; 8]), of_code(&[0; 16]));
    }
}
