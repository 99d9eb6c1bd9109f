"""Links between the parts of a timeline: which call launched what, inside which operator, and who waits for whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.timeline import Api, Calls, IntArray, RangeKind, Ranges


def link_calls(
    process: IntArray, correlation: IntArray, start: IntArray, calls: Mapping[str, NDArray[Any]]
) -> IntArray:
    """(n,) position of the call with the same correlation number in the same process; -1 where there is none.

    calls : columns in order of their start. Of several calls with one number the last that began before the work.
    """
    result = np.full(len(process), -1, np.int64)
    number = np.concatenate([correlation, calls["correlation"]])
    if not len(calls["start"]) or not (correlation >= 0).any():
        return result
    _, code = np.unique(number, return_inverse=True)
    owner = np.concatenate([process, calls["process"]])
    key = code.astype(np.int64) * (int(owner.max()) + 2) + owner
    of_work, of_call = key[: len(process)], key[len(process) :]
    # Calls that say what they launch come before others with their number (a runtime call and its driver call).
    useful = np.isin(calls["api"], (Api.LAUNCH, Api.COPY))
    order = np.lexsort((np.arange(len(of_call)), useful, of_call))
    last = np.searchsorted(of_call[order], of_work, side="right") - 1
    found = order[np.maximum(last, 0)]
    good = (last >= 0) & (of_call[found] == of_work) & (correlation >= 0)
    result[good] = found[good]
    return result


def innermost_operators(ranges: Ranges, calls: Calls, call: IntArray) -> tuple[IntArray, IntArray]:
    """(n,) operator and its run that each piece of work was launched in; -1 where there is none.

    Of nested operators the innermost with shapes counts, else the innermost.
    """
    operator = np.full(len(calls) + 1, -1, np.int64)
    instance = np.full(len(calls) + 1, -1, np.int64)
    rows = np.flatnonzero((ranges.kind == RangeKind.OPERATOR) & (ranges.operator >= 0))
    launching = np.unique(call[call >= 0])
    if len(rows) and len(launching):
        for thread in np.unique(calls.thread[launching]).tolist():
            mine = launching[calls.thread[launching] == thread]
            inside = rows[ranges.thread[rows] == thread]
            if len(inside):
                found = enclosing(ranges.start_s[inside], ranges.end_s[inside], calls.start_s[mine])
                hit = found >= 0
                instance[mine[hit]] = inside[found[hit]]
                operator[mine[hit]] = ranges.operator[inside[found[hit]]]
    return operator[call], instance[call]


def enclosing(start: NDArray[np.float64], end: NDArray[np.float64], at: NDArray[np.float64]) -> IntArray:
    """(m,) position of the innermost nested span around each time; -1 where there is none.

    start, end : (n,) spans that nest, in order of their start. at : (m,) times in order.

    >>> enclosing(np.array([0.0, 1.0, 5.0]), np.array([9.0, 2.0, 6.0]), np.array([1.5, 3.0, 9.5])).tolist()
    [1, 0, -1]
    """
    result = np.full(len(at), -1, np.int64)
    starts, ends = start.tolist(), end.tolist()
    open_spans: list[int] = []
    position = 0
    for i, time in enumerate(at.tolist()):
        while position < len(starts) and starts[position] <= time:
            while open_spans and ends[open_spans[-1]] <= starts[position]:
                open_spans.pop()
            open_spans.append(position)
            position += 1
        while open_spans and ends[open_spans[-1]] < time:
            open_spans.pop()
        if open_spans:
            result[i] = open_spans[-1]
    return result


def link_waits(waits: Mapping[str, NDArray[Any]], calls: Mapping[str, NDArray[Any]]) -> dict[str, IntArray]:
    """Columns of :class:`roofcast.core.timeline.Waits` with positions of calls; waits without calls are dropped."""
    start = np.zeros(len(waits["stream"]), np.int64)
    call = link_calls(waits["process"], waits["correlation"], start, calls)
    record = link_calls(waits["process"], waits["record"], start, calls)
    good = (call >= 0) & (record >= 0)
    return {
        "call": call[good],
        "device": waits["device"][good],
        "stream": waits["stream"][good],
        "record_call": record[good],
        "record_stream": waits["record_stream"][good],
    }
