"""Which part of a run matters: a range that the user named, the steps that repeat, or all between start-up and end.

A run holds its start-up, compilation and warm-up; production is its steps. They are found by their names (ranges that
differ in numbers alone, such as ``ProfilerStep#7``), else by the order of the devices' work, which repeats itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.dependencies import Dependencies
from roofcast.applications.parts import between, covered_s, latest
from roofcast.applications.replay import Replay, shifted
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import number_kernels
from roofcast.core.numbering import number_values
from roofcast.core.records import dataclass
from roofcast.core.timeline import IntArray, Timeline, Work
from roofcast.core.units import format_quantity
from roofcast.ingest.traces.distinct_kernels import grouped
from roofcast.kit.table import rank_longest

STEPS_LEAST = 3
"""Fewer of a kind are no repetition."""
SHARE_LEAST = 0.5
"""Of the devices' time, that steps must hold to be what the run is about."""
SLOW = 1.5
"""A step that takes more than so many times the median is warm-up, compilation or a pause, not production."""
COMMON = 0.8
"""Of steps of one name, and of their time, that must do the same work."""
PAUSE = 10.0
"""1; a gap without any work of the GPU is a pause where it is so many times as long as all work."""
TINY_S = 1e-9
"""s; what a step lasts at least, so that one whose launches take no time has a length."""
PERIODS_TRIED = 64
"""Candidates for the length of a step that are laid over the whole run."""
ALIKE = 0.9
"""A shorter period is the step where it holds this share of what the best one holds."""
STEP_NAMES = re.compile(r"ProfilerStep\s*#?\d+|execute_(context|new)_\d+.*_(generation|cached)_\d+.*")
"""Ranges that PyTorch's profiler and vLLM's worker put around one step; layers repeat themselves within it."""
NAMES_LISTED = 20
"""Names of ranges that a message lists."""


class PartError(RoofcastError):
    """The part that was asked for is not in the trace."""


@dataclass(frozen=True)
class Part:
    """Spans of host time of one process, with the work that was launched in them."""

    kind: str
    """range, steps or devices."""
    name: str
    process: int
    start_s: FloatArray
    """(k,) of each span."""
    end_s: FloatArray
    count: int
    """Runs of the range, or steps."""
    said: str
    """How it was found and what is left out, in one line."""

    def rows(self, timeline: Timeline, deps: Dependencies) -> NDArray[np.bool_]:
        """(n,) work that belongs to it."""
        at = launched_s(timeline, deps)
        place = np.searchsorted(self.start_s, at, side="right") - 1
        inside = (place >= 0) & (at < self.end_s[np.maximum(place, 0)])
        return np.asarray(inside & (timeline.activities.process == self.process))

    def time_s(self, timeline: Timeline, deps: Dependencies, played: Replay) -> float:
        """Seconds that it takes in a replay.

        Steps follow each other: from when all before them was done until they are. A range lasts from its start to the
        end of what it launched; runs that overlap count once.
        """
        process = np.full(len(self.start_s), self.process, np.int64)
        start, end = (shifted(t, process, deps, played) for t in (self.start_s, self.end_s))
        rows = np.flatnonzero(timeline.activities.process == self.process)
        at = launched_s(timeline, deps)[rows]
        order = np.argsort(at, kind="stable")
        at, ends = at[order], played.end_s[rows][order]
        if self.kind != "steps":
            first, last = (np.searchsorted(at, t) for t in (self.start_s, self.end_s))
            some = last > first
            end[some] = np.maximum(end[some], latest(ends, first[some], last[some]))
            return covered_s(start, end)
        done = np.maximum.accumulate(ends) if len(ends) else ends
        bounds = []
        for host, recorded in ((start[0], self.start_s[0]), (end[-1], self.end_s[-1])):
            before = int(np.searchsorted(at, recorded)) - 1
            bounds.append(max(float(host), float(done[before]) if before >= 0 else -np.inf))
        return bounds[1] - bounds[0]


def launched_s(timeline: Timeline, deps: Dependencies) -> FloatArray:
    """(n,) when each piece of work was launched; its start where no call is known."""
    return np.where(np.isnan(deps.call_s), timeline.activities.start_s, deps.call_s)


