"""A run that one can read: what a page's canvas draws of a recorded run and its forecasts, as compact columns.

Times are whole ticks from the run's start, one nanosecond or, of long runs, the least that fits 31 bits. A page holds
so many slices; of a longer run the longest, and for the rest how busy each lane was in each of many bins.
"""

from __future__ import annotations

import base64
import dataclasses
import zlib
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.dependencies import Dependencies
from roofcast.applications.replay import Replay, shifted
from roofcast.applications.result import ApplicationForecast, KernelTime, PartTime
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray, TextArray
from roofcast.core.markup import escape
from roofcast.core.records import dataclass
from roofcast.core.timeline import Activities, Api, Collective, IntArray, Operator, RangeKind, Timeline, Work
from roofcast.kit.names import short_name
from roofcast.kit.page import embed_json, read_assets
from roofcast.kit.palette import AMBER, BLACK, BROWN, GREY, OLIVE, ORANGE, PALE, PINK, SERIES, SKY, SLATE, WHITE
from roofcast.kit.quantities import format_seconds, label_limit
from roofcast.kit.table import pick_longest

SLICES_MOST = 50_000
"""Slices that one page holds: about 1 MB."""
BINS = 4096
"""Of a lane where a page does not hold every slice."""
STREAMS_MOST, THREADS_MOST, DEPTH_MOST = 16, 3, 5
"""Lanes that are drawn: streams and threads with the most work, and ranges within ranges."""
HALT = 1e-9
"""Seconds within which two times are one."""
CALLS = {Api.LAUNCH: "launch", Api.COPY: "copy call", Api.SYNCHRONISE: "synchronise call"}
OTHER_CALL, RANGE, OPERATOR_RANGE = "other call", "range", "operator"
HOST_KINDS = {
    RANGE: PALE, OPERATOR_RANGE: SLATE, "launch": OLIVE, "copy call": SKY, "synchronise call": PINK, OTHER_CALL: GREY,
}  # fmt: skip
"""What hosts do -> its colour."""
GAPS = {
    "host: its launch came late": AMBER, "synchronise: the host waited for the device": PINK,
    "wait for work of another stream": ORANGE, "between two pieces of work": GREY, "cause not known": BROWN,
}  # fmt: skip
"""Why a device had nothing to do -> its colour."""
FOLLOWS, CALLED, STRANGER = 1, 2, 3
"""What decided a start (:attr:`Dependencies.bound`)."""
REASONS = (
    "nothing that the trace holds delayed it",
    "it began when the work before it in its stream was done",
    "it began when the host's launch arrived",
    "it began when work of another stream was done",
)


@dataclass(frozen=True)
class Slices:
    """(n,) columns: spans in lanes. Times are seconds on the run's axis, a row of ``start_s`` per side."""

    lane: IntArray
    start_s: FloatArray
    """(sides, n)."""
    end_s: FloatArray
    text: IntArray
    """Position in the names."""
    kind: IntArray
    row: IntArray
    """The activity, -1 of what hosts do."""


@dataclass(frozen=True)
class Side:
    """The run as it was recorded, or on one target."""

    title: str
    time_s: float
    start_s: FloatArray
    end_s: FloatArray
    shift: Replay | None
    """How the host moves; None where it is as recorded."""
    bound: NDArray[np.uint8]


class Recorded(Protocol):
    """What the view needs of a recorded run: a forecast of it has it, and its summary."""

    @property
    def timeline(self) -> Timeline:
        """What was recorded."""
        ...

    @property
    def dependencies(self) -> Dependencies:
        """What waited for what."""
        ...

    @property
    def activity_class(self) -> TextArray:
        """(n,) kind of work of each activity."""
        ...

    @property
    def classes(self) -> tuple[PartTime, ...]:
        """The kinds of work, longest first."""
        ...

    @property
    def source_gpu(self) -> str:
        """Where it ran."""
        ...


SORTS = ("", ": copies", ": collectives", ": unified memory")
"""What stands behind the name of a stream's lane, by the sort of its work."""


