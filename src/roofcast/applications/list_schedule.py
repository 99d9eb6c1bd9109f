r"""The pass of a replay: when each piece of work starts and ends, and how much later each wait of a host is over.

Work and waits are taken in their recorded order (list scheduling): every cause lies earlier. Several sets of durations
go through together, a lane each. A stretch of one stream in which no host waits and nothing waits for other work of the
same stretch is solved at once:

.. math:: e_i = W_i + \max_{j \le i} (b_j + d_j - W_j), \quad W_i = \sum_{k \le i} (g_k + d_k)

e : end of the i-th piece of work. b : s, when its call and other streams let it start. d : its seconds. g : least pause
after the work before it. Reason: it is the closed form of e_i = max(b_i, e_{i-1} + g_i) + d_i. Shorter stretches and
collectives of several processes are played one piece after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.dependencies import Dependencies
from roofcast.core.kernel_table import FloatArray
from roofcast.core.numbering import number_values
from roofcast.core.records import dataclass
from roofcast.core.timeline import Activities, IntArray

CHUNK = 1 << 14
"""Pieces of work that are played at once at most: their columns stay in the cache."""
LEAST_ROWS = 48
"""Pieces of work of a stream from which arrays are quicker than one piece after the other."""
NEVER_S = -1e300
"""s; earlier than everything: what has no call is not held up by one."""
Rows = slice | NDArray[np.intp]


def run(
    source_start: FloatArray, work: Activities, deps: Dependencies, duration_s: FloatArray, launch_s: float,
    latency_s: float,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """Start and end of each piece of work, (lanes, n), and the host's shift after each waiting call, (lanes, s).

    source_start : (n,) s, when work without a cause starts. duration_s : (lanes, n). launch_s, latency_s : see
    :func:`roofcast.applications.replay.replay`.
    """
    running = Running.of(source_start, work, deps, duration_s, launch_s, latency_s)
    for first, last, at_once in running.stretches():
        if at_once:
            running.play_stretch(first, last)
        else:
            for begin in range(first, last, CHUNK):
                running.play_each(begin, min(begin + CHUNK, last))
    running.end_waits(len(work))
    return running.start_s, running.end_s, running.shift_s[:, :-1]


def alone_of(deps: Dependencies) -> NDArray[np.bool_]:
    """(n,) work of which no cause is known."""
    return (deps.previous < 0) & np.isnan(deps.call_s) & (deps.other < 0)


def number_streams(work: Activities) -> IntArray:
    """(n,) a number per stream of a device and a process."""
    code = np.zeros(len(work), np.int64)
    for column in (work.process, work.device, work.stream):
        if len(column) and (column != column[0]).any():
            distinct, place = number_values(column)
            code = code * len(distinct) + place
    return code


def cells_of(values: FloatArray) -> memoryview[float]:
    """An array's cells as plain numbers: one of them is read and written in a third of the time."""
    return cast("memoryview[float]", values.data)


