"""A recorded run played again with other durations: everything starts as soon as what it waits for allows.

One pass over the work and the waiting calls in their recorded order (list scheduling): every cause lies earlier.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.dependencies import Dependencies
from roofcast.core.kernel_table import FloatArray
from roofcast.core.timeline import IntArray, Timeline

CHUNK = 1 << 16
"""Launches that are played at once: the columns of a block stay in the cache."""


@dataclass(frozen=True)
class Replay:
    """The same run with other durations. Seconds on the source's time axis."""

    start_s: FloatArray
    """(n,) of each activity."""
    end_s: FloatArray
    shift_s: FloatArray
    """(s,) by how much the host is later after each waiting call."""
    time_s: float
    """From the start of the recording to the last end."""
    host_factor: float = 1.0
    """What the host's own work takes, over what it took."""
    first_s: float = 0.0
    """When the recording begins."""


def replay(
    timeline: Timeline, deps: Dependencies, duration_s: FloatArray, launch_s: float = 0.0, latency_s: float = 0.0,
    host_factor: float = 1.0,
) -> Replay:  # fmt: skip
    """Play a timeline again.

    duration_s : (n,) seconds of each activity.
    launch_s : what each launch costs the host more than on the source. latency_s : what it takes longer to arrive.
    host_factor : what the host's own work takes, over what it took: all its time between two waits for the devices.
    """
    work = timeline.activities
    first, _ = timeline.span_s
    if host_factor != 1.0:
        deps = with_host_factor(deps, work.start_s, first, host_factor)
    recorded = np.where(alone_of(deps), first + (work.start_s - first) * host_factor, work.start_s)
    start, end, shift = run(recorded, work.end_s, deps, duration_s, launch_s, latency_s, work.start_s)
    host = host_ends(timeline, deps, shift, launch_s, host_factor)
    last = max(float(end.max(initial=first)), float(host.max(initial=first)))
    return Replay(start, end, shift, last - first, host_factor, first)


def alone_of(deps: Dependencies) -> NDArray[np.bool_]:
    """(n,) work of which no cause is known."""
    return (deps.previous < 0) & np.isnan(deps.call_s) & (deps.other < 0)


def with_host_factor(deps: Dependencies, start_s: FloatArray, first_s: float, factor: float) -> Dependencies:
    r"""The causes beside a host that needs another time for its own work.

    .. math:: t' = b + f (t - b)

    t : a time of the host. b : the end of its last wait for the devices, the start of the recording where it has not
    waited yet. f : ``factor``. What waits for the devices does not change; where no calls are known, the gaps between
    two pieces of work are the host's.
    """
    base = wait_base(deps.host, deps, first_s)
    call = base + (deps.call_s - base) * factor
    before = wait_base(deps.wait_host, deps, first_s)
    gap = np.where(np.isnan(deps.call_s) & (deps.gap_s > 0), deps.gap_s * factor, deps.gap_s)
    return dataclasses.replace(
        deps, call_s=call, gap_s=gap, wait_start_s=before + (deps.wait_start_s - before) * factor,
        wait_tail_s=deps.wait_tail_s * factor,
    )  # fmt: skip


def wait_base(host: IntArray, deps: Dependencies, first_s: float) -> FloatArray:
    """(n,) end of each host's last wait, the start of the recording where there is none."""
    if not len(deps.wait_end_s):
        return np.full(len(host), first_s)
    return np.where(host >= 0, deps.wait_end_s[np.maximum(host, 0)], first_s)


