#!/usr/bin/env python3
"""Measures what occlint costs. Run it from the repository root; nothing of it runs in CI.

    python3 tools/measure.py whole [ROUNDS]          our own time beside the compilers', and what experiments add, in cold runs of the gallery
    python3 tools/measure.py library                 a clean build of the library as build scripts take it
    python3 tools/measure.py helper [PAIRS]          a build script with `occlint::Build` beside the same one with cc alone
    python3 tools/measure.py runs CRATE [PAIRS] [--loop PAIRS] [--only KIND,…]
                                                     whole runs of a crate beside the compiler's own calls; KINDs are start, warm, changed,
                                                     memory, cold, again, default, loop
    python3 tools/measure.py cuxray [PAIRS] [CRATE]  100 kernels' machine code (the gallery's, or the crate's), beside cuxray and cuobjdump

The program is the release build of `cargo-occlint` (in `CARGO_TARGET_DIR`, else `target`), or what `OCCLINT_PROGRAM` names; the pinned
toolkit is fetched once. `helper` takes the nvcc that `NVCC` names.

`whole`, `library` and `helper` give CPU time, user and system: other work on the machine stretches the wall clock, and these hardly.
`runs` and `cuxray` give the wall clock, since waiting is what they are about: in pairs that alternate, so that both sides meet the same
machine. Believe their differences on a quiet machine only, and their ratios on a busy one with care.

`runs` copies the crate. A stand-in for nvcc writes down once which calls a run makes; *by hand* are these calls from a pool of
as many threads as there are cores, the longest first, their folders made before. `cold` is a first run, which does not know what takes
long; `again` is one after `cargo occlint clean`, which does. In a captured crate only the compilations are
cold: what cargo builds for the build script is none of either side.
"""

import argparse
import sys

from measure import cpu, runs, versus


def crate_and_pairs(arguments):
    parser = argparse.ArgumentParser(prog="measure.py runs")
    parser.add_argument("crate")
    parser.add_argument("pairs", type=int, nargs="?", default=11)
    parser.add_argument("--loop", type=int, help="pairs of the plain loop, which is slow")
    parser.add_argument("--only", type=lambda text: text.split(","), help=",".join(runs.KINDS))
    options = parser.parse_args(arguments)
    if unknown := set(options.only or []) - set(runs.KINDS):
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    loops = options.pairs if options.loop is None else options.loop
    runs.runs(options.crate, options.pairs, loops, options.only)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["whole"]:
            cpu.whole(5)
        case ["whole", rounds]:
            cpu.whole(int(rounds))
        case ["library"]:
            cpu.library()
        case ["helper"]:
            cpu.helper(11)
        case ["helper", pairs]:
            cpu.helper(int(pairs))
        case ["runs", _, *_]:
            crate_and_pairs(sys.argv[2:])
        case ["cuxray"]:
            versus.cuxray(11)
        case ["cuxray", pairs]:
            versus.cuxray(int(pairs))
        case ["cuxray", pairs, crate]:
            versus.cuxray(int(pairs), crate)
        case _:
            sys.exit(__doc__)
