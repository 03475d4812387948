//! Days, as `until` of a waiver names them.

use std::fmt;
use std::str::FromStr;

/// A day of the Gregorian calendar, years 1 to 9999.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// The day of a moment, in UTC; `None` beyond the year 9999.
    pub fn of_unix_seconds(seconds: u64) -> Option<Self> {
        let mut days = seconds / 86_400;
        let mut year = 1970_u16;
        while days >= days_of_year(year) {
            days -= days_of_year(year);
            year = year.checked_add(1).filter(|&year| year <= 9999)?;
        }
        let mut month = 1;
        while days >= u64::from(days_of_month(year, month)) {
            days -= u64::from(days_of_month(year, month));
            month += 1;
        }
        Some(Self { year, month, day: u8::try_from(days).ok()? + 1 })
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_year(year: u16) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_of_month(year: u16, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

/// A text that is no day: what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DateError(pub &'static str);

impl FromStr for Date {
    type Err = DateError;

    /// Reads `2027-03-01`.
    fn from_str(text: &str) -> Result<Self, DateError> {
        const FORM: DateError = DateError("it must be year, month and day, like `2027-03-01`");
        let parts: Vec<&str> = text.split('-').collect();
        let &[year, month, day] = parts.as_slice() else { return Err(FORM) };
        let digits = |text: &str, length: usize| {
            (text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit()))
                .then(|| text.parse::<u16>().ok())
        };
        let number = |text: &str, length: usize| digits(text, length).flatten().ok_or(FORM);
        let (year, month, day) = (number(year, 4)?, number(month, 2)?, number(day, 2)?);
        let (month, day) = (u8::try_from(month).map_err(|_| FORM)?, u8::try_from(day).map_err(|_| FORM)?);
        let known = year >= 1 && (1..=12).contains(&month) && day >= 1 && day <= days_of_month(year, month);
        if known { Ok(Self { year, month, day }) } else { Err(DateError("there is no such day")) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar_are_read_and_no_others() {
        for text in ["2027-03-01", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        for text in [
            "2027-3-1",
            "2027-02-29",
            "1900-02-29",
            "2027-13-01",
            "2027-00-01",
            "2027-01-00",
            "2027-04-31",
            "0000-01-01",
            "27-01-01",
            "2027-01",
            "2027-01-01-01",
            "+027-01-01",
            "",
            "tomorrow",
            "2027/01/01",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
        assert!("2026-12-31".parse::<Date>().unwrap() < "2027-01-01".parse::<Date>().unwrap());
    }

    #[test]
    fn moments_have_their_day_in_utc() {
        let of = |seconds| Date::of_unix_seconds(seconds).unwrap().to_string();
        // GNU date: `date -u -d @N +%F`
        assert_eq!(of(0), "1970-01-01");
        assert_eq!(of(951_782_399), "2000-02-28");
        assert_eq!(of(951_782_400), "2000-02-29");
        assert_eq!(of(1_709_164_800), "2024-02-29");
        assert_eq!(of(1_796_083_200), "2026-12-01");
        assert_eq!(of(253_402_300_799), "9999-12-31");
        assert_eq!(Date::of_unix_seconds(253_402_300_800), None);
        assert_eq!(Date::of_unix_seconds(u64::MAX), None);
    }
}
