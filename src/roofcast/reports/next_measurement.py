r"""What to measure next: how much narrower a forecast would be if one more thing were known, and how to learn it.

Each is the width that the model itself claims with the evidence changed, beside the one that it claims now: counters by
the calibrated widths of profiles that have them; the launch floors as conditions that are given; a larger problem as
the same kernel with more of everything; another source GPU as its forecast together with the present one; measured
ceilings without what estimates add. Nothing here is a rule of thumb; what the target's machine code takes off
(:data:`CODE_LEAVES`) was measured once.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog import library
from roofcast.catalog.rented import list_rented
from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, column, columns_of
from roofcast.core.normal import NINE_OF_TEN
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import Estimate, largest
from roofcast.core.timeline import Collective
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.prepared import Prepared
from roofcast.forecasting.several_sources import WORK_COLUMNS, combine
from roofcast.formulas.values import find_middle
from roofcast.ingest.traces.event_names import collective_of
from roofcast.kit.table import pick_longest, rank_longest
from roofcast.models.base import Model
from roofcast.models.physics.intervals import (
    DISTANCES,
    Intervals,
    between_vendors,
    distances,
    estimate_uncertainty,
    widened,
)
from roofcast.models.physics.intervals import shipped as shipped_intervals
from roofcast.models.physics.kernel_inputs import bytes_counted
from roofcast.models.registry import MODELS, load_model
from roofcast.reports.missing_columns import FIRST_OF_NCU, list_missing, suggest_collection
from roofcast.store.database import default_path

KERNELS_MOST = 20
"""Kernels with most time that the line below a forecast rests on."""

GAIN_LEAST = 1.05
"""Intervals that would be narrower by less are not worth a measurement."""

ALIKE = 1.15
"""Gains that differ by less are alike: then the one with less effort is first."""

LARGER = 8.0
"""How much larger a problem is tried."""

FLOOR_S = 4e-6
"""Seconds of an empty launch that are given where the catalog has none: only the width is asked for."""

CODE_LEAVES = {Resource.OPS_INT32: 0.986, Resource.BYTES_SHARED: 0.98}
"""Limit -> part of the half width that is left once the target's instructions are known: 90 % of the errors of 2,500
pairs of hecbench_ncu, with the ratio of instructions on both sides taken out of them. Others keep all of it."""


@dataclass(frozen=True)
class Narrowing:
    """One thing to learn. Arrays are (r,), of the kernels that were asked about."""

    what: str
    how: str
    """A command, or what to do."""
    width: FloatArray
    """High over low, once it is known."""


Offers = tuple[tuple[str, tuple[Processor, ...]], ...]
"""How further sources are reached, and which they are."""
Rows = NDArray[np.intp] | slice
"""Kernels of a case that are asked about together: what is worth most for all of them."""
ALL = slice(None)


@dataclass(frozen=True)
class OneTarget:
    """Kernels on one target, with what the model says of them once each thing is known. Asked for all kernels at once:
    calls are what a model takes for a few.
    """

    model: Model
    ready: Prepared
    target: Processor
    all_there: Machines
    """The target, and beside it every GPU that could be a second source."""
    estimate: Estimate
    """On all of these."""
    offers: Offers

    @cached_property
    def there(self) -> Machines:
        """The target alone."""
        return self.all_there.cells(self.all_there.index[:, :1], self.all_there.clock_hz[:, :1])

    @cached_property
    def half(self) -> FloatArray:
        """(r,) half widths in logarithms; NaN where none is claimed."""
        return half_of(self.estimate)

    @cached_property
    def further(self) -> FloatArray:
        """(1 + c, r) half widths with a larger problem, and as if each of c GPUs had been the source."""
        ready, n = self.ready, len(self.ready)
        candidates = [p for _, able in self.offers for p in able]
        kernels, index, first = ready.kernels, ready.index, len(ready.sources)
        repeated = kernels.select(np.tile(np.arange(n), 1 + len(candidates)))
        time = np.concatenate([kernels.column("time_s"), self.estimate.time_s[:, 1:].T.ravel()])
        floors = np.array([p.launch_floor_s or FLOOR_S for p in ready.sources])
        larger = enlarged(kernels, np.where(index >= 0, floors[index], FLOOR_S))
        changed = {name: repeated.column(name) for name in larger} | {"time_s": time}
        for name, values in larger.items():
            changed[name] = np.concatenate([values, changed[name][n:]])
        table = repeated.with_columns(**{k: (v, repeated.origin_of(k)) for k, v in changed.items()})
        clocks = self.all_there.clock_hz[:, 1:].T.ravel()
        here = Machines(
            columns_of([*ready.sources, *candidates]),
            np.concatenate([index, np.repeat(first + np.arange(len(candidates)), n)]),
            np.concatenate([ready.clocks.clock_hz, clocks]),
        )
        clock = np.tile(np.broadcast_to(self.there.clock_hz, (n, 1)), (1 + len(candidates), 1))
        estimate = self.model.estimate(table, here, self.there.cells(self.there.index, clock), ready.conditions)
        return half_of(estimate).reshape(1 + len(candidates), n)

    @cached_property
    def floored(self) -> FloatArray:
        """(r,) half widths with the launch floors of both machines."""
        floors = self.ready.sources[0].launch_floor_s or FLOOR_S, self.target.launch_floor_s or FLOOR_S
        given = dataclasses.replace(self.ready.conditions, launch_floor_s=floors)
        estimate = self.model.estimate(self.ready.kernels, self.ready.machines_here(), self.there, given)
        return np.asarray(np.fmin(half_of(estimate), self.half))

    @cached_property
    def linked(self) -> NDArray[np.bool_]:
        """(r,) which are collectives."""
        kernels = self.ready.kernels
        # A table need not state what a communication library's kernel says by its name.
        named = [collective_of(str(name)) is not Collective.NONE for name in kernels.strings("kernel")]
        return np.asarray((kernels.strings("collective") != "") | np.array(named, np.bool_), np.bool_)

    @cached_property
    def counted(self) -> FloatArray:
        """(r,) half widths with counters and stall reasons: the calibrated ones of such profiles between GPUs as far
        apart.
        """
        kernels, conditions = self.ready.kernels, self.ready.conditions
        stalls = np.zeros(len(kernels), np.bool_)
        for columns, what in ((kernels.numeric, "stall_"), (kernels.counters, "stall")):
            for name, values in columns.items():
                if what in name:
                    stalls |= np.isfinite(values)
        here = column(self.ready.machines_here())
        table: Intervals = getattr(getattr(self.model, "physics", self.model), "intervals", None) or shipped_intervals()
        quantiles = [table.half_width_of(f"stalls/{name}", conditions.coverage) for name in DISTANCES]
        half = widened(
            np.array(quantiles)[distances(here, self.there)[:, 0]], self.there.gather(estimate_uncertainty)[0],
            between_vendors(here, self.there)[:, 0],
        )  # fmt: skip
        return np.where(stalls | self.linked, self.half, np.minimum(half, self.half))

    @cached_property
    def has_bytes(self) -> NDArray[np.bool_]:
        """(r,) whose bytes were counted."""
        return np.asarray(bytes_counted(self.ready.kernels), np.bool_)

    @cached_property
    def together(self) -> tuple[FloatArray, ...]:
        """(r, c) half widths from the present source and each GPU of an offer together, of each offer."""
        widths, first = [], 1
        for _, able in self.offers:
            widths.append(widths_together(self, able, self.further[first : first + len(able)]))
            first += len(able)
        return tuple(widths)


def half_of(estimate: Estimate) -> FloatArray:
    """(r,) half widths on the first target, in logarithms."""
    with quietly():
        return np.asarray(0.5 * np.log(estimate.time_high_s[:, 0] / estimate.time_low_s[:, 0]))


def ask_about(found: Forecast, rows: NDArray[np.intp], target: int) -> OneTarget | None:
    """Some kernels of a forecast on a target; None where nothing is known but the result, or no interval is claimed."""
    return next(ask_about_each(found, rows, [target]), None)


def ask_about_each(found: Forecast, rows: NDArray[np.intp], targets: Sequence[int]) -> Iterator[OneTarget]:
    """The same on several targets, which share what holds of every GPU that could be a second source."""
    if found.prepared is None or found.model not in MODELS or found.estimate.coverage is None or not len(rows):
        return
    model, ready = load_model(found.model), found.prepared.select(rows)
    offered = (stored_gpus(), "profile it on your"), (rented_gpus(), "profile it on a rented")
    every = {id(p): p for p in (*(found.targets[j] for j in targets), *(p for gpus, _ in offered for p in gpus))}
    place = {key: column for column, key in enumerate(every)}
    there = ready.estimate_there(
        model, [*every.values()], None,
        lambda machines: model.estimate(ready.kernels, ready.machines_here(), machines, ready.conditions), noted=False,
    )  # fmt: skip
    for gpu in (found.targets[j] for j in targets):
        taken = {gpu.key.rstrip("*"), *(p.key for p in ready.sources)}
        offers = tuple((how, tuple(p for p in gpus if p.key not in taken)) for gpus, how in offered)
        columns = [place[id(p)] for p in (gpu, *(p for _, able in offers for p in able))]
        machines = there.machines.cells(there.machines.index[:, columns], there.machines.clock_hz[:, columns])
        yield OneTarget(model, ready, gpu, machines, there.estimate.columns(columns), offers)


def rank_narrowings(whole: Forecast, rows: Sequence[int] | None = None, target: int = 0) -> list[Narrowing]:
    """What would narrow the forecasts of some kernels on a target, the most first.

    rows : default: those with most time.
    """
    chosen = longest_rows(whole, target) if rows is None else np.asarray(rows, np.intp)
    case = ask_about(whole, chosen, target)
    if case is None:
        return []
    return rank(case)


def rank_each(whole: Forecast, targets: Sequence[int]) -> Iterator[list[list[Narrowing]]]:
    """The same of each kernel by itself: a list for each target, that of the kernels in their order."""
    by_target: list[list[list[Narrowing]]] = [[] for _ in targets]
    for first in range(0, len(whole.kernels), AT_ONCE):
        rows = np.arange(first, min(first + AT_ONCE, len(whole.kernels)))
        cases: Sequence[OneTarget | None] = [*ask_about_each(whole, rows, targets)] or [None] * len(targets)
        for ranked, case in zip(by_target, cases, strict=True):
            # Beside a kernel that ran nowhere, such as one of source code, no further measurement is worth more.
            ran = [] if case is None else (case.ready.index >= 0).tolist()
            ranked += [rank(case, np.array([i])) if case and ran[i] else [] for i in range(len(rows))]
    yield from by_target


AT_ONCE = 256
"""Kernels that are asked about at once: each is asked about once more for each GPU that could be a second source."""


def rank(case: OneTarget, own: Rows = ALL) -> list[Narrowing]:
    """What would narrow the forecasts of some kernels of a case, the most first."""
    gains = [(gain_of(case, n, own), n) for option in OPTIONS for n in option(case, own)]
    worthwhile = [(math.floor(math.log(gain) / math.log(ALIKE)), n) for gain, n in gains if gain >= GAIN_LEAST]
    return [n for _, n in sorted(worthwhile, key=lambda item: -item[0])]


def gain_of(case: OneTarget, narrowing: Narrowing, own: Rows = ALL) -> float:
    """Factor by which intervals become narrower, in the middle of the kernels."""
    with quietly():
        gain = np.exp(2 * case.half[own]) / narrowing.width
    middle = median_of(gain[np.isfinite(gain)])
    return 1.0 if math.isnan(middle) else middle


def median_of(values: FloatArray) -> float:
    """The middle of the known values, NaN where none is; of one value without a sort, as `--explain` asks of each."""
    if len(values) == 1:
        return float(values[0])
    return float(find_middle(values))


def longest_rows(found: Forecast, target: int) -> NDArray[np.intp]:
    """Kernels with most time on a target, of those with a forecast on another GPU, in the order of the table."""
    total = np.where(np.isfinite(found.time_total_s[:, target]), found.time_total_s[:, target], -1.0)
    apart = np.array([s is not None and s.key != found.targets[target].key for s in found.sources], np.bool_)
    rows = np.array(pick_longest(np.where(apart, total, np.nan), KERNELS_MOST), np.intp)
    return rows[(total[rows] > 0) & apart[rows]]


def count_more(case: OneTarget, own: Rows = ALL) -> Iterator[Narrowing]:
    """Counters, with stall reasons.

    Collectives take what the links between GPUs take, whatever is counted: where they are most of the time, no counter
    is worth its pass.
    """
    kernels, rows = case.ready.kernels, np.arange(len(case.ready))[own]
    time = np.nan_to_num(case.estimate.time_s[rows, 0]) * kernels.launches[rows]
    if time[case.linked[rows]].sum() > 0.5 * time.sum():
        return
    rows = rows[rank_longest(time)]
    missing = dict.fromkeys(name for i in rows.tolist() for name in list_missing(kernels, i))
    what = "counters with stall reasons" if case.has_bytes[rows].any() else "counters"
    yield Narrowing(what, collecting(case, rows, tuple(missing)), np.exp(2 * case.counted[rows]))


def collecting(case: OneTarget, rows: NDArray[np.intp], missing: tuple[str, ...]) -> str:
    """The pass that collects counters and stall reasons."""
    kernels = case.ready.kernels
    first = next((i for i in rows.tolist() if case.ready.index[i] >= 0), None)
    source = None if first is None else case.ready.sources[case.ready.index[first]]
    major = (source.compute_capability if source else "").partition(".")[0]
    if (source is None or source.vendor == "NVIDIA") and not (major.isdecimal() and int(major) < FIRST_OF_NCU):
        return "roofcast measure profile -- ./application"
    return suggest_collection(kernels.select(rows), missing) if missing else ""


def give_floors(case: OneTarget, own: Rows) -> Iterator[Narrowing]:
    """The launch floors of both machines."""
    if case.ready.conditions.launch_floor_s is None:
        how = "roofcast measure ceilings --quick on both, then --launch-floor SOURCE,TARGET"
        yield Narrowing("the launch floors of both hosts", how, np.exp(2 * case.floored[own]))


def enlarge(case: OneTarget, own: Rows) -> Iterator[Narrowing]:
    """A problem several times as large."""
    half = np.fmin(case.further[0], case.half)[own]
    yield Narrowing(f"a problem {LARGER:.0f} times as large", "profile a larger input", np.exp(2 * half))


def enlarged(kernels: KernelTable, floor_s: FloatArray) -> dict[str, FloatArray]:
    """Columns of a problem several times as large: more of everything but the launch."""
    time = kernels.column("time_s")
    floor = np.minimum(floor_s, 0.9 * time)
    changed = {name: LARGER * kernels.column(name) for name in kernels.numeric if name in GROWING}
    return changed | {"time_s": floor + LARGER * (time - floor)}


GROWING = frozenset(WORK_COLUMNS) - {
    *("block_threads", "regs_per_thread", "smem_bytes_per_block", "threads_per_inst"),
    *("bytes_per_sector_load", "bytes_per_sector_store"),
}
"""What a larger problem has more of."""


def measure_elsewhere(case: OneTarget, own: Rows) -> Iterator[Narrowing]:
    """A second source: the most worthwhile of the GPUs that the store knows, and of those that can be rented."""
    for (how, able), both in zip(case.offers, case.together, strict=True):
        half = both[own]
        if not np.isfinite(half).any():
            continue
        middle = half[0] if len(half) == 1 else find_middle(half)
        best = int(np.nanargmin(middle))
        yield Narrowing(
            f"a second source GPU: {able[best].name}",
            f"{how} {able[best].name}, and give both files --together",
            np.exp(2 * np.fmin(half[:, best], case.half[own])),
        )


def stored_gpus() -> list[Processor]:
    """GPUs that the user's store holds launches of; none where there is no store."""
    if not default_path().exists():
        return []
    from roofcast.store.queries import ask

    try:
        rows = ask(STORED).rows
    except RoofcastError:
        return []
    known = library.index()["entries"]
    return [library.processor(str(key)) for (key,) in rows if key in known]


