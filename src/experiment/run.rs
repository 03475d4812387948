//! Assembling: rounds of variants, several in one call of ptxas, in parallel.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::arch::Arch;
use crate::compile::PtxasFlags;
use crate::digest::Key;
use crate::evidence::ptxas_log;
use crate::experiment::cache::Cache;
use crate::experiment::plan::most;
use crate::experiment::shared_spills::shared_spills;
use crate::experiment::{Case, Figures, Module, Variant, figures, frontier, next};
use crate::kernel::{Frontier, NoFrontier};
use crate::parallel::Workers;
use crate::sys::Scratch;
use crate::sys::files;
use crate::sys::process::{self, Call, Cancel, Output, ProcessError};
use crate::text::sanitize;

/// The fewest and the most copies of one call: each call costs about as much as two small entries.
const COPIES: (usize, usize) = (6, 32);
/// Characters of a compiler's complaint that are shown.
const LONGEST_REASON: usize = 200;
/// The limit of a call where the user sets none.
const PATIENCE: Duration = Duration::from_secs(300);

/// Where and with what is assembled.
#[derive(Clone, Copy, Debug)]
pub struct Lab<'a> {
    /// ptxas.
    pub ptxas: &'a Path,
    /// Its version, as shown.
    pub version: &'a str,
    /// The folder for intermediates and for figures to find again; made if need be.
    pub folder: &'a Path,
    /// The limit of one call; `None`: five minutes.
    pub timeout: Option<Duration>,
    /// Calls at a time.
    pub workers: &'a Workers,
    /// The most entries to assemble.
    pub most: usize,
    /// Ends it.
    pub cancel: &'a Cancel,
}

/// A kernel to experiment on.
#[derive(Clone, Debug)]
pub struct Specimen<'a> {
    /// What is known of it.
    pub case: Case,
    /// Its code may spill to shared memory, which only cubins tell.
    pub shared_spills: bool,
    /// It calls functions that are not inlined.
    pub calls: bool,
    /// Its mangled name.
    pub entry: &'a str,
    /// The PTX of its unit.
    pub ptx: &'a str,
    /// The flags of its unit's build.
    pub flags: &'a PtxasFlags,
    /// Its unit, as shown.
    pub unit: &'a str,
    /// Its architecture.
    pub arch: Arch,
}

/// What came of the experiments.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Results {
    /// The frontier of each specimen, or why it has none.
    pub frontiers: Vec<Result<Frontier, NoFrontier>>,
    /// Specimens that were left out because of [`Lab::most`].
    pub left_out: usize,
    /// What [`Lab::most`] would have to be to leave none out.
    pub needed: usize,
    /// What went wrong, a line for each unit and architecture.
    pub problems: Vec<String>,
    /// The user interrupted it.
    pub interrupted: bool,
}

/// Assembles what is worth it, and gives each specimen its frontier. The order of specimens is their precedence.
///
/// For each unit and architecture one kernel is assembled as it was built: where that does not give the figures of the
/// build, the unit has no frontiers.
pub fn run(specimens: &[Specimen<'_>], lab: &Lab<'_>) -> Results {
    let mut bench = Bench::new(specimens, lab);
    let mut results = bench.select();
    let mut jobs = bench.controls();
    loop {
        jobs.extend(bench.wanted());
        if jobs.is_empty() || results.interrupted {
            break;
        }
        results.interrupted = !bench.assemble(&std::mem::take(&mut jobs));
    }
    results.frontiers = bench.frontiers();
    for source in bench.sources.into_values() {
        // What a compiler said that cannot be trusted is not kept.
        match (source.problem, source.cache) {
            (Some(problem), _) => results.problems.push(problem),
            (None, Some(cache)) => cache.close(),
            (None, None) => {}
        }
    }
    results
}

/// A unit on an architecture.
type SourceKey<'a> = (&'a str, Arch);

struct Source<'a> {
    module: Module<'a>,
    key: Key,
    cache: Option<Cache>,
    /// Why it has no frontiers.
    problem: Option<String>,
}

