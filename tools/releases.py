#!/usr/bin/env python3
"""Prints src/toolkit/releases.rs: for each release of the CUDA toolkit the wheels, their versions and hashes.

The versions that belong together come from the metadata of the meta package `cuda-toolkit`; the hashes from pip's own
report. Run it when a release is added:  python3 tools/releases.py > src/toolkit/releases.rs && cargo fmt
"""
import json, re, subprocess, sys, tempfile, zipfile
from pathlib import Path

# Our name of a release and the newest meta package of it.
RELEASES = {"13.0": "13.0.3.0", "13.1": "13.1.2.0", "13.2": "13.2.2", "13.3": "13.3.1", "13.4": "13.4.3", "13.5": "13.5.0"}
BASE = ["nvidia-cuda-nvcc", "nvidia-nvvm", "nvidia-cuda-crt", "nvidia-cuda-runtime", "nvidia-cuda-cccl",
        "nvidia-cuda-nvdisasm", "nvidia-cuda-cuobjdump"]
EXTRA = {"cublas": "nvidia-cublas", "cufft": "nvidia-cufft", "cufile": "nvidia-cufile", "cupti": "nvidia-cuda-cupti",
         "curand": "nvidia-curand", "cusolver": "nvidia-cusolver", "cusparse": "nvidia-cusparse", "npp": "nvidia-npp",
         "nvjitlink": "nvidia-nvjitlink", "nvjpeg": "nvidia-nvjpeg", "nvrtc": "nvidia-cuda-nvrtc", "nvtx": "nvidia-nvtx",
         "profiler-api": "nvidia-cuda-profiler-api"}
# 13.0 and 13.1 have no disassemblers of their own: they take those of 13.2.
DISASSEMBLERS = {"nvidia-cuda-nvdisasm": "13.2.86", "nvidia-cuda-cuobjdump": "13.2.86"}
PLATFORMS = {"x86_64": "x86_64", "aarch64": "aarch64"}
GLIBC = ["2_17", "2_24", "2_25", "2_26", "2_27", "2_28", "2_31", "2_34", "2_35", "2_39"]


def pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", *arguments], check=True, stdout=subprocess.DEVNULL, stderr=sys.stderr)


def versions(meta):
    with tempfile.TemporaryDirectory() as folder:
        pip("download", "-q", "--no-deps", "-d", folder, f"cuda-toolkit=={meta}")
        wheel = zipfile.ZipFile(next(Path(folder).glob("*.whl")))
        text = wheel.read(next(n for n in wheel.namelist() if n.endswith("METADATA"))).decode()
    found = re.findall(r"^Requires-Dist: ([a-z0-9-]+)==([0-9.]+)\.\*", text, re.M)
    return dict(found)


def hashes(wanted, machine):
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        platforms = [f"--platform=manylinux_{glibc}_{machine}" for glibc in GLIBC]
        platforms.append(f"--platform=manylinux2014_{machine}")
        pip("install", "-q", "--dry-run", "--ignore-installed", "--no-deps", "--only-binary", ":all:", "--target", folder,
            "--report", str(report), *platforms, *[f"{name}=={version}.*" for name, version in wanted.items()])
        rows = json.loads(report.read_text())["install"]
    return {row["metadata"]["name"]: (row["metadata"]["version"], row["download_info"]["archive_info"]["hashes"]["sha256"])
            for row in rows}


def wheel(name, by_machine):
    version = by_machine["x86_64"][name][0]
    assert by_machine["aarch64"].get(name, (version,))[0] == version, name
    digest = lambda machine: by_machine[machine].get(name, (None, ""))[1]
    return (f'Wheel {{ name: "{name}", version: "{version}",\n x86_64: "{digest("x86_64")}",\n'
            f' aarch64: "{digest("aarch64")}" }},')


def main():
    print('''//! The table of releases that can be pinned: exact wheels with their hashes. Made by `tools/releases.py`.

/// One release of the CUDA toolkit as wheels.
#[derive(Debug)]
pub struct Release {
    /// `13.0`.
    pub name: &'static str,
    /// What every pinned toolkit has.
    pub wheels: &'static [Wheel],
    /// `cuda-extra` names and their wheels.
    pub extras: &'static [(&'static str, Wheel)],
}

/// A wheel with its exact version and the SHA-256 of its file for each platform (Linux).
#[derive(Debug)]
pub struct Wheel {
    /// The package's name.
    pub name: &'static str,
    /// The exact version.
    pub version: &'static str,
    /// SHA-256 of the x86-64 file, hexadecimal.
    pub x86_64: &'static str,
    /// SHA-256 of the 64-bit Arm file, hexadecimal; empty where there is none.
    pub aarch64: &'static str,
}

/// All releases, ascending.
pub static RELEASES: &[Release] = &[''')
    for release, meta in RELEASES.items():
        known = {**DISASSEMBLERS, **versions(meta)}
        extras = {key: name for key, name in EXTRA.items() if name in known}
        by_machine = {}
        for machine in PLATFORMS:
            by_machine[machine] = hashes({name: known[name] for name in [*BASE, *extras.values()]}, machine)
        print(f'Release {{ name: "{release}", wheels: &[')
        for name in BASE:
            print(wheel(name, by_machine))
        print('], extras: &[')
        for key, name in sorted(extras.items()):
            print(f'("{key}", {wheel(name, by_machine).rstrip(",")}),')
        print(']},')
    print('];')


main()
