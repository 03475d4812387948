//! A finding's line, as the finding that it was written from.

use std::collections::BTreeMap;

use occlint::finding::{Finding, Headline, Label, Level, Subject};
use occlint::lints;
use occlint::source::SourceText;

use crate::reports::Sources;
use crate::reports::fields::Fields;

/// `qualified`: the qualified names of kernels by their keys.
pub(super) fn finding(
    line: Fields<'_>,
    qualified: &BTreeMap<&str, &str>,
    sources: &Sources,
) -> Result<Finding, String> {
    let lint = line.needed("lint")?;
    let lint = lints::find(lint).ok_or_else(|| format!("`{lint}` is no lint of this occlint"))?;
    let table = line.text("table")?;
    let help = line.text("help")?.and_then(|help| without_table(help, table));
    let labels = line.objects("labels")?.unwrap_or_default();
    Ok(Finding {
        lint: lint.name,
        level: level(line.needed("level")?)?,
        subject: subject(line, qualified)?,
        headline: headline(line)?,
        weight: line.weight("weight")?,
        labels: labels.into_iter().map(|label| self::label(label, sources)).collect::<Result<_, String>>()?,
        notes: line.texts("notes")?,
        help: help.map(str::to_owned),
        table: table.map(str::to_owned),
    })
}

fn level(word: &str) -> Result<Level, String> {
    let known = [Level::Deny, Level::Warn].into_iter().find(|level| level.word() == word);
    known.ok_or_else(|| format!("`level` is `{word}`, neither deny nor warn"))
}

fn subject(line: Fields<'_>, qualified: &BTreeMap<&str, &str>) -> Result<Subject, String> {
    let arch = line.arch()?;
    if let Some(name) = line.text("kernel")? {
        let key = line.needed("key")?;
        return Ok(Subject::Kernel {
            name: name.to_owned(),
            key: key.to_owned(),
            qualified: qualified.get(key).copied().unwrap_or(name).to_owned(),
            arch,
            foreign: line.flag("foreign")?.unwrap_or(false),
        });
    }
    Ok(match line.text("unit")? {
        Some(unit) => Subject::Unit { unit: unit.to_owned(), arch },
        None => Subject::Config,
    })
}

/// From `template`; without one the whole message is text.
fn headline(line: Fields<'_>) -> Result<Headline, String> {
    let Some(template) = line.text("template")? else {
        return Ok(Headline::new().text(line.needed("message")?));
    };
    let (mut headline, mut words, mut rest) = (Headline::new(), String::new(), template);
    while let Some(at) = rest.find(['{', '}']) {
        words.push_str(&rest[..at]);
        rest = &rest[at..];
        let braces = [("{{", "{"), ("}}", "}")];
        if let Some((double, one)) = braces.iter().find(|(double, _)| rest.starts_with(double)) {
            words.push_str(one);
            rest = &rest[double.len()..];
            continue;
        }
        if !words.is_empty() {
            headline = headline.text(std::mem::take(&mut words));
        }
        if let Some(after) = rest.strip_prefix("{kernel}") {
            (headline, rest) = (headline.kernel(), after);
        } else if let Some(after) = rest.strip_prefix("{arch}") {
            (headline, rest) = (headline.arch(), after);
        } else {
            return Err("`template` has a brace that means nothing".to_owned());
        }
    }
    words.push_str(rest);
    Ok(if words.is_empty() { headline } else { headline.text(words) })
}

/// The advice before the table; `None` where there is the table alone.
fn without_table<'a>(help: &'a str, table: Option<&str>) -> Option<&'a str> {
    let Some(before) = table.and_then(|table| help.strip_suffix(table)) else { return Some(help) };
    Some(before.strip_suffix('\n').unwrap_or(before)).filter(|before| !before.is_empty())
}

fn label(label: Fields<'_>, sources: &Sources) -> Result<Label, String> {
    let (file, line) = (label.needed("file")?, label.number("line")?.ok_or("a label has no `line`")?);
    let at = label.number("column")?.zip(label.number("length")?);
    let span = at.zip(sources.get(file)).and_then(|((column, length), text)| {
        let range = range(&text, line, column, length)?;
        Some((text, range))
    });
    let text = label.text("text")?.unwrap_or_default().to_owned();
    Ok(Label { file: file.to_owned(), line, span, text })
}

/// The bytes of a label, where the text still has them.
fn range(text: &SourceText, line: u32, column: u32, length: u32) -> Option<std::ops::Range<usize>> {
    let whole = text.line_range(line)?;
    let before = usize::try_from(column.checked_sub(1)?).ok()?;
    let line = &text.text()[whole.clone()];
    let offset = if before == line.chars().count() {
        line.len()
    } else {
        line.char_indices().nth(before).map(|(at, _)| at)?
    };
    let start = whole.start + offset;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    text.text().get(start..end).map(|_| start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_the_headline_that_it_was_made_from() {
        let line = serde_json::json!({"template": "{kernel} a {{b}} on {arch}{arch} }}"});
        let headline = headline(Fields(&line)).unwrap();
        assert_eq!(headline.render("k<1>", "sm_90"), "`k<1>` a {b} on sm_90sm_90 }");
        for bad in ["{", "}", "{other}", "{kernel", "{}}"] {
            let line = serde_json::json!({"template": bad});
            assert!(super::headline(Fields(&line)).is_err(), "{bad}");
        }
        let plain = serde_json::json!({"message": "a {b}"});
        assert_eq!(super::headline(Fields(&plain)).unwrap().render("", ""), "a {b}");
    }

    #[test]
    fn bytes_are_found_again_or_not_at_all() {
        let text = SourceText::new("k.cu", "é k(int)\nend");
        assert_eq!(range(&text, 1, 3, 1), Some(3..4));
        assert_eq!(range(&text, 2, 4, 0), Some(13..13));
        for (line, column, length) in
            [(1, 0, 1), (1, 1, 1), (3, 1, 1), (1, 99, 1), (2, 1, 9), (1, 1, u32::MAX)]
        {
            assert_eq!(range(&text, line, column, length), None, "{line}:{column} {length}");
        }
    }

    #[test]
    fn advice_ends_where_the_table_begins() {
        assert_eq!(without_table("try\nrows\nmore", Some("rows\nmore")), Some("try"));
        assert_eq!(without_table("rows", Some("rows")), None);
        assert_eq!(without_table("try", None), Some("try"));
    }
}