def sort_of(work: Activities) -> IntArray:
    """(n,) position in :data:`SORTS` of each activity."""
    sorts = np.zeros(len(work), np.int64)
    sorts[(work.kind == Work.COPY) | (work.kind == Work.MEMSET)] = 1
    sorts[work.collective != Collective.NONE] = 2
    sorts[(work.kind == Work.MIGRATION) | (work.kind == Work.FAULT)] = 3
    return sorts


def list_lanes(run: Recorded) -> list[tuple[str, NDArray[np.intp]]]:
    """Name and work of each lane that is drawn, busiest first, in order of devices and streams.

    A stream has a lane each for its kernels, its copies, its collectives and the pages that it moved.
    """
    work = run.timeline.activities
    keys = np.stack([work.process, work.device, work.stream, sort_of(work)], axis=1)
    distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    inverse = inverse.ravel()
    busy = np.bincount(inverse, weights=work.duration_s, minlength=len(distinct))
    chosen = pick_longest(busy, STREAMS_MOST)
    several = len(run.timeline.processes) > 1
    lanes = []
    for i in chosen:
        process, device, stream, sort = distinct[i].tolist()
        rank = run.timeline.processes[process].rank if several and process >= 0 else -1
        name = (f"rank {rank}, " if rank >= 0 else "") + f"GPU {number_device(run.timeline, device)}, stream {stream}"
        lanes.append((name + SORTS[sort], np.flatnonzero(inverse == i)))
    return lanes


def list_sides(run: Recorded, forecasts: Sequence[ApplicationForecast] = ()) -> list[Side]:
    """The recording, then each target."""
    work, deps = run.timeline.activities, run.dependencies
    first, last = run.timeline.span_s
    sides = [Side(f"measured: {run.source_gpu}", last - first, work.start_s, work.end_s, None, deps.bound)]
    for f in forecasts:
        after = f.replay
        sides.append(
            Side(f"forecast: {f.target.name}", after.time_s, after.start_s, after.end_s, after, find_bound(deps, after))
        )
    return sides


def find_bound(deps: Dependencies, after: Replay) -> NDArray[np.uint8]:
    """(n,) what decides each start in a replay, as :attr:`Dependencies.bound` says it of the recording."""
    follows = (deps.previous >= 0) & (after.start_s - (after.end_s[deps.previous] + deps.gap_s) < HALT)
    stranger = (deps.other >= 0) & (after.start_s - (after.end_s[deps.other] + deps.lag_s) < HALT)
    called = np.where(np.isnan(deps.call_s), 0, CALLED)
    return np.where(stranger, STRANGER, np.where(follows, FOLLOWS, called)).astype(np.uint8)


@dataclass(frozen=True)
class Gaps:
    """(g,) columns: times in which a device had nothing to do, and why."""

    device: IntArray
    start_s: FloatArray
    end_s: FloatArray
    cause: IntArray
    """Position in :data:`GAPS`."""


def find_gaps(timeline: Timeline, deps: Dependencies, side: Side) -> Gaps:
    r"""Idle times of each device and their causes.

    .. math:: [e, s] = [e, \min(w, s)] \cup [\min(w, s), s]

    e : the last end of any work before. s : the next start. w : the end of the host's last wait before it launched that
    work: until then it waited for the device, from then on the device waits for it. The rest has the cause of the next
    work's start. Before the first work and after the last the host alone goes on.
    """
    work = timeline.activities
    first = timeline.span_s[0]
    columns: list[list[Any]] = [[], [], [], []]

    def add(device: int, start: FloatArray, end: FloatArray, cause: IntArray | int) -> None:
        some = end > start
        columns[0].append(np.full(int(some.sum()), device))
        columns[1].append(start[some])
        columns[2].append(end[some])
        columns[3].append(np.broadcast_to(np.asarray(cause), start.shape)[some])

    waited = np.full(len(work), -np.inf)
    if len(deps.wait_end_s):
        shift = side.shift.shift_s if side.shift is not None else np.zeros(len(deps.wait_end_s))
        ended = deps.wait_end_s + shift
        waited = np.where(deps.host >= 0, ended[np.maximum(deps.host, 0)], -np.inf)
    reason = np.select([side.bound == CALLED, side.bound == STRANGER, side.bound == FOLLOWS], [0, 2, 3], 4)
    for device in np.unique(work.device).tolist():
        rows = np.flatnonzero(work.device == device)
        rows = rows[np.argsort(side.start_s[rows], kind="stable")]
        start, reached = side.start_s[rows], np.maximum.accumulate(side.end_s[rows])
        begin, end = np.append(first, reached), np.append(start, first + side.time_s)
        cause = np.append(reason[rows], 0)
        # Who launches it may have waited for the device until just before.
        middle = np.clip(np.append(waited[rows], -np.inf), begin, np.maximum(end, begin))
        middle = np.where(cause == 0, middle, begin)
        add(device, begin, middle, 1)
        add(device, middle, end, cause)
    joined = [np.concatenate(c) for c in columns]
    order = np.lexsort((joined[1], joined[0]))
    return Gaps(*(c[order] for c in joined))


