//! Positions of items, in the items' order: nothing here is generated more than once.

use std::cmp::Ordering;

/// Half of what a piece may hold; in tests little, so that there are several.
const PIECE: usize = if cfg!(test) { 2 } else { 512 };

/// Positions in pieces, so that an insertion moves no more than one piece, however many there are. Most have one piece. Items
/// that came in order have none at all.
#[derive(Clone)]
pub(super) struct Positions {
    /// Items whose positions are their order: so many, while there are no pieces.
    plain: usize,
    first: Vec<u32>,
    /// The pieces that follow; none is empty.
    rest: Vec<Vec<u32>>,
}

/// Where in the order a position is, or belongs.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// 0: the first piece.
    piece: usize,
    at: usize,
}

impl Positions {
    pub(super) const fn new() -> Self {
        Self { plain: 0, first: Vec::new(), rest: Vec::new() }
    }

    /// The place of the position for which `compare` is `Equal`, else the one where such a position belongs.
    pub(super) fn find(&self, compare: &dyn Fn(usize) -> Ordering) -> Result<Place, Place> {
        if self.first.is_empty() {
            return self.find_plain(compare);
        }
        let piece = self.rest.partition_point(|piece| compare(piece[0] as usize).is_le());
        let place = |at| Place { piece, at };
        self.piece(piece).binary_search_by(|&own| compare(own as usize)).map(place).map_err(place)
    }

    fn find_plain(&self, compare: &dyn Fn(usize) -> Ordering) -> Result<Place, Place> {
        let (mut low, mut high) = (0, self.plain);
        while low < high {
            let at = low + (high - low) / 2;
            match compare(at) {
                Ordering::Equal => return Ok(Place { piece: 0, at }),
                Ordering::Less => low = at + 1,
                Ordering::Greater => high = at,
            }
        }
        Err(Place { piece: 0, at: low })
    }

    pub(super) fn at(&self, place: Place) -> usize {
        if self.first.is_empty() {
            return place.at;
        }
        self.piece(place.piece)[place.at] as usize
    }

    pub(super) fn insert(&mut self, place: Place, position: usize) {
        if self.first.is_empty() {
            if place.at == self.plain {
                self.plain += 1;
                return;
            }
            self.write_out();
        }
        let piece = self.piece_mut(place.piece);
        piece.insert(place.at, position as u32);
        if piece.len() > 2 * PIECE {
            let tail = piece.split_off(PIECE);
            self.rest.insert(place.piece, tail);
        }
    }

    /// Takes a position out of `len`, and gives it to the last item, which moves into the gap.
    pub(super) fn remove(&mut self, place: Place, len: usize) -> usize {
        if self.first.is_empty() {
            self.write_out();
        }
        let piece = self.piece_mut(place.piece);
        let position = piece.remove(place.at);
        if piece.is_empty() && place.piece > 0 {
            self.rest.remove(place.piece - 1);
        } else if piece.is_empty() && !self.rest.is_empty() {
            self.first = self.rest.remove(0);
        }
        let pieces = std::iter::once(&mut self.first).chain(&mut self.rest);
        for last in pieces.flatten().filter(|own| **own as usize + 1 == len) {
            *last = position;
        }
        position as usize
    }

    pub(super) fn iter(&self) -> Iter<'_> {
        Iter { plain: 0..self.plain, piece: self.first.iter(), rest: self.rest.iter() }
    }

    /// All of them, in one piece; none is left.
    pub(super) fn take(&mut self) -> Vec<u32> {
        if self.first.is_empty() {
            self.write_out();
        }
        let mut all = std::mem::take(&mut self.first);
        std::mem::take(&mut self.rest).into_iter().for_each(|piece| all.extend(piece));
        all
    }

    /// The positions of `len` items that stand in order.
    pub(super) fn reset(&mut self, len: usize) {
        (self.plain, self.first, self.rest) = (len, Vec::new(), Vec::new());
    }

    /// Writes positions down that were their order until now.
    fn write_out(&mut self) {
        self.first = (0..std::mem::take(&mut self.plain) as u32).collect();
    }

    fn piece(&self, index: usize) -> &[u32] {
        if index == 0 { &self.first } else { &self.rest[index - 1] }
    }

    fn piece_mut(&mut self, index: usize) -> &mut Vec<u32> {
        if index == 0 { &mut self.first } else { &mut self.rest[index - 1] }
    }
}

/// Positions in order.
#[derive(Clone, Debug)]
pub(super) struct Iter<'a> {
    plain: std::ops::Range<usize>,
    piece: std::slice::Iter<'a, u32>,
    rest: std::slice::Iter<'a, Vec<u32>>,
}

impl Iterator for Iter<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if let Some(position) = self.plain.next() {
            return Some(position);
        }
        loop {
            if let Some(&position) = self.piece.next() {
                return Some(position as usize);
            }
            self.piece = self.rest.next()?.iter();
        }
    }
}
