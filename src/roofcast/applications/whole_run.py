"""From a timeline to the time of the whole run on other GPUs."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.copies import Scaled, scaled_links
from roofcast.applications.dependencies import Dependencies, dependencies, other_host
from roofcast.applications.evidence import Evidence, RunKernels, kernels_of_run
from roofcast.applications.parts import (
    Labels,
    classes_of,
    covered_s,
    distinct,
    operator_labels,
    parts,
    range_times,
    share,
)
from roofcast.applications.ranks import join_ranks
from roofcast.applications.regrouped import time_regrouped
from roofcast.applications.replay import Replay, replay, replays
from roofcast.applications.result import PROFILED, ApplicationForecast, KernelTime, PartForecast, Span
from roofcast.applications.slot_trees import find_trees
from roofcast.applications.steps import (
    Part,
    PartError,
    find_part,
    find_range,
    find_steps,
    list_ranges,
    refuse_range,
)
from roofcast.applications.waiting import find_waiting
from roofcast.catalog.instances import find_instance
from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable, as_text
from roofcast.core.launch_totals import Total, add_energy, find_ends, number_kernels, sum_times
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.core.timeline import Collective, RangeKind, Timeline, Work
from roofcast.core.timeline import Way as CopyWay
from roofcast.forecasting.forecast import forecast
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.sources import resolve_sources
from roofcast.kit.quantities import count_of, format_percent, format_seconds
from roofcast.kit.table import rank_longest

MAX_KERNELS = 1000
"""Kernels that an answer lists, the longest on either GPU."""
HOST_UNCHANGED = (
    "the host is taken as it is: its calls, its gaps and what a launch takes to arrive stay; `--host-speed 1.5x` is "
    "another host, `--launch-floor SRC,TGT` changes the launches"
)
HOST_SPREAD = 2.2
"""Factor between hosts that nobody states: of two machines one took 1.8 to 2.1 times as long for the same step as the
other (hopper_torch, steps that wait for the host); two public models beside an H100 and an MI300X 1.09 and 1.15."""
HOST_SPREAD_STATED = 1.25
"""The same where ``--host-speed`` states it: from step to step it varies by so much between the two machines."""
PROFILER_EVENT_S = 2.9e-6
"""s of the host that PyTorch's profiler takes for each operator and call that it records, with shapes: 1.1 to 4.4 in
seven traces in eager mode of 1,300 events and more, the median (hopper_torch)."""
PROFILER_LEAST = 0.4
"""Part of the recorded time that is the host's own at least."""
PROFILER_SPREAD, PROFILER_SPREAD_COMPILED = 1.5, 4.0
"""Factor to either side of what that leaves of the host, and how many times as fast it may be where Triton kernels were
recorded, whose launches tell the profiler far more: of the seven each was left out, two were compiled."""
COMPILED_SHARE = 0.1
"""Part of the kernels that are Triton's from which a run is taken for compiled."""
INTERVAL = (
    "interval: half of the variance of the kernels' errors is shared, as measured; the host's error is independent; "
    "the speed of the host beside another GPU is unknown: up to {spread:g} times as fast or slow"
)


def forecast_application(  # noqa: PLR0913 - what users may say about a forecast, by keyword
    timeline: Timeline | Sequence[Timeline], to: str | Processor | Sequence[str | Processor], *,
    source: str | Processor | None = None, counters: Sequence[KernelTable] = (), model: str | None = None,
    coverage: float = 0.9, conditions: str | Conditions = PRODUCTION, launch_floor: tuple[float, float] | None = None,
    range_name: str | None = None, step: bool = False, host_speed: float = 1.0, step_time_s: float | None = None,
    host_us: float | None = None, group_sizes: tuple[int, ...] = (),
) -> list[ApplicationForecast]:  # fmt: skip
    """Forecast a run on each target.

    timeline : what :func:`roofcast.read_timelines` returns; several are the ranks of one run.
    source : GPU of the run where the trace does not say.
    counters : profiles of its kernels with counters.
    conditions : of both sides, as :func:`roofcast.forecasting.forecast.forecast` takes them.
    launch_floor : seconds of an empty launch on source and target; their difference is added to every launch.
    range_name : the answer is of this named range alone. step : it is of the steps that repeat.
    host_speed : how many times as fast the host beside the target is.
    step_time_s : what a step takes on the source without its profiler, s.
    host_us : microseconds of the target's host per operator that launches; in place of ``host_speed``.
    group_sizes : counts of GPUs for which it is played again with its collectives among so many.

    Raises
    ------
    UnknownProcessorError, CatalogEntryError : a target or the source is no GPU.
    RoofcastError : the source GPU is unknown, or conditions make no sense.
    """
    timeline = timeline if isinstance(timeline, Timeline) else join_ranks(timeline)
    kernels = kernels_of_run(timeline, counters)
    of_kernels = forecast_kernels(kernels, to, source=source, model=model, coverage=coverage, conditions=conditions)
    return replay_on_targets(
        timeline,
        kernels,
        of_kernels,
        Play(launch_floor, range_name, step, host_speed, step_time_s, host_us, group_sizes),
    )


