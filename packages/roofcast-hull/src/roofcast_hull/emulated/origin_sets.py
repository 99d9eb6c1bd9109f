"""Of which elements the results of a block are computed, from the nodes that :mod:`.origins` followed.

Sixty results at a time are followed back: each has a bit, and each node the bits of the results that it is part of.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.emulated.origin_nodes import Chunk
from roofcast_hull.emulated.origins import PLACE, BlockOrigins, list_several
from roofcast_hull.emulated.sums_under_conditions import JOINS
from roofcast_hull.emulated.value_names import name_chunk
from roofcast_hull.source.nest import SourceError

Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]
AT_ONCE = 62
"""Results that are followed back at once: bits of a node, less those that say more."""
ANY = np.uint64(1 << 63)
"""The bit of all results."""
LEAST_ADDED = 2.0
"""Additions of elements for each that joins two sums, where those are of several threads."""
MIXED = ((2654435761, 12345), (2246822519, 777), (3266489917, 4242))
"""Multipliers and shifts that put elements in other orders."""


@dataclass(frozen=True, slots=True)
class Output:
    """Elements of an array that a block stores, and the nodes that they are."""

    array: str
    elements: Ints
    nodes: Ints
    updated: bool
    chosen: bool
    lanes: Ints
    """Threads that store them."""
    left_out: int = 0
    """Further elements, which turns of a loop store of which one ran for many."""
    parts: tuple[Ints, Ints] | None = None
    """Of structures of which threads store parts: elements, and the threads that store some of each."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What takes operands in any order, or compares them."""

    chunk: Chunk
    both: Any = False
    """Which of its nodes join sums of two threads."""
    idle: Any = False
    """Which join the sum of a thread to what another has that added nothing."""
    share: float = 0.0
    """Operations of a node."""


@dataclass(slots=True)
class Taken:
    """What one result is computed from."""

    elements: dict[str, Ints] = field(default_factory=dict)
    """Array -> elements."""
    chosen: dict[str, int] = field(default_factory=dict)
    """Array -> elements that data choose."""
    own: dict[str, frozenset[int]] = field(default_factory=dict)
    """Array -> elements that are the only ones that some place in the code loads for it."""


def list_outputs(block: BlockOrigins, *, whole: bool = True) -> list[Output]:
    """What a block leaves in its arrays: of elements that are stored twice the last.

    whole : those too that turns store of which one ran for many, as if each were computed from what all of these take.
    """
    parts: dict[tuple[str, bool], list[Any]] = defaultdict(list)
    for s in block.stored:
        parts[s.array, s.updated].append(s)
    outputs = []
    for (array, updated), stored in parts.items():
        every = [list_several(s.elements, s.ranges) for s in stored]
        elements = np.concatenate([e for e, _ in every])
        nodes = np.concatenate([s.nodes[which] for s, (_, which) in zip(stored, every, strict=True)])
        lanes = np.concatenate([s.lanes[which] for s, (_, which) in zip(stored, every, strict=True)])
        hidden = np.repeat([s.hidden for s in stored], [len(e) for e, _ in every])
        left_out = 0
        if not updated:
            left_in, first = np.unique(elements[::-1], return_index=True)
            elements, nodes, lanes = left_in, nodes[::-1][first], lanes[::-1][first]
            hidden = hidden[::-1][first]
            if not whole and hidden.any():
                left_out = int(np.count_nonzero(hidden))
                elements, nodes, lanes = elements[~hidden], nodes[~hidden], lanes[~hidden]
        chosen = any(s.chosen for s in stored)
        outputs.append(Output(array, elements, nodes, updated, chosen, lanes, left_out, stored[0].parts))
    return outputs


