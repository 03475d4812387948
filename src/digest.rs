//! Digests that are the same in every version of occlint and on every machine, which the standard library's hasher does
//! not promise. They tell things apart; they protect against nothing.

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
#[cfg(feature = "cubin")]
pub(crate) fn of_code(code: &[u8]) -> u64 {
    let (words, rest) = code.as_chunks::<8>();
    let step = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = words.iter().fold(code.len() as u64, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let hash = rest.iter().fold(hash, |hash, &byte| step(hash, u64::from(byte)));
    hash ^ (hash >> 32)
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
