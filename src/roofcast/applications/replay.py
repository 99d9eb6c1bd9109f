"""A recorded run played again with other durations: everything starts as soon as what it waits for allows."""

from __future__ import annotations

import dataclasses

import numpy as np

from roofcast.applications.dependencies import Dependencies
from roofcast.applications.list_schedule import alone_of, run
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.core.timeline import IntArray, Timeline


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

    duration_s : (n,) seconds of each activity. The others : see :func:`replays`.
    """
    return replays(timeline, deps, duration_s[None, :], launch_s, latency_s, host_factor)[0]


def replays(
    timeline: Timeline, deps: Dependencies, durations_s: FloatArray, launch_s: float = 0.0, latency_s: float = 0.0,
    host_factor: float = 1.0,
) -> list[Replay]:  # fmt: skip
    """Play a timeline again with several sets of durations.

    durations_s : (lanes, n) seconds of each activity in each of them.
    launch_s : what each launch costs the host more than on the source. latency_s : what it takes longer to arrive.
    host_factor : what the host's own work takes, over what it took: all its time between two waits for the devices.
    """
    work = timeline.activities
    first, _ = timeline.span_s
    if host_factor != 1.0:
        deps = with_host_factor(deps, work.start_s, first, host_factor)
    recorded = np.where(alone_of(deps), first + (work.start_s - first) * host_factor, work.start_s)
    start, end, shift = run(recorded, work, deps, durations_s, launch_s, latency_s)
    hosts = host_ends(timeline, deps, shift, launch_s, host_factor)
    last = np.maximum(end.max(axis=1, initial=first), hosts.max(axis=1, initial=first)) - first
    return [Replay(*lane, host_factor, first) for lane in zip(start, end, shift, last.tolist(), strict=True)]


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


def host_ends(
    timeline: Timeline, deps: Dependencies, shift_s: FloatArray, launch_s: float, host_factor: float
) -> FloatArray:
    """(lanes, processes) when each host ends: what came after its last wait takes what it took.

    shift_s : (lanes, s) by how much the host is later after each waiting call.
    """
    calls, first = timeline.calls, timeline.span_s[0]
    ends = np.zeros((len(shift_s), len(timeline.processes)))
    for p in range(len(timeline.processes)):
        mine = calls.process == p
        parts = calls.end_s[mine], timeline.ranges.end_s[timeline.ranges.process == p]
        recorded = max((float(x.max()) for x in parts if len(x)), default=-np.inf)
        waits = np.flatnonzero(deps.wait_process == p)
        ended = float(deps.wait_end_s[waits[-1]]) if len(waits) else -np.inf
        base = ended if len(waits) else first
        later = float((calls.start_s[mine & (calls.api == 0)] > ended).sum())
        ends[:, p] = base + (recorded - base) * host_factor + launch_s * later
        if len(waits):
            ends[:, p] += shift_s[:, waits[-1]]
    return ends


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
