"""Writes docs/performance.md: ratios in one run, peers, growth, memory, and the distance from what is possible.

    python benchmarks/performance.py docs/performance.md

A part that fails is named on the page and at the end, and the others are there. Times are processor seconds, so that
other work on the machine does not count; each is the least of a few runs.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import peers  # noqa: E402 - beside this file
import test_csv_speed as csv_speed  # noqa: E402
from test_model_speed import COLUMNS, SOURCE, kernels  # noqa: E402
from ways import WAYS, a_grid, a_workload, least, model_seconds  # noqa: E402

from roofcast import read  # noqa: E402
from roofcast.analyses.sweeps.chunks import sweep  # noqa: E402
from roofcast.analyses.sweeps.sums import add_up  # noqa: E402
from roofcast.catalog import find, processors  # noqa: E402
from roofcast.core.resource import Resource  # noqa: E402

SIZES = (10**5, 10**6, 10**7, 10**8)


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Fitted power of the growth over the largest decade and a half: fixed costs hide it below."""
    top = [(math.log(n), math.log(s)) for n, s in zip(sizes, seconds, strict=True) if n >= max(sizes) / 40]
    x, y = np.array(top).T
    return float(np.polyfit(x, y, 1)[0])


def growth() -> dict[str, tuple[list[float], list[float]]]:
    """Sizes and processor seconds."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    gpus = [p for p in processors() if p.is_gpu and p.supply(Resource.BYTES_DRAM)]
    one = [find("H100 SXM5 80GB").processor]
    sizes = [300, 1000, 3000, 10_000, 30_000, 100_000]
    tables = {n: kernels(n) for n in sizes}
    found["kernels (one GPU)"] = (
        [float(n) for n in sizes],
        [model_seconds("mechanistic", tables[n], one) for n in sizes],
    )
    counts = [1, 4, 16, 64, 256, len(gpus)]
    found["GPUs (3,000 kernels)"] = (
        [float(n) for n in counts],
        [model_seconds("mechanistic", tables[3000], gpus[:n]) for n in counts],
    )
    with tempfile.TemporaryDirectory() as folder:
        lengths, seconds = [], []
        for n in (1000, 10_000, 100_000, 300_000):
            tables[n] = tables.get(n) or kernels(n)
            path = Path(folder) / f"{n}.csv"
            frame = pd.DataFrame({"kernel": [f"k{i}" for i in range(n)], "gpu": SOURCE} | {
                name: tables[n].column(name) for name in COLUMNS})  # fmt: skip
            frame.to_csv(path, index=False)
            lengths.append(float(path.stat().st_size))
            seconds.append(least(lambda p=path: read([str(p)]), 2))  # type: ignore[misc]  # bound now
        found["bytes of a CSV table"] = lengths, seconds
    points = [1000, 3000, 10_000, 30_000, 100_000]
    space = a_grid(points[-1])
    work = a_workload(16, space)
    add_up(work, space, space.levels_of(0, 64))
    found["processors of a sweep (16 kernels)"] = (
        [float(n) for n in points],
        [
            least(lambda n=n: add_up(work, space, space.levels_of(0, n)), 2)  # type: ignore[misc]  # bound now
            for n in points
        ],
    )
    return found


def memory() -> list[tuple[int, float, float]]:
    """(forecasts, peak MB, processor seconds) of sweeps in processes of their own."""
    found = []
    for size in SIZES:
        done = subprocess.run(
            [sys.executable, __file__, "--size", str(size)], capture_output=True, text=True, check=True
        )
        found.append(tuple(json.loads(done.stdout.splitlines()[-1])))
    return found


def one_sweep(size: int) -> None:
    """One sweep of about ``size`` forecasts; prints what it took."""
    space = replace(a_grid(100_000), sample=size // 100)
    work = a_workload(100, space)
    start = time.process_time()
    found = sweep(work, space)
    seconds = time.process_time() - start
    status = Path("/proc/self/status")
    # The kernel's own high-water mark: getrusage hands on the parent's.
    lines = status.read_text(encoding="utf-8").splitlines() if status.is_file() else []
    peak = next((float(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM")), float("nan"))
    sys.stdout.write(json.dumps([found.feasible * len(work), peak, seconds]) + "\n")


def draw(found: dict[str, tuple[list[float], list[float]]], path: Path) -> None:
    """Growth on logarithmic axes."""
    from roofcast.kit.output import empty_figure, write_figure_file

    def figure() -> Any:
        made = empty_figure(8.4, 3.6)
        axes = made.add_axes((0.09, 0.14, 0.5, 0.8))
        for label, (sizes, seconds) in found.items():
            axes.loglog(sizes, seconds, marker="o", markersize=3.5, linewidth=1.1,
                        label=f"{label}: {exponent(sizes, seconds):.2f}")  # fmt: skip
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda v, _: f"{v:g}" if v < 1e4 else f"1e{math.log10(v):.0f}")
        axes.set_xlabel("size")
        axes.set_ylabel("processor seconds")
        axes.grid(True, color="#e6e6e6", linewidth=0.6)
        made.legend(loc="center left", bbox_to_anchor=(0.6, 0.55), frameon=False, fontsize=7.5, title="fitted exponent")
        return made

    write_figure_file(path, figure)


def rounded(value: float) -> str:
    """Three digits, written out."""
    return f"{float(f'{value:.3g}'):,.0f}"


def ratios_part() -> list[str]:
    """Every way's forecasts per processor second, in one run."""
    rates = {name: way.per_s() for name, way in WAYS.items()}
    base = next(iter(rates.values()))
    return [
        "| way | forecasts per processor second | ratio | `python benchmarks/ways.py ...` |",
        "|---|---:|---:|---|",
        *(f"| {WAYS[name].label} | {rounded(rate)} | {rate / base:,.0f}x | `{name}` |" for name, rate in rates.items()),
        RATIO_NOTES,
    ]  # fmt: skip


