//! Instructions: 16 bytes each from sm_70 on, decoded as far as needed. Held against nvdisasm.

use super::Access;

/// The first architecture whose instructions are decoded here.
pub(super) const FIRST_SM: u32 = 70;
/// The size of an instruction, bytes.
pub(super) const SIZE: usize = 16;

/// How control leaves an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    /// To the next one.
    Next,
    /// To another one, in bytes from the section's start; `always`: never to the next one.
    Branch {
        /// Where to.
        target: i64,
        /// Under no condition.
        always: bool,
    },
    /// To nowhere in this function that can be told.
    Leave,
}

/// The instructions of a section as pairs of 64-bit words.
pub(super) fn instructions(code: &[u8]) -> impl ExactSizeIterator<Item = [u64; 2]> + '_ {
    code.as_chunks::<8>().0.as_chunks::<2>().0.iter().map(|words| words.map(u64::from_le_bytes))
}

/// What an instruction does to local or shared memory, and how many bytes per thread it moves.
pub(super) fn access([low, high]: [u64; 2]) -> (Access, u8) {
    let access = match low & 0xfff {
        0x387 | 0x987 => Access::LocalStore,
        0x983 => Access::LocalLoad,
        0x388 | 0x988 => Access::SharedStore,
        0x984 => Access::SharedLoad,
        _ => return (Access::Other, 0),
    };
    let bytes = match high >> 9 & 7 {
        0 | 1 => 1,
        2 | 3 => 2,
        4 => 4,
        5 => 8,
        _ => 16,
    };
    (access, bytes)
}

/// How control leaves the instruction at `offset`; `sm` is the architecture's number.
pub(super) fn exit([low, high]: [u64; 2], offset: i64, sm: u32) -> Exit {
    let unconditional = low >> 12 & 0xf == 7;
    match low & 0xfff {
        // BRA; 0x547 has a uniform predicate.
        opcode @ (0x947 | 0x547) => {
            let inner = high >> (87 - 64) & 0xf == 7;
            Exit::Branch {
                target: offset + 16 + displacement([low, high], sm),
                always: unconditional && inner && opcode == 0x947,
            }
        }
        // BRX, EXIT, RET
        0x949 | 0x94d | 0x950 if unconditional => Exit::Leave,
        _ => Exit::Next,
    }
}

/// A branch's distance from the next instruction, bytes: 48 bits from bit 34 on, and from sm_90 on 8 lower ones at bit
/// 16; in units of 4 bytes.
fn displacement([low, high]: [u64; 2], sm: u32) -> i64 {
    let field = low >> 34 | (high & 0x3_ffff) << 30;
    let signed = (field << 16).cast_signed() >> 16;
    let units = if sm >= 90 { signed << 8 | (low >> 16 & 0xff).cast_signed() } else { signed };
    units.wrapping_mul(4)
}
