//! `// occlint: …` beside a kernel.

mod cursor;
mod find;
mod grammar;
mod mask;

pub use find::{CommentError, comments};