def spread_back(
    block: BlockOrigins, nodes: Sequence[Any], everything: Sequence[Any] = (), *, places: bool = True
) -> Bits:  # fmt: skip
    """Bits of each node: of which results it is part.

    nodes : those of each result. everything : of all results. places : whether what says a place is part of it, too.
    """
    bits = np.zeros(block.nodes + 1, dtype=np.uint64)
    for k, many in enumerate(nodes):
        bits[many] |= np.uint64(1 << k)
    for many in everything:
        bits[many] |= ANY
    for chunk in reversed(block.chunks):
        if chunk.left is None:
            continue
        held = bits[chunk.start : chunk.start + chunk.count]
        if not held.any():
            continue
        for parent in (chunk.left, chunk.right if places or chunk.word != PLACE else 0):
            if isinstance(parent, np.ndarray):
                if len(parent) == 1 or bool((parent[1:] > parent[:-1]).all()):
                    bits[parent] |= held
                else:
                    order = np.argsort(parent, kind="stable")
                    ordered = parent[order]
                    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
                    bits[ordered[starts]] |= np.bitwise_or.reduceat(held[order], starts)
            elif parent:
                bits[parent] |= np.bitwise_or.reduce(held)
    return bits


def measure_sharing(block: BlockOrigins, nodes: Sequence[Any]) -> float:
    """Operations of at most :data:`AT_ONCE` results, each for itself, over those of all of them together."""
    bits = spread_back(block, nodes)
    apart = together = 0.0
    for chunk in block.chunks:
        if chunk.each:
            held = bits[chunk.start : chunk.start + chunk.count]
            apart += chunk.each * int(np.bitwise_count(held).sum())
            together += chunk.each * int(np.count_nonzero(held))
    return apart / together if together else math.inf


def name_values(block: BlockOrigins) -> Bits:
    """A number for each node, equal for equal values of equal elements, sums in any order."""
    rows = np.zeros(block.nodes + 1, dtype=np.uint64)
    for chunk in block.chunks:
        rows[chunk.start : chunk.start + chunk.count] = name_chunk(chunk, rows)
    return rows


def count_useful(
    block: BlockOrigins, outputs: Sequence[Output], units: float = math.inf, unit_of: Ints | None = None,
    followed: NDArray[np.bool_] | None = None,
) -> float:  # fmt: skip
    """Operations that the results follow from.

    What joins sums or extremes of several threads to one is none, beside many more that made those, and neither is what
    adds a counter of a block, that its threads added to, to one of the launch, nor what adds the sum of a thread that
    had no term. What several threads compute alike at the same time is done once for each unit of work.
    units : in the block. unit_of : of each thread; negative for those that store nothing. followed : what
    :func:`find_used` finds, where that is known.
    """
    followed = find_used(block, outputs) if followed is None else followed
    summed, pooled, added, empty, nothing = (np.zeros(block.nodes + 1, dtype=bool) for _ in range(5))
    nothing[0] = True
    added[np.concatenate([np.zeros(0, dtype=np.int64), *(o.nodes for o in outputs if o.updated)])] = True
    lanes = np.full(block.nodes + 1, -1, dtype=np.int32)
    values = None if unit_of is None else name_values(block)
    total, merging, words = 0.0, 0.0, list[Joined]()
    for chunk in block.chunks:
        at = slice(chunk.start, chunk.start + chunk.count)
        lanes[at] = np.arange(chunk.count)
        sides = [np.broadcast_to(np.asarray(0 if p is None else p), (chunk.count,)) for p in (chunk.left, chunk.right)]
        nothing[at] = find_idle(chunk, nothing[sides[0]] & nothing[sides[1]])
        joins = chunk.each and (chunk.orders or chunk.word not in ("", PLACE))
        if joins:
            summed[at] = True
        elif chunk.word in ("or", *JOINS) and chunk.left is not None:
            summed[at] = summed[chunk.left] | summed[chunk.right]
            # A choice is of the thread whose value it may be.
            lanes[at] = np.where(np.asarray(chunk.left) > 0, lanes[chunk.left], lanes[at])
            words.append(Joined(chunk))
        elif chunk.word == PLACE and chunk.left is not None and np.any(summed[chunk.left]):
            # Data decided which threads added anything.
            summed[at], empty[at] = summed[sides[0]], nothing[sides[0]]
            lanes[at] = np.where(sides[0] > 0, lanes[sides[0]], lanes[at])
            words.append(Joined(chunk))
        if not chunk.each and chunk.left is not None and chunk.word in ("+", "or"):
            # Atomics on shared memory; a term is the first operand, and what lets it in the second.
            joined = (np.asarray(chunk.left) > 0) & (np.asarray(chunk.right) > 0) | pooled[chunk.right]
            pooled[at] = pooled[chunk.left] | (joined & (chunk.word == "+"))
        if not chunk.each:
            continue
        used, share = followed[at] & ~nothing[at], chunk.each * min(chunk.times, units)
        number = np.count_nonzero(used)
        # Each thread counts up for itself, though all add the same number.
        alike = bool(chunk.left is None or sides[0].any() or sides[1].any())
        if alike and number and unit_of is not None and values is not None and len(used) == len(unit_of):
            known = used & (unit_of >= 0)
            pairs = np.stack([unit_of[known].astype(np.uint64), values[at][known]])
            share *= (number - np.count_nonzero(known) + np.unique(pairs, axis=1).shape[1]) / number
        total += share * number
        if joins:
            apart, idle = find_apart(sides, used, lanes, nothing, empty)
            empty[at] = empty[sides[0]] & empty[sides[1]]
            both = apart & summed[sides[0]] & summed[sides[1]] & ~idle
            total -= share * np.count_nonzero(idle)
            merging += share * np.count_nonzero(used & added[at] & pooled[chunk.left])
            words.append(Joined(chunk, both, idle, share))
    joining, adding, beginning = count_joined(words, block.nodes)
    total -= joining if adding >= LEAST_ADDED * joining or beginning >= joining else 0.0
    return total - (merging if total >= (1 + LEAST_ADDED) * merging else 0.0)


