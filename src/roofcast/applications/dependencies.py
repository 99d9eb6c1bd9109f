"""Who waits for whom in a timeline: what each piece of work and each waiting call of the host had to wait for.

A profiler records times, not causes. The rules here name the causes: order in a stream, the call that launched, events
that streams wait for, calls that wait for the device. What remains open (a wait that none of them explains) is given
to the work that ended last before, else to the host. Every cause gets the delay that reproduces the recorded times
exactly, so that a replay with unchanged durations is the recorded run.
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.core.timeline import Activities, Api, Calls, Collective, IntArray, Timeline

GAP_S = 1.5e-6
"""Between two kernels of a stream where nothing else can be learned from the timeline."""
LATENCY_S = 6e-6
"""From a call to the start of its kernel on an idle GPU, the same."""
CLOCKS_S = 2e-6
"""How far the clocks of host and device disagree after the profiler aligned them."""
LONG_CALL_S = 50e-6
"""A call that is no wait takes longer only if it waited: for room in a queue, for memory to be freed."""
QUERY = re.compile(r"(?:event|stream)query", re.I)
POLLS_LEAST, POLL_PAUSE_S = 3, 20e-6
"""Queries in a row that make a wait, and the longest pause between them: watchdogs ask far less often."""
SOON = 0.1
"""What is launched within this share of the time of the work before it follows it: by chance a tenth does."""
MOSTLY = 0.5
"""Share of the launches that follow so, from which the calls that wait do not tell all."""
NEAR_S = 30e-6
"""Work that ended this shortly before is what was waited for."""


@dataclass(frozen=True)
class Dependencies:
    """(n,) columns per activity, (s,) columns per waiting call, in order of its end; -1: nothing."""

    previous: IntArray
    """The work before it in its stream."""
    gap_s: FloatArray
    """Least time between the two; negative where they overlap."""
    call_s: FloatArray
    """When it was launched, on the source; NaN where no call is known."""
    latency_s: FloatArray
    """Least time from there to its start."""
    other: IntArray
    """Work of another stream that it waits for."""
    lag_s: FloatArray
    host: IntArray
    """The waiting call that ended last before it was launched, in its process."""
    launches: FloatArray
    """Launches between that call's end and its own."""
    group: IntArray
    """Collective that it takes part in, over several processes."""
    bound: NDArray[np.uint8]
    """What decided its start: 0 nothing, 1 the work before, 2 the call, 3 another stream."""

    wait_call: IntArray
    wait_start_s: FloatArray
    wait_end_s: FloatArray
    wait_for: IntArray
    """The activity that the call waited for."""
    wait_tail_s: FloatArray
    """From the end of that work (or its own start, if later) to its end."""
    wait_host: IntArray
    """The waiting call before it in its process."""
    wait_launches: FloatArray
    wait_process: IntArray


