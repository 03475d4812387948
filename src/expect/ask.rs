//! The four values that a kernel's target is made of: their keys and ranges.

use crate::expect::Target;

/// A value of a [`Target`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ask {
    Block,
    DynamicSmem,
    MinBlocks,
    MaxRegisters,
}

/// All of them, in the order of the documentation.
pub(super) const ASKS: [Ask; 4] = [Ask::Block, Ask::DynamicSmem, Ask::MinBlocks, Ask::MaxRegisters];

impl Ask {
    /// The key in configuration and source comments.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::DynamicSmem => "dynamic-smem",
            Self::MinBlocks => "min-blocks",
            Self::MaxRegisters => "max-registers",
        }
    }

    /// The value with this key.
    pub(super) fn from_key(key: &str) -> Option<Self> {
        ASKS.into_iter().find(|ask| ask.key() == key)
    }

    /// The smallest and the largest value. A block or a number of blocks that no part can hold is let through: lints
    /// say so, at the kernel.
    pub(super) const fn range(self) -> (u32, u32) {
        match self {
            Self::Block | Self::MinBlocks => (1, u32::MAX),
            Self::DynamicSmem => (0, u32::MAX),
            Self::MaxRegisters => (1, 255),
        }
    }

    /// What the value counts, for messages.
    pub(super) const fn unit(self) -> &'static str {
        match self {
            Self::Block => "threads per block",
            Self::DynamicSmem => "bytes of shared memory",
            Self::MinBlocks => "blocks per SM",
            Self::MaxRegisters => "registers per thread",
        }
    }

    /// The value within the range, or the message that says what is wrong with it.
    pub(super) fn check(self, value: i128) -> Result<u32, String> {
        let (least, most) = self.range();
        u32::try_from(value).ok().filter(|value| (least..=most).contains(value)).ok_or_else(|| {
            let range = if most == u32::MAX && value < i128::from(most) {
                format!("at least {least}")
            } else {
                format!("{least} to {most}")
            };
            format!("`{}` must be {range} ({}), not {value}", self.key(), self.unit())
        })
    }

    /// How it is written, for a help text.
    pub(super) const fn example(self) -> &'static str {
        match self {
            Self::Block => "block = 256",
            Self::DynamicSmem => "dynamic-smem = 48 KiB",
            Self::MinBlocks => "min-blocks = 4",
            Self::MaxRegisters => "max-registers = 64",
        }
    }

    /// Puts the value into a target.
    pub(super) fn set(self, target: &mut Target, value: u32) {
        *self.slot(target) = Some(value);
    }

    /// The value in a target.
    pub(super) fn get(self, target: &Target) -> Option<u32> {
        let mut copy = *target;
        *self.slot(&mut copy)
    }

    fn slot(self, target: &mut Target) -> &mut Option<u32> {
        match self {
            Self::Block => &mut target.block,
            Self::DynamicSmem => &mut target.dynamic_shared_bytes,
            Self::MinBlocks => &mut target.min_blocks,
            Self::MaxRegisters => &mut target.max_registers,
        }
    }
}

/// Whether each value of a target is in its range; else what is wrong with the first that is not.
#[cfg(feature = "build-script")]
pub(crate) fn check_target(target: &Target) -> Result<(), String> {
    let wrong = |ask: &Ask| ask.check(i128::from(ask.get(target)?)).err();
    ASKS.iter().find_map(wrong).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lead_back_to_their_values() {
        for ask in ASKS {
            assert_eq!(Ask::from_key(ask.key()), Some(ask));
        }
        assert_eq!(Ask::from_key("blocks"), None);
    }

    #[test]
    fn ranges_end_where_they_should() {
        assert_eq!(Ask::MaxRegisters.check(255), Ok(255));
        assert_eq!(
            Ask::MaxRegisters.check(256),
            Err("`max-registers` must be 1 to 255 (registers per thread), not 256".to_owned())
        );
        assert_eq!(Ask::DynamicSmem.check(0), Ok(0));
        assert!(Ask::Block.check(0).is_err());
        assert!(Ask::Block.check(-1).is_err());
        assert_eq!(Ask::Block.check(2048), Ok(2048));
    }
}
