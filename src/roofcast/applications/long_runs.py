"""Runs that are too long to be held at once: forecast window by window, and added up.

Each window is replayed on its own. Between two of them only their distance counts: a pause stays, what reaches over the
cut shrinks with the window. So the replay on the run's own GPU is still the recording.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from roofcast.applications.dependencies import dependencies
from roofcast.applications.evidence import RunKernels, describe_kernels
from roofcast.applications.parts import MAX_RANGES
from roofcast.applications.ranks import RankWindows
from roofcast.applications.result import ApplicationForecast, KernelTime, PartForecast, PartTime, RangeTime
from roofcast.applications.run_summary import TimelineSummary, summarise
from roofcast.applications.slot_trees import BothTrees
from roofcast.applications.steps import PartError
from roofcast.applications.waiting import Waiting
from roofcast.applications.whole_run import (
    MAX_KERNELS,
    Play,
    forecast_application,
    forecast_kernels,
    replay_on_targets,
)
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import as_text
from roofcast.core.launch_totals import Total
from roofcast.core.records import dataclass
from roofcast.core.timeline import Timeline
from roofcast.forecasting.forecasts import Forecast
from roofcast.ingest.traces.distinct_kernels import Gathered
from roofcast.ingest.traces.windows import Windows

Progress = Callable[[int, int], None]
"""Called with the number of steps that are done and how many there are."""
DRAWN = 20_000
"""Pieces of work that the picture of a long run shows."""
P = TypeVar("P", PartTime, KernelTime)
N = TypeVar("N", PartTime, RangeTime)
PLAYED = ("launch_floor", "range_name", "step", "host_speed", "step_time_s", "host_us", "group_sizes")
"""Options that say how a run is played again; the others are of its kernels' forecast."""
TIMES = ("time_s", "time_low_s", "time_high_s", "fixed_time_s", "source_time_s")


def forecast_run(
    windows: Windows | RankWindows, to: Any, *, progress: Progress | None = None, **conditions: Any
) -> list[ApplicationForecast]:
    """Forecast a recorded run however long it is.

    to, conditions : see :func:`roofcast.applications.whole_run.forecast_application`.
    """
    if len(windows) == 1:
        return forecast_application(windows.whole(), to, **conditions)
    gathered = gather_kernels(windows, lambda done: progress and progress(done, 2 * len(windows)))
    play = Play(**{k: v for k, v in conditions.items() if k in PLAYED})
    how = {k: v for k, v in conditions.items() if k != "counters" and k not in PLAYED}
    kernels = describe_kernels(gathered.table(), conditions.get("counters", ()))
    forecast = forecast_kernels(kernels, to, **how)
    sums: list[Sum] = []
    waiting: list[Piece] = []
    missing: PartError | None = None
    for i, timeline in enumerate(windows):
        if len(timeline.kernels()):
            if not sums:
                whole = {k: v for k, v in conditions.items() if k not in ("range_name", "step")}
                drawn = forecast_application(windows.excerpt(timeline, DRAWN), to, **whole)
                sums = [Sum(d, list(waiting)) for d in drawn]
            here = kernels.of_timeline(*gathered.locate(timeline))
            runs, lost = play_window(timeline, here, forecast, play)
            missing = missing or lost
            for total, piece in zip(sums, runs, strict=False):
                total.take(piece)
        elif len(timeline.activities) or len(timeline.calls) or len(timeline.ranges):
            first, last = timeline.span_s
            for pieces in [s.pieces for s in sums] or [waiting]:
                pieces.append(Piece(first, last - first, dict.fromkeys(TIMES, last - first)))
        if progress is not None:
            progress(len(windows) + i + 1, 2 * len(windows))
    return finish(sums, windows, forecast, missing)


def play_window(
    timeline: Timeline, kernels: RunKernels, forecast: Forecast, play: Play
) -> tuple[list[ApplicationForecast], PartError | None]:
    """One window on each target; nothing and why where it lacks the part that was asked for: another may hold it."""
    try:
        return replay_on_targets(timeline, kernels, forecast, play), None
    except PartError as error:
        return [], error


def finish(
    sums: Sequence[Sum], windows: Windows | RankWindows, forecast: Forecast, missing: PartError | None
) -> list[ApplicationForecast]:
    """The whole run on each target."""
    if missing is not None and not any(s.notes for s in sums):
        raise missing
    return [s.forecast(windows, t) for s, t in zip(sums, forecast.totals, strict=True)]


def gather_kernels(windows: Windows | RankWindows, progress: Callable[[int], object]) -> Gathered:
    """The distinct kernels of all windows: each is forecast once, from all its launches, as `forecast` does it."""
    gathered = Gathered(keeps_rows=True)
    for i, timeline in enumerate(windows):
        gathered.take(timeline)
        progress(i + 1)
    if not gathered.tables:
        raise InputError(
            f"{one_line(windows.provenance.file)}: a timeline without kernels (copies and memory sets only)"
        )
    return gathered


@dataclass(frozen=True)
class Piece:
    """One window."""

    start_s: float
    span_s: float
    """On the source."""
    after: dict[str, float]
    """The times of :data:`TIMES` on the target."""


