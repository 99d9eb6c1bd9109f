"""Writes docs/performance.md: whole answers, ratios in one run, peers, reading, growth and memory.

    python benchmarks/performance.py docs/performance.md
    python benchmarks/performance.py docs/performance.md --part Memory --part Growth      these alone, in place

A part that fails is named on the page and at the end, and the others are there. Times are processor seconds, so that
other work on the machine does not count; each is the least of a few runs.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

import peers  # noqa: E402 - beside this file
import test_csv_speed as csv_speed  # noqa: E402
import traces  # noqa: E402
import whole_answers  # noqa: E402
from test_model_speed import COLUMNS, SOURCE, kernels  # noqa: E402
from ways import WAYS, a_grid, a_workload, least, model_seconds  # noqa: E402

from roofcast import read  # noqa: E402
from roofcast.catalog import find, processors  # noqa: E402
from roofcast.core.resource import Resource  # noqa: E402
from roofcast.sweeps.chunks import sweep  # noqa: E402
from roofcast.sweeps.sums import add_up  # noqa: E402

SIZES = (10**5, 10**6, 10**7, 10**8)


LARGEST = 40.0
"""The factor of sizes at the top of which growth is fitted: fixed costs hide it below."""


def exponent(sizes: Sequence[float], seconds: Sequence[float], factor: float = LARGEST) -> float:
    """Fitted power of the growth over the largest factor of sizes."""
    top = [(math.log(n), math.log(s)) for n, s in zip(sizes, seconds, strict=True) if n >= max(sizes) / factor]
    x, y = np.array(top).T
    return float(np.polyfit(x, y, 1)[0])


def growth() -> dict[str, tuple[list[float], list[float]]]:
    """Sizes and processor seconds."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    gpus = [p for p in processors() if p.is_gpu and p.supply(Resource.BYTES_DRAM)]
    one = [find("H100 SXM5 80GB").processor]
    sizes = [100, 300, 1000, 3000, 10_000, 30_000, 100_000]
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
        for n in (300, 1000, 10_000, 100_000, 300_000):
            tables[n] = tables.get(n) or kernels(n)
            path = Path(folder) / f"{n}.csv"
            frame = pd.DataFrame({"kernel": [f"k{i}" for i in range(n)], "gpu": SOURCE} | {
                name: tables[n].column(name) for name in COLUMNS})  # fmt: skip
            frame.to_csv(path, index=False)
            lengths.append(float(path.stat().st_size))
            seconds.append(least(lambda p=path: read([str(p)]), 2))  # type: ignore[misc]  # bound now
        found["bytes of a CSV table"] = lengths, seconds
    points = [100, 300, 1000, 3000, 10_000, 30_000, 100_000]
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
        "| way | what | forecasts per processor second | ratio |", "|---|---|---:|---:|",
        *(f"| `{n}` | {WAYS[n].label} | {rounded(rate)} | {ratio_text(rate / base)} |" for n, rate in rates.items()),
        RATIO_NOTES,
    ]  # fmt: skip


def ratio_text(ratio: float) -> str:
    """A ratio in two digits or whole numbers."""
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def reading_part() -> list[str]:
    """Reading 100 MB of ncu CSV beside pandas."""
    ways = csv_speed.READ_BY
    lines = [f"| 100 MB of ncu CSV | {' | '.join(f'`{w}`' for w in ways)} |", f"|---|{'---:|' * len(ways)}"]
    with tempfile.TemporaryDirectory() as folder:
        for form in csv_speed.FORMS:
            path = Path(folder) / "profile.csv"
            csv_speed.make(form, path)
            warm, first = csv_speed.medians(form, path), csv_speed.first_reads(form, path)
            lines.append(f"| {form} | {' | '.join(f'{warm[w][1]:.2f} ({first[w]:.2f})' for w in ways)} |")
    return [*lines, READING_NOTES]


def growth_part(picture: Path) -> list[str]:
    """Fitted exponents and their picture."""
    found = growth()
    picture.parent.mkdir(parents=True, exist_ok=True)
    draw(found, picture)
    return [
        f"![cost over size](pictures/{picture.name})", "", "| size | from | to | exponent | over all sizes |",
        "|---|---:|---:|---:|---:|",
        *(
            f"| {name} | {min(v[0]):,.0f} | {max(v[0]):,.0f} | {exponent(*v):.2f} | {exponent(*v, np.inf):.2f} |"
            for name, v in found.items()
        ),
        "",
        f"Fitted over the largest factor of {LARGEST:.0f}: below it what is prepared once hides growth. 1 is linear.",
    ]  # fmt: skip