@dataclass
class Running:
    """A run that is played, as far as it has come."""

    deps: Dependencies
    duration_s: FloatArray
    base_s: FloatArray
    """(n,) when the call, or the recording where no cause is known, lets each start beside a host on time."""
    host: IntArray
    """(n,) waiting call whose shift delays the call; -1 where none does."""
    stream: IntArray
    others: IntArray
    """Work that waits for other streams, in order."""
    waits: Waits
    coupled: list[Coupled]
    """Of each lane; empty where no collective joins processes."""
    start_s: FloatArray
    end_s: FloatArray
    shift_s: FloatArray
    """(lanes, s + 1) by how much the host is later after each waiting call; the last is 0, for no call."""
    waited: int = 0
    """Waiting calls that are over."""

    @classmethod
    def of(
        cls, source_start: FloatArray, work: Activities, deps: Dependencies, duration_s: FloatArray, launch_s: float,
        latency_s: float,
    ) -> Running:  # fmt: skip
        """A run at its start."""
        called = ~np.isnan(deps.call_s)
        arrival = deps.call_s + np.maximum(deps.latency_s + latency_s, 0.0) + launch_s * deps.launches
        base = np.where(alone_of(deps), source_start, np.where(called, arrival, NEVER_S))
        joined = bool((deps.group >= 0).any())
        shape = duration_s.shape
        return cls(
            deps, duration_s, base, np.where(called, deps.host, -1), number_streams(work),
            np.flatnonzero(deps.other >= 0), Waits.of(deps, work.start_s, launch_s),
            [Coupled.of(work, deps, d) for d in duration_s] if joined else [], np.zeros(shape), np.zeros(shape),
            np.zeros((shape[0], len(deps.wait_end_s) + 1)),
        )  # fmt: skip

    def stretches(self) -> Iterator[tuple[int, int, bool]]:
        """First and last row (not included) of what is played together, and whether it is played at once."""
        n = self.duration_s.shape[1]
        finite = all(np.isfinite(v).all() for v in (self.duration_s, self.base_s))
        marks = self.marks() if finite else np.array([0, n])
        begun = 0
        for first, last in zip(marks[:-1].tolist(), marks[1:].tolist(), strict=True):
            if finite and last - first >= LEAST_ROWS * self.count_streams(first, last):
                if begun < first:
                    yield begun, first, False
                yield first, last, True
                begun = last
        if begun < n:
            yield begun, n, False

    def count_streams(self, first: int, last: int) -> int:
        """Streams with work in a stretch; 1 where it is short anyway."""
        stream = self.stream[first:last]
        # Most stretches have one, which is seen at once.
        return 1 if len(stream) < LEAST_ROWS or (stream == stream[0]).all() else len(np.unique(stream))

    def marks(self) -> IntArray:
        """Rows at which stretches end: a host waits, a collective joins processes, a stream waits for another."""
        n, group = self.duration_s.shape[1], np.flatnonzero(self.deps.group >= 0)
        marks = np.unique(np.concatenate([np.arange(0, n, CHUNK), self.waits.place, group, group + 1, [n]]))
        marks = marks[marks <= n]
        cause = self.deps.other[self.others]
        begun = marks[np.searchsorted(marks, self.others, side="right") - 1]
        inside = cause >= begun
        more, last = [], -1
        for row, before in zip(self.others[inside].tolist(), cause[inside].tolist(), strict=True):
            if last <= before:
                more.append(row)
                last = row
        return np.union1d(marks, np.array(more, np.int64)) if more else marks

    def end_waits(self, row: int) -> None:
        """All waiting calls that are over before a row."""
        while self.waited < len(self.waits.place) and self.waits.place[self.waited] <= row:
            for end, shift in zip(self.end_s, self.shift_s, strict=True):
                self.waits.over(self.waited, row, cells_of(end), cells_of(shift))
            self.waited += 1

    def play_stretch(self, first: int, last: int) -> None:
        """Play work at once, stream by stream."""
        self.end_waits(first)
        base = self.base_s[first:last] + self.shift_s[:, self.host[first:last]]
        at = slice(*np.searchsorted(self.others, (first, last)).tolist())
        if len(rows := self.others[at]):
            late = rows - first
            base[:, late] = np.maximum(base[:, late], self.end_s[:, self.deps.other[rows]] + self.deps.lag_s[rows])
        stream = self.stream[first:last]
        if (stream == stream[0]).all():
            self.play_stream(base, slice(first, last), first)
            return
        for number in np.unique(stream).tolist():
            of_stream = np.flatnonzero(stream == number)
            self.play_stream(base[:, of_stream], of_stream + first, first + int(of_stream[0]))

    def play_stream(self, base: FloatArray, rows: Rows, first: int) -> None:
        """Play rows of one stream. base : (lanes, rows) s, when their other causes let them start."""
        duration, gap = self.duration_s[:, rows], self.deps.gap_s[rows]
        if (before := int(self.deps.previous[first])) >= 0:
            base[:, 0] = np.maximum(base[:, 0], self.end_s[:, before] + gap[0])
        steps = duration + gap
        steps[:, 0] = 0.0
        reach = np.cumsum(steps, axis=1)
        ends = reach + np.maximum.accumulate(base + duration - reach, axis=1)
        start = base
        start[:, 1:] = np.maximum(base[:, 1:], ends[:, :-1] + gap[1:])
        self.start_s[:, rows] = start
        self.end_s[:, rows] = start + duration

    def play_each(self, first: int, last: int) -> None:
        """Play work one piece after the other, lane by lane."""
        d, part = self.deps, slice(first, last)
        # Lists are faster than arrays cell by cell.
        columns = [c[part].tolist() for c in (d.previous, d.other, self.host, d.group, d.gap_s, d.lag_s, self.base_s)]
        begun = self.waited
        for lane, duration in enumerate(self.duration_s[:, part].tolist()):
            self.waited = begun
            self.play_lane(lane, first, zip(*columns, duration, strict=True))

    def play_lane(
        self, lane: int, first: int, rows: Iterable[tuple[int, int, int, int, float, float, float, float]]
    ) -> None:
        """Play work one piece after the other in one lane."""
        start, end, shift = (cells_of(v[lane]) for v in (self.start_s, self.end_s, self.shift_s))
        place, waited = self.waits.place, self.waited
        over = int(place[waited]) if waited < len(place) else len(end)
        for i, (previous, other, host, group, gap, lag, base, duration) in enumerate(rows, first):
            while over <= i:
                self.waits.over(waited, i, end, shift)
                waited += 1
                over = int(place[waited]) if waited < len(place) else len(end)
            at = base + shift[host]
            if previous >= 0 and (x := end[previous] + gap) > at:
                at = x
            if other >= 0 and (x := end[other] + lag) > at:
                at = x
            start[i] = at
            end[i] = at + duration
            if group >= 0:
                self.coupled[lane].arrive(group, i, at, end)
        self.waited = waited


