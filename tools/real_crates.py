#!/usr/bin/env python3
"""Captures published crates as they are, and keeps `docs/real-crates.md`. Nothing of it runs in CI.

    python3 tools/real_crates.py                          all crates of tools/real-crates.toml, then the table
    python3 tools/real_crates.py NAME[@VERSION] ...       these crates, then the table
    python3 tools/real_crates.py --table                  the table from earlier runs

Run it from the repository root, after `cargo build --release -p cargo-occlint`. cargo fetches the crates; each is copied
to `--folder` (default: `occlint-real-crates` in the folder for temporary files), where results stay too. Crates of the
`cmake` helper need `cmake` on PATH. Experiments are off: the subject is the capture.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tools/real-crates.toml"
TABLE = ROOT / "docs/real-crates.md"
PROGRAM = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/cargo-occlint"
CALLS = re.compile(r"^\s*Compiling \S+: (\d+) units? of (\d+) calls? of nvcc \((.*?)\) for (.*)$", re.M)

HEAD = """\
# Real crates

Published crates whose build scripts compile CUDA, unchanged, as `cargo occlint` sees them. The list is
`tools/real-crates.toml`; this table is made by `python3 tools/real_crates.py`, which CI does not run.

Each crate is copied out of cargo's registry into a folder of its own and checked with `--cuda {cuda} --experiments off`
and the arguments shown, without a GPU. *Mode*: `recorded` is a build whose calls were only written down, `from the
real build` one that needed what nvcc makes. *Calls* are those that compile CUDA. *Kernels* are counted per architecture;
in parentheses those that libraries bring. *Findings* are groups of one cause, then how many are denied and how many
warn; `exit 101` is a check that could not be done, or that found no kernel of the crate's own. Seconds are wall clock,
cold, on a machine with 2 cores that other builds kept busy: cargo's build of all dependencies and build scripts, then
our compiles.

"""


def key(crate):
    return f"{crate['name']}-{crate['version']}"


def fetch(crate, folder):
    """Copies the crate's source out of cargo's registry, as cargo unpacks it."""
    place = folder / key(crate)
    shutil.rmtree(place, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        manifest = Path(scratch) / "Cargo.toml"
        (Path(scratch) / "lib.rs").write_text("")
        manifest.write_text(
            "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n"
            f"[dependencies]\n{crate['name']} = \"={crate['version']}\"\n[workspace]\n"
        )
        asked = ["cargo", "metadata", "--format-version=1", "--manifest-path", manifest]
        answer = subprocess.run(asked, stdout=subprocess.PIPE, check=True).stdout
    packages = json.loads(answer)["packages"]
    found = [one for one in packages if (one["name"], one["version"]) == (crate["name"], crate["version"])]
    shutil.copytree(Path(found[0]["manifest_path"]).parent, place, symlinks=True)
    return place


def check(crate, cuda, folder, limit):
    """Runs `cargo occlint` on a fresh copy and keeps what it said."""
    place = fetch(crate, folder)
    command = [PROGRAM, "occlint", "--cuda", cuda, "--experiments", "off", "--message-format", "json"]
    command += crate.get("args", [])
    env = {name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"}
    env.update(crate.get("env", {}))
    start = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, cwd=place, env=env, stdout=out, stderr=err)
        late = False
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            late = True
            child.terminate()  # it ends its own compilers
            status = child.wait()
        seconds = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        lines = [json.loads(line) for line in out.read().decode().splitlines()]
        said = err.read().decode(errors="replace")
    (folder / f"{key(crate)}.log").write_text(said)
    summary = next((line for line in lines if line["reason"] == "summary"), {})
    result = {"status": status, "seconds": round(seconds), "late": late, "summary": summary, "said": said[-4000:]}
    if found := CALLS.search(said):
        result.update(units=int(found[1]), calls=int(found[2]), mode=found[3], archs=found[4])
    (folder / f"{key(crate)}.json").write_text(json.dumps(result, indent=1))
    shutil.rmtree(place / "target", ignore_errors=True)
    print(f"{key(crate):32} exit {status}, {round(seconds)} s, {result.get('calls', 0)} calls, "
          f"{summary.get('kernels', 0)} kernels", flush=True)


def row(crate, folder):
    kept = folder / f"{key(crate)}.json"
    args = " ".join(crate.get("args", []))
    name = f"{crate['name']} {crate['version']}" + (f"<br>`{args}`" if args else "")
    if not kept.is_file():
        return [name, crate["helper"]] + ["not run"] + [""] * 6
    result = json.loads(kept.read_text())
    summary = result["summary"]
    kernels = f"{summary.get('kernels', 0)}"
    if summary.get("foreign_kernels"):
        kernels += f" ({summary['foreign_kernels']})"
    findings = f"{summary.get('groups', 0)}: {summary.get('denied', 0)}, {summary.get('warnings', 0)}"
    if result["late"]:
        kernels, findings = "–", "stopped, captured only"
    elif result["status"] not in (0, 100):
        findings = f"exit {result['status']}"
    return [name, crate["helper"], result.get("mode", "–"), str(result.get("calls", 0)),
            str(result.get("units", 0)), result.get("archs", "–"), kernels, findings, str(result["seconds"])]


def write_table(crates, cuda, folder):
    columns = ["crate", "helper", "mode", "calls", "units", "architectures", "kernels", "findings", "s"]
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row(crate, folder)) + " |" for crate in crates]
    notes = [f"- {crate['name']} {crate['version']}: {crate['why']}." for crate in crates if "why" in crate]
    TABLE.write_text(HEAD.format(cuda=cuda) + "\n".join(lines) + "\n\n" + "\n".join(notes) + "\n")


def main():
    parser = argparse.ArgumentParser(description="captures published crates as they are")
    parser.add_argument("crates", nargs="*", metavar="NAME[@VERSION]")
    parser.add_argument("--table", action="store_true", help="only write the table")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "occlint-real-crates")
    parser.add_argument("--limit", type=int, default=3600, metavar="SECONDS", help="for one crate")
    args = parser.parse_args()
    listed = tomllib.loads(LIST.read_text())
    crates, cuda = listed["crate"], listed["cuda"]
    meant = [c for c in crates if not args.crates or {c["name"], f"{c['name']}@{c['version']}"} & set(args.crates)]
    if not meant:
        sys.exit(f"none of these is in {LIST.relative_to(ROOT)}")
    args.folder.mkdir(parents=True, exist_ok=True)
    if not args.table:
        for crate in meant:
            check(crate, cuda, args.folder, args.limit)
    write_table(crates, cuda, args.folder)


if __name__ == "__main__":
    main()
