//! A key twice in one object: a JSON reader takes the last and says nothing.

use std::collections::BTreeSet;

/// An object that the text is in.
struct Open<'a> {
    /// Keys stand in it; else it is an array.
    object: bool,
    /// The key that was last; what occlint writes is sorted, so that comparing with it is enough.
    last: &'a str,
    /// All keys, once they turned out not to be sorted.
    seen: Option<BTreeSet<&'a str>>,
    /// Where its keys begin.
    keys_from: usize,
    /// The next string is a key.
    key_next: bool,
}

/// The first key of `text`, which is JSON, that its object has already.
pub(super) fn twice(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => {
                let object = bytes[at] == b'{';
                let keys_from = at + 1;
                open.push(Open { object, last: "", seen: None, keys_from, key_next: object });
            }
            b'}' | b']' => drop(open.pop()),
            b',' => {
                if let Some(inner) = open.last_mut() {
                    inner.key_next = inner.object;
                }
            }
            b'"' => {
                let start = at + 1;
                at = end_of_string(bytes, start);
                if let Some(inner) = open.last_mut().filter(|inner| inner.key_next) {
                    let key = &text[start..at];
                    inner.key_next = false;
                    if is_there(inner, key, text) {
                        return Some(key);
                    }
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the string that begins at `at` ends.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// Whether the object has the key already; the key is then remembered.
fn is_there<'a>(object: &mut Open<'a>, key: &'a str, text: &'a str) -> bool {
    if object.seen.is_none() && (object.last.is_empty() || object.last < key) {
        object.last = key;
        return false;
    }
    let before = object.keys_from;
    let seen = object.seen.get_or_insert_with(|| keys_before(&text[before..], key.as_ptr() as usize));
    !seen.insert(key)
}

/// The keys of the object whose inside begins `text`, before this address.
fn keys_before(text: &str, end: usize) -> BTreeSet<&str> {
    let bytes = text.as_bytes();
    let (mut keys, mut depth, mut key_next, mut at) = (BTreeSet::new(), 0_usize, true, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => key_next = true,
            b'"' => {
                let start = at + 1;
                at = end_of_string(bytes, start);
                let key = &text[start..at];
                if key.as_ptr() as usize >= end {
                    break;
                }
                if depth == 0 && std::mem::take(&mut key_next) {
                    keys.insert(key);
                }
            }
            _ => {}
        }
        at += 1;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::twice;

    #[test]
    fn a_key_is_found_again_in_its_own_object_only() {
        assert_eq!(twice(r#"{"a":1,"b":{"a":2,"b":[{"a":1},{"a":2}]},"c":"a"}"#), None);
        assert_eq!(twice(r#"{"a":1,"a":2}"#), Some("a"));
        assert_eq!(twice(r#"{"b":1,"a":{"x":"\",\"b\":"},"c":[1,2],"b":2}"#), Some("b"));
        assert_eq!(twice(r#"{"z":[{"y":1,"x":2,"y":3}]}"#), Some("y"));
        assert_eq!(twice(r#"{"é":1,"a":2,"é":3}"#), Some("é"));
        assert_eq!(twice(r#"{"b":{"c":1},"a":1,"c":2}"#), None);
        assert_eq!(twice(""), None);
    }
}
