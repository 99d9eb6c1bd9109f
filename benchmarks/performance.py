"""Writes docs/performance.md: ratios in one run, growth, memory, and the distance from what the machine could do.

    python benchmarks/performance.py docs/performance.md

Times are processor seconds, so that other work on the machine does not count; each is the least of a few runs.
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
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "tests")]

from test_model_speed import COLUMNS, SOURCE, TARGETS, kernels, loop  # noqa: E402

from roofcast import read  # noqa: E402
from roofcast.catalog import find, processors  # noqa: E402
from roofcast.core.forecast import Conditions  # noqa: E402
from roofcast.core.machines import Machines  # noqa: E402
from roofcast.core.resource import Resource  # noqa: E402
from roofcast.core.table import KernelTable, concatenate  # noqa: E402
from roofcast.models.forecasting import estimate_in_blocks  # noqa: E402
from roofcast.models.registry import load_model  # noqa: E402
from roofcast.sweep.engine import Engine  # noqa: E402
from roofcast.sweep.running import stream, sweep  # noqa: E402
from roofcast.sweep.space import Space, parse_space  # noqa: E402
from roofcast.sweep.workload import Workload, prepare  # noqa: E402
from sweep_builders import a_table  # noqa: E402 - beside the checkout's tests

RUNS = 3
SIZES = (10**5, 10**6, 10**7, 10**8)


def least(run: Callable[[], object], runs: int = RUNS) -> float:
    """Least processor seconds of some runs."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Fitted power of the growth over the largest decade and a half: fixed costs hide it below."""
    top = [(math.log(n), math.log(s)) for n, s in zip(sizes, seconds, strict=True) if n >= max(sizes) / 40]
    x, y = np.array(top).T
    return float(np.polyfit(x, y, 1)[0])