def dependencies(timeline: Timeline) -> Dependencies:
    """The causes in a timeline."""
    work, calls = timeline.activities, timeline.calls
    previous = previous_in_stream(work)
    prev_end = np.where(previous >= 0, work.end_s[previous], np.nan)
    call_s = np.where(work.call >= 0, calls.start_s[work.call] if len(calls) else np.nan, np.nan)
    # Clocks that disagree would let work start before its call.
    call_s = np.minimum(call_s, work.start_s)
    slack_p, slack_c = work.start_s - prev_end, work.start_s - call_s
    gap, latency = typical(slack_p, slack_c, prev_end, call_s)
    call_bound = (slack_c <= 3 * latency + CLOCKS_S) | ~(prev_end > call_s)
    # Work that follows its stream's last as closely as usual, though its call came long before, was queued; so is
    # what one call launched together.
    queued = (prev_end > call_s) & (slack_p <= 2 * gap + CLOCKS_S) & (slack_c > 1.5 * latency)
    queued |= (previous >= 0) & (work.call >= 0) & (work.call[previous] == work.call)
    call_bound &= ~np.isnan(slack_c) & ~queued
    # Waits that neither the stream nor a launch explains.
    floor = np.fmax(prev_end, call_s)
    unexplained = np.where(call_bound, slack_c > 3 * latency + CLOCKS_S, ~(slack_p <= 10 * gap + CLOCKS_S))
    latest, latest_end = latest_before(work)
    stranger = unexplained & (latest >= 0) & (latest != previous) & ~(latest_end <= floor)
    stranger &= (work.start_s - latest_end <= NEAR_S) | np.isnan(floor)
    bound = np.where(stranger, 3, np.where(call_bound, 2, np.where(previous >= 0, 1, 0)))
    gap_s = np.where(bound == 1, slack_p, np.minimum(slack_p, gap))
    latency_s = np.where(bound == 2, slack_c, np.minimum(slack_c, latency))
    other, lag = np.where(stranger, latest, -1), np.where(stranger, work.start_s - latest_end, np.nan)
    other, lag = with_events(timeline, previous, other, lag, gap)
    waits = waiting_calls(timeline)
    host, launches = host_state(work.process, call_s, waits, timeline)
    wait_host, wait_launches = host_state(waits.process, waits.start_s, waits, timeline)
    return Dependencies(
        previous=previous, gap_s=gap_s, call_s=call_s, latency_s=latency_s, other=other, lag_s=lag, host=host,
        launches=launches, group=collective_groups(work, len(timeline.processes)), bound=bound.astype(np.uint8),
        wait_call=waits.call, wait_start_s=waits.start_s, wait_end_s=waits.end_s, wait_for=waits.work,
        wait_tail_s=waits.tail_s, wait_host=wait_host, wait_launches=wait_launches, wait_process=waits.process,
    )  # fmt: skip


def other_host(timeline: Timeline, deps: Dependencies) -> tuple[Dependencies, float] | None:
    """The causes if the host waits for the devices where the trace does not tell; without calls, if it does not wait.

    Calls that wait tell it, and so does a host that launches while work is still queued: it runs ahead. Else the
    launches come when all work before them is done: from a host that needs that long for each (as :func:`dependencies`
    has it), or from one that waited in a way that was not traced: then each comes as soon after that work as it did.
    Without calls the gaps between pieces of work stay; the other way is a host that does not wait, so that work starts
    when it did, unless the work before it is not done.

    None where the trace tells. Else with the causes the share of the work that was launched (or began) when the work
    before it had just ended (:data:`SOON`) and no call had waited for it, as that of a host that waits does.
    """
    work = timeline.activities
    if len(timeline.processes) > 1 or len(work) < 2:
        return None
    at = np.where(np.isnan(deps.call_s), work.start_s, deps.call_s)
    order = np.argsort(at, kind="stable")
    ends = work.end_s[order]
    reached = np.maximum.accumulate(ends)
    last = np.maximum.accumulate(np.where(ends == reached, np.arange(len(order)), 0))
    rows, before, done = order[1:], order[last[:-1]], reached[:-1]
    traced = deps.host[rows] >= 0
    traced &= np.append(deps.wait_end_s, np.inf)[deps.host[rows]] >= done - CLOCKS_S
    empty = done <= at[rows] + CLOCKS_S
    soon = empty & ~traced & (at[rows] - done <= SOON * work.duration_s[before])
    follows = float(soon.sum()) / len(rows)
    if not empty.any() or (len(deps.wait_call) and follows < MOSTLY):
        return None
    if np.isnan(deps.call_s).all():
        gap = np.where(deps.previous >= 0, np.minimum(deps.gap_s, GAP_S), deps.gap_s)
        nobody, zero = np.full(len(work), -1, np.int64), np.zeros(len(work))
        return dataclasses.replace(
            deps, call_s=work.start_s.copy(), latency_s=zero, gap_s=gap, host=nobody, launches=zero
        ), follows
    rows, before, done = rows[empty], before[empty], done[empty]
    end, done = at[rows], np.minimum(done, at[rows])
    start = np.concatenate([[timeline.span_s[0]], end[:-1]])
    tail = end - np.maximum(start, done) - np.maximum(work.end_s[before] - end, 0.0)
    none = np.zeros(len(rows), np.int64)
    waits = WaitingCalls(np.maximum(work.call[rows], 0), start, end, before, tail, none)
    host, launches = host_state(work.process, deps.call_s, waits, timeline)
    return dataclasses.replace(
        deps, host=host, launches=launches, wait_call=waits.call, wait_start_s=start, wait_end_s=end, wait_for=before,
        wait_tail_s=tail, wait_host=np.arange(-1, len(rows) - 1), wait_launches=np.zeros(len(rows)), wait_process=none,
    ), follows  # fmt: skip