@dataclass(frozen=True)
class Play:
    """What of a run is forecast, and beside which host."""

    launch_floor: tuple[float, float] | None = None
    range_name: str | None = None
    step: bool = False
    host_speed: float = 1.0
    step_time_s: float | None = None
    """What a step takes on the source without its profiler, s; None where nobody says."""
    host_us: float | None = None
    """Microseconds of the target's host per operator that launches; None where nobody says."""
    group_sizes: tuple[int, ...] = ()
    """Counts of GPUs for which the run is played again with its collectives among so many."""

    @property
    def is_host_stated(self) -> bool:
        """Whether somebody says how fast the target's host is."""
        return self.host_speed != 1.0 or self.host_us is not None


def forecast_kernels(
    kernels: RunKernels, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    **how: Any,
) -> Forecast:  # fmt: skip
    """The forecast of a run's kernels, as `roofcast forecast` makes it. how : its other options.

    Raises
    ------
    RoofcastError : as :func:`forecast_application`.
    """
    table, source = with_own_gpus(kernels.table, source)
    of_kernels = forecast(table, to, source=source, **how)
    if any(s is None for s in of_kernels.sources):
        raise RoofcastError("source GPU unknown: give --from GPU")
    return of_kernels


def replay_on_targets(
    timeline: Timeline, kernels: RunKernels, found: Forecast, play: Play | None = None
) -> list[ApplicationForecast]:
    """A timeline with its kernels' forecast times, on each target. found : of ``kernels.table``, row by row.

    Raises
    ------
    RoofcastError : the part that was asked for is not there.
    """
    play = play or Play()
    deps = dependencies(timeline)
    part = choose_part(timeline, deps, play)
    floor = play.launch_floor or (0.0, 0.0)
    causes, open_ = ways_of(timeline, deps)
    recorded = [1.0] * len(causes)
    if play.step_time_s is not None:
        own_s = source_durations(timeline, kernels, found)
        recorded = [find_host_factor(timeline, d, part, own_s, play.step_time_s) for d in causes]
    elif is_profiled(timeline):
        recorded = [find_profiler_factor(timeline, d, part) for d in causes]
    speeds = [play.host_speed] * len(causes)
    if play.host_us is not None:
        speeds = [
            f / find_stated_factor(timeline, d, part, play.host_us) for f, d in zip(recorded, causes, strict=True)
        ]
    ways = [
        Way(d, floor[1] - floor[0], f / speed, open_, f, play)
        for d, f, speed in zip(causes, recorded, speeds, strict=True)
    ]
    only = play.range_name is not None or play.step
    return [on_target(timeline, ways, kernels, found, j, part, only) for j in range(len(found.targets))]


def find_host_factor(
    timeline: Timeline, deps: Dependencies, part: Part | None, own_s: FloatArray, step_time_s: float
) -> float:
    r"""What the host takes without its profiler, over what it took: then the source's step takes what it is said to.

    .. math:: T(f) = T_{step}

    T : s of a step that is replayed with f times the host's time between its waits, which only grows with f.
    own_s : (n,) s of each activity on the source. step_time_s : T_step.
    Where the devices alone take longer than that, the host is lessened as the whole step is.
    """

    def step_s(factor: float) -> float:
        played = replay(timeline, deps, own_s, host_factor=factor)
        return part.time_s(timeline, deps, played) / part.count if part is not None else played.time_s

    low, high = FACTORS
    if step_s(low) > step_time_s or step_s(high) < step_time_s:
        return min(max(step_time_s / step_s(1.0), low), high)
    for _ in range(HALVINGS):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if step_s(middle) < step_time_s else (low, middle)
    return math.sqrt(low * high)