STORED = "SELECT DISTINCT gpu_key FROM launches WHERE gpu_key <> ''"


def rented_gpus() -> list[Processor]:
    """GPUs that the shipped example of public prices knows for rent."""
    return [library.processor(key) for key in list_rented()]


def widths_together(case: OneTarget, candidates: Sequence[Processor], from_them: FloatArray) -> FloatArray:
    """(r, c) half widths of the forecasts from the present source and each candidate together.

    from_them : (c, r) half widths of the forecasts from the candidates alone.
    """
    ready, n, c = case.ready, len(case.ready), len(candidates)
    widths = np.full((n, c), np.nan)
    log_time = np.log(case.estimate.time_s[:, 0])
    for position in sorted(set(ready.index[ready.index >= 0].tolist())):
        rows = np.flatnonzero(ready.index == position)
        for k, candidate in enumerate(candidates):
            both = np.column_stack([case.half[rows], from_them[k, rows]])[:, None]
            same = np.column_stack([log_time[rows]] * 2)[:, None]
            widths[rows, k] = combine(same, both, [ready.sources[position], candidate], [case.target])[1][:, 0]
    return widths


def measure_ceilings(case: OneTarget, own: Rows) -> Iterator[Narrowing]:
    """Ceilings of the target measured, not estimated."""
    added = NINE_OF_TEN * float(case.there.gather(estimate_uncertainty).max(initial=0.0))
    if added > 0:
        half = np.sqrt(np.maximum(case.half[own] ** 2 - added**2, 0.0))
        yield Narrowing(
            f"the ceilings of the {case.target.name}", "roofcast measure ceilings -o target.toml (there), then "
            "--to target.toml", np.exp(2 * half),
        )  # fmt: skip


