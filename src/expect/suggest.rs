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
        let near = (target.len() / 3).max(1);
        // only a nearer name is of use
        let Some(most) = best.map_or(Some(near), |(least, _)| least.checked_sub(1).map(|n| n.min(near)))
        else {
            break;
        };
        if let Some(distance) = distance_within(&word, &target, most) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

fn folded(text: &str) -> Vec<char> {
    text.chars().map(|c| if c == '_' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The edit distance, if it is at most `most`: what two words begin and end with alike costs nothing, and words that
/// turn out to be further apart are given up early. Ten thousand names are compared with each misspelt one.
fn distance_within(a: &[char], b: &[char], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let alike = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[alike..], &b[alike..]);
    let alike = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    edit_distance(&a[..a.len() - alike], &b[..b.len() - alike], most)
}

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each of cost 1; `None` where
/// it is more than `most`.
fn edit_distance(a: &[char], b: &[char], most: usize) -> Option<usize> {
    let mut before = vec![usize::MAX - 1; b.len() + 1];
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    let mut row = vec![0; b.len() + 1];
    let mut least = 0;
    for (i, &x) in a.iter().enumerate() {
        row[0] = i + 1;
        let mut least_here = row[0];
        for (j, &y) in b.iter().enumerate() {
            let change = previous[j] + usize::from(x != y);
            let mut cost = change.min(previous[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                cost = cost.min(before[j - 1] + 1);
            }
            row[j + 1] = cost;
            least_here = least_here.min(cost);
        }
        // a later row continues this one, or with a swap the one before it
        if least_here > most && least + 1 > most {
            return None;
        }
        least = least_here;
        std::mem::swap(&mut before, &mut previous);
        std::mem::swap(&mut previous, &mut row);
    }
    Some(previous[b.len()]).filter(|&distance| distance <= most)
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
    use proptest::prelude::*;

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
        let distance = |a: &str, b: &str| distance_within(&folded(a), &folded(b), usize::MAX);
        for (a, b, apart) in
            [("kitten", "sitting", 3), ("ab", "ba", 1), ("", "abc", 3), ("abc", "", 3), ("xaby", "xbay", 1)]
        {
            assert_eq!(distance(a, b), Some(apart), "{a} {b}");
        }
    }

    /// The definition itself, slow and without a limit.
    fn by_definition(a: &[char], b: &[char]) -> usize {
        let ([a_rest @ .., x], [b_rest @ .., y]) = (a, b) else { return a.len().max(b.len()) };
        let change = by_definition(a_rest, b_rest) + usize::from(x != y);
        let gap = by_definition(a_rest, b).min(by_definition(a, b_rest)) + 1;
        match (a_rest, b_rest) {
            ([a_more @ .., v], [b_more @ .., w]) if x == w && y == v => {
                change.min(gap).min(by_definition(a_more, b_more) + 1)
            }
            _ => change.min(gap),
        }
    }

    proptest! {
        #[test]
        fn a_limit_changes_no_distance(a in "[abc]{0,6}", b in "[abc]{0,6}", most in 0_usize..7) {
            let (a, b) = (folded(&a), folded(&b));
            let distance = by_definition(&a, &b);
            prop_assert_eq!(distance_within(&a, &b, most), (distance <= most).then_some(distance));
        }
    }

    #[test]
    fn foreign_text_cannot_drive_a_terminal() {
        assert_eq!(shown("a\u{1b}[31m"), "a\\u{1b}[31m");
        assert_eq!(shown(&"x".repeat(61)).chars().count(), 61);
        assert!(shown(&"x".repeat(61)).ends_with('…'));
    }
}
