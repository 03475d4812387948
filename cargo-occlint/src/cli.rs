//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use occlint::experiment::Experiments;

use crate::commands::clean::CleanArgs;
use crate::commands::diff::DiffArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::occupancy::OccupancyArgs;
use crate::commands::upgrade::UpgradeArgs;
use crate::partition::Partition;

const EXIT_STATUS: &str = "\
Exit status:
  0    everything that was asked for was checked, and nothing denied was found
  2    the command line cannot be understood
  100  a denied finding
  101  the work could not be done: no nvcc, a failed compile, nothing to check, a broken configuration
  130  interrupted";

/// cargo's own view: `cargo occlint …` runs `cargo-occlint occlint …`.
#[derive(Parser, Debug)]
#[command(
    name = "cargo occlint",
    bin_name = "cargo occlint",
    version,
    about = "Checks a crate's CUDA kernels at compile time: declared bounds, residency targets, register spills. \
             No GPU is needed; occupancy is a ceiling and not a score",
    after_help = EXIT_STATUS,
    args_conflicts_with_subcommands = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Computes how many blocks fit on an SM, limit by limit (no compiler, no crate)
    Occupancy(OccupancyArgs),
    /// Compares with a revision of git, or two reports or baselines: what changed for each kernel
    Diff(DiffArgs),
    /// Checks the same sources under several toolkits (`--cuda 13.0,13.5`): what another compiler changes
    Upgrade(UpgradeArgs),
    /// Removes compilations that were kept for later runs
    Clean(CleanArgs),
    /// Joins reports into one verdict: the parts of a run (`--partition`), or runs of several packages or architectures
    Merge(MergeArgs),
}

/// How findings are printed on standard output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum MessageFormat {
    /// Frames with source lines
    Human,
    /// One line per group of findings
    Short,
    /// JSON lines: kernels, findings, a summary
    Json,
    /// GitHub's workflow commands: annotations on lines
    Github,
    /// GitLab's code quality report
    Gitlab,
    /// JUnit XML: a test case for each kernel and architecture
    Junit,
    /// A comment on a pull request
    Markdown,
    /// SARIF 2.1.0
    Sarif,
}

/// A format and the file that it is written to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OutputFile {
    pub(crate) format: MessageFormat,
    pub(crate) path: PathBuf,
}

fn output_file(text: &str) -> Result<OutputFile, String> {
    let (format, path) = text
        .split_once('=')
        .filter(|(_, path)| !path.is_empty())
        .ok_or("write it like `sarif=occlint.sarif`")?;
    let format = MessageFormat::from_str(format, false).map_err(|_| {
        let names = MessageFormat::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        format!("`{format}` is no format: {}", names.join(", "))
    })?;
    Ok(OutputFile { format, path: path.into() })
}

/// Which kernels are assembled again with other bounds.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum ExperimentsChoice {
    /// None
    Off,
    /// Those with a finding about spills, bounds or residency
    Flagged,
    /// All
    All,
}

/// When to use colour.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum ColorChoice {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Args, Clone, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) baseline: BaselineArgs,

    /// Check the K-th of N parts of the units, by a hash of package and path; `cargo occlint merge` joins the reports of all parts
    #[arg(long, value_name = "K/N", conflicts_with_all = ["bless", "from_log", "from_build"])]
    pub(crate) partition: Option<Partition>,
    /// Check existing ptxas or nvcc build logs instead of compiling (`-` is standard input)
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["nvcc", "cuda", "arch"])]
    pub(crate) from_log: Vec<PathBuf>,
    /// Show the report that a build script with `occlint::Build` left at the last build
    #[arg(long, conflicts_with_all = ["nvcc", "cuda", "arch", "from_log"])]
    pub(crate) from_build: bool,
    /// List the lints with their default levels
    #[arg(long, conflicts_with = "explain")]
    pub(crate) list: bool,
    /// Print what a lint does, why it matters and what to try
    #[arg(long, value_name = "LINT")]
    pub(crate) explain: Option<String>,
}

