//! Sizes of memory as people write them.

use std::fmt;

/// Why a text is no size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SizeError {
    /// It does not begin with a number.
    NoNumber,
    /// `KB` could mean 1,000 or 1,024.
    AmbiguousUnit,
    /// The unit is none of `B`, `KiB`, `MiB`.
    UnknownUnit,
    /// More than 4 GiB.
    TooLarge,
}

impl SizeError {
    /// How sizes are written, for a help text.
    pub const HELP: &str = "write bytes, or a number with `B`, `KiB` or `MiB`: `49152`, `48 KiB`";
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoNumber => "it does not begin with a number",
            Self::AmbiguousUnit => "its unit could be decimal or binary",
            Self::UnknownUnit => "its unit is none of B, KiB, MiB",
            Self::TooLarge => "it is more than 4294967295 bytes",
        })
    }
}

impl std::error::Error for SizeError {}

/// Reads `49152`, `49152 B`, `48 KiB`, `48KiB` or `1 MiB` as bytes.
///
/// # Errors
/// No number, a unit that is none of `B`, `KiB`, `MiB` (`KB` could mean 1,000 or 1,024), or more than 4 GiB.
pub fn parse_size(text: &str) -> Result<u32, SizeError> {
    let trimmed = text.trim();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = trimmed.split_at(digits);
    if number.is_empty() {
        return Err(SizeError::NoNumber);
    }
    let factor: u64 = match unit.trim_start() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "k" | "K" | "kb" | "kB" | "KB" | "Kb" | "m" | "M" | "mb" | "mB" | "MB" | "Mb" => {
            return Err(SizeError::AmbiguousUnit);
        }
        _ => return Err(SizeError::UnknownUnit),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or(SizeError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_each_spelling() {
        for (text, bytes) in [
            ("0", 0),
            ("49152", 49_152),
            ("48KiB", 49_152),
            (" 48 KiB ", 49_152),
            ("1 MiB", 1 << 20),
            ("7 B", 7),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text:?}");
        }
    }

    #[test]
    fn what_could_mean_two_things_is_refused() {
        for text in [
            "",
            "KiB",
            "48kb",
            "48 KB",
            "48k",
            "-1",
            "4 GiB",
            "1.5 KiB",
            "99999999999999999999",
            "5000 MiB",
            "٤",
        ] {
            assert!(parse_size(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_error_says_why() {
        for (text, why) in [
            ("48 kB", SizeError::AmbiguousUnit),
            ("48K", SizeError::AmbiguousUnit),
            ("4 GiB", SizeError::UnknownUnit),
            ("1.5 KiB", SizeError::UnknownUnit),
            ("x", SizeError::NoNumber),
            ("", SizeError::NoNumber),
            ("4096 MiB", SizeError::TooLarge),
            ("99999999999999999999999", SizeError::TooLarge),
        ] {
            assert_eq!(parse_size(text), Err(why), "{text:?}");
        }
        assert_eq!(parse_size("4294967295"), Ok(u32::MAX));
    }
}
