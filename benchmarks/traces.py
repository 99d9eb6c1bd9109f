"""Traces of runs: our whole answer beside what others take to load the same file, and how each grows with its size.

    python benchmarks/traces.py              prints the section of docs/performance.md
    python benchmarks/traces.py 1 10         with traces of 1 and 10 MB alone

Each way is a process of its own, from its start: processor seconds of the least of a few runs, and peak memory.
Holistic Trace Analysis (Meta's reader of PyTorch traces) is asked in an environment of its own (``ROOFCAST_PEERS``
names its Python, else ``.peers/bin/python``): ``pip install holistictraceanalysis``. AMD's TraceLens is in no registry.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "tests")]

from whole_answers import Taken, command, least  # noqa: E402 - beside this file

from long_traces import write  # noqa: E402

SIZES_MB = (0.1, 1.0, 10.0, 100.0)
"""Three decades."""
GPU = "B200"
SUFFIXES = {"kineto": "json", "nsys": "sqlite"}
LOAD = "import json, sys; json.load(open(sys.argv[1]))"
FRAME = "import json, sys, pandas as pd; pd.DataFrame(json.load(open(sys.argv[1]))['traceEvents'])"
ROWS = """
import sqlite3, sys, pandas as pd
connection = sqlite3.connect(sys.argv[1])
tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
frames = [pd.read_sql(f'SELECT * FROM "{name}"', connection) for name in tables]
"""
HTA = """
import sys, logging
logging.disable(logging.CRITICAL)
from hta.trace_analysis import TraceAnalysis
TraceAnalysis(trace_files={0: sys.argv[1]})
"""
Way = Callable[[Path], Taken]


def python_of_peers() -> str | None:
    """The Python that has Holistic Trace Analysis; None where there is none."""
    python = os.environ.get("ROOFCAST_PEERS") or str(FOLDER.parent / ".peers" / "bin" / "python")
    found = (
        Path(python).is_file()
        and not subprocess.run([python, "-c", "import hta"], capture_output=True, check=False).returncode
    )
    return python if found else None


def version_of_peer() -> str | None:
    """The version of Holistic Trace Analysis that is there."""
    if (python := python_of_peers()) is None:
        return None
    asked = [python, "-c", "import importlib.metadata as m; print(m.version('HolisticTraceAnalysis'))"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def ways_of(form: str) -> dict[str, Way]:
    """Name -> way."""

    def run(code: str) -> Way:
        return lambda path: command("-c", code, str(path))

    found: dict[str, Way] = {
        f"`roofcast app` (the run on a {GPU})": lambda path: command("-m", "roofcast", "app", str(path), "--to", GPU),
        "`roofcast.read_timelines`": run("import sys, roofcast; roofcast.read_timelines(sys.argv[1])"),
    }
    if form == "nsys":
        return found | {"`pandas.read_sql` of every table": run(ROWS)}
    found |= {"`json.load`": run(LOAD), "`json.load`, `pandas.DataFrame`": run(FRAME)}
    if python := python_of_peers():
        found["Holistic Trace Analysis"] = lambda path: command("-c", HTA, str(path), python=python)
    return found


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Power of the growth between the two largest sizes; below, the start of a process hides it."""
    (a, b), (x, y) = (np.log(v[-2:]) for v in (sizes, seconds))
    return float((y - x) / (b - a))


def took(name: str, run: Callable[[], Taken], runs: int) -> Taken:
    """What a way took; NaN where another program cannot read the file."""
    try:
        return least(run, runs)
    except RuntimeError as error:
        if "roofcast" in name:
            raise
        sys.stderr.write(f"{name}: {error}\n")
        return Taken(float("nan"), float("nan"))


def rows_of(form: str, sizes_mb: Sequence[float], folder: Path) -> list[str]:
    """The rows of a kind of trace, behind a head with the sizes that its files have."""
    path, taken, sizes, kernels = folder / f"run.{SUFFIXES[form]}", dict[str, list[Taken]](), list[float](), 0
    for size in sizes_mb:
        path.unlink(missing_ok=True)
        kernels = write(form, round(size * 1e6), path)
        sizes.append(path.stat().st_size / 1e6)
        for name, way in ways_of(form).items():
            taken.setdefault(name, []).append(took(name, partial(way, path), 3 if size < 10 else 2))
    head = " | ".join(f"{size:,.3g} MB" for size in sizes)
    found = [
        f"| {form}, {kernels:,} kernels in the largest | {head} | exponent |",
        f"|---|{'---:|' * (len(sizes) + 1)}",
    ]
    for name, costs in taken.items():
        cells = [f"{t.cpu_s:.2f} ({t.peak_mb:,.0f})" if t.cpu_s > 0 else "fails" for t in costs]
        grown = f"{exponent(sizes, [t.cpu_s for t in costs]):.2f}" if len(costs) > 1 else ""
        found.append(f"| {name} | {' | '.join(cells)} | {grown} |")
    return [*found, ""]


def lines(sizes_mb: Sequence[float] = SIZES_MB) -> list[str]:
    """The section of docs/performance.md."""
    with tempfile.TemporaryDirectory() as folder:
        found = [line for form in SUFFIXES for line in rows_of(form, sizes_mb, Path(folder))]
    missing = "" if python_of_peers() else " Holistic Trace Analysis was not installed."
    return [*found, NOTES + missing]


NOTES = """\
Processor seconds of a process from its start (in brackets peak MB). The exponent is the growth between the two largest
sizes of a row; 1 is linear. `app` reads, forecasts and plays the run again; all others only load the file."""


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines([float(v) for v in sys.argv[1:]] or SIZES_MB)) + "\n")
