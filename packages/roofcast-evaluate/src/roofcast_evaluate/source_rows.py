"""Kernels forecast from their source code alone, beside times that were measured: no time teaches its own program.

The programs are our own: PolyBench written anew at the launches of ``hopper_ncu``, the suite's kernels at the sizes of
``micro16`` where both are the same algorithm, and the nine versions of the plasmon-pole kernel as timed on two GPUs.
In a checkout of the repository also the programs on which the reader of code is tested, as ``measurements`` timed them
on an H100 and an H200. A program is left out of level and widths when it is scored.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.finding import find
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.machines import Machines, columns_of
from roofcast.core.results import Conditions
from roofcast.forecasting.clocks import by_itself
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.models.operators.from_code import (
    DECIDED,
    KINDS,
    CodeLevel,
    code_seconds,
    estimate_from_code,
    load_level,
)
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


MEASUREMENTS = HERE.parents[3] / "measurements"
CODES = HERE.parents[3] / "packages" / "roofcast-hull" / "tests" / "hulls" / "codes"


def read_launches() -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Card, program and measured launch; none outside of a checkout."""
    for card in HOPPER:
        path = MEASUREMENTS / f"programs_{card}.csv"
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    yield card, row["program"], row


FILLED = re.compile(r"HostToDevice|cudaMemcpyDefault|Managed|HostRegister|torch")
"""What programs have that give their arrays numbers."""
FILLED_IN_PART = ("whole_linear.cu",)
"""Programs that give numbers to other arrays than those that decide."""


def list_programs(step: Callable[[str, float], None]) -> list[Measured]:
    """Kernels of the programs on which the reader of code is tested, timed on GPUs; none outside of a checkout.

    step : is told what is read, and the share of all that is done.
    """
    times: dict[str, list[tuple[str, Mapping[str, str]]]] = defaultdict(list)
    for card, program, launch in read_launches():
        times[program].append((HOPPER[card], launch))
    measured: list[Measured] = []
    for done, (program, launches) in enumerate(times.items()):
        step(f"reading {program}", done / len(times))
        try:
            table = read(str(CODES / program))
        except RoofcastError:
            continue
        refused = table.strings("refused") != ""
        rows = [row_of(table, i) for i in range(len(table)) if not refused[i]]
        if program in FILLED_IN_PART or not FILLED.search((CODES / program).read_text(encoding="utf-8")):
            # Where data decide and nothing fills the arrays, all of them are 0: of no other data do the times tell.
            rows = [r for r in rows if not r["data_decide"]]
        for gpu, launch in launches:
            row = next((x for x in rows if is_launch(x, launch)), None)
            if row is not None:
                took = {True: float(launch["flushed_s"]), False: float(launch["warm_s"])}
                measured += [
                    Measured(program, launch["kernel"], launch["grid"], gpu, c, t, row) for c, t in took.items()
                ]
    return measured


def is_launch(row: Mapping[str, object], launch: Mapping[str, str]) -> bool:
    """Whether a row is a measured launch; its name may have namespaces and template arguments."""
    name = str(row["kernel"]).partition("<")[0].rpartition("::")[2]
    return (name, row["grid"], row["block"]) == (launch["kernel"], launch["grid"], launch["block"])


def row_of(table: KernelTable, at: int) -> dict[str, object]:
    """One row of a table, as :func:`roofcast_hull.source.code_rows.make_table` takes it."""
    numbers = {n: float(table.column(n)[at]) for n in table.numeric if n not in ("time_s", "launch")}
    texts = {n: str(table.strings(n)[at]) for n in ("kernel", "grid", "block")}
    return {**{n: v for n, v in numbers.items() if not math.isnan(v)}, **texts, "notes": table.flags[at]}


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


