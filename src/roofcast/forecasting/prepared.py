"""What is known of kernels before any model is asked: their GPUs, amounts, machine code, clocks and the same work."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import Columns, Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.results import Conditions
from roofcast.forecasting.clocks import SourceClocks, asked_clocks, by_itself, is_own, source_clocks, target_clocks
from roofcast.forecasting.conditions import (
    FLUSHED_BY_HABIT,
    WARM_BY_RATE,
    asked_caches,
    assume_flushed,
    describe_caches,
    describe_measured,
    infer_caches,
    recorded_caches,
    set_caches,
    tell_conditions,
)
from roofcast.forecasting.host_floors import HOST_BY_SIZES, infer_host_floors
from roofcast.forecasting.plausible import mark_implausible
from roofcast.forecasting.several_sources import SameWork, same_work, with_amounts_of_others
from roofcast.forecasting.sources import resolve_sources
from roofcast.forecasting.sustained import describe_held, sustain_clocks
from roofcast.models.kernel_amounts import is_from_code
from roofcast.operators.operator_rows import with_named_launches, with_shape_amounts
from roofcast.operators.recorded_blocks import ORDER_BY_BLOCKS, with_shapes_of_blocks
from roofcast.sass.embedded_code import use_embedded_code

Notes = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Prepared:
    """n kernels ready to be forecast under the same conditions."""

    kernels: KernelTable
    """With the amounts that operators, shapes, other GPUs and machine code tell."""
    sources: tuple[Processor, ...]
    index: NDArray[np.intp]
    """(n,) position in ``sources`` of the GPU of each; -1 where it is unknown."""
    clocks: SourceClocks
    """At which they were measured."""
    asked: SourceClocks
    """At which they run on their sources under the conditions."""
    conditions: Conditions
    changes: AmountChanges | None
    """(n, m) what the targets' own code changes."""
    groups: SameWork
    """Rows that measured the same work on several of the sources."""
    source_notes: Notes
    """Per kernel: how its GPU was found."""
    code_notes: Notes
    """Per kernel: what its machine code corrected."""
    cell_notes: tuple[Notes, ...]
    """Per kernel and target: what the target's code changes; empty where there is nothing to say."""
    cache_note: str
    """What a reader must know of the caches."""
    last: dict[str, Any] = field(init=False, repr=False, compare=False, default_factory=dict)
    """Targets that were last asked for, and where kernels run on them: forecast and energy ask one after the other."""

    def __len__(self) -> int:
        return len(self.kernels)

    def select(self, rows: NDArray[np.intp]) -> Prepared:
        """Some of the kernels, in the given order."""

        def chosen(notes: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(map(notes.__getitem__, rows.tolist())) if notes else ()

        return Prepared(
            self.kernels.select(rows), self.sources, self.index[rows], self.clocks.select(rows),
            self.asked.select(rows), self.conditions,
            None if self.changes is None else self.changes.part(rows), self.groups.select(rows),
            chosen(self.source_notes), chosen(self.code_notes), chosen(self.cell_notes), self.cache_note,
        )  # fmt: skip

    def machines_here(self) -> Machines:
        """Where the kernels were measured: index (n,), clocks (n,)."""
        return Machines(columns_of(self.sources), self.index, self.clocks.clock_hz)

    @property
    def moved(self) -> NDArray[np.bool_]:
        """(n,) kernels that were measured under other conditions than asked for: another clock, other caches."""
        other = (self.index >= 0) & (self.asked.clock_hz != self.clocks.clock_hz)
        other |= (self.index >= 0) & (recorded_caches(self.kernels) != asked_caches(self.kernels, self.conditions))
        return np.asarray(other)

    def told(self) -> dict[str, Any]:
        """The conditions in words and numbers, as JSON shows them."""
        moved = self.moved
        rows = moved if moved.any() else self.index >= 0
        return tell_conditions(self.conditions, moved, describe_measured(self.kernels, self.clocks, rows))

    def machines_asked(self) -> Machines:
        """Where they were measured, at the clocks that are asked for: index (n,), clocks (n,)."""
        return Machines(columns_of(self.sources), self.index, self.asked.clock_hz)

    def machines_there(
        self, targets: Sequence[Processor] | Columns, *, noted: bool = True
    ) -> tuple[Machines, list[str]]:
        """Where they are to run, index (1, m) and clocks (n, m), and one note per target that names its clock.

        noted : whether the notes are wanted: they take long for many targets.
        """
        if not isinstance(targets, Columns) and self.last.get("noted") and is_same(self.last["targets"], targets):
            found: tuple[Machines, list[str]] = self.last["there"]
            return found
        columns, policy = targets if isinstance(targets, Columns) else columns_of(targets), self.conditions.clock
        clock_hz, notes = target_clocks(self.asked, self.sources, self.index, columns, policy, noted=noted)
        there = Machines(columns, np.arange(len(columns), dtype=np.intp)[None, :], clock_hz)
        held = sustain_clocks(self.kernels, self.machines_here(), there, self.conditions)
        if held is not clock_hz:
            own = is_own(self.sources, self.index, columns)
            there = there.cells(there.index, np.where(own, clock_hz, held))
            notes = describe_held(notes, clock_hz, held)
        if noted and not isinstance(targets, Columns):
            self.last.update(targets=tuple(targets), there=(there, notes), noted=True)
        return there, notes


def is_same(one: Sequence[Processor], other: Sequence[Processor]) -> bool:
    """Whether two lists hold the very same processors."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def prepare(
    kernels: KernelTable,
    targets: Sequence[Processor],
    *,
    source: str | Processor | None = None,
    conditions: Conditions,
    sass: str = "auto",
    target_sass: str | Path | None = None,
    together: bool = False,
    alone: bool = False,
) -> Prepared:
    """Everything that a forecast of these kernels on these targets rests on, beside the model.

    source, sass, target_sass : as in :func:`roofcast.forecasting.forecast.forecast`.
    conditions : checked ones (:func:`roofcast.forecasting.conditions.check_conditions`).
    together : whether several files were measured together: rows of one work on several GPUs serve each other across
        files too, not within each alone.
    alone : no row serves another.
    """
    found = resolve_sources(kernels, source)
    here = Machines(columns_of(found.processors), found.index, clocks_by_themselves(found.processors, found.index))
    timed = found.kernels
    if is_from_code(timed).any():
        from roofcast.models.operators.from_code import with_time_on_source

        timed = with_time_on_source(timed, here, conditions)
    stated = mark_implausible(timed, found.processors, found.index)
    shaped, reordered = with_shapes_of_blocks(stated)
    told = assume_flushed(add_told_amounts(shaped))
    assumed = recorded_caches(told) != recorded_caches(found.kernels)
    if conditions.cache == "auto":
        told = infer_caches(told, found.processors, found.index)
    if conditions.launch_floor_s is None:
        told = infer_host_floors(told, found.index)
    table = set_caches(told, conditions.cache)
    groups = SameWork((), np.zeros(len(table), np.bool_))
    if not alone:
        groups = same_work(table, found.index, together=together)
        table = with_amounts_of_others(table, groups)
    code = use_embedded_code(table, targets, sass=sass, target_sass=target_sass)
    clocks = source_clocks(code.kernels, found.processors, found.index)
    clocks.remarks.add(assumed, FLUSHED_BY_HABIT)
    if conditions.cache == "auto":
        changed = recorded_caches(code.kernels) != recorded_caches(found.kernels)
        clocks.remarks.add(changed & ~assumed, WARM_BY_RATE)
    clocks.remarks.add(reordered, ORDER_BY_BLOCKS)
    clocks.remarks.add(code.kernels.column("host_floor_s") > 0, HOST_BY_SIZES)
    asked = asked_clocks(clocks, found.processors, found.index, conditions)
    here = Machines(columns_of(found.processors), found.index, clocks.clock_hz)
    by_itself = Machines(here.columns, found.index[:, None], asked.clock_hz[:, None])
    held = sustain_clocks(code.kernels, here, by_itself, conditions)[:, 0]
    if (held < asked.clock_hz).any():
        asked = dataclasses.replace(asked, clock_hz=held)
    return Prepared(
        code.kernels, found.processors, found.index, clocks, asked, conditions, code.changes, groups, found.notes,
        code.notes, code.cell_notes, describe_caches(told, conditions),
    )  # fmt: skip


def clocks_by_themselves(processors: Sequence[Processor], index: NDArray[np.intp]) -> NDArray[np.float64]:
    """(n,) Hz that each row's GPU takes by itself; NaN where it is unknown."""
    clocks = np.array([*(by_itself(p) for p in processors), np.nan])
    return clocks[np.where(index < 0, len(processors), index)]


def add_told_amounts(kernels: KernelTable) -> KernelTable:
    """The kernels with the amounts that operators and shapes tell where nothing was counted."""
    if "operator" in kernels.extra:
        from roofcast.operators.traced_operators import with_traced_amounts

        kernels = with_traced_amounts(kernels)[0]
    return with_named_launches(with_shape_amounts(kernels))
