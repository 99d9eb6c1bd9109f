"""From a kernel table and names of GPUs to a forecast: the way that every command takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.finding import Match
from roofcast.core.changes import AmountChanges
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.remarks import join_rows
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION, Conditions, Estimate, OnSource, SecondsLater
from roofcast.core.version import VERSION
from roofcast.forecasting.conditions import check_conditions
from roofcast.forecasting.explain import Chains
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.notes import tell_missing_supplies
from roofcast.forecasting.pages import bound_by_pages, describe_pages, has_pages
from roofcast.forecasting.prepared import Prepared, prepare
from roofcast.forecasting.problem_size import widened_by_size
from roofcast.forecasting.several_sources import BesideOthers, combine_sources, merge_notes
from roofcast.forecasting.sources import resolve_target
from roofcast.kit.returned import Statement
from roofcast.models.base import Model
from roofcast.models.kernel_amounts import is_from_code
from roofcast.models.registry import load_model

if TYPE_CHECKING:
    from roofcast.forecasting.own_pairs import Observed

Given = ParamSpec("Given")

APART = "measured on several GPUs, but their FLOPs differ: not the same work, so each is forecast by itself"

LEFT_ASIDE = "left aside"
"""What the provenance says of machine code that was not to be used."""

TOGETHER = "measured together"
"""What it says of several files whose rows of one work serve each other."""


def ask(  # noqa: PLR0913 - what users may say about a forecast, by keyword
    kernels: KernelTable,
    to: str | Processor | Sequence[str | Processor],
    *,
    source: str | Processor | None = None,
    model: str | None = None,
    coverage: float = 0.9,
    conditions: str | Conditions = PRODUCTION,
    clock: str | float = "auto",
    cache: str = "auto",
    launch_floor: tuple[float, float] | None = None,
    sass: str = "auto",
    target_sass: str | Path | None = None,
    together: bool = False,
    pairs: KernelTable | None = None,
) -> Question:
    """Forecast every kernel of a table on every target.

    kernels : what :func:`roofcast.read` returns.
    to : GPU names, TOML files, variations such as ``"A100{dram=2TB/s}"``, or processors.
    source : GPU that the kernels were measured on where the file does not say; in a table of several GPUs, the one
        whose rows to forecast from. Without it rows of one work on several GPUs are sources together: each of them
        shows the combined forecast (:mod:`roofcast.forecasting.several_sources`).
    together : whether several files were measured together, so that rows of one work in different files serve each
        other as well. Else files change nothing in each other's forecasts.
    model : name in :data:`roofcast.models.registry.MODELS` (default: its ``DEFAULT_MODEL``).
    coverage : share of measured times that the interval is to hold, where the model claims one.
    conditions : of both sides: production (the clock that a GPU takes by itself under load, caches as the application
        leaves them, no profiler) or profiled (as the profile was taken). Where the profile was taken under others, the
        source is forecast under them too, and speed-ups are between these two. An object holds coverage, clock, cache
        and launch floor as well.
    clock : auto (as the conditions have it), boost, base, or an SM clock in Hz, on both sides.
    cache : auto (as the conditions have it), cold or warm, on both sides.
    launch_floor : seconds of an empty launch on source and target.
    sass : auto (use the machine code that reports embed: work that counters miss or invent, and what the targets' own
        code changes) or off.
    target_sass : a binary for the targets, in place of the source's PTX compiled for them.
    pairs : kernels that were timed on both GPUs, as ``roofcast.read`` gives them: forecasts between these GPUs are
        moved, and narrowed or widened, by how far off theirs are (:mod:`roofcast.forecasting.own_pairs`).

    Raises
    ------
    UnknownProcessorError, CatalogEntryError : a target or the source is no GPU.
    RoofcastError : an unknown model, or conditions that make no sense.
    InputError : ``target_sass`` cannot be read, or holds none of the kernels for any target.
    """
    if not isinstance(kernels, KernelTable):
        raise RoofcastError(
            'forecast takes what roofcast.read returns, e.g. forecast(roofcast.read("run.ncu-rep"), to="B200"), '
            f"not a {type(kernels).__name__}"
        )
    if not isinstance(conditions, Conditions):
        conditions = Conditions(coverage, clock, cache, launch_floor, conditions)
    given = check_conditions(conditions)
    engine = load_model(model)
    matches = [resolve_target(t) for t in ([to] if isinstance(to, (str, Processor)) else to)]
    if not matches:
        raise RoofcastError("no target GPU given: name at least one")
    targets = tuple(m.processor for m in matches)
    ready = prepare(
        kernels, targets, source=source, conditions=given, sass=sass, target_sass=target_sass, together=together
    )
    options = told_options(sass, target_sass, together=together and len(ready.kernels.provenance) > 1)
    observed = None
    if pairs is not None:
        from roofcast.forecasting.own_pairs import observe

        observed = observe(pairs, engine, given)
    return Question(engine, matches, ready, observed, options)


@dataclass(frozen=True)
class Question:
    """What was asked, with all that is known before any model is: it can be answered whole or in parts."""

    engine: Model
    matches: Sequence[Match]
    ready: Prepared
    observed: dict[tuple[str, str], Observed] | None
    """How far off forecasts between GPUs are that own pairs were measured on."""
    told: Mapping[str, str]
    tell_runs: Callable[[], tuple[Statement, ...]] = tuple
    """What is said of the recorded runs that the kernels are from."""

    @property
    def kernels(self) -> KernelTable:
        """What is forecast."""
        return self.ready.kernels

    @property
    def targets(self) -> tuple[Processor, ...]:
        """GPUs that it is forecast on."""
        return tuple(m.processor for m in self.matches)

    @cached_property
    def sources(self) -> tuple[Processor | None, ...]:
        """(n,) GPU of each kernel; None where it is unknown."""
        # The last of them is that of kernels at -1.
        known = (*self.ready.sources, None)
        return tuple(map(known.__getitem__, self.ready.index.tolist()))

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Per target, which supplies the catalog lacks."""
        return tell_missing_supplies(self.kernels, self.ready.sources, self.ready.index, self.targets)

    def parts(self, cells: int) -> Iterator[Forecast]:
        """The forecasts of some kernels after the other, about so many at a time; all at once where rows are of one
        work or share pages, as these are not independent.
        """
        length = max(1, cells // len(self.matches))
        if self.ready.groups.patterns or has_pages(self.kernels):
            length = len(self.kernels)
        if length >= len(self.kernels):
            yield self.answer()
            return
        # Where no file numbers its launches, the rows of the whole do.
        launch = self.kernels.column("launch")
        numbered = np.where(np.isfinite(launch), launch, np.arange(len(launch)))
        ready = replace(
            self.ready, kernels=self.kernels.with_columns(launch=(numbered, self.kernels.origin_of("launch")))
        )
        for first in range(0, len(self.kernels), length):
            rows = np.arange(first, min(first + length, len(self.kernels)))
            yield self.answer(replace(self, ready=ready.select(rows)))

    def answer(self, part: Question | None = None) -> Forecast:
        """The forecast of all kernels, or of the part that holds some of them."""
        asked = part or self
        engine, ready, targets = self.engine, asked.ready, self.targets
        given = ready.conditions
        here = ready.machines_here()
        answered = ready.estimate_there(
            engine,
            targets,
            ready.changes,
            lambda machines: estimate_prepared(engine, ready, here, machines, ready.changes),
        )
        there, estimate = answered.machines, widened_by_size(answered.estimate, ready.kernels)
        on_source = forecast_on_source(engine, ready, here, answered.on_source)
        learned: tuple[tuple[str, ...], ...] = ((),) * len(targets)
        if self.observed is not None:
            from roofcast.forecasting.own_pairs import recalibrate

            moved = recalibrate(estimate, ready, targets, self.observed)
            estimate, learned = moved.estimate, moved.notes
        estimate = bound_by_pages(estimate, ready.kernels, asked.sources, targets)
        chains = Chains(engine, ready.kernels, here, ready.machines_asked(), there, given, ready.changes)
        combined = combine_sources(with_own_seconds(estimate, on_source), ready.groups, ready.sources, targets)
        pages = describe_pages(combined.estimate, ready.kernels, targets)
        return Forecast(
            kernels=ready.kernels, sources=asked.sources, targets=targets, model=engine.name, conditions=given,
            estimate=dataclasses.replace(combined.estimate, assumed=assume(ready, combined.estimate)),
            target_notes=tuple(
                tuple(n for n in (*match.notes, note, ready.cache_note, pages, *about_pairs, missing) if n)
                for match, note, pages, about_pairs, missing in zip(
                    self.matches, answered.notes, pages, learned, self.missing, strict=True
                )
            ),
            kernel_notes=notes_of_kernels(ready),
            cell_notes=merge_notes(ready.cell_notes, combined.notes),
            provenance={"roofcast": VERSION, "model": engine.name, **self.told},
            prepared=ready, explainer=BesideOthers(chains, estimate.time_s) if combined.notes else chains,
            on_source=on_source, conditions_told=ready.told(),
            runs=() if part is not None else self.tell_runs(),
        )  # fmt: skip


def assume(ready: Prepared, estimate: Estimate) -> tuple[tuple[str, ...], ...]:
    """Per kernel, what its forecasts rest on; where no time could be forecast, nothing rests on an assumption."""
    timed = np.any(estimate.time_s > 0, axis=1)
    joined = join_rows(ready.clocks.remarks.rows(), estimate.assumed or ((),) * len(ready))
    return joined if timed.all() else tuple(j if t else () for j, t in zip(joined, timed.tolist(), strict=True))


def notes_of_kernels(ready: Prepared) -> tuple[tuple[str, ...], ...]:
    """Per kernel, what a reader must know of it, whatever the target."""
    apart = ready.groups.apart
    notes = join_rows(join_rows(ready.source_notes, ready.kernels.flags), ready.code_notes)
    return join_rows(notes, [(APART,) if a else () for a in apart.tolist()]) if apart.any() else notes


def answers(ask: Callable[Given, Question]) -> Callable[Given, Forecast]:
    """The function that takes what ``ask`` takes, and answers it."""

    @wraps(ask)
    def answer(*args: Given.args, **kwargs: Given.kwargs) -> Forecast:
        return ask(*args, **kwargs).answer()

    return answer


forecast = answers(ask)


def forecast_on_source(model: Model, ready: Prepared, here: Machines, own: Estimate | None) -> OnSource | None:
    """Each kernel on its own GPU under the conditions asked for; None where all were measured under them.

    here : where they were measured. own : what was estimated of all of them there, if it was.
    """
    moved = ready.moved
    if not moved.any():
        return None
    ends = np.repeat(ready.kernels.column("time_s")[None, :], 3, axis=0)
    parts: list[OwnCells] = []
    for position, processor in enumerate(ready.sources):
        rows = np.flatnonzero(moved & (ready.index == position))
        if not len(rows):
            continue
        if own is not None:
            part, estimate, places = ready, own, rows
        else:
            # All of one GPU have been read already.
            part, places = ready if len(rows) == len(ready) else ready.select(rows), np.arange(len(rows))
            at = here if part is ready else part.machines_here()
            there = Machines(columns_of([processor]), np.zeros((1, 1), np.intp), part.asked.clock_hz[:, None])
            estimate = estimate_prepared(model, part, at, there, None)
        cells = OwnCells(rows, widened_by_size(estimate, part.kernels), places)
        times = cells.estimate.time_s, cells.estimate.time_low_s, cells.estimate.time_high_s
        ends[:, rows] = [cells.of(seconds) for seconds in times]
        parts.append(cells)
    resources = dict.fromkeys(r for part in parts for r in part.estimate.time_s_by_resource_target)
    return OnSource(ends[0], ends[1], ends[2], moved, SecondsLater(resources, partial(own_seconds, parts, len(ready))))


@dataclass(frozen=True)
class OwnCells:
    """Kernels of one GPU on it, as cells of an estimate."""

    kernels: NDArray[np.intp]
    """(r,) which of all kernels."""
    estimate: Estimate
    """(n, 1)"""
    places: NDArray[np.intp]
    """(r,) where the estimate has them."""

    def of(self, values: FloatArray) -> FloatArray:
        """(r,) of them, of (n, 1) values of the estimate."""
        return np.asarray(np.broadcast_to(values, self.estimate.time_s.shape)[self.places, 0])


def own_seconds(parts: Sequence[OwnCells], n: int, resource: Resource) -> FloatArray:
    """(n,) s that a resource alone would need on the kernels' own GPUs; NaN where no part has it."""
    whole = np.full(n, np.nan)
    for part in parts:
        if (seconds := part.estimate.time_s_by_resource_target.get(resource)) is not None:
            whole[part.kernels] = part.of(seconds)
    return whole


def with_own_seconds(estimate: Estimate, own: OnSource | None) -> Estimate:
    """The estimate with the sources' seconds per resource under the conditions asked for."""
    if own is None:
        return estimate
    measured = estimate.time_s_by_resource_source
    seconds = SecondsLater(measured, partial(seconds_asked, measured, own))
    return dataclasses.replace(estimate, time_s_by_resource_source=seconds)


def seconds_asked(measured: Mapping[Resource, FloatArray], own: OnSource, resource: Resource) -> FloatArray:
    """(n,) s of a resource on the sources, as measured or under the conditions asked for."""
    return np.where(own.moved, own.time_s_by_resource.get(resource, np.full((1,), np.nan)), measured[resource])


def told_options(sass: str, target_sass: str | Path | None, *, together: bool) -> dict[str, str]:
    """What was asked for beside the conditions, in the words of the command line."""
    options = {"machine code": LEFT_ASIDE} if sass == "off" else {}
    if together:
        options["files"] = TOGETHER
    if target_sass is not None:
        options["code of the target"] = Path(target_sass).name
    return options


def estimate_prepared(
    model: Model, ready: Prepared, here: Machines, there: Machines, changes: AmountChanges | None
) -> Estimate:
    """A model's estimate of prepared kernels, each by itself; of source code without a time, from its amounts alone.

    changes : on the targets of ``there``.
    """
    from_code = np.flatnonzero(is_from_code(ready.kernels))
    if not len(from_code):
        return model.estimate(ready.kernels, here, there, ready.conditions, changes)
    from roofcast.models.operators.from_code import estimate_from_code, overlay

    whole = model.estimate(ready.kernels, here, there, ready.conditions, changes)
    at = there if there.clock_hz.shape[0] == 1 else there.cells(there.index, there.clock_hz[from_code])
    return overlay(whole, estimate_from_code(ready.kernels.select(from_code), at, ready.conditions), from_code)
