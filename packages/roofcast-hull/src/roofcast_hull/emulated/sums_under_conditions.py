"""Sums and extremes that go on where data say so: ``if (c) s += x`` and ``m = x > m ? x : m``.

Such a sum is s + (c ? x : 0): terms of one sum, each with its own condition, and no choice between two sums.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.device_memory import DATA, Number
from roofcast_hull.emulated.origin_nodes import BASE, Chunk
from roofcast_hull.emulated.thread_state import Lanes
from roofcast_hull.emulated.value_types import Type

JOINS = ("+", "max", "min")
"""What sums and extremes join their terms by."""
MOST_CHOICES = 12
"""Conditions that one choice hangs on."""

Ints = NDArray[np.int64]


class Follower(Protocol):
    """Threads whose data are names of nodes (:mod:`.origins`)."""

    lanes: int
    on: Lanes
    chunks: list[Chunk]

    def name(self, v: Any) -> Any:
        """Nodes that values stand for."""

    def find_values(self, nodes: Any) -> Any:
        """Numbers that are equal where nodes stand for equal values."""

    def derive(self, t: Type, values: Sequence[Any], operations: float = 0.0, word: str = "") -> Number:
        """What an operation makes of values."""


def go_on(threads: Follower, value: Number, before: Any, condition: Any) -> Number | None:
    """A sum or an extreme that goes on under a condition; None for another choice.

    value : what it becomes. before : what it is else, 0 where that is no data. condition : what decides, 0 where data
    do not.
    """
    new, old, under = (
        np.broadcast_to(np.asarray(threads.name(v)), (threads.lanes,))
        for v in (value.v if value.data >= DATA else 0, before, condition)
    )
    lanes = np.flatnonzero(threads.on.mask & (under > 0))
    if not len(lanes):
        return None
    chunk = find_chunk(threads, int(new[lanes[0]]))
    if chunk is not None and chunk.word in JOINS and (term := find_other(chunk, new[lanes], old[lanes])) is not None:
        named = threads.derive(value.t, [spread(term, lanes, threads.lanes), condition], 0.0, "or")
        return take_over(threads, chunk, value.t, before, named.v, chunk.word)
    parts = list_choices(threads, under[lanes])
    for at, (chunk, nodes) in enumerate(parts):
        if not chunk.orders or chunk.word:
            continue
        term = find_other(chunk, nodes, old[lanes])
        if term is not None and are_equal(threads, term, new[lanes]):
            others = [spread(n, lanes, threads.lanes) for k, (_, n) in enumerate(parts) if k != at]
            named = threads.derive(value.t, [value.v, *others], 0.0, "or") if others else value
            return take_over(threads, chunk, value.t, before, named.v, "max")
        if (beside := go_on_beside(threads, chunk, nodes, new[lanes], old[lanes])) is not None:
            return threads.derive(value.t, [before, spread(beside, lanes, threads.lanes)], 0.0, "max")
    return None


def go_on_beside(threads: Follower, chunk: Chunk, nodes: Ints, new: Ints, old: Ints) -> Ints | None:
    """What the place of an extreme goes on by, ``if (x < m) { m = x; at = i; }``: the value that is compared with it.

    None for other choices. new, old : what it becomes, and what it was.
    """
    operands = chunk.find_operands(nodes)
    extremes = [n for n in (new, old) if n.any()]
    if operands is None or not all(is_extreme(threads, n) for n in extremes):
        return None
    for running, other in (operands, operands[::-1]):
        first = not running.any() and not old.any()
        if other.all() and (first or (running.any() and is_extreme(threads, running))):
            return new if new.all() else other if not new.any() else None
    return None


def are_equal(threads: Follower, one: Ints, other: Ints) -> bool:
    """Whether nodes are the same, or stand for the same values: elements that are loaded twice."""
    if (one == other).all():
        return True
    return bool(one.all() and other.all() and (threads.find_values(one) == threads.find_values(other)).all())


def is_extreme(threads: Follower, nodes: Ints) -> bool:
    """Whether nodes are the largest or smallest of others."""
    left = np.unique(nodes)
    while len(left):
        chunk = find_chunk(threads, int(left[0]))
        if chunk is None or chunk.word not in ("max", "min"):
            return False
        left = left[left >= chunk.start + chunk.count]
    return True


def spread(nodes: Ints, lanes: Ints, count: int) -> Ints:
    """Values of all lanes that stand for nodes of some of them. count : of lanes."""
    every = np.zeros(count, dtype=np.int64)
    every[lanes] = np.where(nodes > 0, nodes + BASE, 0)
    return every


def take_over(threads: Follower, chunk: Chunk, kind: Type, before: Any, term: Any, word: str) -> Number:
    """A sum with one more term, which does what another instruction was to do."""
    result = threads.derive(kind, [before, term], 0.0, word)
    last = threads.chunks[-1]
    last.each, last.times, chunk.each, last.begins = chunk.each, chunk.times, 0.0, not np.any(before)
    return result


def find_chunk(threads: Follower, node: int) -> Chunk | None:
    """The instruction that made a node."""
    at = bisect_right(threads.chunks, node, key=lambda c: c.start) - 1
    return threads.chunks[at] if node and at >= 0 else None


def find_other(chunk: Chunk, nodes: Ints, known: Ints) -> Ints | None:
    """The other operands of nodes of an instruction of which one is known; None where it is not."""
    operands = chunk.find_operands(nodes)
    if operands is None:
        return None
    left, right = operands
    return right if (left == known).all() else left if (right == known).all() else None


def list_choices(threads: Follower, nodes: Ints) -> list[tuple[Chunk, Ints]]:
    """The instructions whose results a condition is made of, each with its nodes; empty where lanes differ in them."""
    waiting, parts = [nodes], list[tuple[Chunk, Ints]]()
    while waiting and len(parts) < MOST_CHOICES:
        nodes = waiting.pop()
        if not nodes.any():
            continue
        chunk = find_chunk(threads, int(nodes[0]))
        if chunk is None or (nodes < chunk.start).any() or (nodes >= chunk.start + chunk.count).any():
            return []
        operands = chunk.find_operands(nodes) if chunk.word == "or" else None
        if operands is not None:
            waiting += operands
        else:
            parts.append((chunk, nodes))
    return [] if waiting else parts


def follows_from(threads: Follower, condition: Any, value: Any) -> bool:
    """Whether a condition asks for the value itself, or for what that is counted from: ``if (s) add(sum, s)``."""
    lanes = np.flatnonzero(threads.on.mask)
    first, second = (np.broadcast_to(np.asarray(threads.name(v)), (threads.lanes,))[lanes] for v in (condition, value))
    while len(first) and not np.array_equal(first, second):
        later, other = (first, second) if first[0] > second[0] else (second, first)
        chunk = find_chunk(threads, int(later[0]))
        operands = chunk.find_operands(later) if chunk is not None else None
        if operands is None or all(p.any() for p in operands):
            return False
        first, second = operands[0] + operands[1], other
        if not first.all():
            return False
    return bool(len(first))