def find_profiler_factor(timeline: Timeline, deps: Dependencies, part: Part | None) -> float:
    r"""What the host takes without its profiler, over what it took, where nobody states the step.

    .. math:: f = \max(0.4, 1 - c n / F)

    c : s for an event (:data:`PROFILER_EVENT_S`). n : operators and calls that were recorded in the part. F : s that
    the part takes where devices need no time, the host's own. Reason: the profiler writes down the name, the shapes and
    the times of each of them on the thread that runs it. Example: 3,300 events in 25.4 ms leave 0.62 of them.
    """
    ranges, calls = timeline.ranges, timeline.calls
    at = np.concatenate([ranges.start_s[ranges.kind == RangeKind.OPERATOR], calls.start_s])
    process = np.concatenate([ranges.process[ranges.kind == RangeKind.OPERATOR], calls.process])
    if part is not None:
        place = np.searchsorted(part.start_s, at, side="right") - 1
        events = float(((place >= 0) & (at < part.end_s[np.maximum(place, 0)]) & (process == part.process)).sum())
    else:
        # Ranks run beside each other.
        events = float(np.bincount(process - process.min()).max()) if len(process) else 0.0
    host_s = host_alone_s(timeline, deps, part)
    return max(PROFILER_LEAST, 1.0 - PROFILER_EVENT_S * events / host_s) if host_s > 0 else 1.0


def host_alone_s(timeline: Timeline, deps: Dependencies, part: Part | None) -> float:
    """Seconds of a part, or of the run, where devices need no time."""
    played = replay(timeline, deps, np.zeros(len(timeline.activities)))
    return part.time_s(timeline, deps, played) if part is not None else played.time_s


def find_stated_factor(timeline: Timeline, deps: Dependencies, part: Part | None, host_us: float) -> float:
    r"""What the target's host takes, over what was recorded, where its time per operator is stated.

    .. math:: f = h n / F

    h : s per operator. n : kernels that the part launches, about one for each operator. F : s that the part takes where
    devices need no time, the host's own.
    """
    work = timeline.activities
    rows = part.rows(timeline, deps) if part is not None else np.ones(len(work), np.bool_)
    launched = float((rows & (work.kind == Work.KERNEL)).sum())
    host_s = host_alone_s(timeline, deps, part)
    return min(max(1e-6 * host_us * launched / host_s, FACTORS[0]), FACTORS[1]) if host_s > 0 and launched else 1.0


FACTORS = 0.02, 20.0
HALVINGS = 14
"""Bisections of :data:`FACTORS` in logarithms: 0.05 %."""
CERTAIN = 0.9
"""Share of the work that follows other work at once (or does not) from which the host surely waits (or does not)."""


def ways_of(timeline: Timeline, deps: Dependencies) -> tuple[list[Dependencies], bool]:
    """The causes, the likelier first where the trace leaves two; and whether both belong into the interval."""
    other = other_host(timeline, deps)
    if other is None:
        return [deps], False
    called = not bool(np.isnan(deps.call_s).all())
    waits = other[1] >= 1 - CERTAIN if not called else other[1] >= 0.5
    ways = [other[0], deps] if waits == called else [deps, other[0]]
    return ways, 1 - CERTAIN < other[1] < CERTAIN


def choose_part(timeline: Timeline, deps: Dependencies, play: Play) -> Part | None:
    """The part of the run that was asked for, else the one that matters.

    Raises
    ------
    RoofcastError : there is none of that name, or no step repeats.
    """
    if play.range_name is not None:
        part = find_range(timeline, play.range_name)
        if part is None:
            raise refuse_range(play.range_name, list_ranges(timeline))
        return part
    if play.step:
        steps = find_steps(timeline, deps)
        if steps is None:
            raise PartError(
                "--step: no steps repeat in this trace (three or more alike, with half of the devices' time); name a "
                "part with --range NAME"
            )
        return steps
    if play.step_time_s is not None:
        # Who says what a step takes has steps in the trace, if only two.
        return find_steps(timeline, deps) or find_steps(timeline, deps, 2) or find_part(timeline, deps)
    return find_part(timeline, deps)