def total_s(pieces: Sequence[Piece], values: Sequence[float]) -> float:
    """Seconds of all windows, their distances included."""
    result = 0.0
    for i, (piece, value) in enumerate(zip(pieces, values, strict=True)):
        between = pieces[i + 1].start_s - piece.start_s - piece.span_s if i + 1 < len(pieces) else 0.0
        shrinks = value / piece.span_s if between < 0 and piece.span_s > 0 else 1.0
        result += value + between * shrinks
    return result


@dataclass
class Sum:
    """The forecasts of all windows on one target."""

    drawn: ApplicationForecast
    """Of a short part of the run."""
    pieces: list[Piece] = field(default_factory=list)
    busy_s: list[float] = field(default_factory=lambda: [0.0, 0.0])
    classes: dict[str, PartTime] = field(default_factory=dict)
    operators: dict[str, PartTime] = field(default_factory=dict)
    ranges: dict[str, RangeTime] = field(default_factory=dict)
    kernels: dict[tuple[Any, ...], KernelTime] = field(default_factory=dict)
    evidence: dict[str, float] = field(default_factory=dict)
    weight: float = 0.0
    notes: dict[str, str] = field(default_factory=dict)
    """Without its figures -> as the first window said it."""
    waiting: Waiting | None = None
    trees: BothTrees | None = None
    regrouped: dict[int, float] = field(default_factory=dict)
    """S of the answers of all windows with collectives among so many GPUs."""
    answered_s: float = 0.0
    summed_bytes: float = 0.0
    part: PartForecast | None = None
    """What matters, as far as it is of one kind in all windows."""
    is_part: bool = False
    kernels_total: Total | None = None

    def take(self, f: ApplicationForecast) -> None:
        """One more window."""
        first, last = f.timeline.span_s
        self.pieces.append(Piece(first, last - first, {name: getattr(f, name) for name in TIMES}))
        self.busy_s = [self.busy_s[0] + f.busy_source_s, self.busy_s[1] + f.busy_s]
        add_parts(self.classes, f.classes)
        add_parts(self.operators, f.operators)
        add_parts(self.ranges, f.ranges)
        for k in f.kernels:
            key = (k.name, k.evidence, k.limit_source, k.limit_target)
            self.kernels[key] = add_up(k, self.kernels[key]) if key in self.kernels else k
        if f.part is not None:
            same = self.part is not None and (self.part.kind, self.part.name) == (f.part.kind, f.part.name)
            if self.part is not None and same:
                self.part = dataclasses.replace(
                    self.part, count=self.part.count + f.part.count, span=self.part.span.plus(f.part.span)
                )
            elif self.part is None or f.part.span.source_time_s > self.part.span.source_time_s:
                self.part = f.part
        self.is_part = f.is_part
        if f.is_part:
            self.kernels_total = f.kernels_total.plus(self.kernels_total) if self.kernels_total else f.kernels_total
        weight = sum(k.source_time_s for k in f.kernels if k.evidence != "links")
        for name, share in f.evidence.items():
            self.evidence[name] = self.evidence.get(name, 0.0) + share * weight
        self.weight += weight
        self.take_collectives(f)
        for note in f.notes:
            self.notes.setdefault(re.sub(r"\d+(?:\.\d+)?", "#", note), note)

    def take_collectives(self, f: ApplicationForecast) -> None:
        """What GPUs did together in one more window."""
        if f.waiting is not None:
            self.waiting = f.waiting if self.waiting is None else self.waiting.plus(f.waiting)
        count = f.part.count if f.part is not None else 1
        # A window without collectives takes as long among any number.
        answer = f.answer.time_s
        for m in {*f.regrouped_s, *self.regrouped}:
            self.regrouped[m] = self.regrouped.get(m, self.answered_s) + f.regrouped_s.get(m, answer) * count
        self.answered_s += answer * count
        self.summed_bytes += 0.0 if math.isnan(f.summed_bytes) else f.summed_bytes * count
        if f.trees is not None:
            self.trees = f.trees if self.trees is None else self.trees.plus(f.trees)

    def forecast(self, windows: Windows | RankWindows, kernels_total: Total) -> ApplicationForecast:
        """The whole run. kernels_total : of all its kernels."""
        time, low, high, fixed, source = (total_s(self.pieces, [p.after[n] for p in self.pieces]) for n in TIMES)
        if self.is_part and self.part is not None:
            span = self.part.span
            source, time, low, high = span.source_time_s, span.time_s, span.time_low_s, span.time_high_s
            fixed, kernels_total = span.fixed_time_s, self.kernels_total or kernels_total
        runs = windows.runs
        ranges = [dataclasses.replace(r, runs=runs.get(r.name, r.runs)) for r in self.ranges.values()]
        each_s, count = (time, 1) if self.part is None else (self.part.each.time_s, self.part.count)
        regrouped = {m: each_s * s / self.answered_s for m, s in self.regrouped.items()}
        note = f"a long run, forecast in {len(windows)} parts of its time; figures in notes are of the first of them"
        return dataclasses.replace(
            self.drawn, drawn=self.drawn, time_s=time, time_low_s=low, time_high_s=high, fixed_time_s=fixed,
            source_time_s=source, part=self.part, is_part=self.is_part,
            busy_source_s=self.busy_s[0], busy_s=self.busy_s[1], classes=longest(self.classes.values()),
            operators=longest(self.operators.values()),
            ranges=tuple(sorted(ranges, key=lambda r: -r.source_time_s)[:MAX_RANGES]),
            kernels_total=kernels_total, kernels=longest(self.kernels.values())[:MAX_KERNELS],
            evidence={k: v / self.weight if self.weight > 0 else 0.0 for k, v in self.evidence.items()},
            notes=(note, *self.notes.values()), waiting=self.waiting, trees=self.trees,
            regrouped_s=regrouped, summed_bytes=self.summed_bytes / count if self.summed_bytes > 0 else math.nan,
        )  # fmt: skip


