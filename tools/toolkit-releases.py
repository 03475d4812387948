#!/usr/bin/env python3
"""Writes src/toolkit/releases/table.rs: the wheels of each CUDA release, with exact versions and hashes.

Run it from the repository root with a pip of version 23 or newer:

    python3 tools/toolkit-releases.py > src/toolkit/releases/table.rs

The versions of a release are those that the `cuda-toolkit` package of that release requires; the hashes are those that
pip's own report gives for the newest wheels of those versions. pip's settings (index, proxy) apply. To add a release,
add its line to RELEASES.
"""

import json
import platform
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

# Release as users name it, and the last `cuda-toolkit` package of it.
RELEASES = {
    "13.0": "13.0.3.0",
    "13.1": "13.1.2.0",
    "13.2": "13.2.2",
    "13.3": "13.3.1",
    "13.4": "13.4.3",
    "13.5": "13.5.0",
}

# What every pinned toolkit has, and the release that gives it where the release itself has none.
BASE = [
    "nvidia-cuda-nvcc",
    "nvidia-nvvm",
    "nvidia-cuda-crt",
    "nvidia-cuda-runtime",
    "nvidia-cuda-cccl",
    "nvidia-cuda-nvdisasm",
    "nvidia-cuda-cuobjdump",
]
STAND_IN = "13.2"

# What `cuda-extra` can add.
EXTRA = [
    "nvidia-cublas",
    "nvidia-cuda-culibos",
    "nvidia-cuda-cupti",
    "nvidia-cuda-nvrtc",
    "nvidia-cuda-profiler-api",
    "nvidia-cufft",
    "nvidia-cufile",
    "nvidia-curand",
    "nvidia-cusolver",
    "nvidia-cusparse",
    "nvidia-npp",
    "nvidia-nvfatbin",
    "nvidia-nvjitlink",
    "nvidia-nvjpeg",
    "nvidia-nvml-dev",
    "nvidia-nvptxcompiler",
    "nvidia-nvtx",
]

MACHINES = ["x86_64", "aarch64"]
GLIBC = ["2014", *(f"_2_{minor}" for minor in range(17, 40))]


def pip(*args):
    subprocess.run([sys.executable, "-m", "pip", *args], check=True, stdout=sys.stderr)


def required(toolkit):
    """The exact versions that this `cuda-toolkit` package asks for, by package."""
    with tempfile.TemporaryDirectory() as folder:
        pip("download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder, f"cuda-toolkit=={toolkit}")
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
            metadata = archive.read(name).decode()
    # `nvidia-x==1.2.3.*` or, for nvjitlink, `nvidia-x<14,>=1.2.3`.
    pattern = r"^Requires-Dist: (nvidia-[a-z0-9-]+)(?:==|<\d+,>=)([0-9.]+?)(?:\.\*)?;"
    return dict(re.findall(pattern, metadata, re.M))


def files(versions, machine):
    """Exact version and hash of each wheel on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        tags = [arg for glibc in GLIBC for arg in ("--platform", f"manylinux{glibc}_{machine}")]
        pip("install", "-q", "--dry-run", "--report", str(report), "--no-deps", "--only-binary", ":all:",
            *tags, "--platform", "any", "--target", str(Path(folder) / "target"),
            *(f"{name}=={version}.*" for name, version in versions.items()))
        items = json.loads(report.read_text())["install"]
    return {
        re.sub(r"[-_.]+", "-", i["metadata"]["name"]).lower():
            (i["metadata"]["version"], i["download_info"]["archive_info"]["hashes"]["sha256"])
        for i in items
    }


def rows(group, names, by_machine):
    print(f"        {group}: &[")
    for name in names:
        found = [by_machine[machine].get(name) for machine in MACHINES]
        if None in found:
            print(f"{name}: not for every machine, left out", file=sys.stderr)
            continue
        (version, x86_64), (other, aarch64) = found
        assert version == other, (name, version, other)
        print(f'            Wheel {{ name: "{name}", version: "{version}",')
        print(f'                x86_64: "{x86_64}",')
        print(f'                aarch64: "{aarch64}" }},')
    print("        ],")


def main():
    wanted = {release: required(toolkit) for release, toolkit in RELEASES.items()}
    print("//! Wheels and their SHA-256 hashes. Written by `tools/toolkit-releases.py`: change that, not this.")
    print()
    print("use super::{Release, Wheel};")
    print()
    print("/// All releases, ascending.")
    print("#[rustfmt::skip]")
    print("pub static RELEASES: &[Release] = &[")
    for release, versions in wanted.items():
        print(f"{release}: asking pip", file=sys.stderr)
        picked = {n: versions.get(n) or wanted[STAND_IN][n] for n in BASE}
        picked |= {n: versions[n] for n in EXTRA if n in versions}
        by_machine = {machine: files(picked, machine) for machine in MACHINES}
        assert all(name in by_machine[m] for name in BASE for m in MACHINES)
        print(f'    Release {{ name: "{release}",')
        rows("base", BASE, by_machine)
        rows("extra", [n for n in EXTRA if n in picked], by_machine)
        print("    },")
    print("];")


if __name__ == "__main__":
    if platform.system() not in ("Linux", "Darwin"):
        sys.exit("run this on Linux or macOS")
    main()