def pandas_way(frame: pd.DataFrame, gpus: pd.DataFrame) -> float:
    """The report's Algorithm 1 on the cross join of kernels and GPUs, as one writes it with pandas."""
    pairs = frame.merge(gpus, how="cross", suffixes=("", "_gpu"))
    warps = np.ceil(pairs["block_threads"] / 32)

    def occupancy(prefix: str) -> pd.Series:
        blocks = pd.concat(
            [
                pairs[f"{prefix}max_blocks"],
                pairs[f"{prefix}max_threads"] // pairs["block_threads"],
                pairs[f"{prefix}regs"] // (pairs["regs_per_thread"] * pairs["block_threads"]),
                (pairs[f"{prefix}smem"] // pairs["smem_bytes_per_block"]).where(pairs["smem_bytes_per_block"] > 0),
            ],
            axis=1,
        )
        return (blocks.where(blocks > 0).min(axis=1) * warps / (pairs[f"{prefix}max_threads"] // 32)).clip(upper=1.0)

    intensity = pairs["flops_fp32"] / pairs["bytes_dram"]
    roofs = {p: np.minimum(pairs[f"{p}fp32"], intensity * pairs[f"{p}dram"]) for p in ("s_", "t_")}
    efficiency = pairs["flops_fp32"] / pairs["time_s"] / (occupancy("s_") * roofs["s_"])
    return float((pairs["flops_fp32"] / (efficiency * occupancy("t_") * roofs["t_"])).sum())


def gpu_frame(names: Sequence[str]) -> pd.DataFrame:
    """Source and targets of the pandas way."""

    def of(p: Any, prefix: str) -> dict[str, float]:
        return {
            f"{prefix}max_blocks": p.max_blocks_per_sm or 32, f"{prefix}max_threads": p.max_threads_per_sm or 2048,
            f"{prefix}regs": p.regs_per_sm or 65536, f"{prefix}smem": p.smem_per_sm_bytes or 65536,
            f"{prefix}fp32": p.rate(Resource.FLOPS_FP32), f"{prefix}dram": p.rate(Resource.BYTES_DRAM),
        }  # fmt: skip

    source = find(SOURCE).processor
    return pd.DataFrame([of(source, "s_") | of(find(n).processor, "t_") for n in names])


def script_way(path: Path, names: Sequence[str]) -> float:
    """The published script's way: CSV, row by row, one pair at a time."""
    frame = pd.read_csv(path)
    source, targets = find(SOURCE).processor, [find(n).processor for n in names]
    total = 0.0
    for _, row in frame.iterrows():
        total += loop([row], source, targets)
    return total


def model_seconds(name: str, table: KernelTable, targets: Sequence[Any]) -> float:
    """Processor seconds of a model."""
    model = load_model(name)
    here = Machines.of([find(SOURCE).processor], np.zeros(len(table), np.intp))
    there = Machines.of(targets, np.arange(len(targets), dtype=np.intp)[None, :])
    return least(lambda: estimate_in_blocks(model, table, here, there, Conditions()))


def a_grid(processors_wanted: int) -> Space:
    """SMs x clock x DRAM x L2 x FP64 around an H100."""
    dram = max(2, round(processors_wanted / (16 * 12 * 8 * 2)))
    return parse_space({
        "base": "H100 SXM5 80GB",
        "axes": {
            "sm": {"from": 100, "to": 160, "step": 4}, "clock": {"from": "1.2 GHz", "to": "2.2 GHz", "count": 12},
            "dram": {"from": "2 TB/s", "to": "8 TB/s", "count": dram},
            "l2": {"from": "30 MB", "to": "120 MB", "count": 8}, "fp64": ["30 TFLOP/s", "60 TFLOP/s"],
        },
        "cost": "sm + dram/1e11",
    })  # fmt: skip


def a_workload(count: int, space: Space) -> Workload:
    """Kernels of all kinds of evidence."""
    parts = [a_table(e, count // 4, i) for i, e in enumerate(("stalls", "counters", "analytic", "time"))]
    return prepare(concatenate(parts), space.base)


def rates() -> dict[str, float]:
    """Forecasts per processor second of each way, in one run."""
    some, many = kernels(100), kernels(20_000)
    rows = [{name: float(some.column(name)[i]) for name in COLUMNS} for i in range(len(some))]
    source, targets = find(SOURCE).processor, [find(t).processor for t in TARGETS]
    pairs = len(some) * len(TARGETS)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.csv"
        pd.DataFrame(rows).to_csv(path, index=False)
        found["published script's way (Algorithm 1 of the cross-GPU report, row by row)"] = pairs / least(
            lambda: script_way(path, TARGETS)
        )
    found["the same in a scalar loop over plain numbers"] = pairs / least(lambda: loop(rows, source, targets))
    frame = pd.DataFrame({name: many.column(name) for name in COLUMNS})
    gpus = gpu_frame(TARGETS)
    found["the same the pandas way (cross join, columns)"] = (
        len(many) * len(TARGETS) / least(lambda: pandas_way(frame, gpus))
    )
    for name in ("occupancy_efficiency", "mechanistic"):
        found[f"roofcast, model {name} (NumPy)"] = len(many) * len(TARGETS) / model_seconds(name, many, targets)
    space = a_grid(200_000)
    engine = Engine(a_workload(64, space), space)
    levels = space.levels_of(0, min(space.size, 1 << 17))
    engine.totals(levels[:, :64])
    cells = len(engine.work) * levels.shape[1]
    found["roofcast, sweep engine, reduced (mechanistic with intervals)"] = cells / least(lambda: engine.totals(levels))
    with tempfile.TemporaryDirectory() as folder:
        part = replace(space, sample=400_000)
        runs = iter(range(100))
        written = least(lambda: stream(engine.work, part, Path(folder) / str(next(runs))), 2)
        setup = least(lambda: Engine(engine.work, part), 2)
    found["roofcast, sweep engine, every forecast to Parquet as float32"] = (
        len(engine.work) * part.size / (written - setup)
    )
    return found


def limit() -> dict[str, float]:
    """Nanoseconds per forecast, and of its exponentials and logarithms alone."""
    from numba import njit

    @njit(error_model="numpy")
    def functions(values: Any, count: int) -> float:
        total = 0.0
        for _ in range(count):
            for i in range(values.shape[0]):
                x = values[i]
                total += math.log(x) + math.exp(x) + math.exp(x * 0.7) + math.log(x + 1.0) + math.exp(x * 0.3)
        return total

    values = np.random.default_rng(0).uniform(0.5, 2.0, 4096)
    functions(values, 1)
    alone = least(lambda: functions(values, 500)) / (500 * len(values))
    space = a_grid(200_000)
    engine = Engine(a_workload(64, space), space, threads=1)
    levels = space.levels_of(0, 1 << 16)
    engine.totals(levels[:, :64])
    whole = least(lambda: engine.totals(levels)) / (len(engine.work) * levels.shape[1])
    return {"functions_ns": alone * 1e9, "forecast_ns": whole * 1e9}


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
        for n in sizes:
            path = Path(folder) / f"{n}.csv"
            frame = pd.DataFrame({"kernel": [f"k{i}" for i in range(n)], "gpu": SOURCE} | {
                name: tables[n].column(name) for name in COLUMNS})  # fmt: skip
            frame.to_csv(path, index=False)
            lengths.append(float(path.stat().st_size))
            seconds.append(least(lambda p=path: read([str(p)]), 2))  # type: ignore[misc]  # bound now
        found["bytes of a CSV table"] = lengths, seconds
    points = [10_000, 30_000, 100_000, 300_000, 1_000_000]
    space = a_grid(points[-1])
    engine = Engine(a_workload(16, space), space)
    engine.totals(space.levels_of(0, 64))
    found["processors of a sweep (16 kernels)"] = (
        [float(n) for n in points],
        [
            least(lambda n=n: engine.totals(space.levels_of(0, n)), 2)  # type: ignore[misc]  # bound now
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
    from roofcast.report.figure_file import empty_figure, write_figure_file

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


def page(picture: str) -> tuple[str, dict[str, tuple[list[float], list[float]]]]:
    """The page as Markdown, and the growth for its picture."""
    ways, cost, found, flat = rates(), limit(), growth(), memory()
    base = next(iter(ways.values()))
    lines = [TITLE.format(machine=f"{platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}")]
    lines += ["| way | forecasts per processor second | ratio |", "|---|---:|---:|"]
    lines += [f"| {name} | {rate:,.3g} | {rate / base:,.0f}x |" for name, rate in ways.items()]
    lines += [RATIO_NOTES, "## Distance from what the machine could do", ""]
    lines += [
        f"A reduced forecast takes {cost['forecast_ns']:.0f} ns of one core. Its exponentials and logarithms alone "
        f"take {cost['functions_ns']:.0f} ns in the same compiled form: the rest of the way is "
        f"{cost['forecast_ns'] / cost['functions_ns']:.1f}x.",
        LIMIT_NOTES, "## Growth", "", f"![cost over size]({picture})", "", "| size | fitted exponent |", "|---|---:|",
        *(f"| {name} | {exponent(*v):.2f} |" for name, v in found.items()),
        "", "## Memory", "", "| forecasts | peak memory | processor seconds |", "|---:|---:|---:|",
        *(f"| {n:,} | {peak:,.0f} MB | {s:,.1f} |" for n, peak, s in flat),
        "", MEMORY_NOTES.format(hours=flat[-1][2] / flat[-1][0] * 1e12 / 3600),
    ]  # fmt: skip
    return "\n".join(lines) + "\n", found


TITLE = """# Performance

Made by `make bench` (`python benchmarks/performance.py docs/performance.md`) on {machine}.
All figures are processor seconds of one run, so that other work on the machine does not count; only ratios travel to
other machines.

## Ratios in one run

100 or 20,000 kernels on 20 GPUs for the first five ways, hypothetical GPUs around an H100 for the sweep engine.
"""
RATIO_NOTES = """
The first three ways compute two divisions and an occupancy per pair; the mechanistic model weighs some twenty causes
and gives an interval. The commands: `python benchmarks/performance.py FILE` for all of them; single ones are the
functions `script_way`, `loop`, `pandas_way`, `model_seconds`, `Engine.totals` and `stream`. Peers with learned models
(for example NeuSight) need a deep-learning framework and are not measured here.
"""
LIMIT_NOTES = """
Arithmetic per forecast: two logarithms and three exponentials (one of each more where few bytes in flight may starve
the target's DRAM), some 40 additions and multiplications. Traffic per forecast: two to four table look-ups of 8 bytes,
which stay in the second-level cache as tables are (kernel x SMs and clocks) and (kernel x DRAM and caches), and 3 x 8
bytes of sums and 3 x 8 bytes of positions per processor, which stay in the first-level cache over all kernels of a
slab of 512 processors. So memory is no limit (below 1 byte of DRAM per forecast); a streamed forecast moves 20 bytes
to the file. What remains above the functions' own time is look-ups that no vector unit takes, and the functions
themselves: one value at a time from the C library, where a vector library would take a quarter.
"""
MEMORY_NOTES = """Memory does not grow with the size of a sweep beyond one chunk of processors (2^16; the smaller sweeps
here do not fill one). Processor seconds include what is prepared once.

For 10^12 forecasts this is {hours:,.0f} core hours reduced: see docs/sweep.md for the plan on a cluster."""


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
    picture = path.parent / "pictures" / "performance.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    text, found = page("pictures/performance.png")
    draw(found, picture)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
