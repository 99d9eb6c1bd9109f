"""Whether a folder holds what an index would take: one sdist, and a wheel in pure Python of every distribution.

Each wheel has all that it needs, core alone answers and says what to install for the rest; the lines of each are
printed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

from roofcast.catalog import packaging

ROOT = Path(__file__).resolve().parents[1]
CORE = "roofcast"
NEEDED = {
    CORE: (
        "roofcast/glossary.md", "roofcast/py.typed", "roofcast/web/assets/app.js",
        *(f"roofcast/catalog/{name}" for name in packaging.GENERATED),
    ),
    "roofcast_hull": ("roofcast_hull/part.py", "roofcast_hull/py.typed", "roofcast_hull/intervals.json"),
    "roofcast_measure": (
        "roofcast_measure/part.py", "roofcast_measure/py.typed", "roofcast_measure/suite/saxpy.cu",
        "roofcast_measure/ceilings/portable.cuh", "roofcast_measure/ceilings/cpu.c", "roofcast_measure/shim.h",
        "roofcast_measure/hip_bridge.cpp", "roofcast_measure/gpp_published.toml",
    ),
    "roofcast_evaluate": (
        "roofcast_evaluate/part.py", "roofcast_evaluate/py.typed", "roofcast_evaluate/datasets.toml",
        "roofcast_evaluate/source_programs.cu",
    ),
}  # fmt: skip
"""Wheel -> files that a build has forgotten at some time, or might."""
SHORT = ("Requires-Python: >=3.11", "License-Expression: Apache-2.0", "Description-Content-Type: text/markdown")
OURS = (*NEEDED, "_editable_impl_roofcast", "_roofcast")
SOURCE = "__global__ void axpy(float a, float *x) { x[threadIdx.x] *= a; }\n"
ALONE: dict[tuple[str, ...], tuple[int, str]] = {
    ("forecast", str(ROOT / "examples" / "convolution.csv"), "--from", "RTX 2080 Ti", "--to", "B200"): (0, ""),
    ("--help",): (0, ""),
    ("hull", "--classes"): (2, "hull"), ("measure", "suite"): (2, "measure"), ("papers",): (2, "evaluate"),
    ("evaluate", "--list"): (2, "evaluate"), ("forecast", "axpy.cu", "--to", "B200"): (2, "hull"),
}  # fmt: skip
"""Command of core alone -> its exit code, and the extra that its one line names."""


def find_faults(folder: Path) -> list[str]:
    """What is wrong, in one line each."""
    wheels = {p.name.partition("-")[0]: p for p in sorted(folder.glob("*.whl"))}
    sources = sorted(folder.glob("*.tar.gz"))
    if wheels.keys() != NEEDED.keys() or len(sources) != 1:
        return [f"{folder} holds wheels of {', '.join(wheels)} and {len(sources)} sdists"]
    faults = [fault for name, path in wheels.items() for fault in check_wheel(name, path)]
    with tarfile.open(sources[0]) as source:
        member = source.extractfile(next(m for m in source.getmembers() if m.name.endswith("/PKG-INFO")))
        info = member.read().decode() if member else ""
    faults += [f"the sdist does not say {line!r}" for line in SHORT if line not in info]
    return faults + try_core_alone(wheels[CORE])


def check_wheel(name: str, path: Path) -> list[str]:
    """What one wheel lacks; prints how much it holds."""
    with zipfile.ZipFile(path) as wheel:
        files = wheel.namelist()
        metadata = wheel.read(next(n for n in files if n.endswith(".dist-info/METADATA"))).decode()
        lines = sum(wheel.read(n).count(b"\n") for n in files if n.endswith(".py"))
    print(f"{path.name}: {lines} lines of Python, {path.stat().st_size / 1e6:.2f} MB")
    faults = [] if path.name.endswith("-py3-none-any.whl") else [f"{path.name} is not pure Python"]
    faults += [f"{name} lacks {file}" for file in NEEDED[name] if file not in files]
    faults += [f"{name} has {n}, which is another's" for n in files if n.split("/")[0] in NEEDED.keys() - {name}]
    return faults + [f"{name} does not say {line!r}" for line in SHORT if line not in metadata]


def try_core_alone(wheel: Path) -> list[str]:
    """Run core where nothing else of this repository is installed, with the dependencies of this environment."""
    faults = []
    with tempfile.TemporaryDirectory() as place:
        core, others = Path(place) / "core", Path(place) / "others"
        others.mkdir()
        with zipfile.ZipFile(wheel) as file:
            file.extractall(core)
        for entry in Path(sysconfig.get_path("purelib")).iterdir():
            if not entry.name.startswith(OURS) and entry.suffix != ".pth":
                (others / entry.name).symlink_to(entry)
        (Path(place) / "axpy.cu").write_text(SOURCE, encoding="ascii")
        start = f"import sys; sys.path[:0] = [{str(core)!r}, {str(others)!r}]; from roofcast.__main__ import main; "
        for words, (code, extra) in ALONE.items():
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", f"{start}sys.exit(main({list(words)!r}))"], cwd=place,
                env=os.environ | {"ROOFCAST_CACHE": place}, capture_output=True, text=True, check=False,
            )  # fmt: skip
            said = done.stderr.splitlines()
            if done.returncode != code or (extra and (len(said) != 1 or f"'roofcast[{extra}]'" not in said[0])):
                faults.append(f"core alone: `roofcast {' '.join(words)}` ends with {done.returncode}: {done.stderr}")
    return faults


if __name__ == "__main__":
    found = find_faults(Path(sys.argv[1]))
    print("\n".join(found) or "a wheel in pure Python of each distribution, one sdist, nothing missing")
    sys.exit(bool(found))
