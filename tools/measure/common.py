"""The program that is measured, and statistics of pairs."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

TARGET = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
GALLERY = Path("examples/gallery/Cargo.toml")


def program():
    """The release build, or what `OCCLINT_PROGRAM` names."""
    path = Path(os.environ.get("OCCLINT_PROGRAM", TARGET / "release/cargo-occlint")).absolute()
    if not path.is_file():
        sys.exit(f"`{path}` is missing: cargo build --release -p cargo-occlint, or name it by OCCLINT_PROGRAM")
    return path


def occlint(*options):
    """In the crate's folder, as users call it."""
    return [program(), "occlint", "--color", "never", *options]


def timed(command, allowed=(0,), **options):
    """Seconds of a command by the wall clock, and what it printed on standard error. It must end as is allowed."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **options}
    begun = time.perf_counter()
    run = subprocess.run(command, **options)
    took = time.perf_counter() - begun
    said = (run.stderr or b"").decode(errors="replace")
    if run.returncode not in allowed:
        sys.exit(f"`{' '.join(map(str, command))}` ended with {run.returncode}:\n{said}")
    return took, said


def interleaved(pairs, *sides):
    """What each side returns, pair by pair; who begins changes from pair to pair."""
    found = [[] for _ in sides]
    for pair in range(pairs):
        order = range(len(sides)) if pair % 2 == 0 else reversed(range(len(sides)))
        for side in order:
            found[side].append(sides[side]())
    return found


class Table:
    """Lines of median and quartiles."""

    def __init__(self, title):
        self.title, self.lines = title, []

    def add(self, name, values, form="{:.3f}", target=""):
        low, middle, high = quartiles(values)
        self.lines.append((name, form.format(middle), f"{form.format(low)} – {form.format(high)}", str(len(values)), target))
        # What is known is shown: the rest takes minutes.
        print(f"  {name}: {form.format(middle)}", file=sys.stderr, flush=True)

    def print(self):
        head = ("", "median", "quartiles", "pairs", "target")
        widths = [max(len(line[column]) for line in [head, *self.lines]) for column in range(len(head))]
        load = " ".join(f"{value:.1f}" for value in os.getloadavg())
        print(f"\n{self.title}\nload of the machine (1, 5, 15 minutes): {load}; {os.cpu_count()} cores\n")
        for line in [head, *self.lines]:
            print("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip())


def quartiles(values):
    if len(values) == 1:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high
