"""Kernels forecast from their source code alone, beside times that were measured: no time teaches its own program.

The programs are our own: PolyBench written anew at the launches of ``hopper_ncu``, the suite's kernels at the sizes of
``micro16`` where both are the same algorithm, and the nine versions of the plasmon-pole kernel as timed on two GPUs. A
program is left out of level and widths when it is scored.
"""

from __future__ import annotations

import csv
import gzip
import math
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from roofcast.catalog.finding import find
from roofcast.core.kernel_table import Provenance
from roofcast.core.machines import Machines, columns_of
from roofcast.core.results import Conditions
from roofcast.forecasting.clocks import by_itself
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.models.operators.from_code import CodeLevel, estimate_from_code
from roofcast.reading import read
from roofcast_evaluate.datasets import paths_of
from roofcast_hull.source.code_rows import derive_row, make_table

HERE = Path(__file__).parent
HOPPER = {"h100": "H100 SXM5 80GB", "h200": "H200 SXM 141GB"}
MICRO = ("RTX 2080 Ti", "RTX 4070", "Titan V")
"""The fourth, a GTX Titan X, has the same times for all sizes in that file: its sizes are not what they say."""
LEAST_S = 1e-6
"""Times of micro16 below are of the host's timer."""


def read_measure(name: str) -> str:
    """A file of the suite that is measured on GPUs."""
    from importlib.resources import files

    return files("roofcast_measure").joinpath(name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Measured:
    """A kernel at a size on a GPU, and what it took."""

    program: str
    """What is left out together: all kernels and sizes of it."""
    kernel: str
    size: str
    gpu: str
    cold: bool
    time_s: float
    row: Mapping[str, object]
    floor_s: float | None = None
    """Shortest time of the GPU in the same file, where a host timed it."""


@dataclass(frozen=True)
class Scored:
    """A measured kernel and its forecast by the others' level."""

    measured: Measured
    time_s: float
    low_s: float
    high_s: float

    @property
    def log(self) -> float:
        """Logarithm of forecast over measured."""
        return math.log(self.time_s / self.measured.time_s)

    @property
    def inside(self) -> bool:
        """Whether the interval holds the measured time."""
        return self.low_s <= self.measured.time_s <= self.high_s


def load_spec() -> dict[str, Any]:
    """Which kernel of ours is which measured one."""
    return tomllib.loads((HERE / "source_rows.toml").read_text(encoding="utf-8"))


def list_measured() -> list[Measured]:
    """All measured rows."""
    spec = load_spec()
    return [*list_hopper(spec["hopper"]), *list_micro(spec["micro16"]), *list_steps()]


def list_steps() -> Iterator[Measured]:
    """The nine versions of the suite's plasmon-pole kernel, as measured whole; v5 to v8 launch once for each energy."""
    measured = tomllib.loads(read_measure("gpp_measured.toml"))
    text = read_measure("suite/gpp.cu")
    header, _, _ = text.partition("*/")
    kernels = tomllib.loads(header.partition("\n")[2])["kernels"]
    for gpu, times in measured["gpus"].items():
        for at, time in enumerate(times["time_s"]):
            kernel = f"gpp_v{at}"
            launches = 2 if "repeat" in kernels[kernel] else 1
            sizes = {n: int(times[n]) for n in ("nbands", "ngpown", "ncouls")} | {"nw": 2, "iw": 0}
            block = int(kernels[kernel]["block"][0])
            row = derive_row(text, kernel, {**sizes, "gridDim.x": int(measured["blocks"]), "blockDim.x": block})
            size = ", ".join(f"{n}={v}" for n, v in sizes.items())
            yield Measured("gpp", kernel, size, gpu, False, float(time) / launches, row)


def list_hopper(entries: Sequence[Mapping[str, Any]]) -> Iterator[Measured]:
    """PolyBench programs under ncu: flushed, and (two launches of a kernel and more) as caches are."""
    text = (HERE / "source_programs.cu").read_text(encoding="utf-8")
    folder = Path(paths_of("hopper_ncu")[0]).parent.parent
    for entry in entries:
        rows: dict[str, Mapping[str, object]] = {}
        for gpu, name in HOPPER.items():
            for kind in ("profiled", "warm"):
                path = folder / gpu / f"{entry['file']}.{kind}.csv.gz"
                times = read_times(path) if path.exists() else {}
                for name_here, theirs in entry["kernels"].items():
                    launches = next((v for k, v in times.items() if theirs in k[0]), [])
                    launch = next((k for k in times if theirs in k[0]), None)
                    if kind == "warm" and (len(launches) < 3 or entry["file"] == "pb_GRAMSCHM"):
                        continue
                    if launch is None:
                        continue
                    if name_here not in rows:
                        rows[name_here] = derive_row(
                            text, name_here, {**entry["sizes"], **name_sizes(launch[1], launch[2])}
                        )
                    # The first launch of a warm run is cold; GRAMSCHM works on other columns in each.
                    took = launches[0] if kind == "profiled" else median(launches[1:])
                    program = str(entry["file"]).partition("@")[0]
                    yield Measured(
                        program, name_here, str(entry["file"]), name, kind == "profiled", took, rows[name_here]
                    )


def name_sizes(grid: str, block: str) -> dict[str, int]:
    """A launch as the reader of kernels has it."""
    sizes: dict[str, int] = {}
    for name, text in (("gridDim", grid), ("blockDim", block)):
        numbers = [int(n) for n in text.strip("()").split(",")]
        sizes |= {f"{name}.{a}": n for a, n in zip("xyz", numbers, strict=True)}
    return sizes


def read_times(path: Path) -> dict[tuple[str, str, str], list[float]]:
    """(kernel, grid, block) -> seconds of its launches in turn."""
    table = read(str(path))
    seconds: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    columns = (table.strings("kernel"), table.strings("grid"), table.strings("block"), table.column("time_s"))
    for kernel, grid, block, time in zip(*columns, strict=True):
        seconds[str(kernel), str(grid), str(block)].append(float(time))
    return seconds


def list_micro(spec: Mapping[str, Mapping[str, str]]) -> Iterator[Measured]:
    """The suite's kernels at the sizes of micro16, where their grid is the measured one; caches are warm."""
    (path,) = paths_of("micro16")
    rows: dict[tuple[str, str], Mapping[str, object] | None] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        listed = list(csv.DictReader(file))
        floors = {g: min(float(r["time_s"]) for r in listed if r["gpu"] == g) for g in MICRO}
        for r in listed:
            kernel = r["kernel"].partition("/")[2]
            if kernel not in spec or r["gpu"] not in MICRO or float(r["time_s"]) < LEAST_S:
                continue
            if not all(r[theirs] for theirs in spec[kernel].values()):
                continue
            sizes = {ours: int(float(r[theirs])) for ours, theirs in spec[kernel].items()}
            key = kernel, str(sizes)
            if key not in rows:
                rows[key] = derive_own(kernel, sizes)
            row = rows[key]
            if row is None or row["grid_blocks"] != int(r["grid_blocks"]):
                continue
            size = ", ".join(f"{n}={v}" for n, v in sizes.items())
            yield Measured(kernel, kernel, size, find(r["gpu"]).processor.name, False, float(r["time_s"]), row,
                           floors[r["gpu"]])  # fmt: skip


def derive_own(kernel: str, sizes: Mapping[str, int]) -> Mapping[str, object] | None:
    """The row of a suite kernel; None where its code is refused."""
    from roofcast_hull.source.nest import SourceError

    text = read_measure(f"suite/{kernel}.cu")
    header, _, _ = text.partition("*/")
    entry = tomllib.loads(header.partition("\n")[2])["kernels"][kernel]
    block = {f"blockDim.{a}": int(n) for a, n in zip("xyz", entry["block"], strict=False)}
    try:
        return derive_row(text, kernel, {**sizes, **block})
    except SourceError:
        return None


def forecast_row(row: Measured, level: CodeLevel) -> tuple[float, float, float]:
    """Time and both ends, s."""
    table = make_table([dict(row.row)], Provenance())
    floor = None if row.floor_s is None else (row.floor_s, row.floor_s)
    conditions = Conditions(cache="cold" if row.cold else "warm", launch_floor_s=floor)
    estimate = estimate_from_code(table, machines_of(row.gpu), conditions, level)
    return float(estimate.time_s[0, 0]), float(estimate.time_low_s[0, 0]), float(estimate.time_high_s[0, 0])


def machines_of(gpu: str) -> Machines:
    """A GPU at the clock that it takes by itself."""
    processor = find(gpu).processor
    return Machines(columns_of([processor]), np.zeros((1, 1), np.intp), np.array([[by_itself(processor)]]))


LEVELS = np.linspace(-0.4, 1.2, 33)


def find_errors(rows: Sequence[Measured]) -> np.ndarray:
    """(levels, rows) logarithm of measured over forecast at each of :data:`LEVELS`."""
    measured = np.log([r.time_s for r in rows])
    return np.array([
        measured - np.log([forecast_row(r, CodeLevel(float(level), 0.0, 0.0))[0] for r in rows]) for level in LEVELS
    ])  # fmt: skip


def choose_level(errors: np.ndarray, programs: Sequence[str]) -> int:
    """Which level has the least mean error, every program counted alike."""
    by_program = [np.flatnonzero([q == p for q in programs]) for p in sorted(set(programs))]
    return int(np.argmin(np.mean([np.abs(errors[:, rows]).mean(axis=1) for rows in by_program], axis=0)))


def teach_level(errors: np.ndarray, programs: Sequence[str]) -> CodeLevel:
    """The usual level, and how far 90 % of the rows are from it, every program counted alike.

    Ways down and up are the 5th and 95th percentiles of measured over forecast, of programs that are left out of the
    level that they are laid beside.
    """
    names = sorted(set(programs))
    apart, weights = list[float](), list[float]()
    for name in names:
        of_program = np.array([p == name for p in programs])
        others = choose_level(errors[:, ~of_program], [p for p in programs if p != name])
        apart += errors[others, of_program].tolist()
        weights += [1.0 / of_program.sum()] * int(of_program.sum())
    low, high = (weighted_quantile(np.array(apart), np.array(weights), q) for q in (0.05, 0.95))
    return CodeLevel(float(LEVELS[choose_level(errors, programs)]), max(0.1, -low), max(0.1, high))


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The value below which a share of the weight lies.

    >>> weighted_quantile(np.array([1.0, 3.0, 2.0]), np.ones(3), 0.5)
    2.0
    """
    order = np.argsort(values)
    place = (np.cumsum(weights[order]) - 0.5 * weights[order]) / weights.sum()
    return float(np.interp(share, place, values[order]))


def score_source() -> list[Scored]:
    """Every measured row by the level and widths of the other programs."""
    rows = list_measured()
    errors, programs = find_errors(rows), [r.program for r in rows]
    scored: list[Scored] = []
    for program in dict.fromkeys(programs):
        others = np.array([p != program for p in programs])
        level = teach_level(errors[:, others], [p for p in programs if p != program])
        scored += [Scored(r, *forecast_row(r, level)) for r in rows if r.program == program]
    return scored


def tabulate_source(scored: Sequence[Scored]) -> Table:
    """A row per program, and all of them, each program counted alike."""
    lines = [
        (p, [s for s in scored if s.measured.program == p]) for p in dict.fromkeys(s.measured.program for s in scored)
    ]
    return Table(
        [
            Column("program", lambda r: r[0], key="program"),
            Column("rows", lambda r: len(r[1]), str, key="rows"),
            Column("factor", lambda r: factor_of(r[1]), lambda v: f"{v:.2f}", key="factor"),
            Column("forecast over measured", lambda r: math.exp(mean_of(s.log for s in r[1])), lambda v: f"{v:.2f}",
                   key="bias"),
            Column("inside", lambda r: mean_of(float(s.inside) for s in r[1]), lambda v: format_percent(v, 0),
                   key="coverage"),
            Column("width", lambda r: math.exp(mean_of(math.log(s.high_s / s.low_s) for s in r[1])),
                   lambda v: f"{v:.2f}", key="width"),
        ],
        [*lines, ("all rows", list(scored)), ("H100, H200", [s for s in scored if s.measured.gpu in HOPPER.values()])],
    )  # fmt: skip


def factor_of(scored: Iterable[Scored]) -> float:
    """Typical factor between forecast and measured."""
    return math.exp(mean_of(abs(s.log) for s in scored))


def mean_of(values: Iterable[float]) -> float:
    """The mean."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else math.nan
