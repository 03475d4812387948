"""CPU time: other work on the machine stretches the wall clock, and this hardly."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure.common import GALLERY, TARGET

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
    own, metadata, compilers, without = [], [], [], []
    for number in range(rounds + 1):
        total, children = cold(program)
        _, plain = cold(program, "--experiments", "off")
        asked = ["cargo", "metadata", "--no-deps", "--format-version=1", "--manifest-path", GALLERY]
        _, asking, _, _ = spent(asked)
        if number == 0:
            continue  # the first round fetches and fills the page cache
        # The children's time is known in whole ticks, rounded down: ours is at most this.
        own.append(total - children)
        metadata.append(asking)
        compilers.append(children - asking)
        without.append(plain - asking)
    ours = statistics.mean(own) + statistics.mean(metadata)
    theirs = statistics.mean(compilers)
    print(f"rounds                     {rounds}")
    print(f"compilers                  {theirs:8.3f} s  (nvcc and what it starts)")
    print(f"occlint itself, at most    {statistics.mean(own):8.3f} s")
    print(f"cargo metadata             {statistics.mean(metadata):8.3f} s")
    print(f"both over the compilers    {100 * ours / theirs:8.2f} %")
    added = [100 * (one - base) / base for one, base in zip(compilers, without)]
    print(f"experiments add            {statistics.median(added):8.2f} %  (median; of the compilers' time without them)")


def cold(program, *options):
    """CPU seconds of a run of the gallery into an empty folder: all of it, and what it started."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "occlint", "--manifest-path", GALLERY, "--target-dir", folder, *options]
        status, total, children, said = spent(command)
        if status != 100:
            sys.exit(f"the gallery must exit with 100, not {status}:\n{said}")
    return total, children


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
        # cargo compiles incrementally what lies beside, as here, and never what comes from a registry.
        environment = {"CARGO_INCREMENTAL": "0", **os.environ, "CARGO_TARGET_DIR": str(folder / "target")}
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
        manifest = MANIFEST.format(root=Path.cwd())
        (folder / "Cargo.toml").write_text(manifest[: manifest.index("occlint =")] + 'cc = "1.7"\n')
        shutil.copy("Cargo.lock", folder)
        environment["CARGO_TARGET_DIR"] = str(folder / "cc")
        status, of_cc, _, said = spent(build, cwd=folder, env=environment)
        if status != 0:
            sys.exit(said)
    print(f"crates                     {crates:8}")
    print(f"with its dependencies      {total:8.1f} s  ({total / of_cc:.1f} times cc alone)")
    print(f"of it the library's own    {alone:8.1f} s")
    print(f"cc alone                   {of_cc:8.1f} s")


SCRIPT = """\
fn main() {{
    {builder}::Build::new(){cuda}
        .flag("-gencode=arch=compute_80,code=sm_80").flag("-gencode=arch=compute_90,code=sm_90")
        .include("kernels").files({files}).compile("kernels");
}}
"""


def helper(pairs):
    root, kernels = Path.cwd(), sorted(Path("examples/cc-saxpy/kernels").iterdir())
    files = [f"kernels/{file.name}" for file in kernels if file.suffix == ".cu"]
    with tempfile.TemporaryDirectory() as folder:
        scripts = {}
        for builder, cuda, dependency in [
            ("cc", ".cuda(true)", 'cc = "1.7"'),
            ("occlint", "", f'occlint = {{ path = "{root}", features = ["build-script"] }}'),
        ]:
            crate = Path(folder) / builder
            (crate / "src").mkdir(parents=True)
            (crate / "src/lib.rs").touch()
            shutil.copytree("examples/cc-saxpy/kernels", crate / "kernels")
            shutil.copy("Cargo.lock", crate)
            names = "[" + ", ".join(f'"{file}"' for file in files) + "]"
            (crate / "build.rs").write_text(SCRIPT.format(builder=builder, cuda=cuda, files=names))
            head = f'[package]\nname = "user-{builder}"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n'
            (crate / "Cargo.toml").write_text(f"{head}[build-dependencies]\n{dependency}\n")
            environment = dict(os.environ, CARGO_TARGET_DIR=str(crate / "target"))
            subprocess.run(["cargo", "build", "--offline"], cwd=crate, env=environment, check=True, capture_output=True)
            scripts[builder] = (next((crate / "target/debug/build").glob("user-*/build-script-build")), crate)
        target = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
        target = next(line.split()[1] for line in target.splitlines() if line.startswith("host:"))
        times = {"cc": [], "occlint": []}
        for _ in range(pairs):
            for builder, (script, crate) in scripts.items():
                out = crate / "out"
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir()
                environment = dict(os.environ, OUT_DIR=str(out), TARGET=target, HOST=target, OPT_LEVEL="0", DEBUG="false",
                                   PROFILE="debug", NUM_JOBS="1", CARGO_MANIFEST_DIR=str(crate), CARGO_PKG_NAME="user",
                                   CARGO_CFG_TARGET_ARCH=target.split("-")[0])
                status, total, _, said = spent([script], cwd=crate, env=environment)
                if status != 0:
                    sys.exit(said)
                times[builder].append(total)
    alone, checked = (statistics.median(times[builder]) for builder in ("cc", "occlint"))
    ratios = [ours / theirs for ours, theirs in zip(times["occlint"], times["cc"])]
    print(f"cc alone                   {alone:8.3f} s")
    print(f"occlint::Build             {checked:8.3f} s")
    print(f"median of the pairs        {100 * (statistics.median(ratios) - 1):8.2f} % more")
