//! `--from-log`: an existing build log is the evidence.

use std::path::Path;

use occlint::check::{CheckedKernel, Report};
use occlint::expect::Config;
use occlint::kernel::Usage;
use occlint::session;
use occlint::sys::env::Env;
use occlint::sys::files::{self, FileError};
use occlint::sys::process::Cancel;

use crate::cli::CheckArgs;
use crate::commands::verdict::Verdict;
use crate::commands::{check, verdict};
use crate::error::{CLEAN, RunError};
use crate::gate::Gate;
use crate::terminal::Terminal;
use crate::{failures, workspace};

/// Checks logs. The configuration of the package one stands in applies, if there is one.
pub(crate) fn run(args: &CheckArgs, env: &Env, terminal: &Terminal, cancel: &Cancel) -> Result<u8, RunError> {
    verdict::clear(&args.output)?;
    let mut config = configuration(args, env, cancel)?;
    let gate = Gate::of_log(&args.baseline, &mut config)?;
    let mut report = Report::default();
    for path in &args.from_log {
        let (name, text) = read(path)?;
        let one = session::check_log(&name, &text, &config);
        if one.kernels.is_empty()
            && one.findings.is_empty()
            && one.errors.is_empty()
            && !args.compile.allow_empty
        {
            let message = format!("nothing was checked: `{name}` has no kernel's report");
            return Err(RunError::cannot(
                message,
                "build with `-Xptxas -v` and keep what nvcc prints on standard error",
            ));
        }
        report.append(one);
    }
    terminal.status(
        "Read",
        "a log has no bounds, no source comments and no dynamic shared memory: those were not checked",
    );
    let told = failures::lines(&[], &report);
    let summary = occlint::report::summary(&report);
    let verdict =
        Verdict { report: &report, summary: &summary, failures: &told, below: String::new(), json: None };
    verdict::print(&args.output, &verdict, (env, terminal))?;
    failures::print(&[], &report, terminal);
    if !report.errors.is_empty() {
        return Err(RunError::Reported);
    }
    if report.kernels.is_empty() && !args.compile.allow_empty {
        return Err(RunError::cannot(
            "nothing was checked: the log has no kernel's report",
            "only device functions were seen",
        ));
    }
    if let Some(checked) = report.kernels.iter().find(|checked| is_blank(checked)) {
        let (name, log) = (&checked.kernel.name.demangled, checked.kernel.units.join(", "));
        return Err(RunError::cannot(
            format!("nothing was checked of `{name}`: `{log}` names it, but has no figures of it"),
            "the log is cut off or mixed up: build again, one job at a time if need be",
        ));
    }
    gate.say(&report, terminal);
    if args.baseline.bless {
        gate.bless(&[(String::new(), report)], (None, false), terminal)?;
        return Ok(CLEAN);
    }
    Ok(verdict::status(&summary, args.levels.exit_zero))
}

/// Named, but without figures and remarks.
fn is_blank(checked: &CheckedKernel) -> bool {
    let Usage { registers, stack_frame_bytes, local_bytes, spill_store_bytes, .. } = checked.kernel.usage;
    let figures = [registers, stack_frame_bytes, local_bytes, spill_store_bytes];
    figures.iter().all(Option::is_none) && checked.kernel.remarks.is_empty()
}

fn configuration(args: &CheckArgs, env: &Env, cancel: &Cancel) -> Result<Config, RunError> {
    let selection = &args.selection;
    if workspace::nearest_manifest(selection)?.is_some() {
        let workspace = workspace::load(selection, env, cancel)?;
        if let [member] = workspace.selected.as_slice() {
            return check::config(member, &workspace, (args, env));
        }
    }
    let mut config = Config::default();
    check::asked(&mut config, args, env)?;
    Ok(config)
}

/// A log's name and text. It may be a pipe (`<(zcat …)`), so anything that ends is read.
fn read(path: &Path) -> Result<(String, String), RunError> {
    let error = |cause| RunError::File(FileError { doing: "read", path: path.to_owned(), cause });
    let (name, bytes) = if path == Path::new("-") {
        ("<stdin>".to_owned(), files::read_stream(std::io::stdin().lock()))
    } else {
        let file = std::fs::File::open(path).map_err(error)?;
        (path.to_string_lossy().replace('\\', "/"), files::read_stream(file))
    };
    let bytes = bytes.map_err(error)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let help = "make UTF-8 of it: `iconv -f UTF-16 -t UTF-8`, or in PowerShell `Out-File -Encoding utf8`";
        return Err(RunError::cannot(format!("`{name}` is UTF-16 text"), help));
    }
    let text = String::from_utf8(bytes);
    let text = text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Ok((name, text))
}
