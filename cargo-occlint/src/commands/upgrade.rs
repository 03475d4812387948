//! `upgrade --cuda A,B`: the same sources under several toolkits.

use clap::Args;
use occlint::baseline::{Baseline, CompareRules, differences};
use occlint::check::{self, Report};
use occlint::expect::Levels;
use occlint::sys::env::Env;
use occlint::sys::process::Cancel;

use crate::cli::{CheckArgs, ExperimentsChoice};
use crate::commands;
use crate::commands::diff::{ComparedArgs, format_alone, told};
use crate::commands::verdict;
use crate::error::RunError;
use crate::levels;
use crate::terminal::Terminal;

#[derive(Args, Debug)]
pub(crate) struct UpgradeArgs {
    #[command(flatten)]
    pub(crate) compared: ComparedArgs,
}

/// Checks with each toolkit, and compares each with the first.
pub(crate) fn run(
    args: &UpgradeArgs,
    env: &Env,
    (terminal, cancel): (&Terminal, &Cancel),
) -> Result<u8, RunError> {
    format_alone(&args.compared.output)?;
    let releases = releases(args)?;
    if releases.len() > 2 && !args.compared.output.output.is_empty() {
        return Err(RunError::Usage {
            message: "`--output` is for one comparison: each would overwrite the one before".to_owned(),
            help: Some("name two releases".to_owned()),
        });
    }
    verdict::clear(&args.compared.output)?;
    let mut level = Levels::default();
    levels::apply(&args.compared.levels, &mut level)?;
    let mut reports = Vec::new();
    for release in &releases {
        let name = release.as_deref().unwrap_or("the toolkit of today");
        terminal.status("Checking", &with(name));
        let report = commands::check::report(&args.check(release.clone()), env, (terminal, cancel), None)?;
        reports.push((with(name), report));
    }
    let mut reports = reports.into_iter();
    let Some((first, before)) = reports.next() else { return Err(RunError::Reported) };
    let before = Baseline::of(&before);
    let mut status = 0;
    for (name, now) in reports {
        terminal.status("Comparing", &format!("{first} → {name}"));
        let after = Baseline::of(&now);
        let differences = differences(&before, &after);
        if differences.in_common() == 0 {
            let message = format!(
                "nothing was compared: {first} and {name} have no kernel on an architecture in common"
            );
            return Err(RunError::cannot(message, "`--arch` names architectures that both can compile for"));
        }
        let kernels = now.kernels.into_iter().filter(|checked| !checked.is_foreign()).collect();
        let judged: Report = check::compare(kernels, &before, &level, CompareRules::default());
        status = status.max(told(
            args.compared.format,
            &args.check(None),
            (&differences, &judged),
            (env, terminal),
        )?);
    }
    Ok(status)
}

fn with(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("CUDA {name}") } else { name.to_owned() }
}

/// The releases that `--cuda` names; of one alone, what is used today goes before it.
fn releases(args: &UpgradeArgs) -> Result<Vec<Option<String>>, RunError> {
    let usage = |message: &str| RunError::Usage {
        message: message.to_owned(),
        help: Some("`cargo occlint upgrade --cuda 13.0,13.5`".to_owned()),
    };
    let list = args
        .compared
        .compile
        .cuda
        .as_deref()
        .ok_or_else(|| usage("`upgrade` compares toolkits: name them"))?;
    let mut releases: Vec<Option<String>> = Vec::new();
    for name in list.split(',').map(str::trim) {
        let name = Some(name.to_owned()).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| usage("`--cuda` has an empty name in its list"))?;
        if releases.contains(&Some(name.clone())) {
            return Err(usage(&format!("`--cuda` names {name} twice")));
        }
        releases.push(Some(name));
    }
    if releases.len() == 1 {
        releases.insert(0, None);
    }
    Ok(releases)
}

impl UpgradeArgs {
    /// A check with this toolkit; `None`: with the one that is configured or found.
    fn check(&self, cuda: Option<String>) -> CheckArgs {
        let mut args = self.compared.check();
        (args.compile.cuda, args.compile.experiments) = (cuda, ExperimentsChoice::Off);
        args
    }
}