def find_range(timeline: Timeline, name: str) -> Part | None:
    """All runs of a named range; None where the timeline has none of that name."""
    ranges = timeline.annotations()
    rows = np.flatnonzero(timeline.names[ranges.name] == name) if len(ranges) else np.zeros(0, np.intp)
    if not len(rows):
        return None
    process = int(ranges.process[rows[0]])
    rows = rows[ranges.process[rows] == process]
    start, end = merge_spans(ranges.start_s[rows], ranges.end_s[rows])
    sentence = f"only the range {one_line(name, 80)}, which ran {'once' if len(rows) == 1 else f'{len(rows)} times'}"
    return Part("range", name, process, start, end, len(rows), sentence)


def merge_spans(start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Spans in order, those that overlap or nest as one."""
    order = np.argsort(start, kind="stable")
    begin, until = start[order], np.maximum.accumulate(end[order])
    first = np.flatnonzero(np.r_[True, begin[1:] > until[:-1]])
    return begin[first], until[np.r_[first[1:] - 1, len(until) - 1]]


def list_ranges(timeline: Timeline) -> list[str]:
    """Names of the ranges of the user, those first that last longest."""
    ranges = timeline.annotations()
    names, inverse = np.unique(ranges.name, return_inverse=True)
    length = np.bincount(inverse, weights=ranges.end_s - ranges.start_s, minlength=len(names))
    return [str(timeline.names[names[i]]) for i in rank_longest(length)]


def refuse_range(name: str, found: list[str]) -> PartError:
    """What to say where a range does not exist."""
    if not found:
        return PartError(f"--range {one_line(name, 80)!r}: the trace names no ranges (NVTX, ROCTX, record_function)")
    listed = ", ".join(one_line(n, 60) for n in found[:NAMES_LISTED])
    more = f", … ({len(found)} names)" if len(found) > NAMES_LISTED else ""
    return PartError(f"--range {one_line(name, 80)!r}: the trace has no range of that name; it has {listed}{more}")


def find_part(timeline: Timeline, deps: Dependencies) -> Part | None:
    """The steps of a run; where none repeat, all from its first work of a device to the last."""
    return find_steps(timeline, deps) or find_devices_part(timeline, deps)


def find_steps(timeline: Timeline, deps: Dependencies, least: int = STEPS_LEAST) -> Part | None:
    """The steps that repeat, without warm-up; None where nothing does. least : repetitions that are enough."""
    work = timeline.activities
    if not len(work):
        return None
    busy = np.bincount(work.process, weights=work.duration_s)
    process = int(busy.argmax())
    longest = max(find_named_steps(timeline, deps, process), key=lambda f: f[0], default=None)
    if longest is None:
        longest = find_repeated_work(timeline, deps, process, least)
    if longest is None or longest[0] < SHARE_LEAST * busy[process]:
        return None
    _, name, start, end = longest
    steady = leave_out_slow(start, end)
    first, last = timeline.span_s
    chosen = slice(steady[0], steady[1])
    count = steady[1] - steady[0]
    sentence = f"{count} step{'s' * (count != 1)}"
    sentence += f" of {len(start)}" if count < len(start) else ""
    sentence += f" ({name})"
    before, after = float(start[steady[0]]) - first, last - float(end[steady[1] - 1])
    left = [f"{format_quantity(t, 's')} {what}" for t, what in
            ((before, "before (start-up, warm-up)"), (after, "after")) if t > 0.01 * (last - first)]  # fmt: skip
    sentence += f"; left out: {', '.join(left)}" if left else ""
    return Part("steps", name, process, start[chosen], end[chosen], count, sentence)


def find_named_steps(
    timeline: Timeline, deps: Dependencies, process: int
) -> Iterator[tuple[float, str, FloatArray, FloatArray]]:
    """(seconds of the devices, name, starts, ends) of each kind of range that repeats: one name but for numbers.

    A range that a framework puts around its steps is a step, even alone.
    """
    ranges, work = timeline.annotations(), timeline.activities
    if not len(ranges):
        return
    rows = np.flatnonzero(work.process == process)
    at = launched_s(timeline, deps)[rows]
    order = np.argsort(at, kind="stable")
    busy = float(work.duration_s[rows].sum())
    at, duration, kernel = at[order], work.duration_s[rows][order], work.name[rows][order]
    mine = np.flatnonzero(ranges.process == process)
    if not len(mine):
        return
    used, number = number_values(ranges.name[mine])
    plain = [re.sub(r"#?\d+", "#", str(timeline.names[n])) for n in used.tolist()]
    kind, first_of = grouped([number_kernels(plain)[number], ranges.thread[mine]])
    order = np.argsort(kind, kind="stable")
    for i, members in zip(first_of.tolist(), np.split(mine[order], np.cumsum(np.bincount(kind))[:-1]), strict=True):
        name = plain[int(number[i])]
        start, end = ranges.start_s[members], ranges.end_s[members]
        profiled = STEP_NAMES.fullmatch(str(timeline.names[ranges.name[members[0]]])) is not None
        if len(members) < STEPS_LEAST and not profiled:
            continue
        if (start[1:] < end[:-1]).any():  # nested or side by side: no steps
            continue
        first, last = (np.searchsorted(at, t) for t in (start, end))
        seconds = float(between(duration, first, last).sum())
        if not profiled and (seconds < SHARE_LEAST * busy or not are_alike(kernel, duration, first, last)):
            continue
        # What the host does between two steps belongs to the cycle.
        yield seconds, f"ranges {one_line(name, 60)}", start, np.append(start[1:], end[-1])


def are_alike(kernel: IntArray, duration: FloatArray, first: NDArray[np.intp], last: NDArray[np.intp]) -> bool:
    """Whether steps do the same work: most of their time is in kernels that most of them launch.

    kernel, duration : of all work in the order of its launch. first, last : (k,) which of it each step launched.
    """
    at = np.arange(len(kernel))
    step = np.searchsorted(first, at, side="right") - 1
    inside = (step >= 0) & (at < last[np.maximum(step, 0)])
    _, name = number_values(kernel[inside])
    count = int(name.max(initial=-1)) + 1
    seconds = np.bincount(name, weights=duration[inside], minlength=count)
    holders = np.bincount(number_values(step[inside] * count + name)[0] % max(count, 1), minlength=count)
    return bool(seconds[holders >= COMMON * len(first)].sum() >= COMMON * seconds.sum() > 0)


def find_repeated_work(
    timeline: Timeline, deps: Dependencies, process: int, least: int = STEPS_LEAST
) -> tuple[float, str, FloatArray, FloatArray] | None:
    """The longest stretch in which the order of the devices' work repeats itself.

    A stretch has the period p where each piece of work in it is of the same kernel (or copy), name and grid as the one
    p places before. Of all periods counts the one whose stretch holds most of the devices' time; of periods that are
    nearly as good (its multiples) the shortest. A step begins where the host pauses longest.
    """
    work = timeline.activities
    rows = np.flatnonzero(work.process == process)
    at = launched_s(timeline, deps)[rows]
    order = np.argsort(at, kind="stable")
    rows, at = rows[order], at[order]
    n = len(rows)
    if n < least:
        return None
    code, _ = grouped([work.kind[rows].astype(np.int64), work.name[rows], *(work.grid[rows, i] for i in range(3))])
    total = np.concatenate([[0.0], np.cumsum(work.duration_s[rows])])
    kernels = (work.kind[rows] == Work.KERNEL) | (work.kind[rows] == Work.GRAPH)
    stretches = []
    for period in list_periods(code, least):
        begin, length = longest_run(code[period:] == code[:-period])
        steps = (length + period) // period
        # Copies alone are no step.
        if steps >= least and kernels[begin : begin + period].any():
            stretches.append((float(total[begin + steps * period] - total[begin]), period, begin, steps))
    if not stretches:
        return None
    best = max(f[0] for f in stretches)
    _, period, begin, steps = min((f for f in stretches if f[0] >= ALIKE * best), key=lambda f: f[1])
    pause = np.diff(at, prepend=at[0])[begin : begin + steps * period].reshape(steps, period)
    # Not the pause before the stretch itself, which is start-up.
    offset = int(pause[1:].mean(axis=0).argmax())
    if offset and steps > 2:
        begin, steps = begin + offset, steps - 1
    edges = begin + period * np.arange(steps + 1)
    last = at[edges[-1]] if edges[-1] < n else max(float(work.end_s[rows].max()), float(at[-1])) + 1e-9
    starts = at[edges[:-1]]
    ends = np.append(starts[1:], last)
    seconds = float(total[edges[-1]] - total[edges[0]])
    repeated = "one launch or copy that repeats" if period == 1 else f"{period} launches and copies that repeat"
    return seconds, repeated, starts, ends


def list_periods(code: NDArray[np.intp], least: int = STEPS_LEAST) -> list[int]:
    """Candidates for the period of a sequence: the usual distances between two of a kind, commonest kinds last."""
    order = np.argsort(code, kind="stable")
    same = code[order][1:] == code[order][:-1]
    apart = (order[1:] - order[:-1])[same]
    kind = code[order][1:][same]
    if not len(apart):
        return []
    periods: dict[int, int] = {}
    usual, count = np.unique(np.stack([kind, apart]), axis=1, return_counts=True)
    for distance, times in zip(usual[1].tolist(), count.tolist(), strict=True):
        if times >= least - 1 and distance * least <= len(code):
            periods[distance] = max(periods.get(distance, 0), times)
    return sorted(sorted(periods, key=lambda p: -periods[p] * p)[:PERIODS_TRIED])


def longest_run(same: NDArray[np.bool_]) -> tuple[int, int]:
    """Where the longest run of true begins, and its length.

    >>> longest_run(np.array([True, False, True, True, False]))
    (2, 2)
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], same.astype(np.int8), [0]])))
    if not len(edges):
        return 0, 0
    begin, end = edges[::2], edges[1::2]
    i = int((end - begin).argmax())
    return int(begin[i]), int(end[i] - begin[i])