def add_parts(sums: dict[str, N], parts: Iterable[N]) -> None:
    """Add parts or ranges of equal names."""
    for part in parts:
        sums[part.name] = add_up(part, sums[part.name]) if part.name in sums else part


def add_up(one: Any, other: Any) -> Any:
    """The sum of two parts: every number of them is an amount."""
    summed = {
        f.name: getattr(one, f.name) + getattr(other, f.name)
        for f in dataclasses.fields(one)
        if isinstance(getattr(one, f.name), (int, float))
    }
    return dataclasses.replace(one, **summed)


def longest(parts: Iterable[P]) -> tuple[P, ...]:
    """Parts in order of their time."""
    return tuple(sorted(parts, key=lambda p: -max(p.source_time_s, p.time_s)))


def middle(windows: Windows) -> Timeline:
    """The run where it is short, else the window in its middle."""
    if len(windows) == 1:
        return windows.whole()
    for timeline in islice(windows, len(windows) // 2, None):
        if len(timeline.kernels()):
            return timeline.with_notes(f"a long run: one of {len(windows)} parts of its time is looked at")
    return windows.whole()


def summarise_run(windows: Windows, each: Callable[[Timeline], None] = lambda _: None) -> TimelineSummary:
    """What a recorded run spent its time on, however long it is; ``each`` is called with every window's timeline."""
    if len(windows) == 1:
        timeline = windows.whole()
        each(timeline)
        return summarise(timeline)
    summaries: list[tuple[Piece, TimelineSummary]] = []
    for timeline in windows:
        if not (len(timeline.activities) or len(timeline.calls) or len(timeline.ranges)):
            continue
        each(timeline)
        first, last = timeline.span_s
        summary = dataclasses.replace(summarise(timeline), **of_nothing(windows))
        summaries.append((Piece(first, last - first, {}), summary))
    return summed(windows, [p for p, _ in summaries], [s for _, s in summaries])


def of_nothing(windows: Windows) -> dict[str, Any]:
    """What the summary of a long run does not hold: it would be as large as the run."""
    empty = windows.nothing()
    return {"timeline": empty, "dependencies": dependencies(empty), "activity_class": as_text([])}


def summed(windows: Windows, pieces: Sequence[Piece], parts: Sequence[TimelineSummary]) -> TimelineSummary:
    """Summaries of windows added up."""
    classes: dict[str, PartTime] = {}
    kernels: dict[str, PartTime] = {}
    operators: dict[str, PartTime] = {}
    ranges: dict[str, RangeTime] = {}
    critical: dict[str, float] = {}
    counts: dict[str, int] = {}
    for s in parts:
        add_parts(classes, s.classes)
        add_parts(kernels, s.kernels)
        add_parts(operators, s.operators)
        add_parts(ranges, s.ranges)
        for kind, time in s.critical.items():
            critical[kind] = critical.get(kind, 0.0) + time
        for name, n in s.counts.items():
            counts[name] = max(counts.get(name, 0), n) if name == "streams" else counts.get(name, 0) + n
    time = total_s(pieces, [p.span_s for p in pieces])
    weights = np.array([sum(k.source_time_s for k in s.kernels) for s in parts])
    shapes = float((weights * [s.shapes_share for s in parts]).sum() / weights.sum()) if weights.sum() > 0 else 0.0
    busy = sum(s.busy_s for s in parts)
    named = [dataclasses.replace(r, runs=windows.runs.get(r.name, r.runs)) for r in ranges.values()]
    note = f"a long run, read in {len(windows)} parts of its time; the critical path is that of each part"
    nothing = of_nothing(windows)
    nothing["timeline"] = nothing["timeline"].with_notes(note)
    return TimelineSummary(
        **nothing, time_s=time, busy_s=busy, idle_s=sum(s.idle_s for s in parts),
        launch_bound_s=sum(s.launch_bound_s for s in parts), copy_s=sum(s.copy_s for s in parts),
        classes=longest(classes.values()), kernels=longest(kernels.values()), operators=longest(operators.values()),
        ranges=tuple(sorted(named, key=lambda r: -r.source_time_s)[:MAX_RANGES]),
        critical=dict(sorted(critical.items(), key=lambda item: -item[1])), shapes_share=shapes, counts=counts,
    )  # fmt: skip