def compile_there(case: OneTarget, own: Rows) -> Iterator[Narrowing]:
    """Machine code of the target, which says how many instructions run there."""
    if case.ready.changes is not None or not any(p.format == "ncu-rep" for p in case.ready.kernels.provenance):
        return
    limit = largest(case.estimate.time_s_by_resource_target, case.estimate.time_s.shape)[own, 0]
    left = np.array([CODE_LEAVES.get(r, 1.0) if r else 1.0 for r in limit.tolist()])
    yield Narrowing("the target's machine code", "--target-sass application.cubin", np.exp(2 * case.half[own] * left))


OPTIONS: tuple[Callable[[OneTarget, Rows], Iterator[Narrowing]], ...] = (
    give_floors, count_more, compile_there, enlarge, measure_ceilings, measure_elsewhere,
)  # fmt: skip
"""Everything that can be learned, that with least effort first."""


HOW_MOST = 120
"""Letters of a command that a note holds; longer ones list counters."""
INSPECT = "`roofcast inspect FILE` prints the command that collects them"


def describe_narrowing(width: float, narrowing: Narrowing) -> str:
    """One line: what, from which width to which, and how."""
    then = median_of(narrowing.width)
    how = narrowing.how if len(narrowing.how) <= HOW_MOST else INSPECT
    return f"{narrowing.what}: the interval's high over low from {width:.3g} to {then:.3g} ({how})"


