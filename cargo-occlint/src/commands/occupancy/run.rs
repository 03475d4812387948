//! The calculator's run.

use std::fmt;
use std::io::{self, BufRead, BufWriter, Write};

use occlint::arch::{Limits, UnknownArch};
use occlint::occupancy::{residency, steps};
use serde_json::json;

use super::args::{Format, OccupancyArgs, Question};
use super::{batch, human, json as json_answer};
use crate::error::{CLEAN, FAILED};

/// Why the calculator has no answer.
#[derive(Debug)]
pub(crate) enum OccupancyError {
    /// The table does not have the architecture.
    Arch(UnknownArch),
    /// Lines of a batch that are no questions: how many of how many. Each has its error in its place.
    Lines { bad: usize, all: usize },
    /// Standard input had nothing.
    Empty,
    /// Standard input or output failed.
    Io(io::Error),
}

impl fmt::Display for OccupancyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arch(error) => error.fmt(f),
            Self::Lines { bad, all } => {
                write!(f, "{bad} of {all} lines could not be answered; each has an `error` in its place")
            }
            Self::Empty => f.write_str("nothing was computed: standard input has no line"),
            Self::Io(error) => write!(f, "cannot read or write: {error}"),
        }
    }
}

impl OccupancyError {
    /// The exit status. A reader that went away is a quiet end.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => CLEAN,
            Self::Arch(_) | Self::Lines { .. } | Self::Empty | Self::Io(_) => FAILED,
        }
    }
}

impl From<io::Error> for OccupancyError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Answers the command line's question, or each line of `input`.
pub(crate) fn run(
    args: &OccupancyArgs,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), OccupancyError> {
    let mut output = BufWriter::new(output);
    let result = match args.question() {
        Some(question) => single(&question, args.format, &mut output),
        None => lines(input, &mut output),
    };
    output.flush()?;
    result
}

fn single(question: &Question, format: Format, output: &mut impl Write) -> Result<(), OccupancyError> {
    let limits = question.arch.limits().map_err(OccupancyError::Arch)?;
    let found = (residency(limits, &question.resources), steps(limits, &question.resources));
    match format {
        Format::Human => output.write_all(human::answer(question, limits, &found.0, &found.1).as_bytes())?,
        Format::Json => json_answer::write(output, question, &found.0, &found.1)?,
    }
    Ok(())
}

/// The longest line of a batch, in bytes.
const LINE_LIMIT: usize = 64 << 10;

/// Reads one line, its end included, into `line`; of a longer one only the beginning is kept. `false` at the end.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let mut read = false;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(read);
        }
        read = true;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let used = end.map_or(buffer.len(), |end| end + 1);
        let kept = used.min((LINE_LIMIT + 1).saturating_sub(line.len()));
        line.extend(&buffer[..kept]);
        input.consume(used);
        if end.is_some() {
            return Ok(true);
        }
    }
}

fn lines(mut input: impl BufRead, output: &mut impl Write) -> Result<(), OccupancyError> {
    let (mut bad, mut all) = (0, 0);
    let (mut at, mut line) = (0, Vec::new());
    while next_line(&mut input, &mut line)? {
        at += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        all += 1;
        match understood(&line) {
            Ok((question, limits)) => {
                let found = (residency(limits, &question.resources), steps(limits, &question.resources));
                json_answer::write(output, &question, &found.0, &found.1)?;
            }
            Err(error) => {
                bad += 1;
                writeln!(output, "{}", json!({ "error": error, "line": at }))?;
            }
        }
    }
    match (bad, all) {
        (_, 0) => Err(OccupancyError::Empty),
        (0, _) => Ok(()),
        (bad, all) => Err(OccupancyError::Lines { bad, all }),
    }
}