def run(
    source_start: FloatArray, source_end: FloatArray, deps: Dependencies, duration_s: FloatArray, launch_s: float,
    latency_s: float, order_s: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Start and end of each activity, and the host's shift after each waiting call.

    source_start : (n,) when work without a cause starts. order_s : (n,) when each started in the recording.
    """
    n, s = len(source_start), len(deps.wait_end_s)
    arrival = deps.call_s + np.maximum(deps.latency_s + latency_s, 0.0) + launch_s * deps.launches
    called = ~np.isnan(deps.call_s)
    columns = (deps.previous, deps.other, deps.host, deps.group, deps.gap_s, deps.lag_s, arrival, called,
               alone_of(deps), duration_s, source_start, order_s)  # fmt: skip
    waits = Waiting.of(deps, launch_s)
    coupled = Coupled.of(order_s, source_end, deps, duration_s)
    starts: list[float] = []
    end: list[float] = []
    position = 0
    for first in range(0, n, CHUNK):
        # Lists are faster than arrays cell by cell, but large: so one part after the other.
        part = zip(*(c[first : first + CHUNK].tolist() for c in columns), strict=True)
        for i, (
            previous,
            other,
            host,
            group,
            gap,
            lag,
            arrived,
            is_called,
            is_alone,
            time,
            recorded,
            waited,
        ) in enumerate(part, first):
            while position < s and waits.end[position] <= waited:
                waits.over(position, end)
                position += 1
            if is_alone:
                at = recorded
            else:
                at = -1e300
                if is_called:
                    at = arrived + (waits.shift[host] if host >= 0 else 0.0)
                if previous >= 0 and (x := end[previous] + gap) > at:
                    at = x
                if other >= 0 and (x := end[other] + lag) > at:
                    at = x
            starts.append(at)
            end.append(at + time)
            if group >= 0:
                coupled.arrive(group, i, at, end)
    while position < s:
        waits.over(position, end)
        position += 1
    return np.array(starts), np.array(end), np.array(waits.shift)


@dataclass
class Waiting:
    """The waiting calls of a replay."""

    shift: list[float]
    """By how much the host is later after each, as far as they are over."""
    work: list[int]
    host: list[int]
    start: list[float]
    tail: list[float]
    end: list[float]

    @classmethod
    def of(cls, deps: Dependencies, launch_s: float) -> Waiting:
        """The waiting calls of a timeline."""
        start = deps.wait_start_s + launch_s * deps.wait_launches
        columns = (deps.wait_for, deps.wait_host, start, deps.wait_tail_s, deps.wait_end_s)
        return cls([0.0] * len(start), *(c.tolist() for c in columns))

    def over(self, k: int, ends: list[float]) -> None:
        """A waiting call returns: from now on the host is that much later (or earlier) than it was."""
        before, work = self.host[k], self.work[k]
        begin = self.start[k] + (self.shift[before] if before >= 0 else 0.0)
        finished = ends[work] if work < len(ends) else begin
        self.shift[k] = max(begin, finished) + self.tail[k] - self.end[k]


@dataclass
class Coupled:
    """Collectives: nobody's part is done before everybody has come."""

    missing: dict[int, int]
    """Group -> members that have not come yet."""
    members: dict[int, list[int]]
    latest: dict[int, float]
    rest: dict[int, float]
    """Activity -> seconds from the last arrival to its end."""

    @classmethod
    def of(cls, start: FloatArray, end: FloatArray, deps: Dependencies, duration_s: FloatArray) -> Coupled:
        """The groups of a timeline, with the durations that each member takes once all have come."""
        missing: dict[int, int] = {}
        last: dict[int, float] = {}
        rows = np.flatnonzero(deps.group >= 0).tolist()
        for i in rows:
            g = int(deps.group[i])
            missing[g] = missing.get(g, 0) + 1
            last[g] = max(last.get(g, -np.inf), float(start[i]))
        rest = {}
        for i in rows:
            recorded = float(end[i] - start[i])
            together = float(end[i]) - last[int(deps.group[i])]
            factor = float(duration_s[i]) / recorded if recorded > 0 else 1.0
            rest[i] = together * factor if together > 0 else float("-inf")
        return cls(missing, {g: [] for g in missing}, {}, rest)

    def arrive(self, group: int, i: int, at: float, end: list[float]) -> None:
        """A member has come; with the last one the ends of all are known."""
        self.members[group].append(i)
        self.latest[group] = max(self.latest.get(group, at), at)
        self.missing[group] -= 1
        if not self.missing[group]:
            for j in self.members[group]:
                if self.rest[j] > 0:
                    end[j] = self.latest[group] + self.rest[j]


def host_ends(
    timeline: Timeline, deps: Dependencies, shift: FloatArray, launch_s: float, host_factor: float
) -> FloatArray:
    """(processes,) when each host ends: what came after its last wait takes what it took."""
    ends = []
    first = timeline.span_s[0]
    for p in range(len(timeline.processes)):
        parts = [g.end_s[g.process == p] for g in (timeline.calls, timeline.ranges)]
        recorded = max((float(x.max()) for x in parts if len(x)), default=-np.inf)
        mine = np.flatnonzero(deps.wait_process == p)
        moved = float(shift[mine[-1]]) if len(mine) else 0.0
        ended = float(deps.wait_end_s[mine[-1]]) if len(mine) else -np.inf
        base = ended if len(mine) else first
        recorded = base + (recorded - base) * host_factor
        later = timeline.calls.start_s[(timeline.calls.process == p) & (timeline.calls.api == 0)]
        ends.append(recorded + moved + launch_s * float((later > ended).sum()))
    return np.array(ends)


def shifted(
    at_s: FloatArray, process: np.ndarray[tuple[int], np.dtype[np.int64]], deps: Dependencies, played: Replay
) -> FloatArray:
    """(k,) times of the host in the replay."""
    result = played.first_s + (at_s - played.first_s) * played.host_factor
    for p in np.unique(process).tolist():
        rows = np.flatnonzero(process == p)
        mine = np.flatnonzero(deps.wait_process == p)
        if len(mine):
            place = np.searchsorted(deps.wait_end_s[mine], at_s[rows], side="right") - 1
            last = mine[np.maximum(place, 0)]
            base = deps.wait_end_s[last]
            moved = base + (at_s[rows] - base) * played.host_factor + played.shift_s[last]
            result[rows] = np.where(place >= 0, moved, result[rows])
    return result
