"""Runs before and after in the trace-event format of Chrome, which Perfetto (ui.perfetto.dev) opens.

An object with ``traceEvents``: complete events (``ph`` X) with ``ts`` and ``dur`` in microseconds, and metadata
(``ph`` M) that names and orders processes and threads (Trace Event Format, Google 2016). Each run is a process of its
own, the recorded one and a forecast per GPU, each stream of a device a thread. Perfetto drops events of one thread that
overlap without nesting, so that a stream whose work overlaps goes on in a second thread.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.applications.result import ApplicationForecast
from roofcast.core.errors import one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.core.timeline import Ranges
from roofcast.core.version import VERSION

MICROSECONDS = 1e6
"""us in a second: the trace-event format counts in them."""
HOST = 1_000_000
"""Numbers of the threads of hosts begin here."""


@dataclass(frozen=True)
class Side:
    """One run as a process of the trace."""

    number: int
    title: str
    start_s: FloatArray
    end_s: FloatArray


def render_perfetto(forecasts: Sequence[ApplicationForecast]) -> Iterator[str]:
    """The recording once, then each forecast; an event a line. Of a long run the part that its picture shows."""
    yield '{"displayTimeUnit": "ms", "otherData": ' + json.dumps({"made_by": f"roofcast {VERSION}"})
    yield ', "traceEvents": ['
    before = "\n"
    for event in list_events(forecasts):
        yield before + json.dumps(event, ensure_ascii=False)
        before = ",\n"
    yield "\n]}"


def list_events(forecasts: Sequence[ApplicationForecast]) -> Iterator[dict[str, Any]]:
    """Names of the processes and threads, and what each did."""
    run_before, number = "", 0
    for f in (f.drawn or f for f in forecasts):
        first, _ = f.timeline.span_s
        work = f.timeline.activities
        run = f"{f.run}: " if f.run else ""
        if number == 0 or f.run != run_before:
            run_before = f.run
            number += 1
            yield from list_side(f, Side(number, f"{run}recorded on {f.source_gpu}", work.start_s, work.end_s), first)
            yield from list_host(f.timeline.annotations(), f, number, first)
        number += 1
        side = Side(number, f"{run}forecast for {f.target.name}", f.replay.start_s, f.replay.end_s)
        yield from list_side(f, side, first)


def name(what: str, process: int, thread: int, args: dict[str, Any]) -> dict[str, Any]:
    """A metadata event."""
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": args}


def name_process(number: int, title: str) -> Iterator[dict[str, Any]]:
    """What Perfetto shows above the threads of a run, and where it stands."""
    yield name("process_name", number, 0, {"name": one_line(title, 200)})
    yield name("process_sort_index", number, 0, {"sort_index": number})


def list_side(f: ApplicationForecast, side: Side, first: float) -> Iterator[dict[str, Any]]:
    """Work of the devices in one run, stream by stream."""
    work, names = f.timeline.activities, f.timeline.names
    yield from name_process(side.number, side.title)
    keys = np.stack([work.process, work.device, work.stream], axis=1)
    distinct, inverse = np.unique(keys, axis=0, return_inverse=True)
    several = len(f.timeline.processes) > 1
    thread = 0
    for i, (process, device, stream) in enumerate(distinct.tolist()):
        rows = np.flatnonzero(inverse.ravel() == i)
        number = f.timeline.devices[device].number if 0 <= device < len(f.timeline.devices) else device
        rank = f.timeline.processes[process].rank if several and process >= 0 else -1
        title = (f"rank {rank}, " if rank >= 0 else "") + f"GPU {number}, stream {stream}"
        for lane, chosen in enumerate(split_lanes(side.start_s[rows], side.end_s[rows])):
            thread += 1
            title_of_lane = title if lane == 0 else f"{title} (at the same time)"
            yield name("thread_name", side.number, thread, {"name": title_of_lane})
            yield name("thread_sort_index", side.number, thread, {"sort_index": thread})
            for k in rows[chosen].tolist():
                yield {
                    "ph": "X", "name": one_line(str(names[work.name[k]]), 300), "cat": str(f.activity_class[k]),
                    "pid": side.number, "tid": thread, **place(side.start_s[k] - first, side.end_s[k] - first),
                    "args": {"recorded_us": round_us(work.end_s[k] - work.start_s[k]),
                             "forecast_us": round_us(f.duration_s[k])} | list_geometry(f, k),
                }  # fmt: skip


def list_geometry(f: ApplicationForecast, k: int) -> dict[str, list[int]]:
    """Grid and block of a kernel."""
    grid, block = (a[k].tolist() for a in (f.timeline.activities.grid, f.timeline.activities.block))
    return {"grid": grid, "block": block} if min(grid) > 0 else {}


def list_host(ranges: Ranges, f: ApplicationForecast, number: int, first: float) -> Iterator[dict[str, Any]]:
    """What the user named, on the threads of the hosts, as recorded."""
    threads: dict[tuple[int, int], int] = {}
    for k in range(len(ranges.start_s)):
        key = int(ranges.process[k]), int(ranges.thread[k])
        if key not in threads:
            threads[key] = HOST + len(threads)
            yield name("thread_name", number, threads[key], {"name": f"host thread {key[1]}"})
            yield name("thread_sort_index", number, threads[key], {"sort_index": -1})
        yield {
            "ph": "X", "name": one_line(str(f.timeline.names[ranges.name[k]]), 300), "cat": "range", "pid": number,
            "tid": threads[key], **place(ranges.start_s[k] - first, ranges.end_s[k] - first),
        }  # fmt: skip


def place(start_s: float, end_s: float) -> dict[str, float]:
    """Begin and length in microseconds; rounded to nanoseconds at both ends, so that neighbours do not overlap."""
    begin, end = round_us(start_s), round_us(end_s)
    return {"ts": begin, "dur": round(max(end - begin, 0.0), 3)}


def round_us(seconds: float) -> float:
    """Microseconds with the digits of nanoseconds."""
    return round(float(seconds) * MICROSECONDS, 3)


def split_lanes(start_s: FloatArray, end_s: FloatArray) -> list[NDArray[np.intp]]:
    """Rows that do not overlap each other, in order of their start: the stream, and what overlapped it.

    >>> [lane.tolist() for lane in split_lanes(np.array([0.0, 1.0, 1.5, 3.0]), np.array([1.0, 2.0, 2.5, 4.0]))]
    [[0, 1, 3], [2]]
    """
    lanes: list[list[int]] = []
    ends: list[float] = []
    for k in np.argsort(start_s, kind="stable").tolist():
        begin = round_us(start_s[k])
        free = next((n for n, end in enumerate(ends) if end <= begin), -1)
        if free < 0:
            free = len(lanes)
            lanes.append([])
            ends.append(0.0)
        lanes[free].append(k)
        ends[free] = round_us(end_s[k])
    return [np.array(lane, dtype=np.intp) for lane in lanes]