def memory_part() -> list[str]:
    """Peak memory of sweeps of growing size."""
    flat = memory()
    return [
        "| forecasts | peak memory | processor seconds |", "|---:|---:|---:|",
        *(f"| {n:,} | {peak:,.0f} MB | {s:,.1f} |" for n, peak, s in flat),
        "", MEMORY_NOTES.format(hours=flat[-1][2] / flat[-1][0] * 1e12 / 3600), *dask_lines(),
    ]  # fmt: skip


def dask_lines() -> list[str]:
    """What Dask's workers do, where Dask is installed."""
    if not is_installed("distributed"):
        return []
    done = subprocess.run([sys.executable, FOLDER / "dask_worker.py"], capture_output=True, text=True, check=True)
    shares = json.loads(done.stdout)
    return ["", DASK_NOTES.format(**shares | {"per_s": shares["per_s"] / 1e6})]


def page(picture: Path, before: str, wanted: Sequence[str]) -> tuple[str, list[str]]:
    """The page as Markdown, and the parts that failed. before : the page as it is. wanted : the parts to renew."""
    parts: dict[str, Callable[[], list[str]]] = {
        "Whole answers": answers_part, "Ratios in one run": ratios_part, "Peers": peers.lines, "Reading": reading_part,
        "Traces": traces.lines,
        "Growth": lambda: growth_part(picture), "Memory": memory_part,
    }  # fmt: skip
    head, *blocks = before.split("\n## ")
    kept = dict(block.split("\n", 1) for block in blocks)
    commit, load, lines, failed = commit_of(), os.getloadavg()[0], [], []
    for title, part in parts.items():
        lines += [f"## {title}", ""]
        if wanted and title not in wanted and title in kept:
            lines += [kept[title].strip(), ""]
            continue
        start = time.monotonic()
        try:
            found = part()
        except Exception as error:  # noqa: BLE001 - one part must not cost the others
            traceback.print_exc()
            failed.append(f"{title}: {type(error).__name__}")
            found = [f"This part could not be measured ({type(error).__name__}): `make bench` says why."]
        sys.stderr.write(f"{title}: {time.monotonic() - start:.0f} s\n")
        lines += ["\n".join(found).strip(), ""]
        if wanted:
            lines += [f"Renewed alone at {commit}, load average {os.getloadavg()[0]:.1f}.", ""]
    if not wanted:
        head = TITLE.format(
            machine=f"{platform.machine()}, Python {platform.python_version()}", packages=tell_packages(),
            commit=commit, cores=os.cpu_count(), before=load, after=os.getloadavg()[0], absent=tell_absent(),
        )  # fmt: skip
    return "\n".join([head.rstrip(), "", *lines]).rstrip() + "\n", failed


BASELINES = ("numpy", "pandas", "polars", "pyarrow", "ncu-report", "distributed")
"""Distributions that the page's figures stand beside, or rest on."""


def tell_packages() -> str:
    """The baselines that are here, with their versions."""
    here = [f"{name} {version(name)}" for name in BASELINES if is_installed(name)]
    trace_reader = traces.version_of_peer()
    return ", ".join([*here, *([f"HolisticTraceAnalysis {trace_reader}"] if trace_reader else [])])


def tell_absent() -> str:
    """What the page could have been laid beside, and why it was not."""
    missing = [f"{name} (not installed)" for name in BASELINES if not is_installed(name)]
    if traces.python_of_peers() is None:
        missing.append("HolisticTraceAnalysis (not installed)")
    return ", ".join(
        [*missing, "AMD's TraceLens (in no registry; the package of that name on PyPI is another project)"]
    )


TRACE_LENS = "AMD's TraceLens (in no registry; the package of that name on PyPI is another project)"


def is_installed(name: str) -> bool:
    """Return whether a distribution is here."""
    try:
        return bool(version(name))
    except PackageNotFoundError:
        return False