def with_own_gpus(table: KernelTable, source: str | Processor | None) -> tuple[KernelTable, str | Processor | None]:
    """The kernels, and the user's word on their GPU where it is one word for all of them.

    A forecast from one of several GPUs leaves the kernels of the others out; a run needs all of them. There each
    kernel is forecast from the GPU that it names, and the user's word is for those that name none.

    Raises
    ------
    RoofcastError : the run has several GPUs and ``source`` is none of them.
    """
    named = table.strings("gpu")
    if source is None or len({str(g).strip().lower() for g in named} - {""}) < 2:
        return table, source
    resolve_sources(table, source)
    word = source.name if isinstance(source, Processor) else source
    gpus = as_text([str(g) if str(g).strip() else word for g in named])
    return dataclasses.replace(table, text={**table.text, "gpu": gpus}), None


@dataclass(frozen=True)
class Way:
    """How a run is played again: its causes, and what the host does there."""

    deps: Dependencies
    launch_s: float
    host_factor: float
    is_open: bool
    """Whether the other way is about as likely, so that the interval holds both."""
    own_factor: float = 1.0
    """What the source's host takes without its profiler, over what was recorded."""
    asked: Play = field(default_factory=Play)

    def host_spread(self, timeline: Timeline, same: bool) -> tuple[float, float]:
        """Factors by which the target's host may be faster and slower. same : whether it is the recorded one."""
        known = HOST_SPREAD_STATED if self.asked.is_host_stated else HOST_SPREAD
        spread = 1.0 if same else known
        if not is_profiled(timeline) or self.asked.step_time_s is not None or self.asked.host_us is not None:
            return spread, spread
        slowed = PROFILER_SPREAD_COMPILED if is_compiled(timeline) else PROFILER_SPREAD
        return math.exp(math.hypot(math.log(spread), math.log(slowed))), (
            math.exp(math.hypot(math.log(spread), math.log(PROFILER_SPREAD)))
        )

    def play(self, timeline: Timeline, durations_s: FloatArray) -> list[Replay]:
        """The run with other durations. durations_s : (lanes, n) seconds of each activity."""
        return replays(timeline, self.deps, durations_s, self.launch_s, self.launch_s, self.host_factor)


