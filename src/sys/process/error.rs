//! Why a child could not be run to its end.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A child that could not be run to its end.
#[derive(Debug)]
pub enum ProcessError {
    /// It could not be started.
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Its output could not be taken.
    Io {
        /// The program.
        program: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// It ran longer than allowed and was ended with all its children.
    Timeout {
        /// The program.
        program: PathBuf,
        /// The limit.
        limit: Duration,
    },
    /// It printed more than allowed and was ended with all its children; what it printed tells nothing.
    TooMuch {
        /// The program.
        program: PathBuf,
        /// The limit of each stream, bytes.
        limit: u64,
    },
    /// The user interrupted the run.
    Interrupted,
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, cause } => write!(f, "cannot start `{}`: {cause}", program.display()),
            Self::Io { program, cause } => {
                write!(f, "cannot take the output of `{}`: {cause}", program.display())
            }
            Self::Timeout { program, limit } => {
                write!(f, "`{}` ran longer than {} s and was ended", program.display(), limit.as_secs_f64())
            }
            Self::TooMuch { program, limit } => {
                write!(f, "`{}` printed more than {} and was ended", program.display(), amount(*limit))
            }
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// Bytes as people write them: whole MiB where it is such.
fn amount(bytes: u64) -> String {
    if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) {
        format!("{} MiB", bytes >> 20)
    } else {
        format!("{bytes} bytes")
    }
}

impl std::error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { cause, .. } | Self::Io { cause, .. } => Some(cause),
            Self::Timeout { .. } | Self::TooMuch { .. } | Self::Interrupted => None,
        }
    }
}
