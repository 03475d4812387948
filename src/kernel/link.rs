//! How far a kernel's figures are final: relocatable device code is finished by the device link.

use super::Usage;

/// Where a kernel's figures stand between compiler and device link.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[cfg_attr(feature = "cache", derive(serde::Deserialize, serde::Serialize))]
pub enum Link {
    /// Whole-program code: the compiler's figures are final. Also where a log does not tell.
    #[default]
    NotRelocatable,
    /// Relocatable code whose device link is not known: the figures are the compiler's, and the linker may raise them.
    Preliminary {
        /// Why there are no linked figures: `it calls "f", which …`.
        why: String,
    },
    /// The figures are the device link's: final.
    Linked {
        /// What the compiler said before the link; nothing of it is known with link-time optimisation.
        compiled: Usage,
    },
}

impl Link {
    /// Whether the figures are the device link's; `None` for whole-program code.
    pub const fn linked(&self) -> Option<bool> {
        match self {
            Self::NotRelocatable => None,
            Self::Preliminary { .. } => Some(false),
            Self::Linked { .. } => Some(true),
        }
    }

    /// Registers per thread that the compiler said before the link.
    pub const fn compiled_registers(&self) -> Option<u32> {
        match self {
            Self::Linked { compiled } => compiled.registers,
            Self::NotRelocatable | Self::Preliminary { .. } => None,
        }
    }

    /// Of two records of one kernel the less certain: preliminary before linked.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let rank = |link: &Self| match link {
            Self::NotRelocatable => 0,
            Self::Linked { .. } => 1,
            Self::Preliminary { .. } => 2,
        };
        match (self, other) {
            (Self::Linked { compiled: a }, Self::Linked { compiled: b }) => {
                Self::Linked { compiled: if a.registers < b.registers { b } else { a } }
            }
            (a, b) if rank(&a) < rank(&b) => b,
            (a, _) => a,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linked(registers: u32) -> Link {
        Link::Linked { compiled: Usage { registers: Some(registers), ..Usage::default() } }
    }

    #[test]
    fn the_less_certain_record_wins() {
        let open = Link::Preliminary { why: "x".to_owned() };
        assert_eq!(linked(24).worse(open.clone()), open);
        assert_eq!(open.clone().worse(linked(24)), open);
        assert_eq!(Link::NotRelocatable.worse(linked(24)), linked(24));
        assert_eq!(linked(24).worse(linked(40)), linked(40));
    }

    #[test]
    fn whole_program_code_is_neither_linked_nor_not() {
        assert_eq!((Link::default().linked(), linked(24).linked()), (None, Some(true)));
        assert_eq!((Link::default().compiled_registers(), linked(24).compiled_registers()), (None, Some(24)));
    }
}