def previous_in_stream(work: Activities) -> IntArray:
    """(n,) the work before each in its stream; -1 for the first."""
    order = np.lexsort((np.arange(len(work)), work.stream, work.device, work.process))
    same = np.ones(len(order), np.bool_)
    for column in (work.stream, work.device, work.process):
        same[1:] &= column[order][1:] == column[order][:-1]
    result = np.full(len(work), -1, np.int64)
    result[order[1:]] = np.where(same[1:], order[:-1], -1)
    return result


def typical(slack_p: FloatArray, slack_c: FloatArray, prev_end: FloatArray, call_s: FloatArray) -> tuple[float, float]:
    """Usual time between kernels that queue, and from a call to its kernel on an idle GPU."""
    queued = (prev_end > call_s + 1e-9) & (slack_p >= 0) & (slack_p < 20e-6)
    idle = ~(prev_end > call_s) & (slack_c >= 0)
    gap = float(np.median(slack_p[queued])) if queued.any() else GAP_S
    # Some of the work that starts late on an idle device waits for something else: the quicker ones are typical.
    latency = float(np.quantile(slack_c[idle], 0.25, method="lower")) if idle.any() else LATENCY_S
    return gap, min(max(latency, 1e-6), 100e-6)


def latest_before(work: Activities) -> tuple[IntArray, FloatArray]:
    """(n,) the work of the same device that ended last before each started, and its end; -1 where there is none."""
    latest, end = np.full(len(work), -1, np.int64), np.full(len(work), np.nan)
    for device in np.unique(work.device).tolist():
        rows = np.flatnonzero(work.device == device)
        by_end = rows[np.argsort(work.end_s[rows], kind="stable")]
        place = np.searchsorted(work.end_s[by_end], work.start_s[rows], side="right") - 1
        nearest = by_end[np.maximum(place, 0)]
        # Only what started earlier can be a cause: work without length must not wait for itself.
        good = (place >= 0) & (nearest < rows)
        latest[rows[good]], end[rows[good]] = nearest[good], work.end_s[nearest[good]]
    return latest, end


def with_events(
    timeline: Timeline, previous: IntArray, other: IntArray, lag: FloatArray, gap: float
) -> tuple[IntArray, FloatArray]:
    """Causes that the program stated: streams that wait for events of other streams."""
    work, waits = timeline.activities, timeline.waits
    if not len(waits):
        return other, lag
    other, lag = other.copy(), lag.copy()
    streams: dict[tuple[int, int], NDArray[np.int64]] = {}
    for key in {(int(d), int(s)) for d, s in zip(waits.device, waits.stream, strict=True)} | {
        (int(d), int(s)) for d, s in zip(waits.device, waits.record_stream, strict=True)
    }:
        rows = np.flatnonzero((work.device == key[0]) & (work.stream == key[1]) & (work.call >= 0))
        streams[key] = rows[np.argsort(work.call[rows], kind="stable")]
    for i in range(len(waits)):
        device = int(waits.device[i])
        waiting, recorded = (streams[device, int(s[i])] for s in (waits.stream, waits.record_stream))
        after = np.searchsorted(work.call[waiting], waits.call[i], side="right")
        before = np.searchsorted(work.call[recorded], waits.record_call[i], side="right") - 1
        if after < len(waiting) and before >= 0:
            who, cause = int(waiting[after]), int(recorded[before])
            between = float(work.start_s[who] - work.end_s[cause])
            if cause < who and other[who] < 0 and between >= 0:
                other[who], lag[who] = cause, min(between, gap)
    return other, lag