def on_target(
    timeline: Timeline, ways: Sequence[Way], kernels: RunKernels, found: Forecast, j: int, part: Part | None, only: bool
) -> ApplicationForecast:
    """The run on one target.

    ways : the likelier one first; the other is the bound where the trace does not tell whether the host waits.
    part : what matters of the run. only : whether the answer is of that part alone, not of the whole run too.
    """
    work, target, deps = timeline.activities, found.targets[j], ways[0].deps
    times, measured = durations(timeline, kernels, found, j)
    evidence = kernels.evidence(found.kernels)
    labels = classes_of(work, kernels)
    own_s = source_durations(timeline, kernels, found)
    rows = part.rows(timeline, deps) if only and part else np.ones(len(work), np.bool_)
    groups = number_errors(labels, kernels)[rows]
    share_of = together_share(times.time_s[rows], times.low_s[rows], times.high_s[rows], groups)
    sure = source_names(found) == target.name and not ways[0].asked.is_host_stated
    spread = ways[0].host_spread(timeline, sure)
    ends = np.stack([
        times.time_s, times.time_s - share_of[0] * (times.time_s - times.low_s),
        times.time_s + share_of[1] * (times.high_s - times.time_s), np.zeros(len(work)),
    ])  # fmt: skip
    played = [way.play(timeline, ends) for way in ways]
    first, last = timeline.span_s
    recorded = before = Replay(work.start_s, work.end_s, np.zeros(len(deps.wait_end_s)), last - first, 1.0, first)
    if found.on_source is not None or ways[0].own_factor != 1.0:
        before = replay(timeline, deps, own_s, host_factor=ways[0].own_factor)
    whole = span_of([[r.time_s for r in runs] for runs in played], before.time_s, spread, ways[0].is_open)
    of_part_only = None
    if part is not None:
        seconds = [[part.time_s(timeline, way.deps, r) for r in runs] for way, runs in zip(ways, played, strict=True)]
        of_part_only = PartForecast(part.kind, part.name, part.said, part.count,
                            span_of(seconds, part.time_s(timeline, deps, before), spread, ways[0].is_open))  # fmt: skip
    answer = of_part_only.span if of_part_only is not None and only else whole
    after = played[0][0]
    ranges = range_times(timeline, deps, after, times.time_s)
    if found.on_source is not None or ways[0].own_factor != 1.0:
        here = range_times(timeline, deps, before, own_s)
        ranges = tuple(
            dataclasses.replace(r, source_time_s=o.time_s, source_device_s=o.device_s)
            for r, o in zip(ranges, here, strict=True)
        )
    of_part = kernels.launched_in(rows) if only else kernels
    own_gpus = devices_of(timeline, kernels, found)

    def answer_s(seconds: FloatArray) -> float:
        again = ways[0].play(timeline, seconds[None, :])[0]
        return part.time_s(timeline, deps, again) / part.count if part is not None else again.time_s

    regrouped = time_regrouped(work, target, times.time_s, (1, *ways[0].asked.group_sizes), answer_s)
    trees = find_trees(work, own_gpus, target, times.time_s, answer_s)
    waiting = find_waiting(timeline, rows, deps.group, before.start_s, after.start_s, own_gpus)
    sentences = [waiting.tell() if waiting is not None else "", tell_recorded(timeline, deps, part, recorded, ways[0]),
            trees.tell(target.name) if trees is not None else ""]  # fmt: skip
    columns = [v[rows] for v in (own_s, times.time_s, times.low_s, times.high_s)]
    return ApplicationForecast(
        timeline=timeline, dependencies=deps, source_gpu=source_names(found), target=target, model=found.model,
        coverage=found.estimate.coverage, source_time_s=answer.source_time_s, time_s=answer.time_s,
        time_low_s=answer.time_low_s, time_high_s=answer.time_high_s, fixed_time_s=answer.fixed_time_s,
        busy_source_s=covered_s(before.start_s[rows], before.end_s[rows]),
        busy_s=covered_s(after.start_s[rows], after.end_s[rows]), classes=parts(labels.of_rows(rows), *columns),
        operators=parts(operator_labels(timeline).of_rows(rows), *columns),
        ranges=ranges, kernels=kernel_times(of_part, found, j, own_s, times, measured),
        evidence={e.name.lower(): share(kernels.weight, evidence == e) for e in reversed(Evidence)},
        kernels_total=total_of(of_part, found, j, own_s, times, measured) if only else found.totals[j],
        activity_class=labels.listed(), replay=after, duration_s=times.time_s, part=of_part_only, is_part=only,
        bounds_s=answer.bounds_s,
        notes=(*filter(None, sentences), *notes_of(timeline, kernels, found, j, measured, ways[0])),
        conditions=found.conditions_told, waiting=waiting, trees=trees,
        regrouped_s=regrouped, summed_bytes=sum_up_bytes(timeline, deps, part),
    )  # fmt: skip


def sum_up_bytes(timeline: Timeline, deps: Dependencies, part: Part | None) -> float:
    """B that each device's all-reduces add up in the part, or in the run; NaN where a size is unknown."""
    work = timeline.activities
    rows = work.collective == Collective.ALL_REDUCE
    if part is not None:
        rows = rows & part.rows(timeline, deps)
    if not rows.any():
        return math.nan
    return float(work.bytes[rows].sum()) / len(np.unique(work.device[rows])) / (part.count if part is not None else 1)


def is_profiled(timeline: Timeline) -> bool:
    """Whether the framework's operators were recorded, which slows the host that runs them."""
    return bool((timeline.ranges.kind == RangeKind.OPERATOR).any())


def is_compiled(timeline: Timeline) -> bool:
    """Whether some of the kernels are Triton's, as ``torch.compile`` makes them."""
    names = np.array([str(name).startswith("triton_") for name in timeline.names], np.bool_)
    kernels = timeline.activities.name[timeline.kernels()]
    return bool(len(kernels) and names[kernels].mean() > COMPILED_SHARE)


