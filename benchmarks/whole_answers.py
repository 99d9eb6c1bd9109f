"""What whole answers take: processor seconds, seconds and memory, beside the same of an older commit in the same run.

    python benchmarks/whole_answers.py          the table of docs/performance.md

The older commit's source is taken out of the repository. Each time is the least of a few runs of a process of its own.
"""

from __future__ import annotations

import cProfile
import json
import os
import pstats
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import test_ncu_rep_speed as ncu_rep  # noqa: E402 - beside this file
from test_model_speed import COLUMNS, SOURCE, kernels, profiled  # noqa: E402

from roofcast.catalog import find, processors  # noqa: E402
from roofcast.core.machines import Machines  # noqa: E402
from roofcast.core.results import Conditions  # noqa: E402
from roofcast.models.cell_blocks import on_threads  # noqa: E402
from roofcast.models.registry import load_model  # noqa: E402
from roofcast_evaluate.datasets import paths_of  # noqa: E402

OLDER = "81c9bcc"
"""The commit that bars are paired with. It knew no boards' power, no host's floor and no advice beside a forecast."""
RUNS = 5
THREE = "A100 SXM4 80GB,H100 SXM5 80GB,B200"
MANY, WIDE = 100_000, 20_000
"""Kernels of the command line's tables, for one GPU and for many."""

ANSWER = """
import json, sys, time
import numpy as np, roofcast
from roofcast.catalog import processors
path, model, runs, how = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])
table = roofcast.read(path)
stalls = np.flatnonzero(np.isfinite(table.column("warp_latency_cycles_per_inst")))
gpus = table.strings("gpu")[stalls].tolist()
several = sorted(set(gpus))
rows = stalls[[i for i, gpu in enumerate(gpus) if gpu == several[0]]]
chosen = table.select(np.resize(rows, 1000))
targets = [p for p in processors() if p.is_gpu][:500]
found = []
for _ in range(runs + 1):
    cpu, wall = time.process_time(), time.perf_counter()
    roofcast.forecast(chosen, to=targets, model=model, **how)
    found.append((time.process_time() - cpu, time.perf_counter() - wall))
print(json.dumps([min(f) for f in zip(*found[1:])]))
"""
"""A warm forecast of 1,000 kernels of one GPU with stall reasons (of 800, the first ones twice) on 500 GPUs."""


@dataclass(frozen=True)
class Taken:
    """What something took."""

    cpu_s: float
    wall_s: float
    peak_mb: float = float("nan")


def least(run: Callable[[], Taken], runs: int = 3) -> Taken:
    """The least of some runs, each figure by itself."""
    found = [run() for _ in range(runs)]
    return Taken(*(min(getattr(t, name) for t in found) for name in ("cpu_s", "wall_s", "peak_mb")))


STARTED = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
said = process.stderr.read()
_, status, used = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
taken = used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss * 1024 / 1e6
print(json.dumps([process.returncode, said[-200:].decode(errors="replace"), taken]))
"""
"""Run in a small process: what one of its size starts counts as large until it is another program."""


def command(*arguments: str, source: Path = ROOT / "src", python: str = sys.executable) -> Taken:
    """A process of Python with a source tree."""
    environment = os.environ | {"PYTHONPATH": str(source), "ROOFCAST_STORE": "/nonexistent"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-S", "-c", STARTED, python, *arguments], env=environment, capture_output=True, check=True
    )
    code, said, taken = json.loads(done.stdout)
    if code:
        raise RuntimeError(f"ended with {code}: {' '.join(arguments)[:200]}: {said}")
    return Taken(*taken)


def forecast_warm(source: Path, model: str, path: Path, **how: str) -> Taken:
    """A warm forecast of 1,000 measured kernels on 500 GPUs."""
    done = subprocess.run(
        [sys.executable, "-c", ANSWER, str(path), model, str(RUNS), json.dumps(how)],
        env=os.environ | {"PYTHONPATH": str(source)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return Taken(*json.loads(done.stdout))


@contextmanager
def source_of(commit: str) -> Iterator[Path | None]:
    """A commit's source; None where the repository does not have it."""
    packed = subprocess.run(
        ["git", "archive", commit, "src", "benchmarks", "tests"], cwd=ROOT, capture_output=True, check=False
    )
    if packed.returncode:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
            archive.extractall(folder, filter="data")
        yield Path(folder) / "src"


