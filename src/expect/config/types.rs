//! What a configuration says.

use crate::expect::{Levels, Rule, Sourced};
use crate::source::Span;

/// The configuration of one package: workspace defaults with the package's own on top.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Config {
    /// `cuda = "13.0"`: the pinned toolkit's release.
    pub cuda: Option<Sourced<String>>,
    /// `cuda-extra = ["curand"]`: further wheels.
    pub cuda_extra: Vec<Sourced<String>>,
    /// `archs`: names as written, `native` included; `None` is the default list.
    pub archs: Option<Vec<Sourced<String>>>,
    /// `sources`: globs relative to the package; `None` is every `.cu` of the package.
    pub sources: Option<Vec<Sourced<String>>>,
    /// `include`: folders relative to the package (the workspace's relative to the workspace root).
    pub include: Vec<Sourced<String>>,
    /// `defines`: `NAME` or `NAME=VALUE`.
    pub defines: Vec<Sourced<String>>,
    /// `flags`: further arguments of nvcc.
    pub flags: Vec<Sourced<String>>,
    /// `baseline`: path relative to the package.
    pub baseline: Option<Sourced<String>>,
    /// `[….lints]`.
    pub levels: Levels,
    /// `[[….kernel]]`, the workspace's first.
    pub rules: Vec<Rule>,
}

/// One mistake in the configuration, at its place.
#[derive(Clone, PartialEq, Debug)]
pub struct ConfigError {
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do: a suggestion.
    pub help: Option<String>,
}