class Names:
    """Texts by number, each once."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number of a text."""
        return self.texts.setdefault(text, len(self.texts))

    def numbers(self, timeline: Timeline, codes: IntArray) -> IntArray:
        """(n,) numbers of the timeline's names."""
        used, inverse = np.unique(codes, return_inverse=True)
        distinct = np.array([self.number(one_line(str(timeline.names[c]), 4000)) for c in used.tolist()], np.int64)
        return distinct[inverse.ravel()] if len(used) else np.zeros(0, np.int64)


def list_depths(start_s: FloatArray, end_s: FloatArray) -> IntArray:
    """(n,) how many spans that hold it are open where each begins.

    >>> list_depths(np.array([0.0, 1.0, 2.0, 5.0]), np.array([4.0, 3.0, 3.0, 6.0])).tolist()
    [0, 1, 2, 0]
    """
    depth = np.zeros(len(start_s), np.int64)
    ends: list[float] = []
    order = np.lexsort((-end_s, start_s))
    for k, begin, end in zip(order.tolist(), start_s[order].tolist(), end_s[order].tolist(), strict=True):
        while ends and ends[-1] <= begin:
            ends.pop()
        depth[k] = len(ends)
        ends.append(end)
    return depth


@dataclass
class Drawing:
    """Lanes and their slices, as they are gathered."""

    run: Recorded
    sides: list[Side]
    names: Names
    kinds: dict[str, str]
    """Kind -> its colour."""
    lanes: list[dict[str, Any]]
    parts: list[Slices]

    def add_lane(self, name: str, *, thin: bool = False) -> int:
        """A lane; its number."""
        self.lanes.append({"name": one_line(name, 60), "thin": thin})
        return len(self.lanes) - 1

    def add(self, lane: int, rows: IntArray, start_s: FloatArray, end_s: FloatArray, text: IntArray, kind: Any) -> None:
        """Slices of a lane. rows : activities; empty of what hosts do."""
        count = len(text)
        kinds = list(self.kinds)
        if isinstance(kind, str):
            numbers = np.full(count, kinds.index(kind))
        else:
            used, inverse = np.unique(np.asarray(kind, dtype=str), return_inverse=True)
            numbers = np.array([kinds.index(k) for k in used.tolist()], np.int64)[inverse.ravel()]
        row = rows if len(rows) else np.full(count, -1)
        self.parts.append(Slices(np.full(count, lane), start_s, end_s, text, numbers, row))

    def move(self, at_s: FloatArray, process: IntArray) -> FloatArray:
        """(sides, n) times of the host on every side."""
        deps = self.run.dependencies
        return np.stack([at_s if s.shift is None else shifted(at_s, process, deps, s.shift) for s in self.sides])


