"""Cases: measurements of one kernel and configuration on two GPUs, ready to be forecast, with both machines.

Splits into training and test go by program and by GPU, never by row: the same answer on every machine and in every
order of rows.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable, TextArray
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION, PROFILED, Conditions, largest
from roofcast.forecasting.conditions import check_conditions
from roofcast.forecasting.measured_pairs import Pairs, pair_rows
from roofcast.forecasting.prepared import prepare
from roofcast.forecasting.sources import resolve_sources
from roofcast.models.base import Model
from roofcast.models.cell_blocks import slice_rows
from roofcast.models.physics.flushed_caches import find_flushed
from roofcast_evaluate.datasets import dataset_of
from roofcast_evaluate.scores import Outcome, pair_weights

FOLDS = 5
"""Parts of the programs, each of which is forecast by constants of the others."""


def program_of(kernel: str) -> str:
    """The program that a kernel's name begins with, else the kernel.

    >>> program_of("ace-cuda:_Z14calculateForcePA400_"), program_of("micro/vector_add"), program_of("void f<int>()")
    ('ace-cuda', 'micro/vector_add', 'void f<int>()')
    """
    match = re.match(r"([\w.+-]+):(?!:)", kernel)
    return match.group(1).removesuffix("-omp") if match else kernel


def fold_of(program: str, folds: int = FOLDS) -> int:
    """Fold of a program, from its hash.

    >>> 0 <= fold_of("ace-cuda") < 5
    True
    """
    return int(hashlib.sha256(program.encode("utf-8", "surrogatepass")).hexdigest(), 16) % folds


def folds_of(kernel: TextArray, folds: int = FOLDS) -> NDArray[np.intp]:
    """(n,) fold of each row's program."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(k, fold_of(program_of(k), folds)) for k in kernel], dtype=np.intp)


Index = NDArray[np.intp]


def codes(values: NDArray[np.object_]) -> Index:
    """(n,) integer per distinct text, in the order of first appearance."""
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(v, len(seen)) for v in values], dtype=np.intp)


def pairs_of(kernels: KernelTable, usable: NDArray[np.bool_] | None = None, *, within_gpu: bool = False) -> Pairs:
    """Every directed pair of rows with the same work on different GPUs.

    within_gpu : pair settings of one GPU (clocks) rather than GPUs; the configuration is then the part that does not
    name the setting. Of several files those of one name are of one program.
    """
    gpu = setting_codes(kernels) if within_gpu else codes(kernels.strings("gpu"))
    program = None
    if len(kernels.provenance) > 1:
        program = codes(np.array([p.file for p in kernels.provenance], np.object_))[kernels.files()]
    return pair_rows(kernels, gpu, usable, by_precision=False, program=program)


def setting_codes(kernels: KernelTable) -> Index:
    """(n,) one integer per GPU and pair of clocks."""
    clocks = [kernels.column(name) for name in ("clock_hz", "clock_hz_dram")]
    parts = [codes(kernels.strings("gpu")), *(np.unique(c, return_inverse=True)[1] for c in clocks)]
    result = np.zeros(len(kernels), np.intp)
    for part in parts:
        result = result * (part.max(initial=0) + 1) + part
    return result


MEMORY_CLOCK_STEP = 0.02
"""Memory clocks of one GPU closer than this are one setting."""


