//! The device links that are run here.

use super::{Links, clashes};
use crate::compile::{self, CompileError, Compiled, DeviceCode, DeviceLink, Program, Settings, Unit};
use crate::evidence::clash_words;
use crate::session::{Package, flags};
use crate::sys::process::{Cancel, ProcessError};

impl Links {
    /// Links what was compiled, if the flags ask for code that is linked.
    ///
    /// With link-time optimisation ptxas runs here: its log becomes that of each unit, and a unit whose link failed has
    /// failed.
    pub(in crate::session) fn run(
        package: &Package<'_>,
        compiled: &mut [Compiled],
        settings: &Settings,
        cancel: &Cancel,
    ) -> Self {
        let code_of = |unit: &Unit| flags::device_code(&flags::of(package.config, unit));
        let asked =
            package.units.iter().filter(|unit| !unit.kind.is_binary()).map(|unit| (code_of(unit), unit));
        let Some(((code, flag), unit)) = asked.max_by_key(|((code, _), _)| *code) else {
            return Self { code: DeviceCode::Whole, flag: None, programs: Vec::new() };
        };
        // Units that are linked together have the same options for the link.
        let settings = Settings { flags: unit.flags(settings).to_vec(), ..settings.clone() };
        let mut programs =
            if code.is_linked() { compile::device_link(compiled, &settings, cancel) } else { Vec::new() };
        if code == DeviceCode::LinkTime {
            programs.iter_mut().for_each(|program| give_log(package, program, compiled));
        }
        Self { code, flag, programs }
    }

    /// Whether the user interrupted a link.
    pub(in crate::session) fn interrupted(&self) -> bool {
        let interrupted = |program: &Program| {
            matches!(program.result, Err(CompileError::Process(ProcessError::Interrupted)))
        };
        self.programs.iter().any(interrupted)
    }
}

/// With link-time optimisation: the link's log is that of each of its units. Where it failed, the first unit shows
/// nvlink's words, the others only that they have no figures.
fn give_log(package: &Package<'_>, program: &mut Program, compiled: &mut [Compiled]) {
    let why = |log: &str| {
        let clashes = clashes(package, program);
        clashes.keys().filter(|symbol| log.contains(symbol.as_str())).find_map(|s| clash_words(&clashes, s))
    };
    let (log, mut error) = match &program.result {
        Ok(DeviceLink { linked: true, log, .. }) => (Some(log), None),
        Ok(DeviceLink { log, .. }) => (None, Some(CompileError::Link { why: why(log), output: log.clone() })),
        Err(error) => (None, Some(CompileError::Link { why: None, output: error.to_string() })),
    };
    let is_own = |one: &&mut Compiled| one.arch == program.arch && program.units.contains(&one.unit);
    for one in compiled.iter_mut().filter(is_own) {
        let Ok(artefact) = &mut one.result else { continue };
        match log {
            Some(log) => artefact.log = log.clone().into(),
            None => {
                let silent = CompileError::Link { why: None, output: String::new() };
                one.result = Err(error.take().unwrap_or(silent));
            }
        }
    }
}