def add_threads(d: Drawing) -> None:
    """A host's threads: ranges and operators as they nest, then calls of the GPU's interface."""
    timeline = d.run.timeline
    ranges, calls = timeline.ranges, timeline.calls
    keys = [np.stack([t.process, t.thread], axis=1) for t in (ranges, calls)]
    threads, count = np.unique(np.concatenate(keys), axis=0, return_counts=True)
    chosen = pick_longest(count, THREADS_MOST)
    for process, thread in threads[chosen].tolist():
        rank = timeline.processes[process].rank if 0 <= process < len(timeline.processes) else -1
        whose = f"host {rank}" if rank >= 0 else "host"
        title = f"{whose}, thread {thread}" if len(threads) > 1 else whose
        rows = np.flatnonzero((ranges.process == process) & (ranges.thread == thread))
        depth = list_depths(ranges.start_s[rows], ranges.end_s[rows])
        for level in range(min(DEPTH_MOST, int(depth.max(initial=-1)) + 1)):
            here = rows[depth == level]
            lane = d.add_lane(f"{title}: ranges" if level == 0 else "", thin=level > 0)
            kind = np.where(ranges.kind[here] == RangeKind.OPERATOR, OPERATOR_RANGE, RANGE)
            start, end = (d.move(t[here], ranges.process[here]) for t in (ranges.start_s, ranges.end_s))
            d.add(lane, np.zeros(0, np.int64), start, end, d.names.numbers(timeline, ranges.name[here]), kind)
        rows = np.flatnonzero((calls.process == process) & (calls.thread == thread))
        if len(rows):
            lane = d.add_lane(f"{title}: calls")
            words = np.array([CALLS.get(Api(a), OTHER_CALL) for a in range(len(Api))])
            start, end = (d.move(t[rows], calls.process[rows]) for t in (calls.start_s, calls.end_s))
            kind = words[calls.api[rows]]
            d.add(lane, np.zeros(0, np.int64), start, end, d.names.numbers(timeline, calls.name[rows]), kind)


def add_streams(d: Drawing, lanes: Sequence[tuple[str, IntArray]]) -> None:
    """The devices' streams. lanes : name and activities of each."""
    timeline = d.run.timeline
    for name, rows in lanes:
        lane = d.add_lane(name)
        start, end = (np.stack([getattr(s, key)[rows] for s in d.sides]) for key in ("start_s", "end_s"))
        text = d.names.numbers(timeline, timeline.activities.name[rows])
        d.add(lane, rows, start, end, text, d.run.activity_class[rows].astype(str))


def join(parts: Sequence[Slices]) -> Slices:
    """All slices, lane by lane in order of their recorded start."""
    joined = Slices(
        **{f.name: np.concatenate([getattr(p, f.name) for p in parts], axis=-1) for f in dataclasses.fields(Slices)}
    )
    return take(joined, np.lexsort((joined.start_s[0], joined.lane)))


def take(slices: Slices, rows: NDArray[np.intp]) -> Slices:
    """The given slices."""
    return Slices(**{f.name: getattr(slices, f.name)[..., rows] for f in dataclasses.fields(Slices)})


