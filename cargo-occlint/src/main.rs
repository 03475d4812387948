//! `cargo occlint`: the subcommand. Command line, workspace, terminal; no analysis.

mod ahead;
mod baseline;
mod capture;
mod captured;
mod cli;
mod commands;
mod discover;
mod error;
mod failures;
mod gate;
mod git;
mod levels;
mod partition;
mod plan;
mod render_error;
mod reports;
mod review;
mod terminal;
mod workspace;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use clap::Parser;
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;

use crate::cli::{Cli, Command};
use crate::error::RunError;
use crate::terminal::Terminal;

fn main() -> ExitCode {
    if let Some(settings) = capture::is_stand_in() {
        return capture::stand_in(&settings);
    }
    let Cli { command, check } = Cli::parse_from(arguments());
    let env = Env::from_process();
    let output = match &command {
        Some(Command::Merge(args)) => &args.output,
        Some(Command::Diff(args)) => &args.compared.output,
        Some(Command::Upgrade(args)) => &args.compared.output,
        _ => &check.output,
    };
    let terminal = Terminal::new(output, &env);
    let cancel = Cancel::new();
    let on_signal = cancel.clone();
    // Without a handler Ctrl-C still ends us; the children's groups would then outlive us, which is said.
    if let Err(error) = ctrlc::set_handler(move || end(&on_signal)) {
        terminal.err(&format!("warning: Ctrl-C will not stop running compilers: {error}\n"));
    }
    let result = match command {
        Some(Command::Occupancy(args)) => {
            let (input, output) = (io::stdin().lock(), io::stdout().lock());
            commands::occupancy::run(&args, input, output).map(|()| error::CLEAN).map_err(RunError::Occupancy)
        }
        Some(Command::Diff(args)) => commands::diff::run(&args, &env, (&terminal, &cancel)),
        Some(Command::Upgrade(args)) => commands::upgrade::run(&args, &env, (&terminal, &cancel)),
        Some(Command::Clean(args)) => commands::clean::run(&args, &env, (&terminal, &cancel)),
        Some(Command::Merge(args)) => commands::merge::run(&args, &env, &terminal),
        None => run_check(&check, &env, &terminal, &cancel),
    };
    // What was cut short must not pass for a check, nor its error for one of the user's making.
    let result = if cancel.is_cancelled() { Err(RunError::Interrupted) } else { result };
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            terminal.clear_progress();
            terminal.err(&render_error::render(&error, terminal.error_style()));
            ExitCode::from(error.status())
        }
    }
}

/// On Ctrl-C or SIGTERM: running compilers are ended, and the run that waits for them ends in order. Where none runs
/// (it may be blocked in a read, a write or a lock), and the second time, the process ends here, without a word that
/// could block as well.
fn end(cancel: &Cancel) {
    if !cancel.cancel() {
        std::process::exit(error::INTERRUPTED.into());
    }
}

fn run_check(args: &cli::CheckArgs, env: &Env, terminal: &Terminal, cancel: &Cancel) -> Result<u8, RunError> {
    if args.list {
        return Ok(terminal.out(&commands::lints::list()).map(|()| error::CLEAN)?);
    }
    if let Some(name) = &args.explain {
        return Ok(terminal.out(&commands::lints::explain(name)?).map(|()| error::CLEAN)?);
    }
    if args.from_build {
        commands::from_build::run(args, env, terminal, cancel)
    } else if args.from_log.is_empty() {
        commands::check::run(args, env, terminal, cancel)
    } else {
        commands::from_log::run(args, env, terminal, cancel)
    }
}

/// cargo runs `cargo-occlint occlint …`; `cargo-occlint …` by hand means the same.
fn arguments() -> impl Iterator<Item = OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|argument| argument == "occlint") {
        arguments.remove(1);
    }
    arguments.into_iter()
}
