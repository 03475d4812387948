//! The terminal: the one module that prints. Findings go to standard output, all else to standard error.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use occlint::report::HumanStyle;
use occlint::sys::env::Env;

use occlint::compile::Progress;

use crate::cli::{ColorChoice, OutputArgs};

/// How long a pipe or a log file waits for a sign of life.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// How this run talks.
#[derive(Debug)]
pub(crate) struct Terminal {
    quiet: bool,
    /// A line that is overwritten, on a terminal.
    progress: bool,
    /// Whole lines now and then, where standard error is no terminal.
    plain_progress: bool,
    style_out: HumanStyle,
    style_err: HumanStyle,
    progress_shown: Mutex<bool>,
}

impl Terminal {
    pub(crate) fn new(args: &OutputArgs, env: &Env) -> Self {
        let (out, err) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let style = |terminal: bool| HumanStyle {
            width: width(env, terminal),
            color: color(args.color, env, terminal),
            unicode: unicode(env, terminal),
            verbose: args.verbose,
            foreign: args.foreign,
        };
        let never = env.text("CARGO_TERM_PROGRESS_WHEN") == Some("never");
        let wanted = !args.quiet && !never;
        let (style_out, style_err) = (style(out), style(err));
        Self {
            quiet: args.quiet,
            progress: err && wanted && env.var("CI").is_none(),
            plain_progress: !err && wanted,
            style_out,
            style_err,
            progress_shown: Mutex::new(false),
        }
    }

    /// How findings are drawn on standard output.
    pub(crate) fn style(&self) -> HumanStyle {
        self.style_out
    }

    /// How errors are drawn on standard error.
    pub(crate) fn error_style(&self) -> HumanStyle {
        self.style_err
    }

    /// A line in cargo's manner, `   Compiling …`, unless quiet.
    pub(crate) fn status(&self, verb: &str, text: &str) {
        if self.quiet {
            return;
        }
        self.clear_progress();
        let line = if self.style_err.color {
            format!("\x1b[1;32m{verb:>12}\x1b[0m {text}\n")
        } else {
            format!("{verb:>12} {text}\n")
        };
        self.err(&line);
    }

    /// Shows how much of `work` is done, which is told after each compilation: on a terminal in a line that is overwritten,
    /// elsewhere in a plain line every ten seconds.
    pub(crate) fn progressing<T>(&self, work: impl FnOnce(Progress<'_>) -> T) -> T {
        if !self.plain_progress {
            let result = work(&|done, all| self.progress(&format!("  {}", compiled(done, all))));
            self.clear_progress();
            return result;
        }
        let (done, all) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let tell = |_| {
            let (done, all) = (done.load(Ordering::Relaxed), all.load(Ordering::Relaxed));
            let line = if all == 0 { "still at work".to_owned() } else { compiled(done, all) };
            self.err(&format!("{:>12} {line}\n", ""));
        };
        telling(SIGN_OF_LIFE, &tell, || {
            work(&|now, whole| {
                done.fetch_max(now, Ordering::Relaxed);
                all.store(whole, Ordering::Relaxed);
            })
        })
    }

    /// A line that is overwritten by the next, on a terminal only.
    fn progress(&self, text: &str) {
        if self.progress {
            *self.shown() = true;
            self.err(&format!("\r\x1b[2K{text:.width$}", width = self.style_err.width));
        }
    }

    /// How often something that takes long is told of: often where the line is overwritten.
    pub(crate) fn pace(&self) -> Duration {
        if self.progress { Duration::from_secs(1) } else { SIGN_OF_LIFE }
    }

    /// What something that takes long is doing, told at [`Self::pace`]; without a terminal too.
    pub(crate) fn waiting(&self, verb: &str, text: &str) {
        if self.progress {
            self.progress(&format!("{verb:>12} {text}"));
        } else {
            self.status(verb, text);
        }
    }

    /// Takes the progress line away.
    pub(crate) fn clear_progress(&self) {
        if std::mem::take(&mut *self.shown()) {
            self.err("\r\x1b[2K");
        }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, bool> {
        self.progress_shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Text for people on standard error. A closed standard error is nothing that could be told to anybody.
    pub(crate) fn err(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Text on standard output. A reader that went away does not change the verdict.
    ///
    /// # Errors
    /// Standard output cannot be written (a full disk).
    pub(crate) fn out(&self, text: &str) -> io::Result<()> {
        self.clear_progress();
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

/// Runs `work`; meanwhile `tell` hears, every so often, for how long already.
pub(crate) fn telling<T>(pace: Duration, tell: &(dyn Fn(Duration) + Sync), work: impl FnOnce() -> T) -> T {
    std::thread::scope(|scope| {
        let (done, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            let start = Instant::now();
            while ended.recv_timeout(pace) == Err(mpsc::RecvTimeoutError::Timeout) {
                tell(start.elapsed());
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// What this program says as nvcc, in whose place it stands.
pub(crate) fn say_as_nvcc(why: &str) {
    let _ = writeln!(io::stderr(), "nvcc (cargo occlint): {why}");
}

fn compiled(done: usize, all: usize) -> String {
    format!("compiled {done} of {all}")
}

fn width(env: &Env, terminal: bool) -> usize {
    let columns = env.text("COLUMNS").and_then(|columns| columns.parse().ok());
    let size =
        || terminal.then(|| terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))).flatten();
    columns.or_else(size).unwrap_or(100).clamp(40, 120)
}

fn color(choice: Option<ColorChoice>, env: &Env, terminal: bool) -> bool {
    let cargo = match env.text("CARGO_TERM_COLOR") {
        Some("always") => Some(ColorChoice::Always),
        Some("never") => Some(ColorChoice::Never),
        _ => None,
    };
    match choice.or(cargo).unwrap_or(ColorChoice::Auto) {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if env.var("NO_COLOR").is_some() => false,
        ColorChoice::Auto if env.text("CLICOLOR_FORCE").is_some_and(|force| force != "0") => true,
        ColorChoice::Auto => terminal && env.text("TERM") != Some("dumb"),
    }
}

/// Files and pipes get Unicode; a terminal only if its locale says so.
fn unicode(env: &Env, terminal: bool) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| env.text(name));
    let utf8 = |locale: &str| locale.to_ascii_lowercase().replace('-', "").contains("utf8");
    !terminal || (env.text("TERM") != Some("linux") && locale.is_none_or(utf8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_told_of_until_it_ends() {
        let heard = Mutex::new(Vec::new());
        let tell = |since: Duration| heard.lock().unwrap().push(since);
        let wait = || {
            while heard.lock().unwrap().len() < 3 {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        telling(Duration::from_millis(2), &tell, wait);
        let all = heard.lock().unwrap().clone();
        assert!(all.is_sorted() && all[0] >= Duration::from_millis(2), "{all:?}");
        telling(Duration::from_secs(60), &tell, || ());
        assert_eq!(heard.lock().unwrap().len(), all.len());
    }
}
