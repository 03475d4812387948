//! The answer as JSON.

use std::fmt;
use std::io::{self, Write};

use occlint::occupancy::{Limiter, Residency, Step, Steps};

use super::args::Question;

/// Writes one answer as an object on a line: the question, then figures under the names that kernel lines of the
/// check have.
///
/// Written by hand, since a batch can have millions of lines: no text in it needs escaping.
pub(super) fn write(
    output: &mut impl Write,
    question: &Question,
    residency: &Residency,
    steps: &Steps,
) -> io::Result<()> {
    let resources = &question.resources;
    write!(output, r#"{{"arch":"{}","block":{}"#, question.arch, resources.block_threads)?;
    write!(output, r#","regs":{},"barriers":{}"#, resources.registers, resources.barriers)?;
    write!(
        output,
        r#","static_smem":{},"dynamic_smem":{},"carveout_pct":{}"#,
        resources.static_shared_bytes,
        resources.dynamic_shared_bytes,
        resources.carveout_percent.map_or(-1, i16::from)
    )?;
    write!(output, r#","blocks":{},"limiters":["#, residency.blocks)?;
    let limiters =
        Limiter::ALL.into_iter().filter(|&limiter| residency.limit(limiter) == Some(residency.blocks));
    for (at, limiter) in limiters.enumerate() {
        write!(output, r#"{}"{}""#, comma(at), limiter.key())?;
    }
    output.write_all(br#"],"limits":{"#)?;
    for (at, limiter) in Limiter::ALL.into_iter().enumerate() {
        write!(output, r#"{}"{}":{}"#, comma(at), limiter.key(), OrNull(residency.limit(limiter)))?;
    }
    write!(
        output,
        r#"}},"occupancy":{:?},"registers_allocated":{},"shared_memory_allocated":{}"#,
        residency.occupancy(),
        residency.registers_allocated,
        residency.shared_allocated_bytes
    )?;
    write_steps(output, steps)?;
    output.write_all(b"}\n")
}

fn write_steps(output: &mut impl Write, steps: &Steps) -> io::Result<()> {
    write!(
        output,
        r#","steps":{{"fewer_registers":{},"free_registers":{},"blocks_past_free_registers":{}"#,
        OrNull(steps.fewer_registers.map(Object)),
        steps.free_registers,
        steps.blocks_past_free_registers
    )?;
    write!(
        output,
        r#","fewer_smem":{},"free_smem":{},"blocks_past_free_smem":{}}}"#,
        OrNull(steps.fewer_shared_bytes.map(Object)),
        steps.free_shared_bytes,
        steps.blocks_past_free_shared
    )
}

const fn comma(at: usize) -> &'static str {
    if at == 0 { "" } else { "," }
}

/// `null` for nothing.
struct OrNull<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for OrNull<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("null"),
        }
    }
}

/// A step as an object.
struct Object(Step);

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"{{"amount":{},"blocks":{}}}"#, self.0.amount, self.0.blocks)
    }
}