WIDE = 4.0
"""High over low beyond which a forecast says first what would narrow it."""


@dataclass(frozen=True)
class Advice:
    """What would narrow a forecast most."""

    narrowing: Narrowing
    width: float
    """Median of high over low as it is."""

    @property
    def text(self) -> str:
        """In one line."""
        return f"what would narrow this most: {describe_narrowing(self.width, self.narrowing)}"

    @property
    def first(self) -> bool:
        """Whether it is to be said before the forecast."""
        return self.width > WIDE

    def record(self) -> dict[str, str | float]:
        """Values for JSON; gain: by which factor intervals (high over low) become narrower."""
        then = median_of(self.narrowing.width)
        return {"what": self.narrowing.what, "gain": self.width / then, "width": self.width, "width_then": then,
                "command": self.narrowing.how}  # fmt: skip


def advise_next(found: Forecast) -> Advice | None:
    """What would narrow the forecasts of the longest kernels most; None where nothing would."""
    if not found.targets:
        return None
    rows = longest_rows(found, 0)
    ranked = rank_narrowings(found, rows.tolist(), 0)
    if not ranked:
        return None
    return Advice(ranked[0], width_of(found, rows, 0))


def width_of(found: Forecast, rows: NDArray[np.intp], target: int) -> float:
    """Median of high over low."""
    estimate = found.estimate
    with quietly():
        return median_of(estimate.time_high_s[rows, target] / estimate.time_low_s[rows, target])