def commit_of() -> str:
    """The commit that was measured, and whether the source differs from it."""
    asked = ["git", "describe", "--always", "--abbrev=8", "--dirty", "--exclude=*"]
    done = subprocess.run(asked, cwd=FOLDER, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def answers_part() -> list[str]:
    """Whole answers, and where the time of one goes."""
    return [*whole_answers.lines(), ANSWER_NOTES]


TITLE = """# Performance

Made by `make bench` (`python benchmarks/performance.py docs/performance.md`) on {machine}, at commit {commit}.
Figures are processor seconds of one run unless said otherwise; only ratios travel to other machines. Load average
{before:.1f} as it began and {after:.1f} as it ended, on {cores} cores: other work takes clock time, and of the caches.
With {packages}. Absent: {absent}.
"""
ANSWER_NOTES = """
`forecast()` is warm and, unlike the older commit's, holds the run with flushed caches beside the warm one, and
the clocks that boards hold; up to 10^6 forecasts it takes one thread, as two take 15 % more processor time. The report
and the tables are processes from their start. What is left of the mechanistic
model are array operations: of a pair 143 ns in a block of 1,000 x 145, both runs and the interval included (and 3.6 ms
of calls for each block of GPUs of which the same is known):

| part | ns | of these powers, logarithms, roots |
|---|---:|---:|
| norms of roofs and rest, both runs | 42 | 18 |
| how the rest scales: latency, logarithms times shares | 28 | 8 |
| bounds by peaks | 8 | |
| bytes in flight (two kernels of five) | 7 | 5 |
| SMs, waves, residency | 8 | |
| interval | 7 | 2 |
| starts of blocks | 6 | 1 |
| what else the causes do, copies, looks for what is absent | 37 | |

A power takes 1.4 ns, a root 0.9, a logarithm or exponential 0.55, other passes 0.2 to 0.45: a quarter of the time is a
floor of the equations, the rest some 300 passes. A compiler's own powers are scalar (numba: 11 ns each). In a prototype
of the norms and of how the rest scales (both runs, eight resources) it vectorises powers and logarithms as polynomials
(512 bits, 2e-15 off): 12 ns a pair on rows that stay in the first cache, 33 with all of a pair in one loop, 40 in
NumPy. If all causes gained as much, 1,000 x 500 would take 80 ms: 50 are calls, for seven blocks of GPUs and twice for
cells that their boards slow.

What the blocks free stays with the process (at most 64 MB): given back to the system, each of their pages cost a
fault. The default model asks its trees on the GPUs that taught them, once per kernel."""
RATIO_NOTES = """
`python benchmarks/ways.py WAY`. 100 kernels x 20 GPUs for the first two, 20,000 x 20 for the next six, 5,000 x 8 for
`default`, 1,000 x 500 for `catalog`, 1,000 x 20 to CSV and x 500 to Parquet; sweeps of 64 kernels around an H100. The
first five compute two divisions and an occupancy per pair, the mechanistic model weighs some thirty causes and gives an
interval. Most of a file of 20,000 rows is the program's start."""
READING_NOTES = """
Processor seconds, warm (in brackets seconds of import and one read). `pandas.read_csv` leaves numbers with thousands
separators as strings, and so do Polars and PyArrow, which use several threads and leave odd rows out; `pandas table`
goes on to a row per launch, as roofcast does, which also proves each grouping."""
MEMORY_NOTES = """\
Sweeps of 100 kernels in one process, on one thread; processor seconds include what is prepared once. The command line
starts a process per core above 10^7. 10^12 forecasts are some {hours:,.0f} core hours: [sweep](sweep.md) has the plan
for a cluster."""
DASK_NOTES = """\
Two Dask workers spend {forecasts:.0%} of their processor time on forecasts, {chunks:.0%} with the reductions, and make
{per_s:.1f} million forecasts per processor second of workers, scheduler and client together
(`python benchmarks/dask_worker.py`)."""


def main() -> None:
    """Write the page, or run one sweep for it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--size", type=int)
    parser.add_argument("--part", action="append", default=[])
    given = parser.parse_args()
    if given.size:
        one_sweep(given.size)
        return
    path = given.path or Path("docs/performance.md")
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    text, failed = page(path.parent / "pictures" / "performance.png", before, given.part)
    path.write_text(text, encoding="utf-8")
    if failed:
        sys.exit(f"not measured: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
