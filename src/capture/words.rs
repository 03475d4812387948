//! Arguments that stand in files and variables.

/// The words of an options file or of `NVCC_APPEND_FLAGS`: separated by white space, which quotes hold together.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('\\', _) if quote != Some('\'') => {
                let escaped = chars.next();
                word.get_or_insert_default().extend(escaped.filter(|next| *next != '\n'));
            }
            (c, Some(open)) if c == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// Puts the words of files in the place of `@file`, `--options-file FILE` and `-optf FILE`; `read` gives a file's text.
///
/// # Errors
/// The file that cannot be read, or that stands more than ten files deep.
pub fn expand(args: &[String], read: &dyn Fn(&str) -> Option<String>) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    push(args, read, 0, &mut all)?;
    Ok(all)
}

fn push(
    args: &[String],
    read: &dyn Fn(&str) -> Option<String>,
    depth: u8,
    all: &mut Vec<String>,
) -> Result<(), String> {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let named = match arg.strip_prefix('@') {
            Some(file) => Some(file),
            None => match super::options::option(arg) {
                super::options::Spelled::Value("options-file", file) if arg.starts_with('-') => Some(file),
                super::options::Spelled::Next("options-file") => Some(args.next().map_or("", String::as_str)),
                _ => None,
            },
        };
        let Some(files) = named else {
            all.push(arg.clone());
            continue;
        };
        for file in files.split(',') {
            let text = if depth < 10 { read(file) } else { None };
            push(&words(&text.ok_or_else(|| file.to_owned())?), read, depth + 1, all)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together() {
        assert_eq!(
            words("-O3  \"-DA=b c\"\n-I'two words'\\ x '' -D\\\"q\\\""),
            ["-O3", "-DA=b c", "-Itwo words x", "", "-D\"q\""]
        );
        assert_eq!(words(" \n\t"), [""; 0]);
    }

    #[test]
    fn files_of_arguments_are_taken_in() {
        let read = |name: &str| match name {
            "a.rsp" => Some("-O3 @b.rsp".to_owned()),
            "b.rsp" => Some("-DB k.cu".to_owned()),
            "loop" => Some("@loop".to_owned()),
            _ => None,
        };
        let args = |list: &[&str]| list.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        for call in [&["-c", "@a.rsp"][..], &["-c", "--options-file", "a.rsp"], &["-c", "-optf=a.rsp"]] {
            assert_eq!(expand(&args(call), &read).unwrap(), ["-c", "-O3", "-DB", "k.cu"], "{call:?}");
        }
        assert_eq!(expand(&args(&["@gone"]), &read), Err("gone".to_owned()));
        assert_eq!(expand(&args(&["@loop"]), &read), Err("loop".to_owned()));
    }
}