@dataclass(frozen=True)
class Cases:
    """p pairs, ordered by source and target GPU; the kernels are the source rows."""

    kernels: KernelTable
    sources: Machines
    """index (p,)"""
    targets: Machines
    """index (p, 1)"""
    time_s_measured: FloatArray
    source_gpu: NDArray[np.object_]
    target_gpu: NDArray[np.object_]
    floors_s: Mapping[tuple[str, str], float]
    """(GPU, kernel) -> seconds of an empty launch, where given."""
    given: Conditions = field(default_factory=Conditions)
    """Conditions of every pair beside the floors."""
    changes: AmountChanges | None = None
    """(p, 1) what the target's own code changes."""
    locked: bool = False
    """Whether a profiler locked the clocks of some, or flushed their caches."""

    @property
    def named(self) -> str:
        """The conditions of the forecasts, as ``roofcast forecast --conditions`` takes them."""
        return PRODUCTION if not self.locked else self.given.named

    @property
    def weights(self) -> FloatArray:
        """(p,) of every pair (:func:`roofcast_evaluate.scores.pair_weights`)."""
        return pair_weights(self.kernels.strings("kernel"), self.source_gpu, self.target_gpu)

    def __len__(self) -> int:
        return len(self.kernels)

    def select(self, chosen: NDArray[np.bool_] | Index) -> Cases:
        """The pairs of a mask, or the given ones in the given order."""
        return Cases(
            self.kernels.select(chosen),
            self.sources.cells(self.sources.index[chosen], self.sources.clock_hz[chosen]),
            self.targets.cells(self.targets.index[chosen], self.targets.clock_hz[chosen]),
            self.time_s_measured[chosen],
            self.source_gpu[chosen],
            self.target_gpu[chosen],
            self.floors_s,
            self.given,
            None if self.changes is None else self.changes.part(np.arange(len(self))[chosen]),
            self.locked,
        )

    def thin(self, most: int, *, centred: bool = False) -> Cases:
        """At most so many pairs, evenly spread; each from the middle of those that it stands for where ``centred``."""
        step = max(-(-len(self) // most), 1)
        return self.select(np.arange(step // 2 if centred else 0, len(self), step))

    def part(self, rows: slice) -> tuple[KernelTable, Machines, Machines, AmountChanges | None]:
        """Kernels, sources, targets and changes of consecutive pairs, as models take them."""
        sources = self.sources.cells(self.sources.index[rows], self.sources.clock_hz[rows])
        targets = self.targets.cells(self.targets.index[rows], self.targets.clock_hz[rows])
        changes = None if self.changes is None else self.changes.part(rows)
        return slice_rows(self.kernels, rows), sources, targets, changes

    def unfilled(self) -> Outcome:
        """An outcome without a forecast yet."""
        time, low, high = np.full((3, len(self)), np.nan)
        return Outcome(
            self.kernels.strings("kernel"), self.source_gpu, self.target_gpu, self.time_s_measured, time, low, high,
            self.kernels.column("time_s"), np.full(len(self), "", np.object_),
        )  # fmt: skip

    def groups(self) -> list[tuple[slice, Conditions]]:
        """Runs of rows that share kernel, source and target GPU, with their conditions."""
        kernel = self.kernels.strings("kernel")
        key = self.source_gpu + "\x00" + self.target_gpu + "\x00" + kernel
        if not self.floors_s or not len(key):
            return [(slice(0, len(key)), self.given)]
        edges = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
        return [
            (slice(a, b), self.conditions(self.source_gpu[a], self.target_gpu[a], kernel[a]))
            for a, b in itertools.pairwise(edges)
        ]

    def conditions(self, source: str, target: str, kernel: str) -> Conditions:
        """Conditions of one kernel on one pair of GPUs."""
        floors = (self.floors_s.get((source, kernel)), self.floors_s.get((target, kernel)))
        if floors[0] is None or floors[1] is None:
            return self.given
        return dataclasses.replace(self.given, launch_floor_s=(floors[0], floors[1]))

    def forecast(self, model: Model) -> Outcome:
        """What a model says of every pair."""
        outcome, block = self.unfilled(), 1 << 16
        for rows, conditions in self.groups():
            for start in range(rows.start, rows.stop, block):
                part = slice(start, min(start + block, rows.stop))
                kernels, sources, targets, changes = self.part(part)
                estimate = model.estimate(kernels, sources, targets, conditions, changes)
                limit = largest(estimate.time_s_by_resource_target, estimate.time_s.shape)[:, 0]
                limits = np.array([str(v or "") for v in limit], dtype=np.object_)
                outcome.fill(part, estimate.time_s[:, 0], estimate.time_low_s[:, 0], estimate.time_high_s[:, 0], limits)
        return outcome


def forecast_parts(cases: Cases, parts: Iterable[tuple[NDArray[np.bool_], Model]]) -> Outcome:
    """Forecasts of pairs, each part of them (a mask) by a model of its own."""
    whole = cases.unfilled()
    for rows, model in parts:
        if rows.any():
            part_outcome = cases.select(rows).forecast(model)
            assert part_outcome.limit is not None
            whole.fill(rows, part_outcome.time_s, part_outcome.time_low_s, part_outcome.time_high_s, part_outcome.limit)
    return whole


def evenly(key: TextArray, most: int) -> NDArray[np.bool_]:
    """(n,) at most so many rows of each key, evenly spread over them."""
    _, which, count = np.unique(key.astype(str), return_inverse=True, return_counts=True)
    order = np.argsort(which, kind="stable")
    place = np.empty(len(key), np.intp)
    place[order] = np.arange(len(key)) - np.repeat(np.cumsum(count) - count, count)
    size = count[which]
    return np.asarray((size <= most) | ((place * most) // size != ((place - 1) * most) // size))


def usable_rows(name: str, kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) rows that a data set's notes say to compare; all rows of other tables."""
    usable = np.ones(len(kernels), np.bool_)
    dataset = dataset_of(name)
    for column, wanted in (dataset.rows if dataset else {}).items():
        marks = kernels.extra.get(column)
        if marks is not None:
            usable &= np.array([str(v).strip().lower() == wanted for v in marks], np.bool_)
    return usable


def cases_of(
    name: str,
    kernels: KernelTable,
    *,
    accepted: NDArray[np.bool_] | None = None,
    floors: Mapping[tuple[str, str], float] | None = None,
    cache: str = "auto",
    conditions: str = PROFILED,
    without: Collection[str] = (),
) -> Cases:
    """Pair a table: what ``roofcast forecast TABLE --from SOURCE --to TARGET`` rests on, for every two of its GPUs.

    name : of the data set, for its rules on rows. accepted : (n,) rows that screening left.
    floors : (GPU, kernel) -> seconds of an empty launch. cache, conditions : as the command line's. Profiled is as the
        pairs were measured: the same as production but where a profiler locked clocks or flushed caches of both.
    without : steps of preparation that are left out.
    """
    usable = usable_rows(name, kernels)
    usable &= True if accepted is None else accepted
    dataset = dataset_of(name)
    within = bool(dataset and dataset.within_gpu)
    given = check_conditions(Conditions(cache=cache, named=conditions))
    targets = resolve_sources(kernels, None).processors
    ready = prepare(kernels, targets, conditions=given, alone=True, without=without)
    kernels, index = ready.kernels, ready.index
    usable &= index >= 0
    pairs = pairs_of(without_setting(kernels) if within else kernels, usable, within_gpu=within)
    if dataset and dataset.time_s_least:
        pairs = above_floor(kernels, pairs, dataset.time_s_least)
    gpu = kernels.strings("gpu")
    if not within:
        kernel = codes(kernels.strings("kernel"))[pairs.source]
        _, named = np.unique(gpu.astype(str), return_inverse=True)
        names = [named[pairs.target], named[pairs.source]]
        order = np.lexsort((pairs.target, pairs.source, kernel, *names))
        pairs = Pairs(pairs.source[order], pairs.target[order])
    clock_s = ready.clocks.clock_hz
    changes = None
    if within:
        # Clocks are what is varied: each row has its own, as --clock and a variation of the memory would give them.
        targets, index = with_memory_clocks(kernels, ready.sources, index)
        clock_t = clock_s[pairs.target]
    else:
        there = ready.machines_there(targets, noted=False)[0].clock_hz
        clock_t = there[pairs.source, index[pairs.target]]
        if ready.changes is not None:
            changes = ready.changes.of_pairs(pairs.source, index[pairs.target])
    columns = columns_of(targets)
    return Cases(
        kernels.select(pairs.source),
        Machines(columns, index[pairs.source], clock_s[pairs.source]),
        Machines(columns, index[pairs.target][:, None], clock_t[:, None]),
        kernels.column("time_s")[pairs.target],
        gpu[pairs.source],
        gpu[pairs.target],
        dict(floors or {}),
        given,
        changes,
        bool(ready.clocks.locked.any() or find_flushed(kernels, Conditions()).size),
    )


def above_floor(kernels: KernelTable, pairs: Pairs, least_s: float) -> Pairs:
    """Pairs whose work takes at least so long wherever it was paired."""
    time = kernels.column("time_s")
    shortest = np.full(len(kernels), np.inf)
    np.minimum.at(shortest, pairs.source, np.minimum(time[pairs.source], time[pairs.target]))
    return pairs.select(shortest[pairs.source] >= least_s)


def without_setting(kernels: KernelTable) -> KernelTable:
    """Configurations without the clock setting: the column that names the input alone."""
    application = kernels.extra.get("config_app")
    if application is None:
        return kernels
    text = {**kernels.text, "config": np.array([str(v) for v in application], dtype=np.object_)}
    return dataclasses.replace(kernels, text=text)


def with_memory_clocks(
    kernels: KernelTable, processors: tuple[Processor, ...], index: NDArray[np.intp]
) -> tuple[tuple[Processor, ...], NDArray[np.intp]]:
    """Processors with their DRAM at each recorded memory clock, where one GPU was measured at several."""
    clock = kernels.column("clock_hz_dram")
    result, where = list(processors), index.copy()
    for position, p in enumerate(processors):
        rows = (index == position) & (clock > 0)
        highest = clock[rows].max(initial=0.0)
        if not rows.any() or clock[rows].min() > (1 - MEMORY_CLOCK_STEP) * highest:
            continue
        for value in np.unique(clock[rows]):
            factor = float(value / highest)
            if factor < 1:
                rate = p.rate(Resource.BYTES_DRAM)
                where[rows & (clock == value)] = len(result)
                result.append(p.replace(bytes_per_s_dram=rate * factor, name=f"{p.name} at {value / 1e6:.0f} MHz"))
    return tuple(result), where