def leave_out_slow(start: FloatArray, end: FloatArray) -> tuple[int, int]:
    """The longest row of steps none of which takes unusually long: [first, last)."""
    length = end - start
    begin, count = longest_run(length <= SLOW * float(np.median(length)))
    return (begin, begin + count) if count else (0, len(start))


def find_devices_part(timeline: Timeline, deps: Dependencies) -> Part | None:
    """All work of the devices without start-up, end and long pauses, where those are more than a tenth of the run.

    A pause is long where no device has anything to do for :data:`PAUSE` times as long as they work in all: the host
    compiles, loads or reads.
    """
    work = timeline.activities
    if not len(work) or len(timeline.processes) > 1:
        return None
    first, last = timeline.span_s
    reached = np.concatenate([[-np.inf], np.maximum.accumulate(work.end_s)[:-1]])
    pauses = np.flatnonzero(work.start_s - reached > PAUSE * covered_s(work.start_s, work.end_s))[1:]
    at = launched_s(timeline, deps)
    groups = np.split(np.arange(len(work)), pauses)
    start = np.array([float(at[g].min()) for g in groups])
    end = np.maximum(np.array([float(at[g].max()) for g in groups]), start) + TINY_S
    # Launched ahead over a pause: then it is none of the host's.
    if (start[1:] <= end[:-1]).any():
        start, end = start[:1], end[-1:]
    done = np.array([float(work.end_s[g].max()) for g in groups]) if len(start) > 1 else np.array([work.end_s.max()])
    before, after = float(start[0]) - first, last - float(done[-1])
    idle = float((start[1:] - done[:-1]).sum())
    if before + after + idle < 0.1 * (last - first):
        return None
    left = [f"{format_quantity(before, 's')} before the first work of a device (start-up)"]
    left += [f"{format_quantity(idle, 's')} in {len(pauses)} long pauses (compilation, loading)"] if idle > 0 else []
    left += [f"{format_quantity(after, 's')} after the last"]
    return Part("devices", "the devices' part", 0, start, end, 1, f"no steps repeat; left out: {', '.join(left)}")
