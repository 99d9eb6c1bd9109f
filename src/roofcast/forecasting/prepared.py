"""What is known of kernels before any model is asked: their GPUs, amounts, machine code, clocks and the same work."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import Conditions, Estimate
from roofcast.forecasting.clocks import SourceClocks, asked_clocks, is_own, source_clocks, target_clocks
from roofcast.forecasting.conditions import (
    asked_caches,
    describe_caches,
    describe_measured,
    recorded_caches,
    tell_conditions,
)
from roofcast.forecasting.preparing.in_order import list_remarks, run_steps
from roofcast.forecasting.preparing.step import Notes, Preparing, Step
from roofcast.forecasting.several_sources import SameWork
from roofcast.forecasting.sources import resolve_sources
from roofcast.forecasting.sustained import describe_held, holds_power, sustain_clocks
from roofcast.models.base import Model
from roofcast.models.held_clocks import physics_of
from roofcast.models.promises import nominal


@dataclass(frozen=True)
class There:
    """What a model says of kernels on their targets."""

    estimate: Estimate
    machines: Machines
    """Where they run: index (1, m), clocks (n, m)."""
    notes: list[str]
    """On the clock of each target."""
    on_source: Estimate | None = None
    """(n, 1) on the one GPU that all were measured on, where that was asked for with the targets."""


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
    asked_at_once: SourceClocks
    """At which a single launch of each runs on its source under the conditions."""
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
    """Where the kernels were measured; targets that were last asked for, and where kernels run on them: forecast and
    energy ask one after the other."""

    def __len__(self) -> int:
        return len(self.kernels)

    def select(self, rows: NDArray[np.intp]) -> Prepared:
        """Some of the kernels, in the given order; of all of them, what models made of them is not made again."""
        if len(rows) == len(self) and (rows == np.arange(len(rows))).all():
            return self

        def chosen(notes: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(map(notes.__getitem__, rows.tolist())) if notes else ()

        part = Prepared(
            self.kernels.select(rows), self.sources, self.index[rows], self.clocks.select(rows),
            self.asked_at_once.select(rows), self.conditions,
            None if self.changes is None else self.changes.part(rows), self.groups.select(rows),
            chosen(self.source_notes), chosen(self.code_notes), chosen(self.cell_notes), self.cache_note,
        )  # fmt: skip
        if "asked" in self.last:
            part.last["asked"] = self.asked.select(rows)
        return part

    def machines_here(self) -> Machines:
        """Where the kernels were measured: index (n,), clocks (n,); the same at every call."""
        if "here" not in self.last:
            self.last["here"] = Machines(columns_of(self.sources), self.index, self.clocks.clock_hz)
        here: Machines = self.last["here"]
        return here

    @property
    def asked(self) -> SourceClocks:
        """At which they run on their sources under the conditions, as far as the boards' power holds these clocks."""
        if "asked" not in self.last:
            at_once = Machines(columns_of(self.sources), self.index[:, None], self.asked_at_once.clock_hz[:, None])
            self.take_own(sustain_clocks(self.kernels, self.machines_here(), at_once, self.conditions)[:, 0])
        asked: SourceClocks = self.last["asked"]
        return asked

    def take_own(self, held_hz: FloatArray) -> None:
        """Keep the clocks that boards hold under their own kernels. held_hz : (n,) Hz."""
        at_once = self.asked_at_once
        lower = (held_hz < at_once.clock_hz).any()
        self.last["asked"] = dataclasses.replace(at_once, clock_hz=held_hz) if lower else at_once

    @property
    def moved(self) -> NDArray[np.bool_]:
        """(n,) kernels that were measured under other conditions than asked for: another clock, other caches."""
        return self.differs_from(self.asked)

    def differs_from(self, asked: SourceClocks) -> NDArray[np.bool_]:
        """(n,) kernels that were measured at other clocks than these, or in other caches than asked for."""
        other = (self.index >= 0) & (asked.clock_hz != self.clocks.clock_hz)
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

    def machines_at_once(
        self, targets: Sequence[Processor] | Columns, *, noted: bool = True
    ) -> tuple[Machines, list[str]]:
        """Where they are to run, at the clocks of single launches: index (1, m), clocks (n, m), and a note per target.

        noted : whether the notes are wanted: they take long for many targets.
        """
        columns = targets if isinstance(targets, Columns) else columns_of(targets)
        return self.machines_if(self.asked, columns, noted=noted)

    def machines_if(self, asked: SourceClocks, columns: Columns, *, noted: bool) -> tuple[Machines, list[str]]:
        """The same if the sources ran at given clocks: those that kernels keep on their own GPUs."""
        policy = self.conditions.clock
        clock_hz, notes = target_clocks(asked, self.sources, self.index, columns, policy, noted=noted)
        return Machines(columns, np.arange(len(columns), dtype=np.intp)[None, :], clock_hz), notes

    def machines_there(
        self, targets: Sequence[Processor] | Columns, *, noted: bool = True
    ) -> tuple[Machines, list[str]]:
        """Where they are to run, index (1, m) and clocks (n, m), and one note per target that names its clock.

        noted : see :meth:`machines_at_once`.
        """
        if not isinstance(targets, Columns) and self.last.get("noted") and is_same(self.last["targets"], targets):
            last: tuple[Machines, list[str]] = self.last["there"]
            return last
        there, notes = self.machines_at_once(targets, noted=noted)
        held = sustain_clocks(self.kernels, self.machines_here(), there, self.conditions)
        there, notes = self.hold(there, notes, held)
        if noted and not isinstance(targets, Columns):
            self.last.update(targets=tuple(targets), there=(there, notes), noted=True)
        return there, notes

    def estimate_there(
        self, model: Model, targets: Sequence[Processor], changes: AmountChanges | None,
        estimate: Callable[[Machines], Estimate], *, noted: bool = True,
    ) -> There:  # fmt: skip
        """What a model says of the targets.

        estimate : of machines. Asked of those at the clocks of single launches where the model itself sees what they
        draw then, so that nothing is forecast twice. changes : which it takes into account. noted : see
        :meth:`machines_at_once`.
        """
        known = self.last.get("noted") and is_same(self.last["targets"], targets)
        decides = holds_power(self.conditions) and changes is None and physics_of(model) is not None and not known
        every, place = self.with_own(targets) if decides else (targets, None)
        asked = self.asked if place is None else self.asked_at_once
        at_once, notes = self.machines_if(asked, columns_of(every), noted=noted and place is None)
        if not decides or nominal(at_once) is not at_once:
            there, notes = self.machines_there(targets, noted=noted)
            return There(estimate(there), there, notes)
        may_fall = np.ones((1, 1), np.bool_)
        if place is None:
            may_fall = ~is_own(self.sources, self.index, at_once.columns)
        estimated, on_source = estimate(dataclasses.replace(at_once, limited=may_fall)), None
        held_hz = at_once.clock_hz if estimated.clock_hz is None else estimated.clock_hz
        if place is not None:
            self.take_own(held_hz[:, place])
            on_source, estimated = estimated.columns([place]), estimated.columns(range(len(targets)))
            at_once, notes = self.machines_at_once(targets, noted=noted)
        there, notes = self.hold(at_once, notes, held_hz[:, : len(targets)])
        if noted:
            self.last.update(targets=tuple(targets), there=(there, notes), noted=True)
        return There(estimated, there, notes, on_source)

    def with_own(self, targets: Sequence[Processor]) -> tuple[Sequence[Processor], int | None]:
        """The targets with the GPU that all kernels were measured on, and its place among them.

        The targets alone and None where kernels are of several GPUs, where a variation of theirs is to keep their
        clocks, where these are known, and where nothing is asked of them.
        """
        if "asked" in self.last or not len(self) or self.index[0] < 0 or (self.index != self.index[0]).any():
            return targets, None
        theirs = self.sources[self.index[0]]
        place = next((j for j, target in enumerate(targets) if target is theirs), len(targets))
        every = targets if place < len(targets) else (*targets, theirs)
        is_alone = np.count_nonzero(is_own(self.sources, self.index[:1], columns_of(every))) == 1
        is_asked = place < len(targets) or self.differs_from(self.asked_at_once).any()
        return (every, place) if is_alone and is_asked else (targets, None)

    def hold(self, there: Machines, notes: list[str], held_hz: FloatArray) -> tuple[Machines, list[str]]:
        """Machines at the clocks that their boards hold, and the notes on them.

        A kernel on its own GPU keeps the clock that it has there (:attr:`asked`).
        """
        if held_hz is there.clock_hz:
            return there, notes
        themselves = is_own(self.sources, self.index, there.columns)
        clock_hz = np.where(themselves, there.clock_hz, held_hz)
        at_once_hz = np.where(themselves, self.asked_at_once.clock_hz[:, None], there.clock_hz)
        return there.cells(there.index, clock_hz), describe_held(notes, at_once_hz, clock_hz)