impl CheckArgs {
    /// A check with these choices, of what is compiled and without a baseline.
    pub(crate) fn compiling(
        selection: &SelectionArgs,
        compile: &CompileArgs,
        build: &BuildArgs,
        (levels, output): (&LevelArgs, &OutputArgs),
    ) -> Self {
        Self {
            selection: selection.clone(),
            compile: compile.clone(),
            build: build.clone(),
            levels: levels.clone(),
            output: output.clone(),
            baseline: BaselineArgs::default(),
            partition: None,
            from_log: Vec::new(),
            from_build: false,
            list: false,
            explain: None,
        }
    }
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Package selection")]
pub(crate) struct SelectionArgs {
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest_path: Option<PathBuf>,
    /// Package to check (repeatable)
    #[arg(short, long, value_name = "SPEC")]
    pub(crate) package: Vec<String>,
    /// Check every package of the workspace; those without kernels are skipped
    #[arg(long, visible_alias = "all")]
    pub(crate) workspace: bool,
    /// Leave a package out (with --workspace)
    #[arg(long, value_name = "SPEC", requires = "workspace")]
    pub(crate) exclude: Vec<String>,
    /// Folder for what occlint makes, as for cargo
    #[arg(long, value_name = "FOLDER")]
    pub(crate) target_dir: Option<PathBuf>,
    /// Cargo.lock must stay as it is
    #[arg(long)]
    pub(crate) locked: bool,
    /// Use no network: a pinned toolkit must already be there
    #[arg(long)]
    pub(crate) offline: bool,
    /// --locked and --offline
    #[arg(long)]
    pub(crate) frozen: bool,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Compilation")]
pub(crate) struct CompileArgs {
    /// nvcc to use
    #[arg(long, value_name = "PATH", conflicts_with = "cuda")]
    pub(crate) nvcc: Option<PathBuf>,
    /// Toolkit release to use, fetched on first use (13.0 to 13.5)
    #[arg(long, value_name = "RELEASE")]
    pub(crate) cuda: Option<String>,
    /// Architectures instead of the configured ones: sm_90, native (repeatable, or separated by commas)
    #[arg(long, value_name = "ARCH", value_delimiter = ',')]
    pub(crate) arch: Vec<String>,
    /// Compilations at a time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Where compilations are kept for later runs [default: occlint/cache in the target folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Compile everything anew, and keep nothing
    #[arg(long, conflicts_with = "cache_dir")]
    pub(crate) no_cache: bool,
    /// The longest that one compilation may take, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Which kernels to assemble again with other bounds, to show what those would cost
    #[arg(long, value_name = "WHICH", default_value = "flagged")]
    pub(crate) experiments: ExperimentsChoice,
    /// The most entries (a kernel with one set of bounds on one architecture) to assemble again in one package
    #[arg(long, value_name = "N", default_value_t = Experiments::DEFAULT_MOST)]
    pub(crate) max_experiments: usize,
    /// Judge only kernels whose qualified name matches (`*` stands for any characters)
    #[arg(long, value_name = "GLOB")]
    pub(crate) kernel: Option<String>,
    /// Nothing to check is no error
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Check the other packages where one cannot be checked at all; the status is then 101 in the end. (Units of a package,
    /// and packages beside one whose build fails, are always tried)
    #[arg(long)]
    pub(crate) no_fail_fast: bool,
}

/// Where units come from.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Via {
    /// The crate's own build: what its build script gives to nvcc
    Build,
    /// The configured sources, else every `.cu` of the package
    Sources,
}

/// How the crate's own build is captured.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum CaptureChoice {
    /// Calls of nvcc are written down, and stand-ins left for what they make
    Record,
    /// Calls of nvcc are written down and made
    Build,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "The crate's own build")]