/// A line's question, and its architecture's limits.
fn understood(line: &[u8]) -> Result<(Question, &'static Limits), String> {
    if line.len() > LINE_LIMIT {
        return Err(format!("the line is longer than {LINE_LIMIT} bytes"));
    }
    let question = batch::question(line)?;
    let limits = question.arch.limits().map_err(|error| error.to_string())?;
    Ok((question, limits))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn batch(input: &str) -> (Vec<Value>, Result<(), OccupancyError>) {
        let mut output = Vec::new();
        let result = lines(input.as_bytes(), &mut output);
        let text = String::from_utf8(output).unwrap();
        (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), result)
    }

    #[test]
    fn each_line_has_its_answer() {
        let (answers, result) = batch(concat!(
            "{\"arch\":\"sm_80\",\"block\":256,\"regs\":64,\"static_smem\":49152,\"dynamic_smem\":0,\"barriers\":0,\"carveout_pct\":-1}\n",
            "\r\n",
            "{\"arch\":\"sm_90\",\"block\":64,\"regs\":16,\"barriers\":3}\n"
        ));
        assert!(result.is_ok());
        assert_eq!(
            answers[0]["limits"],
            json!({"registers": 4, "shared_memory": 3, "warps": 8, "blocks": 32, "barriers": null})
        );
        assert_eq!(answers[0]["limiters"], json!(["shared_memory"]));
        assert_eq!(
            (&answers[0]["occupancy"], &answers[0]["registers_allocated"]),
            (&json!(0.375), &json!(16384))
        );
        assert_eq!(answers[0]["shared_memory_allocated"], json!(50_176));
        assert_eq!((&answers[1]["blocks"], &answers[1]["limiters"]), (&json!(21), &json!(["barriers"])));
    }

    #[test]
    fn a_bad_line_loses_nothing_and_fails_the_run() {
        let good = "{\"arch\":\"sm_80\",\"block\":32,\"regs\":8}";
        for bad in [
            "x",
            "[]",
            "{\"arch\":\"sm_80\",\"block\":32}",
            "{\"arch\":\"sm_80\",\"block\":0,\"regs\":8}",
            "{\"arch\":\"sm_80\",\"block\":-1,\"regs\":8}",
            "{\"arch\":\"sm_80\",\"block\":1.5,\"regs\":8}",
            "{\"arch\":\"sm_80\",\"block\":4294967296,\"regs\":8}",
            "{\"arch\":\"sm_81\",\"block\":32,\"regs\":8}",
            "{\"arch\":\"sm_80\",\"block\":32,\"regs\":8,\"smem\":1}",
            "{\"arch\":\"sm_80\",\"block\":32,\"regs\":8,\"carveout_pct\":101}",
            "\u{0}",
            "{\"arch\":\"sm_80\",\"block\":32,\"regs\":null}",
            "{\"arch\":90,\"block\":32,\"regs\":8}",
            "{\"arch\":\"sm_80\",\"block\":32,\"regs\":8} {}",
        ] {
            let (answers, result) = batch(&format!("{good}\n{bad}\n{good}"));
            assert!(matches!(result, Err(OccupancyError::Lines { bad: 1, all: 3 })), "{bad}");
            assert_eq!((answers.len(), &answers[1]["line"]), (3, &json!(2)), "{bad}");
            assert!(answers[1]["error"].is_string() && answers[2]["blocks"] == json!(32), "{bad}");
        }
    }

    #[test]
    fn a_long_line_is_an_error_of_its_own() {
        let good = "{\"arch\":\"sm_80\",\"block\":32,\"regs\":8}";
        let padded = |bytes: usize| format!("{}{good}", " ".repeat(bytes - good.len()));
        let long = "x".repeat(3 * LINE_LIMIT);
        let (answers, result) = batch(&format!("{long}\n{}\n{good}", padded(LINE_LIMIT - 1)));
        assert!(matches!(result, Err(OccupancyError::Lines { bad: 1, all: 3 })));
        assert!(answers[0]["error"].as_str().unwrap().contains("longer than 65536 bytes"), "{}", answers[0]);
        assert!(answers[1..].iter().all(|answer| answer["blocks"] == json!(32)));
    }

    #[test]
    fn what_no_block_can_have_is_refused_with_its_range() {
        for (key, value, range) in [
            ("barriers", 17_u32, "from 0 to 16"),
            ("block", 0, "from 1 to 1048576"),
            ("block", 1_048_577, "from 1 to 1048576"),
        ] {
            let mut question = json!({"arch": "sm_90", "block": 64, "regs": 16});
            question[key] = value.into();
            let (answers, _) = batch(&question.to_string());
            let error = answers[0]["error"].as_str().unwrap();
            assert!(error.contains(&format!("`{key}`")) && error.contains(range), "{error}");
        }
    }

    #[test]
    fn a_block_that_cannot_launch_is_an_answer() {
        let (answers, result) = batch(concat!(
            "{\"arch\":\"sm_90\",\"block\":1025,\"regs\":8}\n",
            "{\"arch\":\"sm_90a\",\"block\":1024,\"regs\":65,\"carveout_pct\":0}\n",
        ));
        assert!(result.is_ok());
        assert_eq!(
            (&answers[0]["blocks"], &answers[0]["limiters"], &answers[0]["occupancy"]),
            (&json!(0), &json!(["warps"]), &json!(0.0))
        );
        assert_eq!((&answers[1]["arch"], &answers[1]["carveout_pct"]), (&json!("sm_90a"), &json!(0)));
        assert_eq!(answers[1]["steps"]["fewer_registers"], json!({"amount": 1, "blocks": 1}));
        assert_eq!(answers[1]["limits"]["shared_memory"], json!(8));
    }

    #[test]
    fn no_line_is_no_pass() {
        assert!(matches!(batch("\n\n").1, Err(OccupancyError::Empty)));
    }
}