def span_of(
    seconds: Sequence[Sequence[float]], source_s: float, spread: tuple[float, float], both: bool
) -> Span:  # fmt: skip
    """A time with its interval. seconds : per way, of the forecast, the lower ends, the upper ends, and no work at all.

    spread : factors by which the host may be faster and slower; 1 where it is the recorded one. both : whether the
    interval holds all ways, not the first alone.
    """
    low, high = [], []
    for time, lower, upper, fixed in seconds:
        low.append(time - math.hypot(abs(lower - time), fixed * (1.0 - 1.0 / spread[0])))
        high.append(time + math.hypot(abs(upper - time), fixed * (spread[1] - 1.0)))
    if not both:
        low, high = low[:1], high[:1]
    time, _, _, fixed = seconds[0]
    bounds = tuple(sorted(s[0] for s in seconds)) if len(seconds) > 1 else ()
    return Span(source_s, time, max(min(low), 0.0), max(high), min(fixed, time), bounds)


def total_of(
    kernels: RunKernels, found: Forecast, j: int, own_s: FloatArray, times: Scaled, kept: NDArray[np.bool_]
) -> Total:
    """All launches of the kernels of a part; kernels without a forecast are left out, as in `forecast`."""
    source, time, low, high = (
        np.bincount(kernels.row, weights=v[kernels.launches], minlength=len(kernels.table))
        for v in (own_s, times.time_s, times.low_s, times.high_s)
    )
    launches = np.bincount(kernels.row, minlength=len(kernels.table))
    some = launches > 0
    count, with_time = launches[some].astype(np.float64), np.where(kept, np.nan, time)[some]
    code, joules = number_kernels(kernels.table.strings("kernel")[some]), found.energy
    total = sum_times(
        found.targets[j].name, source[some] / count, with_time / count, low[some] / count, high[some] / count, count,
        code,
    )  # fmt: skip
    both = (with_time > 0) & (source[some] > 0)
    if found.estimate.unclaimed is not None and both.any():
        seconds = with_time[both]
        unclaimed = float(seconds[found.estimate.unclaimed[some, j][both]].sum() / seconds.sum())
        total = dataclasses.replace(total, unclaimed_fraction=unclaimed)
    parts = [v[some, j][both] for v in (joules.energy_j, joules.low_j, joules.high_j)]
    return add_energy(total, parts, count[both], code[both])


def durations(
    timeline: Timeline, kernels: RunKernels, found: Forecast, j: int
) -> tuple[Scaled, NDArray[np.bool_]]:  # fmt: skip
    """(n,) seconds of every activity on a target, and (kernels,) which have no forecast and keep what was recorded."""
    work = timeline.activities
    recorded = found.kernels.column("time_s")
    estimate = found.estimate
    with quietly():
        ratios = [t[:, j] / recorded for t in (estimate.time_s, estimate.time_low_s, estimate.time_high_s)]
    good = np.isfinite(ratios[0]) & (ratios[0] > 0)
    ratios = [np.where(good & np.isfinite(r), r, 1.0) for r in ratios]
    links = scaled_links(work, devices_of(timeline, kernels, found), found.targets[j])
    seconds = [links.time_s.copy(), links.low_s.copy(), links.high_s.copy()]
    for values, ratio in zip(seconds, ratios, strict=True):
        values[kernels.launches] = work.duration_s[kernels.launches] * ratio[kernels.row]
    return Scaled(*seconds), ~good & (kernels.table.column("time_total_s") > 0)


def source_durations(timeline: Timeline, kernels: RunKernels, found: Forecast) -> FloatArray:
    """(n,) seconds of every activity on the source under the conditions asked for: as recorded where it ran so."""
    recorded_s = timeline.activities.duration_s
    if found.on_source is None:
        return recorded_s
    with quietly():
        ratio = found.source_time_s / found.measured_time_s
    seconds = recorded_s.copy()
    seconds[kernels.launches] *= np.where(ratio > 0, ratio, 1.0)[kernels.row]
    return seconds


