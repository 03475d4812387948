"""Whole runs of the command beside the compiler's own calls, by the wall clock."""

import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure.calls import ByHand, Loop, find_nvcc, record
from measure.common import Table, interleaved, occlint, program, timed

OFF = ("--experiments", "off")
KINDS = ["start", "warm", "changed", "memory", "cold", "again", "default", "loop"]


class Crate:
    """A copy of a crate, and the target folder of its runs."""

    def __init__(self, given, scratch):
        given = Path(given)
        folder = given.parent if given.name == "Cargo.toml" else given
        self.folder, self.target = scratch / "crate", scratch / "target"
        shutil.copytree(folder, self.folder, ignore=shutil.ignore_patterns("target", ".git"), symlinks=True)
        self.manifest = self.folder / "Cargo.toml"

    def command(self, *options):
        return occlint("--target-dir", self.target, *options)

    def run(self, *options):
        return timed(self.command(*options), allowed=(0, 100), cwd=self.folder)

    def forget(self):
        """Removes what runs have left, but what a captured build needs: only the compilations are cold."""
        with contextlib.suppress(FileNotFoundError):
            for left in (self.target / "occlint").iterdir():
                if left.name != "capture":
                    shutil.rmtree(left) if left.is_dir() else left.unlink()

    def cold(self, *options):
        self.forget()
        return self.run(*options)[0]

    def again(self, *options):
        """All is compiled, and how long each takes is known from before: as after a new toolkit or new flags."""
        timed([program(), "occlint", "clean", "--target-dir", self.target], cwd=self.folder)
        return self.run(*options)[0]

    def metadata(self):
        return timed(["cargo", "metadata", "--no-deps", "--format-version=1"], cwd=self.folder)[0]

    def settle(self):
        """Digests are trusted once the files are older than two seconds: as for whoever runs it again."""
        time.sleep(2.5)
        self.run()
        self.run()


def runs(given, pairs, loops, only):
    with tempfile.TemporaryDirectory(prefix="occlint-measure-") as folder:
        scratch = Path(folder)
        crate = Crate(given, scratch)
        nvcc = find_nvcc(crate.manifest)
        crate.run()  # fetches the toolkit, and captures where there is a build script
        calls = record(crate.manifest, nvcc, ["--target-dir", scratch / "recorded"])
        sources = {call.source for call in calls}
        busy = sum(call.seconds for call in calls)
        table = Table(
            f"{given}: {len(calls)} calls of nvcc for {len(sources)} files, {busy:.1f} s of them one beside the other; {pairs} pairs"
        )
        hand = ByHand(nvcc, calls, scratch / "hand")
        chosen = only or KINDS
        if "start" in chosen:
            starts(table)
        if "warm" in chosen:
            warm(table, crate, pairs)
        if "changed" in chosen:
            changed(table, crate, nvcc, calls, (pairs, scratch))
        if "memory" in chosen:
            memory(table, crate)
        if "cold" in chosen:
            cold(table, crate.cold, hand, pairs, ("cold", OFF, "≤ 1.02"))
        if "again" in chosen:
            cold(table, crate.again, hand, pairs, ("all compiled anew", OFF, "≤ 1.02"))
        if "default" in chosen:
            cold(table, crate.cold, hand, pairs, ("cold, with experiments", (), ""))
        if "loop" in chosen:
            loop(table, crate, Loop(nvcc, calls, scratch), loops)
        table.print()


def cold(table, run, hand, pairs, row):
    name, options, target = row
    ours, theirs = interleaved(pairs, lambda: run(*options), hand.run)
    table.add(f"{name}, s", ours)
    table.add("  the same calls by hand, s", theirs)
    table.add("  ratio", [one / other for one, other in zip(ours, theirs)], target=target)


def loop(table, crate, plain, pairs):
    ours, theirs = interleaved(pairs, lambda: crate.cold(*OFF), plain.run)
    table.add("cold, s", ours)
    table.add("  a plain loop of `nvcc -c`, s", theirs)
    table.add("  ratio", [one / other for one, other in zip(ours, theirs)], target="< 0.6")


def warm(table, crate, pairs):
    crate.settle()
    ours, theirs = interleaved(pairs, lambda: crate.run()[0], crate.metadata)
    milliseconds(table, "warm", ours, ("cargo metadata --no-deps", theirs, "≤ 25, 200 units"))


def changed(table, crate, nvcc, calls, where):
    """One unit of middling length has a comment more each time."""
    pairs, scratch = where
    lengths = {}
    for call in calls:
        lengths[call.source] = lengths.get(call.source, 0) + call.seconds
    inside = [source for source in lengths if Path(source).resolve().is_relative_to(crate.folder.resolve())]
    if not inside:
        print("  the sources lie outside the crate: nothing is changed", file=sys.stderr)
        return
    source = sorted(inside, key=lambda source: (lengths[source], source))[len(inside) // 2]
    own = ByHand(nvcc, [call for call in calls if call.source == source], scratch / "changed")
    crate.run(*OFF)
    crate.settle()

    def change():
        with open(source, "a") as file:
            file.write("// changed\n")
        time.sleep(0.1)
        return crate.run(*OFF)[0]

    ours, theirs = interleaved(pairs, change, own.run)
    milliseconds(table, "one file changed", ours, (f"its {len(own.commands)} calls by hand", theirs, "≤ 50"))


def milliseconds(table, name, ours, other):
    what, theirs, target = other
    table.add(f"{name}, ms", [1000 * value for value in ours], "{:.1f}")
    table.add(f"  {what}, ms", [1000 * value for value in theirs], "{:.1f}")
    table.add("  difference, ms", [1000 * (one - two) for one, two in zip(ours, theirs)], "{:.1f}", target)


def starts(table):
    ours, theirs = interleaved(50, lambda: timed([program(), "--version"])[0], lambda: timed(["true"])[0])
    table.add("--version, ms", [1000 * value for value in ours], "{:.1f}", "< 10")
    table.add("  `true`, ms", [1000 * value for value in theirs], "{:.1f}")


def memory(table, crate):
    """The most of occlint itself: not of what it starts."""
    crate.forget()
    for name, options in [("cold", OFF), ("warm", OFF), ("warm, as JSON", (*OFF, "--message-format", "json"))]:
        table.add(f"peak memory, {name}, MiB", [peak(crate.command(*options), crate.folder)], "{:.1f}")


def peak(command, folder):
    """Megabytes resident at most, as the process itself says until it ends: the last word is at most 2 ms old."""
    child = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = 0
    while child.poll() is None:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
            most = max([most, *(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))])
        time.sleep(0.002)
    return most / 1024