def keep_longest(slices: Slices, most: int) -> NDArray[np.intp]:
    """So many slices: the longest on any side, work of devices before what hosts do, three of four at least."""
    length = (slices.end_s - slices.start_s).max(axis=0)
    work = np.flatnonzero(slices.row >= 0)
    host = np.flatnonzero(slices.row < 0)
    room = max(most - len(host), most * 3 // 4)
    work = work[np.argsort(-length[work], kind="stable")[:room]]
    host = host[np.argsort(-length[host], kind="stable")[: most - len(work)]]
    return np.sort(np.concatenate([work, host]))


def fill_bins(slices: Slices, lanes: int, kinds: int, axis: Axis) -> list[list[list[int]]]:
    r"""Per side and lane: (2 x BINS,) the kind that was busiest in each bin, then how busy it was, of 255.

    .. math:: F(t) = \sum_{i: s_i < t} (e_i - s_i) - \max(e_{last} - t, 0)

    F : time that slices of one kind and lane took until t; they do not overlap. A bin's share is F's rise over its
    length.
    """
    edges = axis.first_s + axis.until_s * np.arange(BINS + 1) / BINS
    sides = []
    for start, end in zip(slices.start_s, slices.end_s, strict=True):
        side = []
        for lane in range(lanes):
            busy = np.zeros((kinds, BINS))
            mine = slices.lane == lane
            for kind in np.unique(slices.kind[mine]).tolist():
                rows = np.flatnonzero(mine & (slices.kind == kind))
                rows = rows[np.argsort(start[rows], kind="stable")]
                place = np.searchsorted(start[rows], edges)
                total = np.append(0.0, np.cumsum(end[rows] - start[rows]))[place]
                over = np.where(place > 0, end[rows][np.maximum(place - 1, 0)] - edges, 0.0)
                busy[kind] = np.diff(total - np.maximum(over, 0.0)) * BINS / axis.until_s
            share = np.clip(busy.sum(axis=0), 0.0, 1.0)
            level = np.where(share > 0, np.maximum(np.rint(255 * share), 1), 0)
            side.append([*busy.argmax(axis=0).tolist(), *level.astype(int).tolist()])
        sides.append(side)
    return sides


def pack(columns: Sequence[NDArray[Any]]) -> str:
    """Columns of whole numbers as one text: differences, byte by byte of 32 bits, deflated, in base 64."""
    joined = np.concatenate([np.diff(c.astype(np.int64), prepend=0) for c in columns] or [np.zeros(0, np.int64)])
    planes = joined.astype(np.int32).view(np.uint8).reshape(-1, 4).T
    return base64.b64encode(zlib.compress(np.ascontiguousarray(planes).tobytes(), 9)).decode()


def describe_operator(operator: Operator) -> str:
    """An operator with its shapes on a line."""
    shapes = ", ".join("x".join(map(str, s)) for s in operator.shapes if s)
    return one_line(f"{operator.name} ({shapes})" if shapes else operator.name, 300)


def describe_limits(kernels: Sequence[KernelTime]) -> dict[str, list[str]]:
    """Name of a kernel -> what it is known by, what limits it and what limits it there; several by geometry."""
    by_name: dict[str, list[list[str]]] = {}
    for k in kernels:
        words = [k.evidence, *(label_limit(x) if x else "" for x in (k.limit_source, k.limit_target)), k.reason]
        columns = by_name.setdefault(one_line(k.name, 4000), [[] for _ in words])
        for column, word in zip(columns, words, strict=True):
            if word and word not in column:
                column.append(word)
    return {name: [" or ".join(c) for c in columns] for name, columns in by_name.items()}


@dataclass(frozen=True)
class Axis:
    """The common time axis of all sides."""

    first_s: float
    until_s: float

    @property
    def tick_s(self) -> float:
        """Seconds of a tick: 1 ns, or what makes the whole 31 bits."""
        return max(1e-9, self.until_s / (2**31 - 2))

    def ticks(self, at_s: FloatArray) -> IntArray:
        """Whole ticks from the start of the run."""
        return np.rint((at_s - self.first_s) / self.tick_s).astype(np.int64)


def gather_run(
    f: Recorded, forecasts: Sequence[ApplicationForecast] = (), most: int = SLICES_MOST, until_s: float = 0.0,
    kinds: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """What the canvas draws, for JSON.

    f : the run, or one of its forecasts. forecasts : what stands below it. most : slices held. until_s : seconds that
    the axis has at least, as that of a run beside it. kinds : those of all runs beside it, which share their colours.
    """
    first = f.timeline.span_s[0]
    sides = list_sides(f, forecasts)
    classes = list(kinds) or [c.name for c in f.classes]
    classes += [c for c in np.unique(f.activity_class.astype(str)).tolist() if c not in classes]
    colours = {name: SERIES[i] if i < len(SERIES) else GREY for i, name in enumerate(classes)}
    d = Drawing(f, sides, Names(), {**colours, **HOST_KINDS}, [], [])
    add_threads(d)
    add_streams(d, list_lanes(f))
    slices = join(d.parts)
    ends = [float(e.max(initial=first)) - first for e in slices.end_s]
    axis = Axis(first, max(until_s, *(s.time_s for s in sides), *ends))
    total, bins = len(slices.lane), ""
    if total > most:
        filled = fill_bins(slices, len(d.lanes), len(d.kinds), axis)
        bins = pack([np.array(lane) for side in filled for lane in side])
        slices = take(slices, keep_longest(slices, most))
    columns, words = describe_slices(d, slices, axis)
    names = list(d.names.texts)
    return {
        "tick_s": axis.tick_s, "until": int(np.ceil(axis.until_s / axis.tick_s)), "count": len(slices.lane),
        "total": total, "sides": [describe_side(f, s, axis) for s in sides],
        "devices": [f"GPU {number_device(f.timeline, i)}: idle, why" for i in list_devices(f.timeline)],
        "lanes": d.lanes, "names": names, "short": [short_name(n, 60) if len(n) > 60 else n for n in names],
        "kinds": list(d.kinds.items()), "causes": list(GAPS.items()), "inks": [BLACK, WHITE], "reasons": list(REASONS),
        "limits": [describe_limits(g.kernels) for g in forecasts], "bins": bins, "bin_count": BINS,
        "packed": pack(columns), **words,
    }  # fmt: skip


def list_devices(timeline: Timeline) -> list[int]:
    """Positions of the devices that worked."""
    return [int(i) for i in np.unique(timeline.activities.device)]


def number_device(timeline: Timeline, place: int) -> int:
    """A device's number as the trace has it."""
    return timeline.devices[place].number if 0 <= place < len(timeline.devices) else place


def describe_side(f: Recorded, side: Side, axis: Axis) -> dict[str, Any]:
    """A side's title and length, and when its devices had nothing to do."""
    gaps = find_gaps(f.timeline, f.dependencies, side)
    start, end = axis.ticks(gaps.start_s), axis.ticks(gaps.end_s)
    device = np.searchsorted(list_devices(f.timeline), gaps.device)
    return {
        "title": one_line(side.title, 120), "time": format_seconds(side.time_s), "gaps": len(start),
        "ticks": int(side.time_s / axis.tick_s), "packed": pack([device, start, end - start, gaps.cause]),
    }  # fmt: skip


def describe_slices(d: Drawing, slices: Slices, axis: Axis) -> tuple[list[IntArray], dict[str, Any]]:
    """The columns of the slices as whole numbers, -1 where absent; and the operators and shapes that they number."""
    f = d.run
    timeline, work = f.timeline, f.timeline.activities
    row, is_work = np.maximum(slices.row, 0), slices.row >= 0
    operators = Names()
    numbers = np.array([*(operators.number(describe_operator(o)) for o in timeline.operators), -1], np.int64)
    operator = np.where(is_work, numbers[work.operator[row]], -1)
    shapes = np.concatenate([work.grid[row], work.block[row]], axis=1)
    distinct, shape = np.unique(shapes, axis=0, return_inverse=True)
    call = np.where(is_work, work.call[row], -1)
    called = np.flatnonzero(call >= 0)
    call_at, call_name = np.full(len(call), -1), np.full(len(call), -1)
    if len(called):
        call_at[called] = axis.ticks(timeline.calls.start_s[call[called]])
        call_name[called] = d.names.numbers(timeline, timeline.calls.name[call[called]])
    times = [t for s, e in zip(slices.start_s, slices.end_s, strict=True) for t in (s, e)]
    ticks = [axis.ticks(t) for t in times]
    spans = [c for s, e in zip(ticks[::2], ticks[1::2], strict=True) for c in (s, e - s)]
    bound = np.where(is_work, f.dependencies.bound[row].astype(np.int64), -1)
    columns = [slices.lane, slices.kind, slices.text, *spans, call_at, operator,
               np.where(is_work, shape.ravel(), -1), bound, call_name]  # fmt: skip
    return columns, {"operators": list(operators.texts), "shapes": distinct.tolist()}


def render_run_view(data: dict[str, Any], fallback: str) -> str:
    """The view as a part of a page, which its script brings to life. fallback : the picture where it cannot run."""
    label = ", and ".join(filter(None, (data["sides"][0]["title"], ", ".join(s["title"] for s in data["sides"][1:]))))
    return (
        f'<div class="run-view" data-label="{escape(label)}"><figure class="drawing still">{fallback}</figure>'
        f'<script type="application/json">{embed_json(data)}</script></div>'
    )


def read_run_script() -> tuple[str, str]:
    """The style and the script of the view."""
    here = "roofcast.applications"
    return read_assets(here, "run_view.css"), read_assets(here, "run_view.js")
