"""The same machine code read by others: cuxray (a package of the Python Package Index) and the toolkit's cuobjdump.

What each side reads: all read the cubins alone. cuxray disassembles them (`nvdisasm`, `cuobjdump`) and computes liveness, access
patterns and cycles, which we do not; with `--fast` it leaves liveness out. `cuobjdump -res-usage` prints registers, stack and shared
memory. We read the cubins themselves: registers, barriers, memory, bounds, spill instructions with their lines and loops, residency, lints.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from measure.calls import find_nvcc
from measure.common import GALLERY, TARGET, Table, interleaved, occlint, timed

RELEASE = "0.6.0"
KERNELS = 100
ARCHS = "sm_80,sm_86,sm_89,sm_90,sm_100,sm_120"

MANIFEST = """\
[package]
name = "cubins"
version = "0.0.0"
edition = "2024"
[workspace]
[package.metadata.occlint]
sources = ["*.cubin"]
"""


def installed():
    """cuxray in a virtual environment below the target folder."""
    folder = (TARGET / f"measure/cuxray-{RELEASE}").absolute()
    program = folder / "bin/cuxray"
    if not program.is_file():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([folder / "bin/pip", "install", "--quiet", f"cuxray=={RELEASE}"], check=True)
    return program


def kernels_of(cubin):
    """How many kernels it has: each has a section of code of its own."""
    names = subprocess.run(["readelf", "-SW", cubin], capture_output=True, text=True, check=True).stdout
    return sum(".nv.constant0." in line and ".rel" not in line for line in names.splitlines())


def gather(manifest, into):
    """Cubins of the crate, until they have so many kernels; copied under names that say where they come from."""
    with tempfile.TemporaryDirectory() as folder:
        archs = ["--arch", ARCHS] if manifest == GALLERY else []
        command = occlint("--target-dir", folder, "--no-cache", "--experiments", "off", *archs)
        timed(command, allowed=(0, 100), cwd=manifest.parent)
        found, kernels = [], 0
        for cubin in sorted(Path(folder).glob("occlint/*/*/*/*.cubin")):
            if kernels >= KERNELS:
                break
            kernels += kernels_of(cubin)
            found.append(into / f"{cubin.stem}-{cubin.parent.name}-{len(found)}.cubin")
            shutil.copy(cubin, found[-1])
    return found, kernels


def cuxray(pairs, crate=None):
    manifest = Path(crate).absolute() / "Cargo.toml" if crate else GALLERY
    tool, tools = installed(), Path(find_nvcc(manifest)).parent
    with tempfile.TemporaryDirectory(prefix="occlint-measure-") as folder:
        folder = Path(folder)
        cubins = folder / "cubins"
        (cubins / "src").mkdir(parents=True)
        (cubins / "Cargo.toml").write_text(MANIFEST)
        (cubins / "src/lib.rs").touch()
        found, kernels = gather(manifest, cubins)
        if not kernels:
            sys.exit("the crate has no kernel")
        environment = dict(os.environ, CUXRAY_TOOLCHAIN=str(tools), CUXRAY_NO_FETCH="1", CUXRAY_CACHE=str(folder / "cache"))
        nvcc = ("--nvcc", tools / "nvcc", "--target-dir", folder / "target")

        def ours():
            return timed(occlint(*nvcc, "--kernels"), allowed=(0, 100), cwd=cubins)[0]

        def metadata():
            return timed(["cargo", "metadata", "--no-deps", "--format-version=1"], cwd=cubins)[0]

        def report(*options):
            return timed([tool, "report", "--no-cache", *options, "."], env=environment, cwd=cubins)[0]

        def resources():
            return sum(timed([tools / "cuobjdump", "-res-usage", cubin])[0] for cubin in found)

        table = Table(f"{kernels} kernels in {len(found)} cubins, {sum(one.stat().st_size for one in found) / 1024:.0f} KiB; cuxray {RELEASE}")
        whole, asking, theirs, fast, usage = interleaved(
            pairs, ours, metadata, report, lambda: report("--fast"), resources
        )
        rows = [
            ("cargo occlint, ms", whole),
            ("  of it what `cargo metadata` takes alone, ms", asking),
            ("cuxray report, one process, ms", theirs),
            ("cuxray report --fast, ms", fast),
            (f"cuobjdump -res-usage, {len(found)} processes, ms", usage),
        ]
        for name, values in rows:
            table.add(name, [1000 * value for value in values], "{:.1f}")
        own = [max(one - two, 0.001) for one, two in zip(whole, asking)]
        table.add("cuxray over cargo occlint", [one / two for one, two in zip(theirs, whole)], "{:.1f}")
        table.add("cuxray over it without cargo metadata", [one / two for one, two in zip(theirs, own)], "{:.1f}", "≥ 100")
        table.add("cuxray --fast over it without cargo metadata", [one / two for one, two in zip(fast, own)], "{:.1f}")
        table.add("cuobjdump over it without cargo metadata", [one / two for one, two in zip(usage, own)], "{:.1f}")
        table.print()
