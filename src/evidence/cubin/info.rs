//! `.nv.info`: attributes of a cubin and of its kernels.

use super::CubinError;

/// Registers: symbol, count.
pub(super) const REGISTERS: u8 = 0x2f;
/// Frame: symbol, bytes.
pub(super) const FRAME_SIZE: u8 = 0x11;
/// Stack with callees: symbol, bytes.
pub(super) const MIN_STACK_SIZE: u8 = 0x12;
/// The bound on threads, three dimensions.
pub(super) const MAX_THREADS: u8 = 0x05;
/// Exactly these threads, three dimensions.
pub(super) const REQUIRED_THREADS: u8 = 0x10;
/// Named barriers.
pub(super) const BARRIERS: u8 = 0x4c;
/// Annotations: kind, offset.
pub(super) const ANNOTATIONS: u8 = 0x55;
/// The annotation of a spill or refill.
pub(super) const SPILL_REFILL: u32 = 1;

/// One attribute.
#[derive(Clone, Copy)]
pub(super) struct Attribute<'a> {
    pub(super) id: u8,
    /// The value of the short forms.
    pub(super) value: u16,
    /// The value of the long form.
    pub(super) payload: &'a [u8],
}

/// Reads a `.nv.info` section: each attribute has a form, an id, and a 16-bit value; in form 4 that is the length of
/// what follows.
pub(super) fn attributes(data: &[u8]) -> impl Iterator<Item = Result<Attribute<'_>, CubinError>> {
    let mut rest = data;
    std::iter::from_fn(move || {
        let (head, after) = rest.split_first_chunk::<4>()?;
        let value = u16::from_le_bytes([head[2], head[3]]);
        let length = if head[0] == 4 { usize::from(value) } else { 0 };
        let Some((payload, after)) = after.split_at_checked(length) else {
            rest = &[];
            return Some(Err(CubinError::Truncated("an attribute of `.nv.info`")));
        };
        rest = after;
        Some(Ok(Attribute { id: head[1], value, payload }))
    })
}

/// The 32-bit words of a payload; an incomplete one at the end is left out.
pub(super) fn words(payload: &[u8]) -> impl Iterator<Item = u32> + '_ {
    payload.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word))
}

/// The pairs of 32-bit words of a payload.
pub(super) fn pairs(payload: &[u8]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let pair = |pair: &[u8; 8]| {
        let [a, b, c, d, e, f, g, h] = *pair;
        (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))
    };
    payload.as_chunks::<8>().0.iter().map(pair)
}