@contextmanager
def table_of(count: int) -> Iterator[tuple[Path, Path]]:
    """A CSV table of kernels, and a folder for what is written."""
    table = kernels(count)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.csv"
        columns = {"kernel": [f"k{i}" for i in range(count)], "gpu": SOURCE}
        pl.DataFrame(columns | {name: table.column(name) for name in COLUMNS}).write_csv(path)
        yield path, Path(folder)


def row(label: str, now: Taken, before: Taken | None, note: str = "") -> str:
    """One line of the table."""
    ratio = "" if before is None else f"{before.cpu_s / now.cpu_s:.1f}x / {before.wall_s / now.wall_s:.1f}x"
    peak = "" if np.isnan(now.peak_mb) else f"{now.peak_mb:,.0f} MB"
    return f"| {label} | {now.cpu_s:.2f} | {now.wall_s:.2f} | {peak} | {note} | {ratio} |"


def lines() -> list[str]:
    """The section of docs/performance.md."""
    found = [
        f"| answer | processor seconds | seconds | peak memory | rate | {OLDER} takes (processor / clock) |",
        "|---|---:|---:|---:|---:|---:|",
    ]  # fmt: skip
    with source_of(OLDER) as older:
        path = paths_of("hecbench_ncu")[0]
        for model in ("mechanistic", "hybrid"):
            now, before = (None if s is None else forecast_warm(s, model, path) for s in (ROOT / "src", older))
            assert now is not None
            label = "the default model" if model == "hybrid" else model
            rate = f"{0.5 / now.cpu_s:.1f} M/s and processor"
            found.append(row(f"`forecast()`, 1,000 kernels x 500 GPUs, {label}", now, before, rate))
            # The older commit knew no conditions: it computed one state of the caches, the profiler's.
            now = forecast_warm(ROOT / "src", model, path, conditions="profiled")
            found.append(row("the same, as profiled", now, before, f"{0.5 / now.cpu_s:.1f} M/s and processor"))
        report = five_kernels()
        ask = ("-m", "roofcast", "forecast", str(report), "--to", THREE)
        now, before = (None if s is None else least(lambda s=s: command(*ask, source=s)) for s in (ROOT / "src", older))  # type: ignore[misc]  # bound now
        assert now is not None
        bare = least(lambda: command("-c", "import numpy"))
        found.append(
            row("a report of five kernels on three GPUs", now, before, f"{now.cpu_s / bare.cpu_s:.1f} imports of NumPy")
        )
        with table_of(100) as (path, _):
            why = ("-m", "roofcast", "forecast", str(path), "--to", f"{THREE},L40S", "--explain")
            now = least(lambda: command(*why))
            before = None if older is None else least(lambda: command(*why, source=older))
            found.append(row("`--explain` of 100 kernels on four GPUs", now, before))
        found += rows_of_a_long_table(older)
    with table_of(WIDE) as (path, folder):
        targets = ",".join([p.key for p in processors() if p.is_gpu][:500])
        taken = command("-m", "roofcast", "forecast", str(path), "--to", targets, "-o", str(folder / "out.parquet"))
        rate = f"{WIDE * 500 / taken.cpu_s / 1e3:,.0f} k/s"
        found.append(row(f"{WIDE:,} kernels x 500 GPUs to Parquet", taken, None, rate))
    return [*found, "", *reports_read(), *where_time_goes()]