def is_same(one: Sequence[Processor], other: Sequence[Processor]) -> bool:
    """Return whether two lists hold the very same processors."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def prepare(  # noqa: PLR0913 - what users may say about a forecast, by keyword
    kernels: KernelTable,
    targets: Sequence[Processor],
    *,
    source: str | Processor | None = None,
    conditions: Conditions,
    sass: str = "auto",
    target_sass: str | Path | None = None,
    together: bool = False,
    alone: bool = False,
    without: Collection[str] = (),
    watch: Callable[[Step, KernelTable, KernelTable], None] | None = None,
) -> Prepared:
    """Everything that a forecast of these kernels on these targets rests on, beside the model.

    source, sass, target_sass : as in :func:`roofcast.forecasting.forecast.forecast`.
    conditions : checked ones (:func:`roofcast.forecasting.conditions.check_conditions`).
    together : whether several files were measured together: rows of one work on several GPUs serve each other across
        files too, not within each alone.
    alone : no row serves another.
    without : names of steps that are left out (:data:`roofcast.forecasting.preparing.in_order.STEPS`).
    watch : is told of each step, with the kernels before and after it.
    """
    resolved = resolve_sources(kernels, source)
    p = Preparing(
        resolved.kernels, resolved.processors, resolved.index, targets, conditions, sass, target_sass, together, alone
    )
    run_steps(p, without, watch)
    clocks = source_clocks(p.kernels, resolved.processors, resolved.index)
    for text, rows in list_remarks(p):
        clocks.remarks.add(rows, text)
    asked = asked_clocks(clocks, resolved.processors, resolved.index, conditions)
    return Prepared(
        p.kernels, resolved.processors, resolved.index, clocks, asked, conditions, p.changes, p.groups, resolved.notes,
        p.code_notes, p.cell_notes, describe_caches(p.known or p.kernels, conditions),
    )  # fmt: skip
