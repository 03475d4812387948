//! Sizes of memory as people write them.

/// Reads a number of bytes: `49152`, `48 KiB`, `1MiB`, `512 B`.
///
/// # Errors
/// What is wrong with it, as a message.
pub(super) fn parse_size(text: &str) -> Result<u32, String> {
    let trimmed = text.trim();
    let digits_end = trimmed.find(|c: char| !c.is_ascii_digit()).unwrap_or(trimmed.len());
    let (digits, rest) = trimmed.split_at(digits_end);
    let unit = rest.trim_start();
    if digits.is_empty() {
        return Err(format!("`{}` is no size", super::suggest::shown(trimmed)));
    }
    let factor: u64 = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        _ => return Err(format!("`{}` is no unit of a size", super::suggest::shown(unit))),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(factor));
    bytes
        .and_then(|bytes| u32::try_from(bytes).ok())
        .ok_or_else(|| format!("`{}` is more than {} bytes", super::suggest::shown(trimmed), u32::MAX))
}

/// How sizes are written, for a help text.
pub(super) const SIZE_HELP: &str = "write bytes, or a number with `B`, `KiB` or `MiB`: `49152`, `48 KiB`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("49152", 49_152),
            ("48 KiB", 49_152),
            ("48KiB", 49_152),
            ("1 MiB", 1_048_576),
            (" 7 B ", 7),
            ("4294967295", u32::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn no_sizes() {
        for (text, message) in [
            ("48kb", "`kb` is no unit of a size"),
            ("48 K", "`K` is no unit of a size"),
            ("1.5 KiB", "`.5 KiB` is no unit of a size"),
            ("-1", "`-1` is no size"),
            ("", "`` is no size"),
            ("KiB", "`KiB` is no size"),
            ("4096 MiB", "`4096 MiB` is more than 4294967295 bytes"),
            ("99999999999999999999999", "`99999999999999999999999` is more than 4294967295 bytes"),
        ] {
            assert_eq!(parse_size(text), Err(message.to_owned()), "{text}");
        }
    }
}