def rows_of_a_long_table(older: Path | None) -> Iterator[str]:
    """A table of many kernels to CSV, and to JSON with its ratio to CSV."""
    with table_of(MANY) as (path, folder):

        def written(form: str, source: Path) -> Taken:
            ask = ("-m", "roofcast", "forecast", str(path), "--to", "B200", "-o", str(folder / f"out.{form}"))
            return least(lambda: command(*ask, source=source), 2)

        as_csv, as_json = (written(form, ROOT / "src") for form in ("csv", "json"))
        for form, now, beside in (
            ("csv", as_csv, ""), ("json", as_json, f", {as_json.cpu_s / as_csv.cpu_s:.2f}x as long as CSV")
        ):  # fmt: skip
            before = None if older is None else written(form, older)
            note = f"{MANY / now.cpu_s:,.0f} rows/s{beside}"
            yield row(f"{MANY:,} rows, CSV to {form.upper()}", now, before, note)


def where_time_goes() -> list[str]:
    """What a call of the mechanistic model costs, and which shares of a large one its steps have."""
    few, many = (estimating(n, m) for n, m in ((1, 1), (1000, 500)))
    call = least(lambda: timed(few, None)).cpu_s
    profile = cProfile.Profile()
    profile.runcall(many, None)
    stats = pstats.Stats(profile).stats  # type: ignore[attr-defined]  # as its documentation has it
    total = max(cumulative for _, _, _, cumulative, _ in stats.values())
    share = {name: sum(v[3] for (_, _, of), v in stats.items() if of == name) / total for name in STEPS}
    told = ", ".join(f"{what} {share[name]:.0%}" for name, what in STEPS.items())
    return [
        "",
        f"A call of the mechanistic model takes {1e3 * call:.0f} ms for one cell; of 500,000 on one thread: {told}.",
    ]


STEPS = {
    "beside_dram": "the norms of the roofs", "scale_unexplained": "how the rest scales",
    "side_of": "what both sides offer", "roof_seconds": "seconds per resource", "spread": "intervals",
}  # fmt: skip
"""Function -> what it does."""


def estimating(n: int, m: int) -> Callable[[object], object]:
    """The mechanistic model's estimate of made kernels on GPUs of the catalog, on one thread."""
    table, targets = profiled(n), [p for p in processors() if p.is_gpu][:m]
    here = Machines.of([find("A100-SXM4-40GB").processor], np.zeros(n, np.intp))
    there = Machines.of(targets, np.arange(m, dtype=np.intp)[None, :])
    model = load_model("mechanistic")

    def run(_: object) -> object:
        with on_threads(1):
            return model.estimate(table, here, there, Conditions())

    run(None)
    return run


def five_kernels() -> Path:
    """A real report of five kernels where there is one, else the example's table."""
    named = [p for p in ncu_rep.REPORTS if "Baseline" in p.name]
    return named[0] if named else ROOT / "examples" / "convolution.csv"


def reports_read() -> list[str]:
    """All real reports, read by roofcast and by NVIDIA's own reader."""
    try:
        ours, official = (
            sum(least(lambda r=read, p=p: timed(r, p), 3).cpu_s for p in ncu_rep.REPORTS)  # type: ignore[misc]  # bound now
            for read in (ncu_rep.read_ours, ncu_rep.read_official)
        )
    except ImportError:
        return []
    size = sum(p.stat().st_size for p in ncu_rep.REPORTS) / 1e6
    return [
        f"{len(ncu_rep.REPORTS)} reports of Nsight Compute ({size:.0f} MB) take {ours / official:.2f} of the processor "
        "seconds of NVIDIA's `ncu_report`, which only hands", "out values.",
    ] if official else []  # fmt: skip


def timed(read: Callable[[Any], object], path: Any) -> Taken:
    """One run."""
    cpu, wall = time.process_time(), time.perf_counter()
    read(path)
    return Taken(time.process_time() - cpu, time.perf_counter() - wall)


if __name__ == "__main__":
    sys.stdout.write("\n".join(lines()) + "\n")