struct Bench<'a> {
    specimens: &'a [Specimen<'a>],
    lab: &'a Lab<'a>,
    sources: BTreeMap<SourceKey<'a>, Source<'a>>,
    /// Of the specimens that are selected: their figures so far.
    done: BTreeMap<usize, BTreeMap<Variant, Figures>>,
    /// Why the others are not selected.
    refused: BTreeMap<usize, NoFrontier>,
}

/// An entry to assemble.
#[derive(Clone)]
struct Job {
    specimen: usize,
    entry: usize,
    variant: Variant,
    control: bool,
}

impl<'a> Bench<'a> {
    fn new(specimens: &'a [Specimen<'a>], lab: &'a Lab<'a>) -> Self {
        Self { specimens, lab, sources: BTreeMap::new(), done: BTreeMap::new(), refused: BTreeMap::new() }
    }

    /// Selects specimens as far as the limit allows, and counts those that it leaves out.
    fn select(&mut self) -> Results {
        let (mut room, mut results) = (self.lab.most, Results::default());
        for (index, specimen) in self.specimens.iter().enumerate() {
            if let Some(why) = self.hindrance(specimen) {
                self.refused.insert(index, why);
                continue;
            }
            let key = (specimen.unit, specimen.arch);
            let cost = most(&specimen.case) + usize::from(!self.sources.contains_key(&key));
            results.needed += cost;
            if room < cost {
                results.left_out += 1;
                self.refused.insert(index, NoFrontier::Limit(self.lab.most));
                continue;
            }
            room -= cost;
            let lab = self.lab;
            self.sources.entry(key).or_insert_with(|| Source::new(specimen, lab));
            self.done.insert(index, BTreeMap::new());
        }
        results
    }

    /// Why a specimen cannot be assembled, or need not be.
    fn hindrance(&self, specimen: &Specimen<'_>) -> Option<NoFrontier> {
        let case = &specimen.case;
        // Functions of relocatable code are compiled apart from the kernels that call them.
        let apart = specimen.calls && specimen.flags.relocatable;
        match () {
            () if specimen.flags.unfit => Some(NoFrontier::LinkTime),
            () if !next(case, &BTreeMap::new()).is_empty() => apart.then_some(NoFrontier::Callees),
            () if case.asked.is_some() => Some(NoFrontier::RegistersAreFree),
            () if case.built.may_spill() => Some(NoFrontier::NothingToTry),
            () if case.block_threads.is_none() => Some(NoFrontier::UnknownBlock),
            () => Some(NoFrontier::NothingAsked),
        }
    }

    /// Of each source one kernel as it was built; where one calls functions, that.
    fn controls(&self) -> Vec<Job> {
        let mut chosen: BTreeMap<SourceKey<'_>, usize> = BTreeMap::new();
        for &index in self.done.keys() {
            let specimen = &self.specimens[index];
            let choice = chosen.entry((specimen.unit, specimen.arch)).or_insert(index);
            if specimen.calls && !self.specimens[*choice].calls {
                *choice = index;
            }
        }
        let control = |index: usize| self.job(index, self.specimens[index].case.control(), true);
        chosen.into_values().filter_map(control).collect()
    }

    fn wanted(&self) -> Vec<Job> {
        let open = self.done.iter().filter(|(index, _)| self.source(**index).problem.is_none());
        open.flat_map(|(&index, done)| {
            let wanted = next(&self.specimens[index].case, done);
            wanted.into_iter().filter_map(move |variant| self.job(index, variant, false))
        })
        .collect()
    }

    fn job(&self, specimen: usize, variant: Variant, control: bool) -> Option<Job> {
        let entry = self.source(specimen).module.entry(self.specimens[specimen].entry)?;
        Some(Job { specimen, entry, variant, control })
    }

    fn source(&self, specimen: usize) -> &Source<'a> {
        let specimen = &self.specimens[specimen];
        &self.sources[&(specimen.unit, specimen.arch)]
    }

    fn source_of(&mut self, specimen: usize) -> Option<&mut Source<'a>> {
        let specimen = &self.specimens[specimen];
        self.sources.get_mut(&(specimen.unit, specimen.arch))
    }

    /// Takes what is known, assembles the rest; `false` where the user interrupted it.
    fn assemble(&mut self, jobs: &[Job]) -> bool {
        // Jobs of one call have the same options.
        let mut missing: BTreeMap<(SourceKey<'a>, bool), Vec<Job>> = BTreeMap::new();
        for job in jobs {
            match self.known(job) {
                Some(figures) => self.take(job, figures),
                None => {
                    let specimen = &self.specimens[job.specimen];
                    let key = ((specimen.unit, specimen.arch), job.variant.without_unit_cap);
                    missing.entry(key).or_default().push(job.clone());
                }
            }
        }
        let each = missing.values().map(Vec::len).sum::<usize>().div_ceil(self.lab.workers.most());
        let each = each.clamp(COPIES.0, COPIES.1);
        let calls: Vec<&[Job]> = missing.values().flat_map(|jobs| jobs.chunks(each)).collect();
        let outcomes = self.lab.workers.run(calls.len(), |number| self.call(calls[number]));
        for (jobs, outcome) in calls.iter().zip(outcomes) {
            match outcome {
                Ok(figures) => {
                    for (job, figures) in jobs.iter().zip(figures) {
                        self.learn(job, figures);
                        self.take(job, figures);
                    }
                }
                Err(Fault::Interrupted) => return false,
                Err(Fault::Problem(why)) => self.fail(jobs[0].specimen, &why),
            }
        }
        true
    }

    /// One call of ptxas: the figures of each job, or why there are none.
    fn call(&self, jobs: &[Job]) -> Result<Vec<Figures>, Fault> {
        let problem = |error: &dyn std::fmt::Display| Fault::Problem(error.to_string());
        let Some(first) = jobs.first() else { return Ok(Vec::new()) };
        let (source, specimen) = (self.source(first.specimen), &self.specimens[first.specimen]);
        let names: Vec<String> = jobs
            .iter()
            .enumerate()
            .map(|(n, job)| format!("{}__occlint{n}", self.specimens[job.specimen].entry))
            .collect();
        let copy =
            |(job, name): (&Job, &String)| (job.entry, source.module.copy(job.entry, name, &job.variant));
        let copies: Vec<(usize, String)> = jobs.iter().zip(&names).map(copy).collect();
        let scratch = Scratch::new(self.lab.folder, "call-").map_err(|error| problem(&error))?;
        let folder = scratch.path();
        let (ptx, cubin) = (folder.join("copies.ptx"), folder.join("copies.cubin"));
        files::write(&ptx, source.module.with_copies(&copies).as_bytes()).map_err(|error| problem(&error))?;
        let call = Call::new(self.lab.ptxas)
            .arg("-v")
            .arg(format!("-arch={}", specimen.arch))
            .args(specimen.flags.args_with(!first.variant.without_unit_cap))
            .arg("-o")
            .arg(&cubin)
            .arg(&ptx)
            .timeout(self.lab.timeout.or(Some(PATIENCE)));
        let output = process::run(&call, folder, self.lab.cancel).map_err(|error| match error {
            ProcessError::Interrupted => Fault::Interrupted,
            error => problem(&error),
        })?;
        let mut found = read(&output, &names, !specimen.flags.relocatable).map_err(Fault::Problem)?;
        if jobs.iter().any(|job| self.specimens[job.specimen].shared_spills) {
            let counts = shared_spills(&cubin, &names);
            let watched = |job: &Job| self.specimens[job.specimen].shared_spills;
            for ((job, figures), count) in jobs.iter().zip(&mut found).zip(counts) {
                figures.shared_spills = if watched(job) { count } else { figures.shared_spills };
            }
        }
        Ok(found)
    }

    fn known(&mut self, job: &Job) -> Option<Figures> {
        let key = self.key(job);
        self.source_of(job.specimen)?.cache.as_mut()?.get(key)
    }

    fn learn(&mut self, job: &Job, figures: Figures) {
        let key = self.key(job);
        if let Some(cache) = self.source_of(job.specimen).and_then(|source| source.cache.as_mut()) {
            cache.put(key, figures);
        }
    }

    fn key(&self, job: &Job) -> Key {
        let source = self.source(job.specimen);
        source.key.and(source.module.entry_text(job.entry)).and_debug(&job.variant)
    }

    /// Takes figures; those of a control must be the build's.
    fn take(&mut self, job: &Job, figures: Figures) {
        if !job.control {
            if let Some(done) = self.done.get_mut(&job.specimen) {
                done.insert(job.variant, figures);
            }
            return;
        }
        let built = self.specimens[job.specimen].case.built;
        if built.code() != figures.code() {
            let ((r, s, l), (br, bs, bl)) = (figures.code(), built.code());
            self.fail(job.specimen, &format!(
                "assembled again as it was built, a kernel has {r} registers and spills {s}/{l} bytes, and not {br} and {bs}/{bl}"
            ));
        }
    }

    fn fail(&mut self, specimen: usize, why: &str) {
        let Specimen { unit, arch, .. } = self.specimens[specimen];
        let why: String = sanitize(why).chars().take(LONGEST_REASON).collect();
        let problem = format!("no experiments for `{}` on {arch}: {why}", sanitize(unit));
        if let Some(source) = self.source_of(specimen) {
            source.problem.get_or_insert(problem);
        }
    }

    fn frontiers(&self) -> Vec<Result<Frontier, NoFrontier>> {
        let one = |(index, specimen): (usize, &Specimen<'_>)| {
            let (refused, nothing) = (self.refused.get(&index).copied(), BTreeMap::new());
            let done = match refused {
                // What the build itself shows needs no assembling.
                Some(NoFrontier::RegistersAreFree) => Some(&nothing),
                Some(why) => return Err(why),
                None => self.done.get(&index).filter(|_| self.source(index).problem.is_none()),
            };
            let made = done.and_then(|done| frontier(&specimen.case, done, self.lab.version));
            made.ok_or(refused.unwrap_or(NoFrontier::Failed))
        };
        self.specimens.iter().enumerate().map(one).collect()
    }
}