def find_idle(chunk: Chunk, nothing: NDArray[np.bool_]) -> Any:
    """Lanes beyond the end of a row: they compute with what is no data where others compute with data.

    nothing : whether a node joins no data.
    """
    return nothing if chunk.left is not None and not nothing.all() else False


def find_apart(
    sides: Sequence[Ints], used: NDArray[np.bool_], lanes: NDArray[np.int32], nothing: NDArray[np.bool_],
    empty: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:  # fmt: skip
    """Nodes that join values of two threads, and those of which one thread has none, or no sum.

    sides : what they join. used, lanes, nothing, empty : of all nodes, but for used.
    """
    some = [~nothing[p] for p in sides]
    apart = used & some[0] & some[1] & (lanes[sides[0]] != lanes[sides[1]])
    idle = apart & (empty[sides[0]] | empty[sides[1]])
    return apart, idle | (used & (some[0] != some[1]) if apart.any() else False)


def find_used(block: BlockOrigins, outputs: Sequence[Output]) -> NDArray[np.bool_]:
    """(nodes,) which of them results follow from; not sums and products of indices, where nothing else follows."""
    nodes = [o.nodes for o in outputs]
    used: NDArray[np.bool_] = spread_back(block, [], nodes) != 0
    # Keys are made of bits: what those are taken of is data, too.
    keys = [
        np.flatnonzero(used[c.start : c.start + c.count]) + c.start
        for c in block.chunks if c.each and not c.counts and not c.orders
    ]  # fmt: skip
    values = spread_back(block, [], [*nodes, *keys], places=False) != 0
    held = np.ones(block.nodes + 1, dtype=bool)
    for chunk in block.chunks:
        at = slice(chunk.start, chunk.start + chunk.count)
        if chunk.left is not None:
            # What arrays hold or real numbers are rounded to, and what was counted from that, is an index; what bits or
            # comparisons make is data.
            held[at] = chunk.real | held[chunk.left] & held[chunk.right] & (chunk.counts or not chunk.each)
        if chunk.counts:
            used[at] &= values[at] | ~held[at]
    return used


def count_unplaced(block: BlockOrigins, outputs: Sequence[Output]) -> float:
    """Operations of a block less those on indices that nothing else follows from."""
    reached, used = spread_back(block, [], [o.nodes for o in outputs]) != 0, find_used(block, outputs)
    total = block.operations
    for chunk in block.chunks:
        if chunk.each and chunk.counts:
            at = slice(chunk.start, chunk.start + chunk.count)
            total -= chunk.each * chunk.times * int(np.count_nonzero(reached[at] & ~used[at]))
    return total


def count_joined(words: Sequence[Joined], nodes: int) -> tuple[float, float, float]:
    """Operations that join sums of several threads, those that made these sums, inside of each thread, and those of
    these that began one: of a sum that begins with nothing there are as many as terms.

    words : what takes operands in any order or compares them.
    """
    inside, joining, adding, beginning = np.zeros(nodes + 1, dtype=bool), 0.0, 0.0, 0.0
    for word in reversed(words):
        chunk, share = word.chunk, word.share
        within = inside[chunk.start : chunk.start + chunk.count]
        further = within & ~(word.both | word.idle)
        joining += share * int(np.count_nonzero(word.both))
        adding += share * int(np.count_nonzero(further))
        beginning += share * int(np.count_nonzero(further)) * chunk.begins
        goes_on = word.both | within
        for parent in (chunk.left, chunk.right):
            inside[parent[goes_on] if isinstance(parent, np.ndarray) else parent] |= bool(goes_on.any())
        inside[0] = False
    return joining, adding, beginning


def find_taken(block: BlockOrigins, nodes: Sequence[Any]) -> list[Taken]:
    """What each of at most :data:`AT_ONCE` results is computed from."""
    seen: dict[tuple[str, bool], dict[int, list[tuple[Ints, Bits]]]] = defaultdict(lambda: defaultdict(list))
    for chunk, elements, held in list_loaded(block, spread_back(block, nodes)):
        seen[chunk.array, chunk.chosen][chunk.site].append((elements, held))
    taken = [Taken() for _ in nodes]
    for (array, chosen), sites in seen.items():
        every: list[list[Ints]] = [[] for _ in nodes]
        for parts in sites.values():
            elements, held = (np.concatenate([p[k] for p in parts]) for k in (0, 1))
            for k, result in enumerate(taken):
                mine = list_distinct(elements[(held >> np.uint64(k)) & np.uint64(1) != 0])
                if not len(mine):
                    continue
                every[k].append(mine)
                if not chosen and len(mine) == 1:
                    result.own[array] = result.own.get(array, frozenset()) | {int(mine[0])}
        for result, parts_of in zip(taken, every, strict=True):
            if not parts_of:
                continue
            distinct = parts_of[0] if len(parts_of) == 1 else list_distinct(np.concatenate(parts_of))
            if chosen:
                result.chosen[array] = len(distinct)
            else:
                result.elements[array] = distinct
    return taken


def list_distinct(values: Ints) -> Ints:
    """Elements in their order, each once: of few ones a tenth of the time that ``np.unique`` takes."""
    ordered = np.sort(values)
    first = np.ones(len(ordered), dtype=bool)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def list_loaded(block: BlockOrigins, bits: Bits) -> Iterator[tuple[Chunk, Ints, Bits]]:
    """Loads of which results are part, with their elements and the bits of each."""
    for chunk in block.chunks:
        held = bits[chunk.start : chunk.start + chunk.count]
        if chunk.left is not None or not held.any():
            continue
        on = held != 0
        which = chunk.elements if chunk.places is None else chunk.places
        elements, held = np.broadcast_to(np.asarray(which, dtype=np.int64), held.shape)[on], held[on]
        if chunk.ranges:
            steps = [(b[on] if isinstance(b, np.ndarray) else b, n) for b, n in chunk.ranges]
            elements, which = list_several(elements, steps)
            held = held[which]
        yield chunk, elements, held


def sign(block: BlockOrigins, nodes: Ints, arrays: Sequence[str]) -> Mapping[str, NDArray[np.int32]]:
    """Of each result what tells which elements of an array it is computed from: least ones in several orders.

    Results of equal sets have equal rows; of other sets most have others.
    """
    columns = 2 + len(MIXED)
    place = {a: k * columns for k, a in enumerate(arrays)}
    if block.nodes * columns * len(arrays) > 60_000_000:
        raise SourceError("its blocks compute too much to be followed")
    rows = np.full((block.nodes + 1, columns * len(arrays)), np.iinfo(np.int32).max, dtype=np.int32)
    for chunk in block.chunks:
        at = slice(chunk.start, chunk.start + chunk.count)
        if chunk.left is None:
            k = place.get(chunk.array)
            if k is not None:
                rows[at, k : k + columns] = sign_elements(chunk)
        else:
            first_value, two = rows[chunk.left], rows[chunk.right]
            rows[at] = np.minimum(first_value, two)
    return {a: rows[nodes, k : k + columns] for a, k in place.items()}


def sign_elements(chunk: Chunk) -> NDArray[np.int64]:
    """The same of loaded elements."""
    elements = np.atleast_1d(np.asarray(chunk.elements, dtype=np.int64))
    if chunk.ranges:
        return sign_several(chunk, elements)
    last = np.iinfo(np.int32).max
    mixed = [((elements + shift) * factor >> 5) % last for factor, shift in MIXED]
    return np.stack([elements % last, last - 1 - elements % last, *mixed], axis=1)


def sign_several(chunk: Chunk, elements: Ints) -> NDArray[np.int64]:
    """The same of loads that stand for several elements."""
    every, which = list_several(elements, chunk.ranges)
    last = np.iinfo(np.int32).max
    ends = np.flatnonzero(np.diff(which, prepend=-1))
    mixed = [((every + shift) * factor >> 5) % last for factor, shift in MIXED]
    columns = [every % last, last - 1 - every % last, *mixed]
    return np.stack([np.minimum.reduceat(c, ends) for c in columns], axis=1)


def has_known_places(block: BlockOrigins, array: str) -> bool:
    """Whether data choose between elements of an array whose places the code says: ``x[v > 0 ? i - 1 : i + 1]``."""
    origins = [np.atleast_1d(c.origin) for c in block.chunks if c.array == array and c.origin is not None]
    if not origins:
        return False
    nodes = np.unique(np.concatenate([o[:1] for o in origins]))
    reached = np.zeros(block.nodes + 1, dtype=bool)
    reached[nodes] = True
    for chunk in reversed(block.chunks):
        mine = reached[chunk.start : chunk.start + chunk.count]
        if chunk.left is None or not mine.any():
            continue
        sides = [np.broadcast_to(np.asarray(p), mine.shape)[mine] for p in (chunk.left, chunk.right)]
        if chunk.word == "or" and not any(s.any() for s in sides):
            return True
        for side in sides:
            reached[side] = True
    return False


def find_terms(block: BlockOrigins, nodes: Ints, most: int = 20_000, *, together: bool = False) -> Ints:
    """Nodes that some results are sums of, or the largest or smallest of.

    together : those too of turns of a loop of which one ran for many.
    """
    starts = np.array([c.start for c in block.chunks], dtype=np.int64)

    word, front, terms = "", np.unique(nodes[nodes > 0]), list[int]()
    turns = 0
    while len(front) and turns < 10_000:
        turns += 1
        which = np.searchsorted(starts, front, side="right") - 1
        following = list[Ints]()
        for w in np.unique(which):
            chunk, mine = block.chunks[w], front[which == w]
            if chunk.left is None:
                # Of turns of a loop of which one runs for many, those that ran one by one are some.
                terms += mine.tolist() if together or chunk.turns == 1 else []
                continue
            inside = mine - chunk.start
            left, right = (
                p[inside] if isinstance(p, np.ndarray) else np.full(len(mine), int(p or 0))
                for p in (chunk.left, chunk.right)
            )
            single = (left == 0) | (right == 0)
            # One operand that is no data: the value itself where nothing is computed.
            passed = single & ((chunk.each == 0) | bool(chunk.word) | (chunk.scales and not word))
            if not word and chunk.word not in ("", "or", PLACE) and not single.all():
                word = chunk.word
            joined = (chunk.word == word and bool(word)) & ~single
            go = passed | joined
            following.append(np.concatenate([left[go], right[go]]))
            terms += mine[~go].tolist() if together or chunk.turns == 1 else []
        front = np.unique(np.concatenate(following)) if following else np.zeros(0, dtype=np.int64)
        front = front[front > 0]
        if len(terms) > most:
            break
    return np.unique(np.array(terms, dtype=np.int64))
