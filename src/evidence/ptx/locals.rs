//! What the code of one PTX function does with its local depot.
//!
//! The depot is one variable (`__local_depotN`) in which the compiler has laid out every object whose address it needs.
//! `values` follows addresses through the registers, without regard to the order of the instructions; here each use of an
//! address is given to the object that it points into.

mod statement;
mod values;

use statement::{Statement, head, statements};
use values::{Base, Value, Values};

use crate::order::Set;

/// A file number and a 1-based line.
pub type FileLine = (u32, u32);

/// What the code of a function does with local memory.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Locals {
    /// The objects in its depot, by offset.
    pub objects: Vec<LocalObject>,
    /// Where it calls the slow path of a trigonometric function's range reduction.
    pub slow_path_calls: Set<FileLine>,
}

/// An object in a function's local depot.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LocalObject {
    /// Bytes from the depot's beginning.
    pub offset: u32,
    /// Bytes up to the next object or the depot's end.
    pub bytes: u32,
    /// It is read or written at an address that is known at run time only.
    pub dynamic: bool,
    /// Its address is an argument of `vprintf`.
    pub printf: bool,
    /// The other functions that get its address, mangled; empty for a call through a pointer.
    pub passed_to: Set<String>,
    /// Its address is stored in memory, or one of several is chosen at run time.
    pub address_kept: bool,
    /// Products with the digits of 2/π are stored in it: the range reduction of a trigonometric function.
    pub range_reduction: bool,
    /// Lines that read, write or pass it, with the lines that they are inlined in.
    pub lines: Set<FileLine>,
}

/// The function that `double` arguments are reduced in.
pub(super) const SLOW_PATH: &str = "__internal_trig_reduction_slowpath";

/// Reads a function's body; `depot_bytes`: the size of its depot.
pub(super) fn read(body: &str, depot_bytes: u32) -> Locals {
    let statements = statements(body);
    let mut locals = Locals::default();
    let slow =
        statements.iter().filter(|statement| callee(statement).is_some_and(|n| n.starts_with(SLOW_PATH)));
    locals.slow_path_calls = slow.flat_map(|statement| statement.places()).collect();
    if depot_bytes > 0 {
        let values = Values::of(&statements);
        locals.objects = objects(&values, depot_bytes);
        let objects = &mut locals.objects;
        let mut uses =
            Uses { values: &values, objects, anywhere: LocalObject::default(), arguments: Vec::new() };
        uses.read(&statements);
        uses.spread();
    }
    locals
}

/// The depot, cut at each offset whose address is taken.
fn objects(values: &Values<'_>, depot_bytes: u32) -> Vec<LocalObject> {
    let mut starts: Set<u32> = values
        .roots()
        .filter_map(|root| u32::try_from(root).ok())
        .filter(|&root| root < depot_bytes)
        .collect();
    starts.insert(0);
    let ends = starts.iter().skip(1).copied().chain([depot_bytes]);
    let object =
        |(&offset, end): (&u32, u32)| LocalObject { offset, bytes: end - offset, ..LocalObject::default() };
    starts.iter().zip(ends).map(object).collect()
}

fn callee<'a>(statement: &Statement<'a>) -> Option<&'a str> {
    (head(statement.opcode) == "call").then(|| statement.operands.first().copied()).flatten()
}

/// Gives each use of an address to its objects.
struct Uses<'a, 'b> {
    values: &'b Values<'a>,
    objects: &'b mut Vec<LocalObject>,
    /// What is done at addresses of any object.
    anywhere: LocalObject,
    /// Addresses that were stored into the parameters of the next call.
    arguments: Vec<(Value, [Option<FileLine>; 2])>,
}

impl<'a> Uses<'a, '_> {
    fn read(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            match head(statement.opcode) {
                "call" => self.call(statement),
                "st" | "ld" | "atom" | "red" => self.access(statement),
                _ => {}
            }
        }
    }

    /// A load or store at an address, and the values that are stored.
    fn access(&mut self, statement: &Statement<'a>) {
        let stores = statement.opcode.starts_with("st");
        let parameter = statement.opcode.starts_with("st.param");
        if let Some((address, offset)) = statement.address() {
            let trig = stores && statement.registers_outside().any(|register| self.values.is_trig(register));
            if let Some(value) = self.values.get(address) {
                let value = value.moved(offset);
                let lines = statement.lines;
                let chosen = value.is_choice();
                self.each(&value, |object| {
                    object.address_kept |= chosen;
                    object.dynamic |= value.offset.is_none() && !chosen;
                    object.range_reduction |= trig;
                    object.lines.extend(lines.into_iter().flatten());
                });
            }
        }
        for register in statement.registers_outside().filter(|_| stores) {
            let Some(value) = self.values.get(register).cloned() else { continue };
            if parameter {
                self.arguments.push((value, statement.lines));
            } else {
                self.each(&value, |object| object.address_kept = true);
            }
        }
    }

    fn call(&mut self, statement: &Statement<'a>) {
        let name = callee(statement).unwrap_or("");
        let name = if name.starts_with('%') { "" } else { name };
        for (value, lines) in std::mem::take(&mut self.arguments) {
            self.each(&value, |object| {
                object.lines.extend(lines.into_iter().flatten());
                if name == "vprintf" {
                    object.printf = true;
                } else {
                    object.passed_to.insert(name.to_owned());
                }
            });
        }
    }

    /// The objects that an address can point into.
    fn each(&mut self, value: &Value, mut change: impl FnMut(&mut LocalObject)) {
        match &value.base {
            Base::Depot => self.at(value.offset.unwrap_or(0)).into_iter().for_each(change),
            Base::Objects(roots) => {
                roots.iter().for_each(|&root| self.at(root).into_iter().for_each(&mut change))
            }
            Base::Any => change(&mut self.anywhere),
        }
    }

    /// The object that an offset lies in: they stand by offset, and leave nothing between them.
    fn at(&mut self, offset: i64) -> Option<&mut LocalObject> {
        let after = self.objects.partition_point(|object| i64::from(object.offset) <= offset);
        let object = self.objects.get_mut(after.checked_sub(1)?)?;
        (offset < i64::from(object.offset) + i64::from(object.bytes)).then_some(object)
    }

    /// Gives every object what is done to any of them. Lines and callees would say nothing of one.
    fn spread(&mut self) {
        let any = &self.anywhere;
        let kept = any.address_kept || !any.passed_to.is_empty();
        for object in self.objects.iter_mut() {
            object.address_kept |= kept;
            object.range_reduction |= any.range_reduction;
            object.printf |= any.printf;
        }
    }
}

#[cfg(test)]
mod tests;
