"""The compiler's calls that a run makes, written down once and made again by hand."""

import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from measure.common import occlint, timed

# Stands in for nvcc: calls it, and writes down what was called, where and how long it took.
RECORDER = """\
#!{python} -S
import json, os, subprocess, sys, time
begun = time.time()
status = subprocess.call([{nvcc!r}, *sys.argv[1:]])
record = {{"args": sys.argv[1:], "folder": os.getcwd(), "seconds": time.time() - begun}}
with open(os.path.join({log!r}, f"{{os.getpid()}}.json"), "w") as file:
    json.dump(record, file)
sys.exit(status)
"""


@dataclass
class Call:
    """One call of nvcc that compiled."""

    args: list
    folder: str
    seconds: float

    @property
    def source(self):
        return os.path.join(self.folder, self.args[-1])


def find_nvcc(manifest):
    """The nvcc that occlint takes for the crate: `NVCC`, else the pinned one, which a run has fetched."""
    if "NVCC" in os.environ:
        return os.path.abspath(os.environ["NVCC"])
    pin = tomllib.loads(Path(manifest).read_text()).get("package", {}).get("metadata", {}).get("occlint", {}).get("cuda")
    if pin is None:
        sys.exit(f"`{manifest}` pins no toolkit: set NVCC")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    home = Path(os.environ.get("OCCLINT_HOME", cache / "occlint"))
    found = sorted(home.glob(f"toolkits/{pin}*/nvidia/*/bin/nvcc"))
    if not found:
        sys.exit(f"no nvcc {pin} below `{home}`: set NVCC")
    return str(found[-1])


def record(manifest, nvcc, options=()):
    """The calls of a cold run, the longest first."""
    with tempfile.TemporaryDirectory() as folder:
        log, stand_in = Path(folder) / "log", Path(folder) / "bin/nvcc"
        log.mkdir()
        stand_in.parent.mkdir()
        stand_in.write_text(RECORDER.format(python=sys.executable, nvcc=nvcc, log=str(log)))
        stand_in.chmod(0o755)
        cold = ["--nvcc", stand_in, "--cache-dir", Path(folder) / "cache", "--experiments", "off", *options]
        _, said = timed(occlint(*cold), allowed=(0, 100), cwd=Path(manifest).parent)
        calls = [Call(**json.loads(path.read_text())) for path in log.iterdir()]
    calls = [call for call in calls if "--keep-dir" in call.args]
    if not calls:
        sys.exit(f"the run compiled nothing:\n{said}")
    return sorted(calls, key=lambda call: (-call.seconds, call.args))


def environment():
    """As occlint calls nvcc: without the variables whose flags it has put into the call."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NVCC_")}


class ByHand:
    """The calls of `nvcc`, each with an intermediate folder of its own that is made before."""

    def __init__(self, nvcc, calls, scratch):
        self.commands, self.scratch = [], scratch
        for number, call in enumerate(calls):
            keep = str(scratch / str(number))
            was = call.args[call.args.index("--keep-dir") + 1]
            self.commands.append(([nvcc, *(arg.replace(was, keep) for arg in call.args)], call.folder, keep))

    def run(self):
        """Seconds of all calls, as many at a time as there are cores."""
        for _, _, keep in self.commands:
            os.makedirs(keep, exist_ok=True)
            for left in os.scandir(keep):
                os.unlink(left.path)
        inherited = environment()

        def one(command):
            args, folder, keep = command
            with open(os.path.join(keep, "log"), "wb") as log:
                return subprocess.call(args, cwd=folder, stdout=log, stderr=log, env=inherited)

        begun = time.perf_counter()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = sum(status != 0 for status in pool.map(one, self.commands))
        took = time.perf_counter() - begun
        if failed:
            sys.exit(f"{failed} calls by hand failed: `{self.scratch}` has their logs")
        return took


def without_ours(args):
    """What the user gave: the call without what occlint put into it, and its architecture as a `-gencode`."""
    rest, architecture, skip = [], None, 0
    ours = {"-cubin": 0, "-fatbin": 0, "-lineinfo": 0, "--keep": 0, "--keep-dir": 1, "-o": 1}
    for at, arg in enumerate(args[:-1]):
        if skip:
            skip -= 1
        elif arg in ours:
            skip = ours[arg]
        elif arg == "-Xptxas" and args[at + 1] == "-v":
            skip = 1
        elif arg.startswith("-arch=sm_"):
            number = arg.removeprefix("-arch=sm_")
            architecture = f"-gencode=arch=compute_{number},code=sm_{number}"
        elif arg.startswith("-gencode=") and architecture is None:
            architecture = arg
        else:
            rest.append(arg)
    return rest, architecture


class Loop:
    """A plain `nvcc -c` of each file after the other, for all architectures at once."""

    def __init__(self, nvcc, calls, scratch):
        files = defaultdict(list)
        for call in calls:
            rest, architecture = without_ours(call.args)
            files[call.folder, call.args[-1], tuple(rest)].append(architecture)
        self.commands = [
            ([nvcc, "-c", *sorted(set(archs)), *rest, "-o", str(scratch / f"{number}.o"), source], folder)
            for number, ((folder, source, rest), archs) in enumerate(sorted(files.items()))
        ]

    def run(self):
        inherited, took = environment(), 0
        for command, folder in self.commands:
            took += timed(command, cwd=folder, env=inherited)[0]
        return took
