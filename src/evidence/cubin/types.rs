//! What is known of a cubin.

use crate::arch::Arch;

/// What one cubin says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cubin {
    /// What it was assembled for, without the letter.
    pub arch: Arch,
    /// It is a linked image; otherwise relocatable (`-rdc=true`), and figures may change when it is linked.
    pub linked: bool,
    /// Kernels and device functions, in the order of their code.
    pub functions: Vec<CubinFunction>,
    /// Names of functions that are called and that it does not define, mangled, each once.
    pub outside: Vec<String>,
    /// Files of the line table, as the compiler recorded them.
    pub files: Vec<String>,
    /// Lines that [`MemoryOp::site`] and [`Site::inlined_at`] refer to.
    pub sites: Vec<Site>,
    /// Its instructions were decoded: 128 bits each, from sm_70 on. Without, no function has annotations or local
    /// memory.
    pub decoded: bool,
    /// Its compiler annotates spills: without annotations there are none. False where that is not known.
    pub annotates: bool,
    /// Functions by name, kernels before others of the same name.
    pub(super) by_name: Vec<usize>,
}

/// A kernel or a device function that is not inlined.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CubinFunction {
    /// As the compiler prints it: mangled.
    pub name: String,
    /// A kernel.
    pub entry: bool,
    /// Registers per thread.
    pub registers: Option<u32>,
    /// Named barriers per block; kernels only.
    pub barriers: Option<u32>,
    /// Static shared memory per block in bytes, without the driver's reserve; kernels only.
    pub static_shared_bytes: Option<u32>,
    /// Frame, bytes per thread. Where a function calls others, some compilers count their frames too.
    pub frame_bytes: Option<u32>,
    /// Stack with all callees, bytes per thread; `None` also where it cannot be determined.
    pub min_stack_bytes: Option<u32>,
    /// The bound on threads in each dimension, kept even where the compiler ignored it.
    pub max_threads: Option<[u32; 3]>,
    /// The line of its first instruction, by index in [`Cubin::sites`]; kernels only.
    pub opening: Option<u32>,
    /// The threads in each dimension that it is launched with.
    pub required_threads: Option<[u32; 3]>,
    /// Functions that it calls directly, by index in [`Cubin::functions`], sorted. A device function in a kernel's own
    /// section counts as called by the kernel.
    pub calls: Vec<usize>,
    /// Functions that it calls directly and that the cubin does not define, by index in [`Cubin::outside`], sorted: those of
    /// other units, and the driver's own.
    pub outside: Vec<usize>,
    /// It calls through a pointer, as far as the call graph says: it leaves out most such calls.
    pub indirect_calls: bool,
    /// Instructions that the compiler annotated as spill or refill, by offset.
    pub annotated: Vec<MemoryOp>,
    /// All stores to and loads from local memory, by offset.
    pub local: Vec<MemoryOp>,
    /// A digest of its machine code, which has no names in it.
    pub code: u64,
}

/// An instruction that moves a register to or from memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryOp {
    /// Where it stands, bytes from the start of its section.
    pub offset: u32,
    /// What it does.
    pub access: Access,
    /// How many bytes per thread it moves; 0 for [`Access::Other`].
    pub bytes: u8,
    /// It is in a loop: control can come back to it.
    pub hot: bool,
    /// Its innermost line, by index in [`Cubin::sites`].
    pub site: Option<u32>,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Access {
    /// Stores to local memory.
    LocalStore,
    /// Loads from local memory.
    LocalLoad,
    /// Stores to shared memory.
    SharedStore,
    /// Loads from shared memory.
    SharedLoad,
    /// Something else.
    Other,
}

/// A source line of code that may have been inlined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// By index in [`Cubin::files`].
    pub file: u32,
    /// 1-based; 0 where the compiler gives none.
    pub line: u32,
    /// The line of the call that this code was inlined through, by index in [`Cubin::sites`]; always a smaller one.
    pub inlined_at: Option<u32>,
}

impl Cubin {
    /// The index of a kernel or device function with a section of its own, by mangled name.
    pub fn find(&self, name: &str) -> Option<usize> {
        let at = self.by_name.partition_point(|&index| self.functions[index].name.as_str() < name);
        self.by_name.get(at).copied().filter(|&index| self.functions[index].name == name)
    }

    /// A site and the sites of the calls that it was inlined through, innermost first.
    pub fn chain(&self, site: u32) -> impl Iterator<Item = Site> + '_ {
        let get = |index: u32| self.sites.get(usize::try_from(index).ok()?).copied();
        std::iter::successors(get(site), move |site| site.inlined_at.and_then(get))
    }

    /// The file of a site, as the compiler recorded it.
    pub fn file(&self, site: Site) -> &str {
        usize::try_from(site.file).ok().and_then(|file| self.files.get(file)).map_or("", String::as_str)
    }

    /// The functions that can be reached by calls from one, itself included; ascending.
    pub fn reached(&self, from: usize) -> Vec<usize> {
        let mut seen = vec![false; self.functions.len()];
        let mut open = vec![from];
        while let Some(index) = open.pop() {
            if let Some(seen) = seen.get_mut(index).filter(|seen| !**seen) {
                *seen = true;
                open.extend_from_slice(&self.functions[index].calls);
            }
        }
        (0..seen.len()).filter(|&index| seen[index]).collect()
    }
}
