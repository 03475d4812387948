//! "did you mean": the known word nearest to a mistyped one.

/// The candidate nearest to `word`, if any is near enough: at most a third of its letters differ, or it contains the
/// word. Of equals the first.
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let normal = |text: &str| text.to_lowercase().replace('_', "-");
    let word = normal(word);
    let near = candidates
        .iter()
        .map(|&candidate| (distance(&word, &normal(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance);
    let contains = || candidates.iter().copied().find(|c| word.len() >= 4 && normal(c).contains(&word));
    near.map(|(_, candidate)| candidate).or_else(contains)
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    // Longer words are never mistypings of ours: the cap bounds the cost for hostile input.
    let take = |text: &str| text.chars().take(64).collect::<Vec<char>>();
    let (a, b) = (take(a), take(b));
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            if i == 0 || j == 0 {
                rows[i][j] = i + j;
                continue;
            }
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_word_finds_its_neighbour() {
        let known = ["spill", "register-budget", "min-blocks", "max-registers"];
        for (word, right) in [
            ("spil", "spill"),
            ("min_blocks", "min-blocks"),
            ("max-regsiters", "max-registers"),
            ("Spill", "spill"),
        ] {
            assert_eq!(nearest(word, &known), Some(right), "{word}");
        }
        assert_eq!(nearest("banana", &known), None);
        assert_eq!(nearest("", &known), None);
        assert_eq!(nearest(&"x".repeat(100_000), &known), None);
    }
}
