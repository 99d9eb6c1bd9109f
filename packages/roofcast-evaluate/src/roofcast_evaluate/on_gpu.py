"""What the papers' items need a GPU for: the suite and the eight steps, measured here and forecast elsewhere.

Tables that are there already are read, not measured again; so tables from another machine can be put there as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from roofcast.catalog.own import load_own
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import count_of, format_percent
from roofcast.kit.table import Table

if TYPE_CHECKING:
    from roofcast_measure.driver import Driver
    from roofcast_measure.programs import Program

SUITE, STEPS, PLAIN, COUNTERS = "suite.csv", "gpp.csv", "gpp_plain.csv", "gpp.counters.csv"
CEILINGS = "ceilings.toml"
TARGETS = ("V100 SXM2 32GB", "A100 SXM4 80GB", "H100 SXM5 80GB")
"""GPUs of the papers that what is measured here is forecast for."""
MODEL = "van_lanker"
PROGRAMS = {
    "Fig. 4: Hydro1D": ("hydro1d",), "Fig. 5, 6: PolyBench, KNN": ("polybench", "knn"), "Fig. 8: LULESH": ("corners",),
    "Fig. 7, 9: Quicksilver, MiniMDock": ("transport", "docking"),
}  # fmt: skip
"""Item -> what its programs' names hold."""


@dataclass(frozen=True)
class Here:
    """What was measured on one GPU."""

    gpu: str
    suite: KernelTable
    steps: KernelTable
    plain: KernelTable
    """The steps as the compiler leaves them, v6 to v8 with the paper's loop."""
    counted: int = 0
    """Versions with counters."""
    beside: tuple[KernelTable, ...] = ()
    """Suites of other GPUs."""
    ceilings: Processor | None = None
    """What micro-benchmarks reached here."""


def measure_missing(
    folder: Path, open_driver: Callable[[], Driver], *, quick: bool = False, programs: Sequence[Program] | None = None,
    configuration: dict[str, float | int] | None = None, tell: Callable[[str], None] = lambda _: None,
) -> list[str] | None:  # fmt: skip
    """Measure what ``folder`` has no table of; a line about each row that was refused or skipped, None if all is there.

    programs : of the suite (default: all). configuration : sizes of the eight steps (default: as large as fits).

    Raises
    ------
    RoofcastError : there is no GPU, or nothing that was measured can be believed.
    """
    from roofcast_measure import gpp, suite
    from roofcast_measure.running import run_suite
    from roofcast_measure.tables import write_table
    from roofcast_measure.timing import FULL, QUICK

    missing = [name for name in (SUITE, STEPS, PLAIN) if not (folder / name).is_file()]
    if not missing:
        return None
    lines: list[str] = []
    driver = open_driver()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for name in missing:
            tell(f"measuring {name}")
            if name == SUITE:
                measured = run_suite(
                    driver, programs or suite.programs(), effort=QUICK if quick else FULL, watch=tell
                )  # fmt: skip
                lines += [*measured.refused, *(f"skipped {s}" for s in measured.skipped)]
                table = measured.table
            else:
                table = gpp.run_gpp(
                    driver, quick=quick, configuration=configuration, plain=name == PLAIN, watch=tell
                ).table  # fmt: skip
            write_table(table, folder / name)
    finally:
        driver.close()
    return lines


def read_here(folder: Path, beside: Sequence[str] = ()) -> Here:
    """The tables of a folder. beside : suites that were measured on other GPUs.

    Raises
    ------
    RoofcastError : the tables are of several GPUs.
    """
    from roofcast.reading import read_kernels

    tables = [read_kernels(str(folder / name), None, None) for name in (SUITE, STEPS, PLAIN)]
    gpus = sorted({str(g) for t in tables for g in t.strings("gpu")})
    if len(gpus) != 1:
        raise RoofcastError(f"{one_line(str(folder), 60)} holds tables of {', '.join(gpus)}: give each GPU its folder")
    counters = folder / COUNTERS
    counted = len(read_kernels(str(counters), None, None)) if counters.is_file() else 0
    suite, steps, plain = tables
    others = tuple(read_kernels(b, None, None) for b in beside)
    ceilings = load_own(folder / CEILINGS).processor if (folder / CEILINGS).is_file() else None
    return Here(gpus[0], suite, steps, plain, counted, others, ceilings)


