//! Which compilation begins when.

mod memory;
mod order;
#[cfg(feature = "cache")]
mod past;

pub(super) use memory::Memory;
pub(super) use order::{Expected, Queue};
#[cfg(feature = "cache")]
pub(super) use {order::Cost, past::Past};