@dataclass
class Waits:
    """The waiting calls of a run, in the order in which they are over."""

    place: IntArray
    """(s,) the first work that started when each was over."""
    work: list[int]
    host: list[int]
    start: list[float]
    tail: list[float]
    end: list[float]

    @classmethod
    def of(cls, deps: Dependencies, start_s: FloatArray, launch_s: float) -> Waits:
        """The waiting calls of a timeline. start_s : (n,) when each piece of work started in the recording."""
        place = np.searchsorted(np.maximum.accumulate(start_s), deps.wait_end_s)
        start = deps.wait_start_s + launch_s * deps.wait_launches
        columns = (deps.wait_for, deps.wait_host, start, deps.wait_tail_s, deps.wait_end_s)
        return cls(np.maximum.accumulate(place), *(c.tolist() for c in columns))

    def over(self, k: int, played: int, end_s: memoryview[float], shift_s: memoryview[float]) -> None:
        """A waiting call returns: from now on the host is that much later (or earlier) than it was.

        played : work that has been played. end_s, shift_s : of one lane; the latter is written.
        """
        begin, work = self.start[k] + shift_s[self.host[k]], self.work[k]
        finished = end_s[work] if work < played else begin
        shift_s[k] = max(begin, finished) + self.tail[k] - self.end[k]


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
    def of(cls, work: Activities, deps: Dependencies, duration_s: FloatArray) -> Coupled:
        """The groups of a timeline, with the durations that each member takes once all have come."""
        start, end = work.start_s, work.end_s
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

    def arrive(self, group: int, i: int, at: float, end: memoryview[float]) -> None:
        """A member has come; with the last one the ends of all are known."""
        self.members[group].append(i)
        self.latest[group] = max(self.latest.get(group, at), at)
        self.missing[group] -= 1
        if not self.missing[group]:
            for j in self.members[group]:
                if self.rest[j] > 0:
                    end[j] = self.latest[group] + self.rest[j]