pub(crate) struct BuildArgs {
    /// Where units come from [default: `sources` if configured, else the build, if it calls nvcc]
    #[arg(long, value_name = "WAY")]
    pub(crate) via: Option<Via>,
    /// How the build is captured [default: record, and build where that does not do]
    #[arg(long, value_name = "WAY")]
    pub(crate) capture: Option<CaptureChoice>,
    /// Check the kernels that the build scripts of dependencies compile too
    #[arg(long)]
    pub(crate) deps: bool,
    /// Features of the package, for its build script (repeatable, or separated by commas)
    #[arg(short = 'F', long, value_name = "FEATURES")]
    pub(crate) features: Vec<String>,
    /// All features of the package
    #[arg(long)]
    pub(crate) all_features: bool,
    /// Not the default features of the package
    #[arg(long)]
    pub(crate) no_default_features: bool,
    /// The profile to build with
    #[arg(long, value_name = "NAME", default_value = "release")]
    pub(crate) profile: String,
}

impl BuildArgs {
    /// What decides which device code the build compiles, in the same words whatever the order of the arguments.
    pub(crate) fn in_words(&self) -> String {
        let names =
            self.features.iter().flat_map(|list| list.split([',', ' '])).filter(|name| !name.is_empty());
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        names.dedup();
        let mut words = format!("--profile {}", self.profile);
        if !names.is_empty() && !self.all_features {
            words += &format!(" --features {}", names.join(","));
        }
        words += if self.all_features { " --all-features" } else { "" };
        words += if self.no_default_features { " --no-default-features" } else { "" };
        words
    }

    /// As cargo takes them.
    pub(crate) fn cargo_args(&self) -> Vec<String> {
        let mut args = vec!["--profile".to_owned(), self.profile.clone()];
        for features in &self.features {
            args.extend(["--features".to_owned(), features.clone()]);
        }
        args.extend(self.all_features.then(|| "--all-features".to_owned()));
        args.extend(self.no_default_features.then(|| "--no-default-features".to_owned()));
        args
    }
}

impl SelectionArgs {
    /// `--locked`, `--offline`, `--frozen`, as cargo takes them.
    pub(crate) fn lock_args(&self) -> impl Iterator<Item = String> + use<> {
        let flags = [("--locked", self.locked), ("--offline", self.offline), ("--frozen", self.frozen)];
        flags.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_owned())
    }
}

#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Baseline")]
pub(crate) struct BaselineArgs {
    /// Compare with this baseline [default: `baseline` of the configuration, else occlint.baseline.json beside Cargo.toml]
    #[arg(long, value_name = "PATH")]
    pub(crate) baseline: Option<PathBuf>,
    /// Do not compare kernels whose baseline another nvcc made
    #[arg(long)]
    pub(crate) same_compiler: bool,
    /// Write what this run finds as the baseline: from then on only what is worse is reported
    #[arg(long, conflicts_with = "from_build")]
    pub(crate) bless: bool,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Lint levels")]
pub(crate) struct LevelArgs {
    /// Do not report a lint
    #[arg(short = 'A', long, value_name = "LINT")]
    pub(crate) allow: Vec<String>,
    /// Report a lint without failing
    #[arg(short = 'W', long, value_name = "LINT")]
    pub(crate) warn: Vec<String>,
    /// Fail on a lint (`warnings`: on every warning)
    #[arg(short = 'D', long, value_name = "LINT")]
    pub(crate) deny: Vec<String>,
    /// Report findings without failing: the status is 0; work that could not be done stays an error
    #[arg(long)]
    pub(crate) exit_zero: bool,
}

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// How findings are printed on standard output
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) message_format: MessageFormat,
    /// Write the report to a file as well (repeatable): `sarif=occlint.sarif`
    #[arg(long, value_name = "FORMAT=PATH", value_parser = output_file)]
    pub(crate) output: Vec<OutputFile>,
    /// Print a table of all kernels as well
    #[arg(long)]
    pub(crate) kernels: bool,
    /// Show kernels of libraries (their place is outside the package) too
    #[arg(long)]
    pub(crate) foreign: bool,
    /// Colour
    #[arg(long, value_name = "WHEN")]
    pub(crate) color: Option<ColorChoice>,
    /// Name every kernel and draw every finding
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Findings only
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(limit),
        _ => Err(format!("`{text}` must be more than 0 and finite")),
    }
}