STAND_IN = ("H100 SXM5 80GB", "Instinct MI300X")
"""GPUs that a profile is forecast on where only its data are looked at: the first that is not its own."""


def advise_inspection(kernels: KernelTable) -> str:
    """What would narrow forecasts of a profile's longest kernels most, on a usual GPU; '' where nothing would."""
    time = np.nan_to_num(kernels.column("time_s"))
    longest = np.array(pick_longest(time, KERNELS_MOST), np.intp)
    try:
        whole = forecast(kernels.select(longest[time[longest] > 0]), list(STAND_IN))
    except RoofcastError:
        return ""
    for j, target in enumerate(whole.targets):
        rows = longest_rows(whole, j)
        ranked = rank_narrowings(whole, rows.tolist(), j)
        if ranked:
            sentence = describe_narrowing(width_of(whole, rows, j), ranked[0])
            return f"what would narrow forecasts most (here of the {target.name}): {sentence}"
    return ""


def list_narrowings(found: Forecast) -> Iterator[list[list[str]]]:
    """On each target, of each kernel everything that would narrow its forecast, the most first."""
    for j, of_target in enumerate(rank_each(found, range(len(found.targets)))):
        yield [tell_narrowings(found, i, j, ranked) for i, ranked in enumerate(of_target)]


def tell_narrowings(found: Forecast, i: int, j: int, ranked: Sequence[Narrowing]) -> list[str]:
    """Lines on what would narrow one forecast; none where nothing would."""
    width = width_of(found, np.array([i]), j) if ranked else math.nan
    lines = [f"  {describe_narrowing(width, narrowing)}" for narrowing in ranked]
    return ["what would narrow it, the most first:", *lines] if lines else []
