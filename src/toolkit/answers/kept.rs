//! Answers in a file of the user's own folder.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::sys::env::Env;
use crate::sys::files;
use crate::sys::memo::Memo;
use crate::sys::state::{FileState, now};
use crate::toolkit::home;

/// The first line; another one is another format, and not read.
const HEAD: &str = "occlint answers 1";
/// Answers that are kept.
const MOST: usize = 40;

/// A question to a program that is known to answer it the same as long as its file is the same: a toolkit's own, which has its
/// profile beside it. Scripts and launchers may call another one the next time.
pub(super) struct Question {
    memo: Memo,
    /// State and path of the program, and what is asked.
    line: String,
}

impl Question {
    /// `None` where the program has to be asked each time.
    pub(super) fn new(program: &Path, argument: &str, env: &Env) -> Option<Self> {
        Self::at((program, argument), env, now())
    }

    /// The same at a time, nanoseconds since 1970.
    fn at((program, argument): (&Path, &str), env: &Env, now: i128) -> Option<Self> {
        let real =
            program.canonicalize().ok().filter(|real| real.with_file_name("nvcc.profile").is_file())?;
        let state = FileState::of(&real).filter(|state| state.is_settled(now))?;
        let mut magic = [0; 4];
        File::open(&real).ok()?.read_exact(&mut magic).ok()?;
        let text = real.to_str().filter(|text| magic == *b"\x7fELF" && !text.contains(['\n', '\t']))?;
        let home = home(env).ok()?;
        files::create_folder(&home).ok()?;
        let memo = Memo::new(home.join("answers.txt"), HEAD);
        Some(Self { memo, line: format!("{state} {argument} {text}\t") })
    }

    /// What the program said, words separated by blanks.
    pub(super) fn known(&self) -> Option<String> {
        self.memo.read().lines().find_map(|line| line.strip_prefix(&self.line)).map(str::to_owned)
    }

    /// Notes an answer of one line.
    pub(super) fn note(&self, answer: &str) {
        let before = self.memo.read();
        let others = before.lines().filter(|line| !line.starts_with(&self.line)).take(MOST - 1);
        let lines: String = others.map(|line| format!("{line}\n")).collect();
        self.memo.write(&format!("{}{answer}\n{lines}", self.line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_holds_as_long_as_the_program_is_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let env = Env::from_pairs([("OCCLINT_HOME", folder.path().join("home"))]);
        let program = folder.path().join("nvcc");
        let later = || now() + 5_000_000_000;
        let ask = |argument: &str, now| Question::at((&program, argument), &env, now);
        std::fs::write(&program, "\x7fELF one").unwrap();
        assert!(ask("--version", later()).is_none(), "no toolkit's: a launcher");
        std::fs::write(folder.path().join("nvcc.profile"), "").unwrap();
        assert!(ask("--version", now()).is_none(), "it was written just now");
        let question = |argument: &str| ask(argument, later()).unwrap();
        assert_eq!(question("--version").known(), None);
        question("--version").note("13.0.88");
        question("--list").note("sm_80 sm_90");
        question("--version").note("13.0.89");
        assert_eq!(question("--version").known().as_deref(), Some("13.0.89"));
        assert_eq!(question("--list").known().as_deref(), Some("sm_80 sm_90"));
        std::fs::write(&program, "\x7fELF another").unwrap();
        assert_eq!(question("--version").known(), None, "another program");
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        assert!(ask("--version", later()).is_none(), "a script");
    }
}