enum Fault {
    Interrupted,
    Problem(String),
}

impl<'a> Source<'a> {
    fn new(specimen: &Specimen<'a>, lab: &Lab<'_>) -> Self {
        let module = Module::new(specimen.ptx);
        let arch = specimen.arch.to_string();
        // Another ptxas of one version may be another program.
        let program = files::stamp(lab.ptxas);
        let head = Key::new().and(lab.version).and(&format!("{program:?}")).and(&arch);
        let head = specimen.flags.args.iter().fold(head, |key, arg| key.and(arg)).and("");
        let key = module.rest().iter().fold(head, |key, piece| key.and(piece));
        let name = Key::new().and(specimen.unit).short();
        let path = lab.folder.join(format!("{name}-{arch}.txt"));
        let made = files::create_folder(lab.folder);
        let problem = made.err().map(|error| error.to_string());
        Self { module, key, cache: Some(Cache::open(&path)), problem }
    }
}

/// The figures of each copy; what is not whole is a problem.
fn read(output: &Output, names: &[String], callees: bool) -> Result<Vec<Figures>, String> {
    let text = format!("{}\n{}", output.stdout, output.stderr);
    if !output.status.success() {
        let said = text.lines().find(|line| line.contains("error") || line.contains("fatal"));
        let said = said.map(|line| format!(": {}", line.trim())).unwrap_or_default();
        let how = output
            .status
            .code()
            .map_or("was ended".to_owned(), |code| format!("failed with exit status {code}"));
        return Err(format!("ptxas {how}{said}"));
    }
    let log = ptxas_log::parse(&text);
    let all: Option<Vec<Figures>> = names.iter().map(|name| figures(&log, name, callees)).collect();
    all.ok_or_else(|| "ptxas ended well, but its report is not whole".to_owned())
}
