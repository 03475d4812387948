//! Near matches for misspelt names, and foreign text made fit for a message.

/// The name among `known` that `word` was most likely meant to be; `None` where nothing is near.
///
/// Near is: at most a third of the known name's letters (at least one) were added, left out, changed or swapped with
/// their neighbour. Case does not count, and `_` is the same as `-`. Of equally near names the first wins.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let target = folded(name);
        let allowed = (target.len() / 3).max(1);
        if word.len().abs_diff(target.len()) > allowed {
            continue;
        }
        let distance = edit_distance(&word, &target);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

fn folded(text: &str) -> Vec<char> {
    text.chars().map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each of cost 1.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let change = previous[j] + usize::from(x != y);
            let mut cost = change.min(previous[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}

/// The help for a word that is none of `known`: the near match, else all of them.
pub(super) fn help(word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known here: {}", quoted_list(known)),
    }
}

/// Words in backticks, with commas between them.
pub(super) fn quoted_list(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}

/// Foreign text as a message may show it: control characters escaped, cut after 60 characters.
pub(super) fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut out = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["spill", "residency-below-bounds", "residency-below-target", "cuda", "archs"];

    #[test]
    fn one_mistake_is_near() {
        for word in ["spil", "spilll", "sqill", "psill", "SPILL"] {
            assert_eq!(nearest(word, NAMES), Some("spill"), "{word}");
        }
    }

    #[test]
    fn underscores_are_hyphens() {
        assert_eq!(nearest("residency_below_target", NAMES), Some("residency-below-target"));
    }

    #[test]
    fn the_nearer_of_two_wins() {
        assert_eq!(nearest("residency-below-targe", NAMES), Some("residency-below-target"));
        assert_eq!(nearest("residency-below-bound", NAMES), Some("residency-below-bounds"));
    }

    #[test]
    fn something_else_is_not_near() {
        for word in ["", "x", "registers", "crud", "a very long text that is nothing like it"] {
            assert_eq!(nearest(word, NAMES), None, "{word}");
        }
    }

    #[test]
    fn distances() {
        let distance = |a: &str, b: &str| edit_distance(&folded(a), &folded(b));
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
    }

    #[test]
    fn foreign_text_cannot_drive_a_terminal() {
        assert_eq!(shown("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert_eq!(shown(&"x".repeat(61)).chars().count(), 61);
        assert!(shown(&"x".repeat(61)).ends_with('…'));
    }
}
