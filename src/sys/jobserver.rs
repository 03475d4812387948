//! Job tokens of cargo and make: how many compilers may run at a time on the whole machine.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::PathBuf;

use crate::sys::env::Env;

/// The pipe that cargo's tokens lie in. This process has one token that is in no pipe: one job may run without asking.
#[derive(Debug)]
pub struct JobServer {
    read: File,
    write: File,
}

/// A token: goes back into the pipe when it is dropped.
#[derive(Debug)]
pub struct Token<'a> {
    server: &'a JobServer,
    byte: [u8; 1],
}

impl JobServer {
    /// The server of cargo or make: the one that `CARGO_MAKEFLAGS` (else `MAKEFLAGS`) names; `None` where there is none, or it cannot be opened.
    ///
    /// The pipe is opened anew, so that reading it without waiting changes nothing for others.
    pub fn from_env(env: &Env) -> Option<Self> {
        let (read, write) =
            ["CARGO_MAKEFLAGS", "MAKEFLAGS"].iter().find_map(|name| paths(env.text(name)?))?;
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
        let read = options.open(read).ok()?;
        // make closes the pipe for commands that it does not take for another make: its numbers are other files then.
        let is_pipe = |file: &File| {
            let kind = file.metadata().ok()?.file_type();
            #[cfg(unix)]
            let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&kind);
            #[cfg(not(unix))]
            let is_pipe = kind.is_file();
            is_pipe.then_some(())
        };
        is_pipe(&read)?;
        let write = OpenOptions::new().write(true).open(write).ok()?;
        is_pipe(&write)?;
        Some(Self { read, write })
    }

    /// Takes a token, if one is there.
    pub fn try_take(&self) -> Option<Token<'_>> {
        let mut byte = [0];
        let taken = (&self.read).read(&mut byte).ok()?;
        (taken == 1).then_some(Token { server: self, byte })
    }
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        // A pipe that its makers have closed has no one left who waits for the token.
        let _ = (&self.server.write).write_all(&self.byte);
    }
}

/// Where the two ends of the pipe are: `--jobserver-auth=fifo:PATH`, `--jobserver-auth=R,W` or `--jobserver-fds=R,W`.
fn paths(flags: &str) -> Option<(PathBuf, PathBuf)> {
    let named = |flag: &str| flags.split_whitespace().rev().find_map(|word| word.strip_prefix(flag));
    let auth = named("--jobserver-auth=").or_else(|| named("--jobserver-fds="))?;
    if let Some(fifo) = auth.strip_prefix("fifo:") {
        return Some((fifo.into(), fifo.into()));
    }
    let (read, write) = auth.split_once(',')?;
    let own = |number: &str| {
        let number: u32 = number.trim().parse().ok()?;
        Some(PathBuf::from(format!("/proc/self/fd/{number}")))
    };
    Some((own(read)?, own(write)?))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_name_the_pipe() {
        let named =
            |flags: &str| paths(flags).map(|(read, write)| format!("{} {}", read.display(), write.display()));
        assert_eq!(
            named("-j --jobserver-fds=3,4 --jobserver-auth=5,6").as_deref(),
            Some("/proc/self/fd/5 /proc/self/fd/6")
        );
        assert_eq!(named("--jobserver-fds=3,4").as_deref(), Some("/proc/self/fd/3 /proc/self/fd/4"));
        assert_eq!(named(" -j8 --jobserver-auth=fifo:/tmp/f").as_deref(), Some("/tmp/f /tmp/f"));
        for flags in ["", "-j", "--jobserver-auth=-2,-2", "--jobserver-auth=3", "--jobserver-auth=a,b"] {
            assert_eq!(named(flags), None, "{flags}");
        }
    }

    #[test]
    fn a_file_that_is_no_pipe_is_no_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "+++").unwrap();
        let flags = format!("--jobserver-auth=fifo:{}", file.display());
        assert!(JobServer::from_env(&Env::from_pairs([("MAKEFLAGS", flags)])).is_none());
    }

    #[test]
    fn a_token_is_taken_once_and_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let call = crate::sys::process::Call::new("/usr/bin/mkfifo").arg(&fifo);
        crate::sys::process::run(&call, folder.path(), &Default::default()).unwrap();
        let keep = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
        (&keep).write_all(b"+").unwrap();
        let flags = format!("--jobserver-auth=fifo:{}", fifo.display());
        let server = JobServer::from_env(&Env::from_pairs([("CARGO_MAKEFLAGS", flags)])).unwrap();
        let token = server.try_take();
        assert!(token.is_some() && server.try_take().is_none());
        drop(token);
        assert!(server.try_take().is_some());
    }
}
