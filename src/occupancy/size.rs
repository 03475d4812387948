//! Sizes of memory as people write them.

use std::fmt;

/// A text that is no size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SizeError {
    text: String,
    why: &'static str,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no size: {}; write bytes (`49152`) or `48 KiB`", self.text, self.why)
    }
}

impl std::error::Error for SizeError {}

/// Reads `49152`, `49152 B`, `48 KiB`, `48KiB` or `1 MiB` as bytes.
///
/// # Errors
/// No number, a unit that is none of `B`, `KiB`, `MiB` (`KB` could mean 1,000 or 1,024), or more than 4 GiB.
pub fn parse_size(text: &str) -> Result<u32, SizeError> {
    let error = |why| SizeError { text: text.to_owned(), why };
    let trimmed = text.trim();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = trimmed.split_at(digits);
    if number.is_empty() {
        return Err(error("it does not begin with a number"));
    }
    let factor: u64 = match unit.trim_start() {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "k" | "K" | "kb" | "kB" | "KB" | "Kb" | "m" | "M" | "mb" | "mB" | "MB" | "Mb" => {
            return Err(error("its unit could be decimal or binary"));
        }
        _ => return Err(error("its unit is none of B, KiB, MiB")),
    };
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or_else(|| error("it is too large"))
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
            ("48 kB", "its unit could be decimal or binary"),
            ("48K", "its unit could be decimal or binary"),
            ("4 GiB", "its unit is none of B, KiB, MiB"),
            ("1.5 KiB", "its unit is none of B, KiB, MiB"),
            ("x", "it does not begin with a number"),
            ("4096 MiB", "it is too large"),
        ] {
            let message = parse_size(text).map_err(|error| error.to_string());
            assert_eq!(
                message,
                Err(format!("`{text}` is no size: {why}; write bytes (`49152`) or `48 KiB`"))
            );
        }
    }
}