def group_rows(rows: Sequence[Measured]) -> list[tuple[NDArray[np.intp], KernelTable, Machines, Conditions]]:
    """Rows of one GPU, state of caches and launch floor together: their places, tables, targets and conditions."""
    places: dict[tuple[str, bool, float | None], list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        places[row.gpu, row.cold, row.floor_s].append(i)
    grouped = []
    for (gpu, cold, floor), at in places.items():
        table = make_table([dict(rows[i].row) for i in at], Provenance())
        stated = None if floor is None else (floor, floor)
        conditions = Conditions(cache="cold" if cold else "warm", launch_floor_s=stated)
        grouped.append((np.array(at, np.intp), table, machines_of(gpu), conditions))
    return grouped


def forecast_rows(rows: Sequence[Measured], level: CodeLevel) -> NDArray[np.float64]:
    """(rows, 3) time and both ends, s."""
    forecast = np.full((len(rows), 3), np.nan)
    for at, table, there, conditions in group_rows(rows):
        estimate = estimate_from_code(table, there, conditions, level)
        forecast[at] = np.hstack([estimate.time_s, estimate.time_low_s, estimate.time_high_s])
    return forecast


def machines_of(gpu: str) -> Machines:
    """A GPU at the clock that it takes by itself."""
    processor = find(gpu).processor
    return Machines(columns_of([processor]), np.zeros((1, 1), np.intp), np.array([[by_itself(processor)]]))


LEVELS = np.linspace(-0.4, 1.2, 33)


def find_errors(rows: Sequence[Measured]) -> np.ndarray:
    """(levels, rows) logarithm of measured over forecast at each of :data:`LEVELS`."""
    errors = np.empty((len(LEVELS), len(rows)))
    measured = np.log([r.time_s for r in rows])
    for at, table, there, conditions in group_rows(rows):
        for k, level in enumerate(LEVELS):
            time = estimate_from_code(
                table, there, conditions, CodeLevel(float(level), dict.fromkeys(KINDS, (0.0, 0.0)))
            ).time_s[:, 0]
            errors[k, at] = measured[at] - np.log(time)
    return errors


def choose_level(errors: np.ndarray, programs: Sequence[str]) -> int:
    """Which level has the least mean error, every program counted alike."""
    by_program = [np.flatnonzero([q == p for q in programs]) for p in sorted(set(programs))]
    return int(np.argmin(np.mean([np.abs(errors[:, rows]).mean(axis=1) for rows in by_program], axis=0)))


def teach_level(
    errors: np.ndarray, programs: Sequence[str], kinds: NDArray[np.intp], first_sight: float | None = None,
    before: NDArray[np.float64] | None = None,
) -> CodeLevel:  # fmt: skip
    """The usual level, and how far 90 % of the rows are from it by what limits them, every program counted alike.

    kinds : (rows,) places in :data:`roofcast.models.operators.from_code.KINDS`. Ways down and up are the 5th and 95th
    percentiles of measured over forecast, of programs that are left out of the level that they are laid beside; of a
    kind with few programs those of all rows. first_sight : how much further new programs are; that of the level that
    ships where it is None. before : (rows,) logarithm of measured over the forecast that was made before, NaN where
    none was. Where data decide it counts in place of the present one: what was far off had single causes, mended since.
    """
    names = sorted(set(programs))
    places = {name: np.flatnonzero([p == name for p in programs]) for name in names}
    apart = np.empty(len(programs))
    # Mean error of each program at each level: what the others choose without one is a difference of sums.
    of_each = np.array([np.abs(errors[:, places[name]]).mean(axis=1) for name in names])
    for k, name in enumerate(names):
        others = int(np.argmin(of_each.sum(axis=0) - of_each[k])) if len(names) > 1 else choose_level(errors, programs)
        apart[places[name]] = errors[others, places[name]]
    if before is not None:
        apart = np.where(np.isfinite(before) & (kinds >= DECIDED), before, apart)
    ways = {}
    for kind, label in enumerate(KINDS):
        # What nothing but data bounds is as far off as all that data decide.
        rows = np.flatnonzero(kinds >= DECIDED if label == "data" else kinds == kind).tolist()
        if len({programs[i] for i in rows}) < FEW_PROGRAMS:
            rows = list(range(len(programs)))
        counts = Counter(programs[i] for i in rows)
        weights = np.array([1.0 / counts[programs[i]] for i in rows])
        low, high = (weighted_quantile(apart[rows], weights, q) for q in (0.05, 0.95))
        ways[label] = (max(0.1, -low), max(0.1, high))
    return CodeLevel(float(LEVELS[choose_level(errors, programs)]), ways, first_sight or load_level().first_sight)


FEW_PROGRAMS = 12
"""Fewer of a kind say no percentile."""


def teach_first_sight() -> float:
    r"""By how much further nine tenths of the programs are, which came later, than the widths of their day say.

    .. math:: s = Q_{0.9}\left(\frac{\ln(T / F)}{v_{up}}\ \text{or}\ \frac{\ln(F / T)}{v_{down}}\right)

    T : measured s. F : forecast s, made before. v : ways of its kind then, to the side on which T lies. Every program
    is counted alike. Leaving programs out does not tell it: whoever mended the model had them all in sight.
    """
    ratios: list[float] = []
    programs: list[str] = []
    for program, before, took in list_first_sights():
        off = math.log(took / float(before["forecast_s"]))
        ratios.append(off / float(before["way_up"]) if off > 0 else -off / float(before["way_down"]))
        programs.append(program)
    counts = Counter(programs)
    return weighted_quantile(np.array(ratios), np.array([1.0 / counts[p] for p in programs]), 0.9)


def find_first_sights(rows: Sequence[Measured]) -> NDArray[np.float64]:
    """(rows,) logarithm of measured over the forecast that was made before; NaN where none was."""
    off = {
        (program, b["kernel"], b["grid"], HOPPER[b["card"]], b["state"] == "flushed"): math.log(
            took / float(b["forecast_s"])
        )
        for program, b, took in list_first_sights()
    }
    return np.array([off.get((r.program, r.kernel, r.size, r.gpu, r.cold), math.nan) for r in rows])


def list_first_sights() -> Iterator[tuple[str, Mapping[str, str], float]]:
    """Program, forecast and measured time, s, of rows that were forecast before; none outside of a checkout."""
    times: dict[tuple[str, ...], float] = {}
    for card, program, row in read_launches():
        for state, column in (("flushed", "flushed_s"), ("warm", "warm_s")):
            times[program, row["kernel"], row["grid"], row["block"], card, state] = float(row[column])
    path = MEASUREMENTS / "forecasts_before.csv"
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="") as file:
        for before in csv.DictReader(file):
            names = ("program", "kernel", "grid", "block", "card", "state")
            yield before["program"], before, times[tuple(before[n] for n in names)]


