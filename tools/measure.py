#!/usr/bin/env python3
"""Measures what occlint costs in CPU time. Run it from the repository root; nothing of it runs in CI.

    python3 tools/measure.py whole [ROUNDS]    our own time beside the compilers', in cold runs of the gallery
    python3 tools/measure.py library           a clean build of the library as build scripts take it

`whole` needs a release build of `cargo-occlint` (in `CARGO_TARGET_DIR`, else `target`) and fetches the pinned toolkit
once. Each round compiles the gallery into an empty folder and asks `cargo metadata` what the run asked it. Figures are
CPU time, user and system: other work on the machine stretches the wall clock, and these hardly.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
GALLERY = Path("examples/gallery/Cargo.toml")
TICK = 1 / os.sysconf("SC_CLK_TCK")


def spent(command, **options):
    """CPU seconds of a command: all of it, and the part of the processes that it started and waited for."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **options)
    said = child.stderr.read().decode(errors="replace")
    # The process has ended and its record is still there: read it before it is collected.
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    fields = Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    children = (int(fields[13]) + int(fields[14])) * TICK
    return child.returncode, usage.ru_utime + usage.ru_stime, children, said


def whole(rounds):
    program = TARGET / "release/cargo-occlint"
    own, metadata, compilers = [], [], []
    for number in range(rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            command = [program, "occlint", "--manifest-path", GALLERY, "--target-dir", folder]
            status, total, children, said = spent(command)
            if status != 100:
                sys.exit(f"the gallery must exit with 100, not {status}:\n{said}")
        asked = ["cargo", "metadata", "--no-deps", "--format-version=1", "--manifest-path", GALLERY]
        _, asking, _, _ = spent(asked)
        if number == 0:
            continue  # the first round fetches and fills the page cache
        # The children's time is known in whole ticks, rounded down: ours is at most this.
        own.append(total - children)
        metadata.append(asking)
        compilers.append(children - asking)
    ours = statistics.mean(own) + statistics.mean(metadata)
    theirs = statistics.mean(compilers)
    print(f"rounds                     {rounds}")
    print(f"compilers                  {theirs:8.3f} s  (nvcc and what it starts)")
    print(f"occlint itself, at most    {statistics.mean(own):8.3f} s")
    print(f"cargo metadata             {statistics.mean(metadata):8.3f} s")
    print(f"both over the compilers    {100 * ours / theirs:8.2f} %")


MANIFEST = """\
[package]
name = "user"
version = "0.0.0"
edition = "2024"
[workspace]
[build-dependencies]
occlint = {{ path = "{root}", features = ["build-script"] }}
"""


def library():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "src").mkdir()
        (folder / "src/lib.rs").touch()
        (folder / "build.rs").write_text("fn main() {}\n")
        (folder / "Cargo.toml").write_text(MANIFEST.format(root=Path.cwd()))
        shutil.copy("Cargo.lock", folder)
        environment = dict(os.environ, CARGO_TARGET_DIR=str(folder / "target"))
        subprocess.run(["cargo", "fetch"], cwd=folder, env=environment, check=True, capture_output=True)
        build = ["cargo", "build", "--offline"]
        status, total, _, said = spent(build, cwd=folder, env=environment)
        if status != 0:
            sys.exit(said)
        crates = said.count("Compiling ") - 1
        subprocess.run(["cargo", "clean", "-p", "occlint"], cwd=folder, env=environment, check=True, capture_output=True)
        status, alone, _, said = spent(build, cwd=folder, env=environment)
        if status != 0 or said.count("Compiling ") != 2:
            sys.exit(f"the library alone was to be built again:\n{said}")
    print(f"crates                     {crates:8}")
    print(f"with its dependencies      {total:8.1f} s")
    print(f"of it the library's own    {alone:8.1f} s")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["whole"]:
            whole(5)
        case ["whole", rounds]:
            whole(int(rounds))
        case ["library"]:
            library()
        case _:
            sys.exit(__doc__)
