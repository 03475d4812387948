#!/usr/bin/env python3
"""Counts the instructions of the scenes of `benches/instructions.rs` and compares them with `benches/instructions.txt`.

    python3 tools/instructions.py            fails where a scene takes 10 % more than the file says
    python3 tools/instructions.py --bless    writes what is counted into the file

Run it from the repository root; it needs valgrind. Instructions do not depend on what else the machine does; the compiler, the C
library and the machine's kind change them a little. To see where they are spent:

    valgrind --tool=callgrind --toggle-collect='*counted_scene*' PROGRAM SCENE; callgrind_annotate callgrind.out.*
"""

import concurrent.futures
import json
import os
import re
import subprocess
import sys
from pathlib import Path

COMMITTED = Path("benches/instructions.txt")
LIMIT = 0.10
BLESS = "python3 tools/instructions.py --bless"
HEAD = f"# instructions of each scene of benches/instructions.rs; {BLESS} writes this\n"


def program():
    """The built bench."""
    build = ["cargo", "bench", "-p", "occlint", "--all-features", "--locked", "--bench", "instructions", "--no-run"]
    built = subprocess.run([*build, "--message-format=json"], stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit("error: the bench `instructions` does not build")
    messages = (json.loads(line) for line in built.stdout.splitlines() if line.startswith("{"))
    paths = [message["executable"] for message in messages if message.get("executable")]
    return paths[-1]


def count(bench, scene):
    """The instructions of one scene."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
               "--toggle-collect=*counted_scene*", bench, scene]
    # Nothing of the environment: it is on the stack, and its size moves what is above it.
    run = subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found or found[1] == "0":
        sys.exit(f"error: `{scene}` could not be counted:\n{run.stdout}{run.stderr}")
    return int(found[1])


def count_all():
    bench = program()
    scenes = subprocess.run([bench], capture_output=True, text=True, check=True).stdout.split()
    # Those that take longest first: what a scene needs is made at callgrind's pace too.
    longest = sorted(scenes, key=lambda scene: -int(scene.split("/")[1]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(lambda scene: count(bench, scene), longest))
    return dict(zip(longest, counts))


def key(scene):
    name, kernels = scene.split("/")
    return name, int(kernels)


def write(counts):
    lines = [f"{scene:<20} {counts[scene]:>14}\n" for scene in sorted(counts, key=key)]
    COMMITTED.write_text(HEAD + "".join(lines))


def committed():
    if not COMMITTED.exists():
        sys.exit(f"error: `{COMMITTED}` is missing; `{BLESS}` writes it")
    lines = (line.split() for line in COMMITTED.read_text().splitlines() if not line.startswith("#"))
    return {scene: int(instructions) for scene, instructions in lines}


def compare(before, now):
    """The failures, and the notes."""
    failures, notes = [], []
    for scene in sorted(before.keys() | now.keys(), key=key):
        if scene not in before:
            failures.append(f"`{scene}` takes {now[scene]:,} instructions and is not in `{COMMITTED}`")
        elif scene not in now:
            failures.append(f"`{scene}` of `{COMMITTED}` is no scene of `benches/instructions.rs`")
        else:
            change = now[scene] / before[scene] - 1
            said = f"`{scene}` takes {now[scene]:,} instructions, before {before[scene]:,}: {100 * change:+.1f} %"
            print(f"{scene:<20} {now[scene]:>14,} {100 * change:>+8.1f} %")
            if change > LIMIT:
                failures.append(f"{said}, allowed are +{100 * LIMIT:.0f} %")
            elif change < -LIMIT:
                notes.append(said)
    return failures, notes


def main(arguments):
    if arguments not in ([], ["--bless"]):
        sys.exit(__doc__)
    counts = count_all()
    if arguments:
        write(counts)
        print(f"{len(counts)} scenes written to `{COMMITTED}`")
        return
    failures, notes = compare(committed(), counts)
    for note in notes:
        print(f"note: {note}; `{BLESS}` keeps it")
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    if failures:
        sys.exit(f"error: find what became slower and mend it; where it must be so, `{BLESS}` and say why in the commit")


if __name__ == "__main__":
    main(sys.argv[1:])