def devices_of(timeline: Timeline, kernels: RunKernels, found: Forecast) -> list[Processor | None]:
    """The processor of each device of the timeline, as its kernels found theirs."""
    result: list[Processor | None] = [None] * len(timeline.devices)
    device = timeline.activities.device[kernels.launches]
    for place in np.unique(device).tolist():
        row = int(kernels.row[np.flatnonzero(device == place)[0]])
        if 0 <= place < len(result):
            result[place] = found.sources[row]
    alike = next((p for p in result if p is not None), None)
    return [p or alike for p in result]


def number_errors(labels: Labels, kernels: RunKernels) -> NDArray[np.intp]:
    """(n,) a number per kernel and, of other work, per class: what has one number errs together."""
    of_row = number_kernels(kernels.table.strings("kernel"), kernels.table.strings("gpu"))
    result = distinct(labels)[1] + len(of_row)
    result[kernels.launches] = of_row[kernels.row]
    return result


def together_share(
    time_s: FloatArray, low_s: FloatArray, high_s: FloatArray, group: NDArray[np.intp]
) -> tuple[float, float]:
    """Shares of the full way to all lows and to all highs at once that the sum's interval goes.

    group : (n,) what has one number errs together (:func:`roofcast.core.launch_totals.find_ends`).
    """
    total, ends = float(time_s.sum()), find_ends(time_s, low_s, high_s, group)
    ways = (total - ends[0], total - float(low_s.sum())), (ends[1] - total, float(high_s.sum()) - total)
    return tuple(min(way / full, 1.0) if full > 0 else 0.0 for way, full in ways)  # type: ignore[return-value]


def source_names(found: Forecast) -> str:
    """The GPUs of the recording."""
    return ", ".join(dict.fromkeys(s.name for s in found.sources if s is not None))


NO_DURATION = "its launches were recorded without a duration"


def kernel_times(
    kernels: RunKernels, found: Forecast, j: int, own_s: FloatArray, times: Scaled, kept: NDArray[np.bool_]
) -> tuple[KernelTime, ...]:
    """Every distinct kernel, longest first."""
    table, limit_s, limit_t = kernels.table, found.limits_source(), found.limits_target()
    before, after, low, high = (
        np.bincount(kernels.row, weights=values[kernels.launches], minlength=len(table))
        for values in (own_s, times.time_s, times.low_s, times.high_s)
    )
    low, high = (np.where(kept, np.nan, v) for v in (low, high))
    launches, joules = np.bincount(kernels.row, minlength=len(table)), found.energy
    energy, least, most = (launches * v[:, j] for v in (joules.energy_j, joules.low_j, joules.high_j))
    order = np.array(rank_longest(np.maximum(before, after), MAX_KERNELS), np.intp)
    rests_on = [
        "links" if communicates else Evidence(e).name.lower()
        for e, communicates in zip(kernels.evidence(found.kernels).tolist(), kernels.communicates.tolist(), strict=True)
    ]
    return tuple(
        KernelTime(
            str(table.strings("kernel")[i]), int(launches[i]), rests_on[i], float(before[i]),
            float(after[i]), float(low[i]), float(high[i]), limit_s[i] if after[i] > 0 else None,
            limit_t[i, j] if after[i] > 0 else None,
            float(energy[i]), float(least[i]), float(most[i]),
            "" if after[i] > 0 and not kept[i] else str(found.estimate.reasons[i, j]) or NO_DURATION,
        )
        for i in order.tolist()
        if launches[i]
    )  # fmt: skip


def tell_instances(told: Sequence[str], gpus: int) -> list[str]:
    """How many instances the run takes, where the target was named by one: its note begins with that name."""
    named = [i for text in told if (i := find_instance(text.partition(" has ")[0])) is not None and i.count > 1]
    return [f"the run's GPUs ({gpus}) take {math.ceil(gpus / i.count)} x {i.name} of {i.count} GPUs" for i in named]


def tell_untimed(kernels: RunKernels) -> list[str]:
    """Say that kernels have no time, where their launches were recorded without a duration."""
    untimed = int((kernels.table.column("time_total_s") == 0).sum())
    return [f"{count_of(untimed, 'row')} of kernels without a recorded duration: no sum holds them"] if untimed else []


