//! The calculator's command line.

use clap::{Args, ValueEnum};
use occlint::arch::Arch;
use occlint::occupancy::{MAX_REGISTERS, Resources, SizeError, parse_size};

/// The largest block that is computed, in threads: far more than any launches, and no figure overflows.
pub(super) const MAX_BLOCK: u32 = 1 << 20;

/// The most named barriers that a block can have.
pub(super) const MAX_BARRIERS: u32 = 16;

/// How the answer is printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(crate) enum Format {
    /// Limit by limit, in words
    Human,
    /// One JSON object
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct OccupancyArgs {
    /// Architecture, for example sm_90
    #[arg(long, value_name = "ARCH", required_unless_present = "batch")]
    pub(crate) arch: Option<Arch>,
    /// Threads per block
    #[arg(long, value_name = "THREADS", required_unless_present = "batch", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BLOCK)))]
    pub(crate) block: Option<u32>,
    /// Registers per thread
    #[arg(long, value_name = "N", required_unless_present = "batch", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_REGISTERS)))]
    pub(crate) regs: Option<u32>,
    /// Static shared memory per block: bytes, or `48KiB`
    #[arg(long, visible_alias = "static-smem", value_name = "SIZE", default_value = "0", value_parser = size)]
    pub(crate) smem: u32,
    /// Dynamic shared memory per block
    #[arg(long, value_name = "SIZE", default_value = "0", value_parser = size)]
    pub(crate) dynamic_smem: u32,
    /// Named barriers per block (0 to 16)
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_BARRIERS)))]
    pub(crate) barriers: u32,
    /// Shared-memory carve-out in percent [default: the driver's, the largest]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) carveout: Option<u8>,
    /// How the answer is printed
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub(crate) format: Format,
    /// Read JSON objects from standard input, one a line, and answer each with one
    #[arg(long, conflicts_with_all = ["arch", "block", "regs", "smem", "dynamic_smem", "barriers", "carveout", "format"])]
    pub(crate) batch: bool,
}

fn size(text: &str) -> Result<u32, String> {
    parse_size(text).map_err(|why| format!("no size: {why}; {}", SizeError::HELP))
}

/// One question.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Question {
    pub(crate) arch: Arch,
    pub(crate) resources: Resources,
}

impl OccupancyArgs {
    /// The question of the command line; `None` with `--batch`.
    pub(crate) fn question(&self) -> Option<Question> {
        let resources = Resources {
            block_threads: self.block?,
            registers: self.regs?,
            static_shared_bytes: self.smem,
            dynamic_shared_bytes: self.dynamic_smem,
            barriers: self.barriers,
            carveout_percent: self.carveout,
        };
        Some(Question { arch: self.arch?, resources })
    }
}