@dataclass(frozen=True)
class WaitingCalls:
    """(s,) calls of the host that waited for the device, in order of their end."""

    call: IntArray
    start_s: FloatArray
    end_s: FloatArray
    work: IntArray
    tail_s: FloatArray
    process: IntArray


def waiting_calls(timeline: Timeline) -> WaitingCalls:
    """Calls that wait: synchronisations, copies that return when they are done, launches into a full queue."""
    work, calls = timeline.activities, timeline.calls
    if not len(calls) or not len(work):
        none = np.zeros(0, np.int64)
        return WaitingCalls(none, np.zeros(0), np.zeros(0), none, np.zeros(0), none)
    last_own = last_of_call(work, calls)
    target = np.where(last_own >= 0, last_own, -1)
    own_done = (target >= 0) & (work.end_s[target] <= calls.end_s + CLOCKS_S)
    blocking_copy = (calls.api == Api.COPY) & own_done
    ended, ended_s = last_ended(work, calls)
    long = (calls.end_s - calls.start_s > LONG_CALL_S) & (ended_s > calls.start_s) & (calls.end_s - ended_s < NEAR_S)
    start, polled = polls(timeline)
    polled &= ended_s > start
    waits = (calls.api == Api.SYNCHRONISE) | blocking_copy | (long & (calls.api != Api.SYNCHRONISE)) | polled
    start = np.where(polled, start, calls.start_s)
    chosen = np.where(blocking_copy, target, ended)
    # Work that began only when the call was over cannot have been waited for, whatever the clocks say.
    rows = np.flatnonzero(waits & (chosen >= 0) & (work.start_s[chosen] < calls.end_s))
    rows = rows[np.lexsort((rows, calls.end_s[rows]))]
    chosen = chosen[rows]
    done = np.minimum(work.end_s[chosen], calls.end_s[rows])
    start = start[rows]
    tail = calls.end_s[rows] - np.maximum(start, done)
    # Where clocks disagree the work seems to end after the call that waited for it.
    tail = tail - np.maximum(work.end_s[chosen] - calls.end_s[rows], 0.0)
    return WaitingCalls(rows, start, calls.end_s[rows], chosen, tail, calls.process[rows])


def polls(timeline: Timeline) -> tuple[FloatArray, NDArray[np.bool_]]:
    """(c,) start of the run of queries that each call ends, and whether it ends one: together they are a wait.

    A host that asks over and over whether work is done waits for it, as far as its next steps are concerned.
    """
    calls = timeline.calls
    start, ends = calls.start_s.copy(), np.zeros(len(calls), np.bool_)
    asks = np.array([QUERY.search(str(n)) is not None for n in timeline.names], np.bool_)[calls.name]
    if asks.sum() < POLLS_LEAST:
        return start, ends
    order = np.lexsort((calls.start_s, calls.thread, calls.process))
    asking, begin = asks[order], calls.start_s[order]
    follows = np.zeros(len(order), np.bool_)
    follows[1:] = asking[1:] & asking[:-1] & (begin[1:] - calls.end_s[order][:-1] < POLL_PAUSE_S)
    for column in (calls.thread[order], calls.process[order]):
        follows[1:] &= column[1:] == column[:-1]
    first = np.maximum.accumulate(np.where(follows, 0, np.arange(len(order))))
    last = np.append(~follows[1:], True)
    long_enough = np.arange(len(order)) - first >= POLLS_LEAST - 1
    ends[order] = asking & last & long_enough
    start[order] = begin[first]
    return start, ends