def notes_of(
    timeline: Timeline, kernels: RunKernels, found: Forecast, j: int, kept: NDArray[np.bool_], way: Way
) -> tuple[str, ...]:
    """What a reader must know."""
    work = timeline.activities
    weight, evidence = kernels.weight, kernels.evidence(found.kernels)
    target_notes = found.target_notes[j] if found.target_notes else ()
    # What the note of a target repeats is said once.
    notes = [n for p in timeline.provenance for n in p.notes if not any(t.startswith(n) for t in target_notes)]
    notes += kernels.notes
    notes += dict.fromkeys(n for rows in (found.kernel_notes,) for row in rows for n in row if "mean of" not in n)
    notes += [*target_notes, *tell_untimed(kernels)]
    notes += tell_instances(target_notes, int(np.unique(work.device).size))
    untold = share(weight, evidence == Evidence.TIME)
    if untold > 0.05:
        notes.append(f"{format_percent(untold, 0)} of the kernels' time is known by its length alone (neither "
                     "counters nor shapes): give --counters FILE, or record shapes")  # fmt: skip
    named = share(weight, evidence == Evidence.NAME)
    if named > 0.05:
        notes.append(f"{format_percent(named, 0)} of the kernels' time is known by the names of library "
                     "kernels: they follow memory and pipes as the operation in the name usually does")  # fmt: skip
    library = share(weight, kernels.library)
    if library > 0.05:
        notes.append(f"{format_percent(library, 0)} of the kernels' time is in library kernels: the target's "
                     f"library may "
                     "choose others; products are modelled on both, with what libraries usually reach")  # fmt: skip
    if (work.collective != Collective.NONE).any():
        notes.append("collectives: alpha-beta model of a ring over the links of the target")
    if (work.kind == Work.GRAPH).any():
        notes.append("CUDA graphs were recorded as a whole: `--cuda-graph-trace=node` records their kernels")
    if (work.kind == Work.MIGRATION).any():
        notes.append("unified memory: two bounds by the link to the host, for pages that move and kernels that wait "
                     "for them (docs/applications.md)")  # fmt: skip
    if ((work.kind == Work.COPY) & (work.way != CopyWay.DEVICE_TO_DEVICE)).any():
        notes.append("copies between host and device follow the links of the catalog; hosts and slots differ")
    if kept.any():
        launches = int(kernels.table.column("launches")[kept].sum())
        reasons = Counter(str(r) for r in found.estimate.reasons[kept, j] if r)
        why = f" ({reasons.most_common(1)[0][0]})" if reasons else ""
        notes.append(f"{count_of(launches, 'launch', 'es')} could not be forecast{why}: the recorded time was kept")
    if not len(timeline.calls):
        notes.append("the trace holds no calls of the host: gaps between kernels stay as they are")
    return tuple(dict.fromkeys([*notes, *tell_host(timeline, way)]))


def tell_recorded(timeline: Timeline, deps: Dependencies, part: Part | None, recorded: Replay, way: Way) -> str:
    """What the source took as recorded, where what its profiler cost was taken out by an estimate."""
    if way.own_factor == 1.0 or way.asked.step_time_s is not None:
        return ""
    what = {"steps": "a step", "range": "the range"}.get(part.kind, "the devices' part") if part else "the run"
    seconds = part.time_s(timeline, deps, recorded) / part.count if part else recorded.time_s
    return f"{what} took {format_seconds(seconds)} on the source as recorded, slowed by the profiler"


def tell_host(timeline: Timeline, way: Way) -> list[str]:
    """What is taken of the hosts on both sides."""
    speed = way.asked.host_speed
    notes = [PROFILED] if is_profiled(timeline) and way.asked.step_time_s is None else []
    if way.own_factor != 1.0 and not notes:
        notes.append(f"the source's host without its profiler: {way.own_factor:.2g} of the time that was recorded")
    stated = f"the host is taken for {speed:g} times as fast"
    if way.asked.host_us is not None:
        stated = f"the host takes {way.asked.host_us:g} us for each kernel that it launches"
    notes.append(stated if way.asked.is_host_stated else HOST_UNCHANGED)
    return [*notes, INTERVAL.format(spread=HOST_SPREAD_STATED if way.asked.is_host_stated else HOST_SPREAD)]
