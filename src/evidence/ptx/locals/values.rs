//! What registers hold: addresses into the depot, and products with the digits of 2/π.
//!
//! Every assignment of a register counts wherever it stands: a register that is assigned different addresses holds one
//! that is known at run time only.

use super::Statement;
use super::statement::head;
use crate::order::{Map, Set};

/// What an address is relative to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// The depot's beginning: `%SP`, `%SPL`.
    Depot,
    /// Objects, by their offsets in the depot; at most [`MOST_OBJECTS`].
    Objects(Set<i64>),
    /// Any object of the depot.
    Any,
}

/// An address of more objects is one of any: no code of people has more, and each assignment would go through all.
const MOST_OBJECTS: usize = 64;

/// An address into the depot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Value {
    /// What it is relative to.
    pub(super) base: Base,
    /// Bytes from the depot's beginning; `None`: known at run time only.
    pub(super) offset: Option<i64>,
}

impl Value {
    /// The address `by` bytes on.
    pub(super) fn moved(&self, by: i64) -> Self {
        Self { base: self.base.clone(), offset: self.offset.and_then(|offset| offset.checked_add(by)) }
    }

    /// Whether it can point into several objects.
    pub(super) fn is_choice(&self) -> bool {
        match &self.base {
            Base::Depot => false,
            Base::Objects(roots) => roots.len() > 1,
            Base::Any => true,
        }
    }

    fn dynamic(&self) -> Self {
        let base = match &self.base {
            Base::Depot => Base::Objects([self.offset.unwrap_or(0)].into()),
            Base::Objects(_) | Base::Any => self.base.clone(),
        };
        Self { base, offset: None }
    }

    fn join(&mut self, other: &Self) -> bool {
        let before = self.clone();
        if self.offset != other.offset {
            self.offset = None;
        }
        match (&mut self.base, &other.base) {
            (Base::Any, _) | (_, Base::Depot) => {}
            (Base::Objects(own), Base::Objects(more)) => own.extend(more),
            (own, Base::Any) | (own @ Base::Depot, Base::Objects(_)) => *own = other.base.clone(),
        }
        if matches!(&self.base, Base::Objects(roots) if roots.len() > MOST_OBJECTS) {
            self.base = Base::Any;
        }
        *self != before
    }
}

/// What the registers of a function hold.
#[derive(Default)]
pub(super) struct Values<'a> {
    addresses: Map<&'a str, Value>,
    /// The offsets of all objects whose address is taken.
    roots: Set<i64>,
    trig: Set<&'a str>,
}

/// The six words of 2/π that single precision needs, as PTX writes them where the table was unrolled.
const DIGITS: [&str; 6] =
    ["1011060801", "-614296167", "-181084736", "-64530479", "1313084713", "-1560706194"];

/// The tables of those digits.
const TABLE: &str = "__cudart_i2opi";

/// The variable that the compiler puts a function's local objects in.
const DEPOT: &str = "__local_depot";

/// Enough for any chain of assignments that a compiler writes; what is not settled then is taken as it is.
const PASSES: usize = 32;

impl<'a> Values<'a> {
    pub(super) fn of(statements: &[Statement<'a>]) -> Self {
        let mut values = Self::default();
        // Where no digits are read, nothing is made of them: only what addresses are made with counts then.
        let trig = statements.iter().any(has_digits);
        let all: Vec<&Statement<'a>> =
            statements.iter().filter(|statement| trig || computes(statement.opcode)).collect();
        for _ in 0..PASSES {
            let mut changed = false;
            for statement in &all {
                changed |= values.assign(statement, trig);
            }
            if !changed {
                break;
            }
        }
        values
    }

    /// The address in a register (or the depot's own).
    pub(super) fn get(&self, register: &str) -> Option<&Value> {
        const WHOLE: &Value = &Value { base: Base::Depot, offset: Some(0) };
        if register.starts_with(DEPOT) { Some(WHOLE) } else { self.addresses.get(register) }
    }

    /// Whether a register holds digits of 2/π or a product with them.
    pub(super) fn is_trig(&self, register: &str) -> bool {
        self.trig.contains(register)
    }

    /// The offsets of all objects whose address is taken.
    pub(super) fn roots(&self) -> impl Iterator<Item = i64> + '_ {
        self.roots.iter().copied()
    }

    /// `trig`: some statement reads digits of 2/π.
    fn assign(&mut self, statement: &Statement<'a>, trig: bool) -> bool {
        let address = self.address(statement);
        let mut changed = false;
        if let (Some(value), Some(register)) = (address, statement.destination()) {
            if let Base::Objects(roots) = &value.base {
                self.roots.extend(roots);
            }
            changed = match self.addresses.get_mut(register) {
                Some(known) => known.join(&value),
                None => self.addresses.insert(register, value).is_none(),
            };
        } else if trig && self.reads_digits(statement) {
            for &register in statement.all_destinations() {
                changed |= self.trig.insert(register);
            }
        }
        changed
    }

    /// The address that a statement computes.
    fn address(&self, statement: &Statement<'a>) -> Option<Value> {
        let source = |at: usize| statement.sources().nth(at);
        let value = |at: usize| source(at).and_then(|source| self.get(source));
        match head(statement.opcode) {
            "mov" | "cvta" => value(0).cloned(),
            "add" | "or" => match (value(0), value(1)) {
                (Some(address), _) => Some(sum(address, source(1)?)),
                (None, Some(address)) => Some(sum(address, source(0)?)),
                (None, None) => None,
            },
            "sub" => value(0).filter(|_| value(1).is_none()).map(Value::dynamic),
            "mad" => (0..3).find_map(value).map(Value::dynamic),
            "selp" => match (value(0), value(1)) {
                (Some(a), Some(b)) => {
                    let mut both = a.clone();
                    both.join(b);
                    Some(both)
                }
                (a, b) => a.or(b).map(Value::dynamic),
            },
            _ => None,
        }
    }

    /// Whether a statement reads the digits of 2/π or what was made of them. Local memory passes nothing on: what comes out of
    /// it is the reduction's result.
    fn reads_digits(&self, statement: &Statement<'a>) -> bool {
        if let Some((address, _)) = statement.address() {
            return statement.opcode.starts_with("ld")
                && (self.is_trig(address) || address.starts_with(TABLE));
        }
        statement.sources().any(|source| self.is_trig(source) || is_digits(source))
    }
}

/// Whether addresses are computed with an instruction.
fn computes(opcode: &str) -> bool {
    matches!(head(opcode), "mov" | "cvta" | "add" | "or" | "sub" | "mad" | "selp")
}

/// Whether a statement reads digits of 2/π where no register has any.
fn has_digits(statement: &Statement<'_>) -> bool {
    match statement.address() {
        Some((address, _)) => statement.opcode.starts_with("ld") && address.starts_with(TABLE),
        None => statement.sources().any(is_digits),
    }
}

/// Whether an operand is digits of 2/π, or has them; no register is.
fn is_digits(source: &str) -> bool {
    !source.starts_with('%') && (DIGITS.contains(&source) || source.starts_with(TABLE))
}

/// An address plus an operand: the depot's beginning plus a constant is where an object begins.
fn sum(address: &Value, operand: &str) -> Value {
    let Some(by) = operand.parse::<i64>().ok() else { return address.dynamic() };
    let moved = address.moved(by);
    match (&moved.base, moved.offset) {
        (Base::Depot, Some(offset)) => Value { base: Base::Objects([offset].into()), offset: Some(offset) },
        _ => moved,
    }
}