def last_of_call(work: Activities, calls: Calls) -> IntArray:
    """(c,) the last work that each call launched; -1 for calls without."""
    result = np.full(len(calls), -1, np.int64)
    rows = np.flatnonzero(work.call >= 0)
    rows = rows[np.argsort(work.end_s[rows], kind="stable")]
    result[work.call[rows]] = rows
    return result


def last_ended(work: Activities, calls: Calls) -> tuple[IntArray, FloatArray]:
    """(c,) the work of its process that ended last before each call's end, and when."""
    last, when = np.full(len(calls), -1, np.int64), np.full(len(calls), np.nan)
    for process in np.unique(calls.process).tolist():
        rows = np.flatnonzero(work.process == process)
        mine = np.flatnonzero(calls.process == process)
        if not len(rows):
            continue
        by_end = rows[np.argsort(work.end_s[rows], kind="stable")]
        place = np.searchsorted(work.end_s[by_end], calls.end_s[mine] + CLOCKS_S, side="right") - 1
        good = place >= 0
        last[mine[good]] = by_end[place[good]]
        when[mine[good]] = work.end_s[last[mine[good]]]
    return last, when


def host_state(
    process: IntArray, at_s: FloatArray, waits: WaitingCalls, timeline: Timeline
) -> tuple[IntArray, FloatArray]:
    """(n,) the waiting call that ended last before each time in its process, and the launches since; -1: none."""
    last, launches = np.full(len(process), -1, np.int64), np.zeros(len(process))
    calls = timeline.calls
    is_launch = calls.api == Api.LAUNCH
    for p in np.unique(process).tolist():
        rows = np.flatnonzero((process == p) & ~np.isnan(at_s))
        mine = np.flatnonzero(waits.process == p)
        starts = calls.start_s[is_launch & (calls.process == p)]
        count = np.searchsorted(starts, at_s[rows], side="right").astype(np.float64)
        if len(mine):
            place = np.searchsorted(waits.end_s[mine], at_s[rows], side="right") - 1
            known = place >= 0
            last[rows[known]] = mine[place[known]]
            count[known] -= np.searchsorted(starts, waits.end_s[mine[place[known]]], side="right")
        launches[rows] = count
    return last, launches


def collective_groups(work: Activities, processes: int) -> IntArray:
    """(n,) collectives of several processes that belong together; -1 for all else.

    By communicator and sequence where the trace says both; of others the k-th of a kind in each process.
    """
    result = np.full(len(work), -1, np.int64)
    if processes < 2:
        return result
    number = join_meetings(work, result)
    for kind in np.unique(work.collective).tolist():
        if kind in (Collective.NONE, Collective.POINT_TO_POINT):
            continue
        loose = (work.collective == kind) & (work.meeting < 0)
        members = [np.flatnonzero(loose & (work.process == p)) for p in range(processes)]
        members = [m for m in members if len(m)]
        # Unequal counts mean that traces cover different steps: then nobody can say which belong together.
        if len(members) > 1 and len({len(m) for m in members}) == 1:
            for m in members:
                result[m] = number + np.arange(len(m))
            number += len(members[0])
    return result


def join_meetings(work: Activities, into: IntArray) -> int:
    """Number collectives of several processes that name the same communicator and sequence; how many there are.

    One that a process names twice is none: a sequence that begins anew, whose parts nobody can tell apart.
    """
    rows = np.flatnonzero((work.meeting >= 0) & (work.collective != Collective.POINT_TO_POINT))
    if not len(rows):
        return 0
    _, meeting = np.unique(work.meeting[rows], return_inverse=True)
    parts = np.bincount(meeting)
    pairs = np.unique(np.stack([meeting, work.process[rows]]), axis=1)[0]
    once = (np.bincount(pairs, minlength=len(parts)) == parts) & (parts > 1)
    numbers = np.cumsum(once) - 1
    into[rows[once[meeting]]] = numbers[meeting[once[meeting]]]
    return int(once.sum())