def find_kinds(rows: Sequence[Measured]) -> NDArray[np.intp]:
    """(rows,) places in :data:`roofcast.models.operators.from_code.KINDS`, at the level that ships."""
    kinds = np.empty(len(rows), np.intp)
    for at, table, there, conditions in group_rows(rows):
        kinds[at] = code_seconds(table, there, conditions.cache == "cold", load_level().usual).kind[:, 0]
    return kinds


def weighted_quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """The value below which a share of the weight lies.

    >>> weighted_quantile(np.array([1.0, 3.0, 2.0]), np.ones(3), 0.5)
    2.0
    """
    order = np.argsort(values)
    place = (np.cumsum(weights[order]) - 0.5 * weights[order]) / weights.sum()
    return float(np.interp(share, place, values[order]))


def score_source(rows: Sequence[Measured] | None = None, first_sight: float | None = None) -> list[Scored]:
    """Every measured row by the level and widths of the other programs.

    rows : those of public measurements where it is None. first_sight : another factor than the one that ships.
    """
    rows = list_measured() if rows is None else rows
    errors, kinds, programs, before = (
        find_errors(rows), find_kinds(rows), [r.program for r in rows], find_first_sights(rows)
    )  # fmt: skip
    scored: list[Scored] = []
    for program in dict.fromkeys(programs):
        of_program = np.array([p == program for p in programs])
        level = teach_level(
            errors[:, ~of_program], [p for p in programs if p != program], kinds[~of_program], first_sight,
            before[~of_program],
        )  # fmt: skip
        mine = [r for r in rows if r.program == program]
        scored += [Scored(r, *map(float, f)) for r, f in zip(mine, forecast_rows(mine, level), strict=True)]
    return scored


def tabulate_source(scored: Sequence[Scored]) -> Table:
    """A row per program, and all of them, each program counted alike."""
    lines = [
        (p, [s for s in scored if s.measured.program == p]) for p in dict.fromkeys(s.measured.program for s in scored)
    ]
    return tabulate_parts(
        "program",
        [*lines, ("all rows", scored), ("H100, H200", [s for s in scored if s.measured.gpu in HOPPER.values()])],
    )


def tabulate_kinds(scored: Sequence[Scored]) -> Table:
    """A row per kind of limit, and all kernels whose data decide nothing."""
    kinds = find_kinds([s.measured for s in scored])
    lines = [(label, [s for s, k in zip(scored, kinds, strict=True) if k == at]) for at, label in enumerate(KINDS)]
    fixed = [s for s, k in zip(scored, kinds, strict=True) if k < DECIDED]
    parts = [*lines, ("all but data", fixed), ("all rows", scored)]
    return tabulate_parts("limit", [(label, rows) for label, rows in parts if rows])


def tabulate_parts(label: str, parts: Sequence[tuple[str, Sequence[Scored]]]) -> Table:
    """A line for each part of the rows."""
    return Table(
        [
            Column(label, lambda r: r[0], key=label),
            Column("rows", lambda r: len(r[1]), str, key="rows"),
            Column("programs", lambda r: len({s.measured.program for s in r[1]}), str, key="programs"),
            Column("factor", lambda r: factor_of(r[1]), lambda v: f"{v:.2f}", key="factor"),
            Column("forecast over measured", lambda r: math.exp(mean_of(s.log for s in r[1])), lambda v: f"{v:.2f}",
                   key="bias"),
            Column("inside", lambda r: mean_of(float(s.inside) for s in r[1]), lambda v: format_percent(v, 0),
                   key="coverage"),
            Column("width", lambda r: math.exp(mean_of(math.log(s.high_s / s.low_s) for s in r[1])),
                   lambda v: f"{v:.2f}", key="width"),
        ],
        list(parts),
    )  # fmt: skip


def factor_of(scored: Iterable[Scored]) -> float:
    """Typical factor between forecast and measured."""
    return math.exp(mean_of(abs(s.log) for s in scored))


def mean_of(values: Iterable[float]) -> float:
    """The mean."""
    listed = list(values)
    return sum(listed) / len(listed) if listed else math.nan