def reading_part() -> list[str]:
    """Reading 100 MB of ncu CSV beside pandas."""
    lines = [
        "| 100 MB of ncu CSV | way | seconds, warm | processor seconds, warm | seconds, import and one read |",
        "|---|---|---:|---:|---:|",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for form in csv_speed.FORMS:
            path = Path(folder) / "profile.csv"
            csv_speed.make(form, path)
            warm, first = csv_speed.medians(form, path), csv_speed.first_reads(form, path)
            lines += [
                f"| {form} | {name} | {wall:.2f} | {cpu:.2f} | {first[name]:.2f} |"
                for name, (wall, cpu) in warm.items()
            ]
    return [*lines, READING_NOTES]


def growth_part(picture: Path) -> list[str]:
    """Fitted exponents and their picture."""
    found = growth()
    picture.parent.mkdir(parents=True, exist_ok=True)
    draw(found, picture)
    return [
        f"![cost over size](pictures/{picture.name})", "", "| size | from | to | fitted exponent |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {min(v[0]):,.0f} | {max(v[0]):,.0f} | {exponent(*v):.2f} |" for name, v in found.items()),
        "",
        "Fitted over the largest factor of 40: below it what is prepared once hides the growth. 1 is linear; below 1",
        "the fixed part still shows.",
    ]  # fmt: skip


def memory_part() -> list[str]:
    """Peak memory of sweeps of growing size."""
    flat = memory()
    return [
        "| forecasts | peak memory | processor seconds |", "|---:|---:|---:|",
        *(f"| {n:,} | {peak:,.0f} MB | {s:,.1f} |" for n, peak, s in flat),
        "", MEMORY_NOTES.format(hours=flat[-1][2] / flat[-1][0] * 1e12 / 3600),
    ]  # fmt: skip


def page(picture: Path) -> tuple[str, list[str]]:
    """The page as Markdown, and the parts that failed."""
    parts: dict[str, Callable[[], list[str]]] = {
        "Ratios in one run": ratios_part, "Peers": peers.lines, "Reading": reading_part,
        "Growth": lambda: growth_part(picture), "Memory": memory_part,
    }  # fmt: skip
    lines = [TITLE.format(machine=f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}")]
    failed = []
    for title, part in parts.items():
        start = time.monotonic()
        try:
            found = part()
        except Exception as error:  # noqa: BLE001 - one part must not cost the others
            traceback.print_exc()
            failed.append(f"{title}: {type(error).__name__}")
            found = [f"This part could not be measured ({type(error).__name__}): `make bench` says why."]
        sys.stderr.write(f"{title}: {time.monotonic() - start:.0f} s\n")
        lines += [f"## {title}", "", "\n".join(found).strip(), ""]
    return "\n".join(lines).rstrip() + "\n", failed


TITLE = """# Performance

Made by `make bench` (`python benchmarks/performance.py docs/performance.md`) on {machine}.
Figures are processor seconds of one run unless said otherwise; only ratios travel to other machines.
"""
RATIO_NOTES = """
Kernels x GPUs: 100 x 20 for the first two ways, 20,000 x 20 for the next six, 5,000 x 8 for the default model, 1,000
x 500 for the catalog, 1,000 x 20 to CSV and x 500 to Parquet; sweeps 64 x 16,384 (reduced) and 20,000 (streamed)
hypothetical GPUs around an H100. The first five ways compute two divisions and an occupancy per pair; the mechanistic
model weighs some thirty causes and gives an interval. Most of a file of 20,000 rows is the program's start: 100,000
kernels on one GPU are 42,500 rows per processor second in 259 MB."""
READING_NOTES = """
`pandas.read_csv` leaves numbers with thousands separators as strings; `pandas table` goes on to a row per launch and
a number per metric, as roofcast does, which also proves each number's grouping and reads every locale."""
MEMORY_NOTES = """\
At most half a million forecasts of a sweep are in memory at a time. Processor seconds include what is prepared once.
10^12 forecasts are some {hours:,.0f} core hours: [sweep](sweep.md) has the plan for a cluster."""


def main() -> None:
    """Write the page, or run one sweep for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--size", type=int)
    given = parser.parse_args()
    if given.size:
        one_sweep(given.size)
        return
    path = given.path or Path("docs/performance.md")
    text, failed = page(path.parent / "pictures" / "performance.png")
    path.write_text(text, encoding="utf-8")
    if failed:
        sys.exit(f"not measured: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
