//! Answers in a file of the user's own folder.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::state::{FileState, now};
use crate::toolkit::home;

/// The first line; another one is another format, and not read.
const HEAD: &str = "occlint answers 1";
/// Answers that are kept.
const MOST: usize = 40;

/// A question to a program that is known to answer it the same as long as its file is the same: no script, which may call
/// another one the next time.
pub(in crate::toolkit) struct Question {
    file: PathBuf,
    /// State and path of the program, and what is asked.
    line: String,
}

impl Question {
    /// `None` where the program has to be asked each time.
    pub(super) fn new(program: &Path, argument: &str, env: &Env) -> Option<Self> {
        let real = program.canonicalize().ok()?;
        let state = FileState::of(&real).filter(|state| state.is_settled(now()))?;
        let mut magic = [0; 4];
        File::open(&real).ok()?.read_exact(&mut magic).ok()?;
        let text = real.to_str().filter(|text| !text.contains(['\n', '\t']))?;
        let line = format!("{state} {argument} {text}\t");
        (magic == *b"\x7fELF").then_some(Self { file: home(env).ok()?.join("answers.txt"), line })
    }

    /// What the program said, words separated by blanks.
    pub(super) fn known(&self) -> Option<String> {
        read(&self.file).into_iter().find_map(|line| line.strip_prefix(&self.line).map(str::to_owned))
    }

    /// Notes an answer. What cannot be written is asked again, and no more.
    pub(super) fn note(&self, answer: &str) {
        let mut lines = vec![format!("{}{answer}", self.line)];
        lines
            .extend(read(&self.file).into_iter().filter(|line| !line.starts_with(&self.line)).take(MOST - 1));
        let folder = self.file.parent().unwrap_or(&self.file);
        if !answer.contains('\n') && files::create_folder(folder).is_ok() {
            let _ = files::write_atomically(&self.file, format!("{HEAD}\n{}\n", lines.join("\n")).as_bytes());
        }
    }
}

fn read(file: &Path) -> Vec<String> {
    let text = files::read_text(file).unwrap_or_default();
    let lines = text.strip_prefix(HEAD).and_then(|rest| rest.strip_prefix('\n')).unwrap_or_default();
    lines.lines().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_as_long_as_the_program_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let env = Env::from_pairs([("OCCLINT_HOME", folder.path().join("home"))]);
        let program = folder.path().join("nvcc");
        let question = |argument: &str| Question::new(&program, argument, &env);
        let write = |bytes: &[u8], age: u64| {
            std::fs::write(&program, bytes).unwrap();
            let when = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
            File::options().append(true).open(&program).unwrap().set_modified(when).unwrap();
        };
        write(b"#!/bin/sh\n", 9);
        assert!(question("--version").is_none(), "a script");
        write(b"\x7fELF one", 9);
        assert!(question("--version").is_none(), "its metadata changed just now");
        let settled = Path::new("/bin/sh");
        let question = |argument: &str| Question::new(settled, argument, &env).unwrap();
        assert_eq!(question("--version").known(), None);
        question("--version").note("13.0.88");
        question("--list").note("sm_80 sm_90");
        question("--version").note("13.0.89");
        assert_eq!(question("--version").known().as_deref(), Some("13.0.89"));
        assert_eq!(question("--list").known().as_deref(), Some("sm_80 sm_90"));
        let other = Question { line: format!("9{}", question("--list").line), ..question("--list") };
        assert_eq!(other.known(), None, "another size");
    }
}
