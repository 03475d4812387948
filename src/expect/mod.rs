//! What is expected of kernels: configuration, source comments, levels, targets.

mod ask;
mod comments;
mod config;
mod date;
mod glob;
mod known;
mod levels;
mod limit;
mod resolve;
mod rule;
mod shell;
mod suggest;

#[cfg(feature = "build-script")]
pub(crate) use ask::check_target;
pub use comments::{CommentError, comments};
pub use config::{Config, ConfigError, FlagError, environment_flags, parse};
pub use date::{Date, DateError};
pub use glob::NameGlob;
pub use known::{UnknownLint, lint_name};
pub use levels::{LevelOrigin, LevelSetting, Levels, level};
pub(crate) use limit::increase;
pub use limit::{Increase, Limits, Within};
pub use resolve::{Expectation, Rules, Sourced};
pub use rule::{Rule, RuleOrigin, Selector, Target, Waiver, WaiverKind};
pub use shell::shell_unsafe;
pub use suggest::nearest;
