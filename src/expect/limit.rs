//! How much more than in the baseline a lint lets pass.

/// An increase that is still within a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Increase {
    /// So much of what it was, in hundredths of a percent.
    Share(u32),
    /// So many of the lint's own unit.
    Amount(u64),
}

impl Increase {
    /// Whether going from one amount to another is more than this.
    pub fn is_exceeded(self, was: u64, is: u64) -> bool {
        let more = u128::from(is.saturating_sub(was));
        match self {
            Self::Share(share) => more * 10_000 > u128::from(was) * u128::from(share),
            Self::Amount(most) => more > u128::from(most),
        }
    }
}

/// The limits of one lint.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Limits {
    /// `max-increase`: up to it the lint does not fail the run.
    pub hard: Option<Increase>,
    /// `warn-increase`: above it, and up to the other, the lint warns.
    pub soft: Option<Increase>,
}

/// What the limits say of an increase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Within {
    /// Nothing is to be said.
    Soft,
    /// It is worth a warning.
    Hard,
    /// It is too much.
    Neither,
}

impl Limits {
    /// Judges what grew, each as it was and as it is: the worst decides.
    pub fn judge(self, increases: &[(u64, u64)]) -> Within {
        let over = |limit: Increase| increases.iter().any(|&(was, is)| limit.is_exceeded(was, is));
        match (self.soft, self.hard) {
            (_, Some(hard)) if over(hard) => Within::Neither,
            (Some(soft), hard) if over(soft) => {
                if hard.is_some() {
                    Within::Hard
                } else {
                    Within::Neither
                }
            }
            (None, None) => Within::Neither,
            _ => Within::Soft,
        }
    }
}

/// Reads `5%`, `2 blocks`, `8 bytes`, `4`; `units`: the words that may follow a number.
///
/// # Errors
/// What is wrong, in words that follow the value.
pub(crate) fn increase(text: &str, units: &[&str]) -> Result<Increase, String> {
    let text = text.trim();
    if let Some(share) = text.strip_suffix('%') {
        return hundredths(share.trim()).map(Increase::Share).ok_or_else(|| "is no share".to_owned());
    }
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    let number = number.parse().map_err(|_| "is no amount".to_owned())?;
    if unit.is_empty() || units.contains(&unit) {
        return Ok(Increase::Amount(number));
    }
    Err(format!("counts in {}", units.last().unwrap_or(&"nothing")))
}

/// `5`, `2.5`, `0.25` in hundredths.
fn hundredths(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty()
        || !digits(whole)
        || !digits(part)
        || part.len() > 2
        || (part.is_empty() && text.contains('.'))
    {
        return None;
    }
    let part: u32 = format!("{part:0<2}").parse().ok()?;
    whole.parse::<u32>().ok()?.checked_mul(100)?.checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_amounts_are_read() {
        let units = ["byte", "bytes"];
        assert_eq!(increase("5%", &units), Ok(Increase::Share(500)));
        assert_eq!(increase(" 2.5 % ", &units), Ok(Increase::Share(250)));
        assert_eq!(increase("0.25%", &units), Ok(Increase::Share(25)));
        assert_eq!(increase("8 bytes", &units), Ok(Increase::Amount(8)));
        assert_eq!(increase("1byte", &units), Ok(Increase::Amount(1)));
        assert_eq!(increase("0", &units), Ok(Increase::Amount(0)));
        for text in [
            "",
            "%",
            "-1",
            "5 %%",
            "1.255%",
            "1.%",
            ".5%",
            "99999999999%",
            "many",
            "1e3",
            "18446744073709551616",
        ] {
            assert!(increase(text, &units).is_err(), "{text}");
        }
        assert_eq!(increase("2 blocks", &units).unwrap_err(), "counts in bytes");
    }

    #[test]
    fn a_limit_is_exceeded_above_it_and_not_at_it() {
        let five = Increase::Share(500);
        assert!(!five.is_exceeded(100, 105) && five.is_exceeded(100, 106));
        assert!(five.is_exceeded(0, 1) && !five.is_exceeded(0, 0) && !five.is_exceeded(100, 90));
        assert!(!Increase::Amount(2).is_exceeded(4, 6) && Increase::Amount(2).is_exceeded(4, 7));
        assert!(Increase::Share(u32::MAX).is_exceeded(1, u64::MAX));
    }

    #[test]
    fn the_worst_increase_decides() {
        let limits = Limits { soft: Some(Increase::Amount(4)), hard: Some(Increase::Amount(8)) };
        assert_eq!(limits.judge(&[(0, 4)]), Within::Soft);
        assert_eq!(limits.judge(&[(0, 4), (10, 15)]), Within::Hard);
        assert_eq!(limits.judge(&[(0, 9), (10, 15)]), Within::Neither);
        let hard = Limits { soft: None, ..limits };
        assert_eq!((hard.judge(&[(0, 8)]), hard.judge(&[(0, 9)])), (Within::Soft, Within::Neither));
        let soft = Limits { hard: None, ..limits };
        assert_eq!((soft.judge(&[(0, 4)]), soft.judge(&[(0, 5)])), (Within::Soft, Within::Neither));
        assert_eq!(Limits::default().judge(&[(0, 1)]), Within::Neither);
    }
}