def tell_items(here: Here) -> dict[str, str]:
    """Item of the papers -> what it is here."""
    by_item = {
        "times, rates": tell_times(here.steps),
        "what compilers undo": f"{tell_times(here.plain)}; with the paper's loop in v6 to v8",
        "each step as advice: gain forecast from the version before": (
            f"took off here: {', '.join(format_percent(g) for g in find_gains(here.steps))}"
        ),
        "its micro-benchmarks": tell_ceilings(here.ceilings) if here.ceilings else "not measured here",
        "counters": f"{here.counted} versions counted" if here.counted else "not counted here",
        "ten trials": (
            f"{count_of(len(here.suite), 'row')}, spread "
            f"{format_percent(float(np.nanmedian(here.suite.column('time_std_s') / here.suite.column('time_s'))))}"
        ),
    }  # fmt: skip
    for item, words in PROGRAMS.items():
        mine = select_programs(here.suite, words)
        if len(mine):
            total = format_quantity(float(np.nansum(mine.column("time_s") * mine.launches)), "s")
            by_item[item] = "; ".join([f"{count_of(len(mine), 'row')}, {total}", *tell_errors(here, words)])
    return by_item


def tell_ceilings(measured: Processor) -> str:
    """The rates that the paper's roofline has."""
    wanted = (Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM)
    rates = [(r, measured.rate(r)) for r in wanted]
    return ", ".join(f"{r.label} {format_quantity(v, r.unit + '/s')}" for r, v in rates if v > 0)


def tell_times(table: KernelTable) -> str:
    """The first and the last version's time."""
    times = table.column("time_s")
    return f"{format_quantity(float(times[0]), 's')} to {format_quantity(float(times[-1]), 's')}"


def find_gains(table: KernelTable) -> list[float]:
    """Share of the time that each step took off."""
    times = table.column("time_s")
    return [float(v) for v in 1 - times[1:] / times[:-1]]


def select_programs(table: KernelTable, words: Sequence[str]) -> KernelTable:
    """The kernels of some programs of the suite."""
    names = table.extra["program"] if "program" in table.extra else table.strings("kernel")
    return table.select(np.flatnonzero([any(w in str(n) for w in words) for n in names]))


def row_keys(table: KernelTable) -> list[tuple[str, str, str]]:
    """What tells rows of a suite apart on every GPU."""
    return list(zip(*(map(str, table.strings(n)) for n in ("kernel", "config", "cache_state")), strict=True))


def tell_errors(here: Here, words: Sequence[str]) -> list[str]:
    """Mean, for each other GPU's suite, of the signed errors of its forecasts for this GPU, by the paper's model."""
    from roofcast.forecasting.forecast import forecast

    measured = dict(zip(row_keys(here.suite), here.suite.column("time_s").tolist(), strict=True))
    sentences = []
    for table in here.beside:
        theirs = select_programs(table, words)
        result = forecast(theirs, here.gpu, model=MODEL)
        pairs = [
            time / measured[key] - 1
            for key, time in zip(row_keys(theirs), result.estimate.time_s[:, 0].tolist(), strict=True)
            if measured.get(key, 0.0) > 0 and time > 0
        ]
        if pairs:
            source = str(table.strings("gpu")[0])
            sentences.append(
                f"from {one_line(source, 40)} {format_percent(float(np.mean(pairs)))} on average ({len(pairs)})"
            )
    return sentences


def tabulate_forecasts(here: Here) -> Table:
    """Each program of the suite and each version of the steps: measured here, forecast for the papers' GPUs."""
    from roofcast.forecasting.forecast import forecast

    rows: list[tuple[str, ...]] = []
    parts: Mapping[str, KernelTable] = {"suite": here.suite, "steps": here.steps}
    for kind, table in parts.items():
        names = table.extra["program"] if kind == "suite" else table.extra["label"]
        result = forecast(table, list(TARGETS))
        times = np.column_stack([table.column("time_s") * table.launches, result.time_total_s])
        for name in dict.fromkeys(map(str, names)):
            sums = np.nansum(times[[str(n) == name for n in names]], axis=0)
            rows.append((name, *(format_quantity(float(t), "s") if t > 0 else "–" for t in sums)))
    return Table.of_cells(
        ("program, version", f"{one_line(here.gpu, 40)}, measured", *TARGETS), rows, right={1, 2, 3, 4}
    )
