"""Where results come from: blocks of a launch run so that each value of data is the name of how it was computed.

A value that is data stands for a node: an element that was loaded, or an operation and the nodes that it joins. Nodes
go wherever values go (registers, shared memory, shuffles, vectors, tiles), so that what an element of a result is
computed from is known however threads divide the work. A node's number is :data:`BASE` more than its place, and fits
into the numbers that lanes and memories hold.
"""

from __future__ import annotations

import math
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.formulas.values import combine
from roofcast_hull.emulated.calls import OWN
from roofcast_hull.emulated.device_library import MULTIPLIED
from roofcast_hull.emulated.device_memory import (
    DATA,
    EVEN,
    KNOWN,
    UNSAID,
    Address,
    Global,
    Held,
    Number,
    Reference,
    Slot,
    Structure,
    make_up,
    read_held,
)  # fmt: skip
from roofcast_hull.emulated.lane_arithmetic import COMPARED, truth
from roofcast_hull.emulated.launch import declare_file, find_offsets, make_arguments
from roofcast_hull.emulated.origin_nodes import BASE, Chunk
from roofcast_hull.emulated.other_sides import OtherSides, Seen
from roofcast_hull.emulated.sums_under_conditions import follows_from, go_on
from roofcast_hull.emulated.thread_expressions import is_mask
from roofcast_hull.emulated.thread_state import Frame, Loop, Sides, Variable, line_of, make_lanes
from roofcast_hull.emulated.threads import Threads, find_last, is_chained, list_cases
from roofcast_hull.emulated.traffic import WARP, Traffic
from roofcast_hull.emulated.turns_alike import Step, Turns, UnlikeTurnsError, Watch
from roofcast_hull.emulated.value_names import name_chunk
from roofcast_hull.emulated.value_types import DOUBLE, FLOAT, INT, LONG, UINT, Type, Types, find_common
from roofcast_hull.source.c_tree import is_no_work
from roofcast_hull.source.nest import SourceError, refuse

MOST_NODES = 3_000_000
"""Of a block."""
MOST_STATEMENTS = 90_000
"""Of all blocks that run."""
MANY_STATEMENTS = 30_000
"""Of all blocks beyond which no further one runs than the fewest."""
MOST_WORK, NODES_OF_STEP = 250_000, 160
"""Steps in which blocks are followed, about 25 us each: statements, instructions that make nodes, and so many nodes."""
FEW_BLOCKS, MANY_NODES = 3, 400_000
"""Blocks that run at least, and nodes of all of them beyond which no further one does."""
SUMS = {"+": "+", "fmaxf": "max", "fmax": "max", "max": "max", "fminf": "min", "fmin": "min", "min": "min"}
"""Operations of which the order does not matter."""
FUSED = frozenset({"fma", "fmaf", "__fma_rn", "__fmaf_rn"})
"""Functions that multiply and add: a sum goes on in them as in ``s += a * b``."""

PLACE = "place"
"""Joins a value with what says its place."""
ORDERS = ("max", "min", "or")
"""Those that take one of their operands."""

CHOSEN_STEP = 1_000_003
"""Between elements that data choose in turns of which one runs: a made-up one."""
MOST_UNITED = 4_096
"""Elements of shared memory that one load stands for."""
MOST_CHOSEN = 256
"""Elements of a thread's array of which data choose one."""
MOST_SEVERAL = 20_000_000
"""Elements that the loads of one instruction stand for."""

Ints = NDArray[np.int64]


def list_several(elements: Ints, ranges: Sequence[tuple[Any, int]]) -> tuple[Ints, Ints]:
    """All elements that some stand for, and which of these each belongs to.

    Raises
    ------
    SourceError : they are too many.
    """
    if len(elements) * math.prod(n for _, n in ranges) > MOST_SEVERAL:
        raise SourceError("its blocks compute too much to be followed")
    every = elements.reshape(-1, 1)
    for step, times in ranges:
        many = np.broadcast_to(np.asarray(step, dtype=np.int64), elements.shape)
        apart = many[:, None, None] * np.arange(times)
        every = (every[:, :, None] + apart).reshape(len(elements), -1)
    return every.reshape(-1), np.repeat(np.arange(len(elements)), every.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """A condition that data decide, and that lanes are under."""

    nodes: Any
    """(lanes,) what it follows from; 0 where data do not decide."""
    ends: str = "side"
    """With its side, with the call, or with the turn of a loop."""
    left: bool = False
    """Whether lanes of the other sides left the call: what these hold nobody asks for."""
    loop: Any = None


class Ways:
    """Where lanes are after sides between which data decide: each may have left the call or the turn of a loop.

    stay : lanes that go on, whatever the sides do.
    """

    def __init__(self, frame: Frame, loop: Loop | None, stay: Any) -> None:
        self.frame, self.loop, self.stay = frame, loop, stay
        self.before = frame.left, loop.waiting if loop is not None else None
        self.left, self.waiting, self.jumped = (np.zeros(len(stay), dtype=bool) for _ in range(3))

    def add(self, running: Any, here: Any, open_lanes: Any) -> bool:
        """One side: the lanes that ran it, and those that came to its end. Whether no data ended the loop."""
        if self.frame.left is not None:
            self.left |= self.frame.left & running
        if self.loop is not None and self.loop.waiting is not None:
            self.waiting |= self.loop.waiting & running
        self.stay = self.stay | here
        self.jumped |= running & ~here & open_lanes
        self.frame.left = self.before[0]
        if self.loop is None:
            return True
        self.loop.waiting = self.before[1]
        return self.loop.broke is None or not (self.loop.broke & running & open_lanes).any()

    def leave(self, mask: Any) -> str:
        """Let lanes go that leave by every side. What ends for those that leave by one: the call or the turn."""
        leaving, (left, waiting) = mask & ~self.stay, self.before
        if (leaving & self.left).any():
            self.frame.left = leaving & self.left if left is None else left | (leaving & self.left)
        if self.loop is not None and (leaving & self.waiting).any():
            self.loop.waiting = leaving & self.waiting if waiting is None else waiting | (leaving & self.waiting)
        some = self.jumped & self.stay
        return "call" if (some & self.left).any() else "turn" if some.any() else ""


@dataclass(slots=True)
class Stored:
    """What one instruction stored."""

    array: str
    elements: Ints
    nodes: Ints
    updated: bool
    """Whether it is added to what was there."""
    chosen: bool
    lanes: Ints
    """Threads that stored them."""
    ranges: tuple[tuple[Any, int], ...] = ()
    """Of elements of which one stands for several: how far apart the others lie, and how many there are."""
    hidden: bool = False
    """Whether a turn of a loop stored them that stands for many, or that mixes what those handed on."""
    loop: int = 0
    """The loop of which one turn stood for many, and that stored them in a turn behind those."""
    parts: tuple[Ints, Ints] | None = None
    """Of structures of which threads store parts: elements, and the threads that store some of each."""


@dataclass(slots=True)
class BlockOrigins:
    """What one block did."""

    at: tuple[int, ...]
    """The block along each axis."""
    lanes: int
    """Of the block, and those that fill its last warp."""
    chunks: list[Chunk]
    stored: list[Stored]
    nodes: int
    operations: float
    uniform: float
    """Operations of numbers that are no data."""
    loads: list[tuple[Chunk, Ints]] = field(default_factory=list)
    """What was loaded by which threads, where that is asked for."""


@dataclass
class Origins:
    """What some blocks did."""

    blocks: list[BlockOrigins] = field(default_factory=list)
    kinds: dict[str, Type] = field(default_factory=dict)
    """Array, or a member of its elements -> type of an element."""
    notes: tuple[str, ...] = ()
    together: bool = False
    tables: Mapping[str, int] = field(default_factory=dict)
    """Arrays of constant memory, with their elements."""
    searches: bool = False
    """Whether loops compare numbers with a fraction that no data enter: these may decide when they end."""
    looked_up: Mapping[str, int] = field(default_factory=dict)
    """Tables in constant memory of which data choose elements, with their elements."""
    touched: Mapping[str, int] = field(default_factory=dict)
    """Arrays of structures with arrays, each of which is one element -> bytes of it that are read or stored."""
    inner: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Arrays of which the code declares the sizes of all dimensions but the first."""

    def find_base(self, array: str) -> str:
        """The array that a member of its elements belongs to; it may be in a structure itself: ``p.points.x``."""
        words = array.split(".")
        return next((b for n in range(1, len(words)) if (b := ".".join(words[:n])) in self.kinds), array)


class OriginThreads(Threads):
    """Threads whose data are names of nodes."""

    exact, most_statements = True, MOST_STATEMENTS
    kinds: dict[str, Type]
    asked: Any = 0
    searches = False
    """Whether loops compare numbers with a fraction that no data enter: these may decide when they end."""
    worked = 0.0
    """Steps of all blocks, beside statements."""
    watches = False
    """Whether what each thread loads is remembered."""
    turns: Turns
    copied: dict[str, Ints]
    """Array -> the elements of it that shared memory holds where data choose one of these."""
    looked_up: dict[str, int]
    """Table in constant memory of which data choose elements -> how many it has."""
    touched: dict[str, set[int]]
    """Array of structures with arrays -> bytes of a structure that are read or stored."""

    def begin(self) -> None:
        """Forget the nodes of the block before."""
        self.chunks: list[Chunk] = []
        self.stored: list[Stored] = []
        self.loads: list[tuple[Chunk, Ints]] = []
        self.nodes = 1
        self.indexing = 0
        self.named = 0.0
        self.looping = 0
        self.bounds: list[list[Any]] = []
        """Of each loop around: what its conditions follow from where the host fills arrays with it."""
        self.values, self.valued = np.zeros(1, dtype=np.uint64), 0
        self.conditions: list[Decided] = []
        self.joined: dict[tuple[int, ...], tuple[Any, list[Decided]]] = {}
        self.entered: tuple[Decided, ...] = ()
        self.written: dict[str, dict[int, int]] = defaultdict(dict)
        self.spread: dict[str, list[Stored]] = defaultdict(list)
        self.others = OtherSides()
        self.turns.begin()

    # Nodes

    def name(self, v: Any) -> Any:
        """Nodes that values stand for, 0 for numbers that are no data."""
        if isinstance(v, np.ndarray) and v.ndim:
            if v.dtype == bool:
                return 0
            named = (v >= BASE) & (v < BASE + MOST_NODES + 1)
            return np.where(named, v - BASE, 0).astype(np.int64)
        return int(v) - BASE if BASE <= v < BASE + MOST_NODES + 1 else 0

    def add(self, chunk: Chunk, t: Type) -> Number:
        """Further nodes."""
        self.nodes += chunk.count
        if self.nodes > MOST_NODES:
            raise SourceError("its blocks compute too much to be followed")
        self.worked += 1 + chunk.count / NODES_OF_STEP
        if self.worked + self.statements > MOST_WORK:
            raise SourceError("its blocks compute too much to be followed")
        chunk.turns = self.turns.together
        self.chunks.append(chunk)
        if chunk.count == 1:
            return Number(chunk.start + BASE if not t.real else float(chunk.start + BASE), t, DATA)
        v = np.arange(chunk.start + BASE, chunk.start + BASE + chunk.count, dtype=np.int64)
        return Number(v.astype(np.float64) if t.real else v, t, DATA)

    def derive(
        self, t: Type, values: Sequence[Any], operations: float = 0.0, word: str = "", *, orders: bool = False,
        code: int = 0,
    ) -> Number:  # fmt: skip
        """What an operation makes of values.

        operations : of all lanes that run. orders : whether it compares them. code : stands for what else it is of.
        """
        named = [self.name(v) for v in values]
        operations = 0.0 if self.indexing else operations
        self.named += operations
        left, orders = named[0], orders or word in ORDERS
        for k, right in enumerate(named[1:] or [0], 1):
            many = isinstance(left, np.ndarray) or isinstance(right, np.ndarray)
            last = k == max(1, len(named) - 1)
            share = operations / max(1, self.on.count) if last else 0.0
            count, times = (self.lanes, 1) if many else (1, self.on.count)
            chunk = Chunk(self.nodes, count, left, right, share, times, orders, code, word, real=t.real)
            result = self.add(chunk, t)
            left = self.name(result.v)
        return result

    def union(self, t: Type, *values: Number) -> Number:
        """A value that may be any of several."""
        return self.derive(t, [v.v if v.data >= DATA else 0 for v in values], 0.0, "or")

    def under(self, value: Number, before: Number | None, known: Sequence[Any] = ()) -> Number:
        """What is stored under conditions that data decide: what was there, or the new value.

        known : conditions that held before, and change nothing.
        """
        nodes = self.find_condition(known)
        if nodes is None:
            return value
        values = [value.v if value.data >= DATA else 0, 0]
        if before is not None and before.data >= DATA:
            values[1] = np.where(nodes > 0, before.v, 0)
        condition = np.where(nodes > 0, nodes + BASE, 0)
        if (gone_on := go_on(self, value, values[1], condition)) is not None:
            return gone_on
        return self.derive(value.t, [*values, condition], 0.0, "or")

    def put_under(self, value: Slot, before: Slot | None, known: Sequence[Any] = ()) -> Slot:
        """The same of a number, or of each member of a structure."""
        if isinstance(value, Number):
            return self.under(value, before if isinstance(before, Number) else None, known)
        if isinstance(value, Structure):
            parts = before.fields if isinstance(before, Structure) else {}
            return Structure(value.t, {n: self.put_under(f, parts.get(n), known) for n, f in value.fields.items()})
        return value

    def find_condition(self, known: Sequence[Any] = ()) -> Any:
        """(lanes,) nodes of the conditions that data decide, 0 where they do not; None where there are none.

        known : those that count no more.
        """
        conditions = [c for c in self.conditions if c not in known] if self.conditions else []
        if not conditions:
            return None
        key = tuple(id(c) for c in conditions)
        if key not in self.joined:
            nodes = self.name(self.derive(INT, [c.nodes for c in conditions], 0.0, "or").v)
            every = combine(np.logical_or, [np.asarray(self.name(c.nodes)) > 0 for c in conditions])
            # The conditions stay, so that no other ones have their numbers.
            self.joined[key] = np.where(every, np.broadcast_to(nodes, (self.lanes,)), 0), conditions
        nodes = self.joined[key][0]
        return nodes if (nodes[self.on.mask] > 0).any() else None

    # What is loaded and stored

    def find_array(self, place: Address, at: Any) -> tuple[str, int]:
        """The array, or the member of its structures, that an access goes to, and bytes of its elements."""
        assert isinstance(place.memory, Global)
        kind = self.kinds.setdefault(place.memory.name, place.t)
        if not kind.members:
            return place.memory.name, max(1, kind.size)
        if has_arrays(kind):
            offsets = (
                np.unique(at[self.on.mask] % kind.size).tolist() if isinstance(at, np.ndarray) else [at % kind.size]
            )
            touched = self.touched[place.memory.name]
            touched.update(int(o) + k for o in offsets for k in range(place.t.size))
            return place.memory.name, kind.size
        first = int(at[self.on.mask][0]) if isinstance(at, np.ndarray) else int(at)
        name, size, inside = place.memory.name, kind.size, first % kind.size
        while kind.members:
            result_found = [(n, t, o, d) for n, t, o, d in kind.members if o <= inside < o + t.size * math.prod(d)]
            if not result_found:
                break
            label, kind, offset, _ = result_found[0]
            name, inside = f"{name}.{label}", inside - offset
        self.kinds.setdefault(name, kind)
        return name, size

    def leaf(self, place: Address, at: Any, node: Any) -> Number:
        """A loaded element."""
        array, size = self.find_array(place, at)
        role = self.roles.get(id(node), "")
        name = array
        if role:
            # The role is one of whole elements: ``points#1.x``.
            base = str(place.memory.name) if isinstance(place.memory, Global) else array
            name = f"{base}{role}{array.removeprefix(base)}"
            self.kinds.setdefault(base + role, self.kinds[base])
            self.kinds.setdefault(name, self.kinds[array])
        many = np.asarray(at, dtype=np.int64) if isinstance(at, np.ndarray) else int(at)
        chosen = place.data >= EVEN
        steps = self.note("read", id(node), None if chosen else many)
        parts = []
        for k in range(max(1, place.t.size // size)):
            elements = (many + k * size) // size
            count = self.lanes if isinstance(elements, np.ndarray) else 1
            chunk = Chunk(self.nodes, count, array=name, elements=elements, site=id(node), chosen=chosen)
            chunk.origin = self.name(place.origin) if chosen and place.origin is not None else None
            chunk.places = self.name_places(elements, place.origin if chosen else None)
            chunk.ranges = tuple(self.count_elements(step, size, times) for step, times in steps)
            chunk.whole = array in self.touched
            chunk.inside = (many + k * size) % size if chunk.whole else 0
            result = self.add(chunk, place.t)
            if self.watches and not chosen:
                self.loads.append((chunk, np.flatnonzero(self.on.mask)))
            if self.spread[array]:
                self.write_spread(array)
            known = self.others.find(array, self.written.get(array))
            if known and array in self.touched:
                raise SourceError("structures with arrays that a block reads back are not followed")
            if known:
                result = self.read_several(known, chunk, result) if steps else self.read_back(known, elements, result)
            parts.append(result.v)
        result = self.derive(place.t, parts) if len(parts) > 1 else result
        return result if place.origin is None else self.lead(result, place.origin)

    def lead(self, value: Number, origin: Any) -> Number:
        """What is loaded from a place, or stored there, that data say."""
        return self.derive(value.t, [value.v if value.data >= DATA else 0, origin], 0.0, PLACE)

    def note(self, kind: str, key: Any, at: Any, *, stays: bool = False) -> list[Step]:
        """Note an access of a loop's turn (:mod:`.turns_alike`)."""
        if self.silent or not self.looping:
            return []
        return self.turns.note(kind, key, at, self.on.mask, stays=stays)

    def watch_loop(self, parts: tuple[Any, Any, Any]) -> Watch:
        """Who looks whether the turns of a loop do alike."""
        return Watch(self, self.turns, parts)

    def count_made(self) -> int:
        """Instructions that made nodes so far."""
        return len(self.chunks)

    def refuse_handed_on(self) -> None:
        """Find loops whose last turns store what they take from the turn that stood for many.

        Raises
        ------
        UnlikeTurnsError : there is one: values go from turn to turn further than a few turns.
        """
        for loop in {s.loop for s in self.stored if s.loop in self.turns.merged}:
            first, behind = self.turns.merged[loop]
            reached = np.zeros(self.nodes + 1, dtype=bool)
            for at, chunk in enumerate(self.chunks[first:], first):
                mine = slice(chunk.start, chunk.start + chunk.count)
                if at < behind:
                    reached[mine] = True
                elif chunk.left is not None:
                    reached[mine] = reached[chunk.left] | reached[chunk.right if chunk.right is not None else 0]
            if any(reached[s.nodes[s.nodes > 0]].any() for s in self.stored if s.loop == loop):
                raise UnlikeTurnsError(loop)

    def join_structures(self) -> None:
        """Let each structure with arrays that a block stored be one element, which follows from all that was stored.

        Raises
        ------
        SourceError : turns of a loop store it of which one ran for many.
        """
        for array in self.touched:
            mine = [s for s in self.stored if s.array == array]
            if not mine:
                continue
            if any(s.hidden or s.updated for s in mine):
                raise SourceError("structures with arrays that loops store are not followed")
            elements, nodes, lanes = (
                np.concatenate(p) for p in zip(*((s.elements, s.nodes, s.lanes) for s in mine), strict=True)
            )
            order = np.argsort(elements, kind="stable")
            elements, nodes, lanes = elements[order], nodes[order], lanes[order]
            parts = elements, lanes
            while (elements[1:] == elements[:-1]).any():
                first = np.flatnonzero(np.diff(elements, prepend=elements[0] - 1))
                rank = np.arange(len(elements)) - np.repeat(first, np.diff(first, append=len(elements)))
                stays = rank % 2 == 0
                left = np.flatnonzero(stays[:-1] & (elements[1:] == elements[:-1]))
                joined = self.join_arrays(nodes[left] + BASE, nodes[left + 1] + BASE, "or")
                nodes[left] = joined.astype(np.int64) - BASE
                elements, nodes, lanes = elements[stays], nodes[stays], lanes[stays]
            chosen = any(s.chosen for s in mine)
            others = [s for s in self.stored if s.array != array]
            self.stored = [*others, Stored(array, elements, nodes, False, chosen, lanes, parts=parts)]

    def count_elements(self, step: Any, size: int, times: int) -> tuple[Any, int]:
        """How many elements lie between those that one stands for; a large step where data choose them."""
        if step is not None and np.any(step % size):
            raise UnlikeTurnsError(self.turns.levels[-1].loop)
        return (CHOSEN_STEP if step is None else step // size), times

    def write_spread(self, array: str) -> None:
        """Let what one turn stored for many be there for what reads it."""
        for stored in self.spread.pop(array):
            elements, which = list_several(stored.elements, stored.ranges)
            self.written[array].update(zip(elements.tolist(), stored.nodes[which].tolist(), strict=True))

    def read_several(self, known: Mapping[int, int] | Seen, chunk: Chunk, result: Number) -> Number:
        """Elements that one load stands for, of which the block itself stored some before."""
        places = np.broadcast_to(np.asarray(chunk.elements, dtype=np.int64), (chunk.count,))
        elements, which = list_several(places, chunk.ranges)
        names = chunk.start + which
        nodes = np.array([known.get(e, n) for e, n in zip(elements.tolist(), names.tolist(), strict=True)])
        return result if (nodes == names).all() else self.unite(nodes.reshape(chunk.count, -1).T + BASE, result)

    def unite(self, names: Any, result: Number) -> Number:
        """A value that stands for several, one a turn. names : (turns,) or (turns, lanes)."""
        while len(names) > 1:
            half = (len(names) + 1) // 2
            left, right = names[:half], np.zeros_like(names[:half])
            right[: len(names) - half] = names[half:]
            names = self.join_arrays(left.reshape(-1), right.reshape(-1), "or").reshape(left.shape)
        last = names[0]
        v: Any = last if np.ndim(last) else float(last)
        return Number(v if result.t.real else np.asarray(v).astype(np.int64) if np.ndim(v) else int(v), result.t, DATA)

    def load_several(self, memory: Held, place: Address, steps: Sequence[Step], value: Number) -> Number:
        """An element of shared memory, or of a thread's array, that stands for those of many turns."""
        if any(step is None for step, _ in steps) or math.prod(n for _, n in steps) > MOST_UNITED:
            raise SourceError("its blocks compute too much to be followed")
        places = [np.asarray(place.at)]
        for step, times in steps:
            places = [p + k * np.asarray(step) for p in places for k in range(times)]
        names = np.array([read_held(memory, p if p.ndim else int(p), place.t, self.own).v for p in places])
        return self.unite(names, value)

    def read_back(self, known: Mapping[int, int] | Seen, elements: Any, result: Number) -> Number:
        """An element that the block itself stored before."""
        if not isinstance(elements, np.ndarray):
            at = known.get(int(elements))
            return result if at is None else Number(at + BASE, result.t, DATA)
        names = self.name(result.v)
        v = np.array([known.get(int(e), int(n)) for e, n in zip(elements, names, strict=True)], dtype=np.int64) + BASE
        return Number(v.astype(np.float64) if result.t.real else v, result.t, DATA)

    def load(self, place: Address | Reference, node: Any) -> Slot:
        """What is stored somewhere."""
        memory = place.memory if isinstance(place, Address) and not place.dims else None
        if (
            not isinstance(place, Address)
            or not isinstance(memory, Global)
            or place.t.points is not None
            or place.t.members
        ):
            if isinstance(memory, Held) and isinstance(place, Address):
                if place.data >= DATA and memory.constant:
                    return self.look_up(memory, place, node)
                if place.data >= DATA and not memory.shared and len(memory.values) <= MOST_CHOSEN:
                    return self.choose_held(memory, place)
                if place.data >= DATA:
                    return self.look_up_shared(memory, place, node)
            value = super().load(place, node)
            if isinstance(memory, Held) and isinstance(place, Address) and not place.t.members:
                steps = self.note("held", memory.name, None if place.data >= EVEN else place.at)
                if steps and isinstance(value, Number) and memory.data >= DATA:
                    value = self.load_several(memory, place, steps, value)
            if isinstance(value, Number) and isinstance(place, Address) and place.origin is not None:
                return self.lead(value, place.origin)
            return value
        at = self.touch(place, node, stores=False)
        if memory.total is not None and not place.t.real:
            return make_up(memory, at, place.t)
        return self.load_filled(place, at, node) if memory.filled is not None else self.leaf(place, at, node)

    def load_filled(self, place: Address, at: Any, node: Any) -> Number:
        """An element that the host fills in: a number that is known, and follows from it."""
        value = self.leaf(place, at, node)
        if not isinstance(place.memory, Global) or place.t.real or place.data >= EVEN:
            return value
        return replace(make_up(place.memory, at, place.t), origin=value.v)

    def choose_held(self, memory: Held, place: Address) -> Number:
        """An element of a thread's array that data choose: it follows from all that the array holds."""
        value = Number(0.0 if place.t.real else 0, place.t, DATA)
        if memory.data >= DATA:
            value = self.unite(memory.values, value)
        return value if place.origin is None else self.lead(value, place.origin)

    def look_up(self, memory: Held, place: Address, node: Any) -> Number:
        """An element of a table in constant memory that data choose."""
        kind = self.kinds.setdefault(memory.name, place.t)
        unit = kind.size if kind.members else memory.unit
        self.looked_up[memory.name] = len(memory.values) * memory.unit // unit
        at = place.at if isinstance(place.at, np.ndarray) else int(place.at)
        steps = self.note("read", id(node), None)
        count = self.lanes if isinstance(at, np.ndarray) else 1
        chunk = Chunk(self.nodes, count, array=memory.name, elements=at // unit, site=id(node), chosen=True)
        chunk.places = self.name_places(chunk.elements, place.origin)
        chunk.ranges = tuple(self.count_elements(None, 1, times) for _, times in steps)
        result = self.add(chunk, place.t)
        return result if place.origin is None else self.lead(result, place.origin)

    def look_up_shared(self, memory: Held, place: Address, node: Any) -> Number:
        """An element of shared memory that data choose, where that holds the same elements of one array in each block.

        Raises
        ------
        SourceError : it holds others, or what was computed.
        """
        refusal = refuse(line_of(node), "data decide which element of shared memory is read")
        nodes = np.unique(np.asarray(self.name(memory.values.reshape(-1))))
        nodes = nodes[nodes > 0]
        loaded = [
            c
            for c in self.chunks
            if c.left is None and not c.chosen and not c.ranges and c.start <= nodes.max(initial=0)
        ]
        starts = np.array([c.start for c in loaded], dtype=np.int64)
        which = np.searchsorted(starts, nodes, side="right") - 1
        if not len(nodes) or not memory.shared or not loaded or (which < 0).any():
            raise refusal
        held = dict[str, list[Ints]]()
        for w in np.unique(which).tolist():
            chunk, inside = loaded[w], nodes[which == w] - loaded[w].start
            if (inside >= chunk.count).any():
                raise refusal
            held.setdefault(chunk.array, []).append(np.atleast_1d(np.asarray(chunk.elements, dtype=np.int64))[inside])
        [(array, parts), *others] = held.items()
        elements = np.unique(np.concatenate(parts))
        if others or not np.array_equal(self.copied.setdefault(array, elements), elements):
            raise refusal
        at = np.asarray(place.at) // memory.unit % len(elements)
        count = self.lanes if at.ndim else 1
        chunk = Chunk(self.nodes, count, array=array, elements=elements[at], site=id(node), chosen=True)
        chunk.places = self.name_places(chunk.elements, place.origin)
        self.looked_up[array] = len(elements)
        result = self.add(chunk, place.t)
        return result if place.origin is None else self.lead(result, place.origin)

    def load_members(self, place: Address, node: Any) -> Structure:
        """A structure that is stored somewhere."""
        if not isinstance(place.memory, Global) or place.t.size not in (4, 8, 16) or has_arrays(place.t):
            return super().load_members(place, node)
        at = self.touch(place, node, stores=False)
        fields: dict[str, Any] = {}
        for name, t, offset, dims in place.t.members:
            part = Address(place.memory, at + offset, t, dims, place.data, place.origin)
            fields[name] = self.load(part, node) if dims or t.members else self.leaf(part, part.at, node)
        return Structure(place.t, fields)

    def store(self, place: Address | Reference, value: Slot, node: Any) -> Slot:
        """Store a value somewhere."""
        if isinstance(place, Reference) or (place.t.members and isinstance(value, Structure)):
            return super().store(place, value, node)
        number = self.as_number(value, node)
        if isinstance(place.memory, Held):
            if place.data >= DATA and place.memory.shared:
                raise refuse(line_of(node), "data decide where in shared memory something is stored")
            self.note("put", place.memory.name, place.at, stays=True)
            if number.data < DATA and not number.t.real:
                self.note("number", place.memory.name, number.v, stays=True)
            if self.conditions and not place.memory.constant and self.find_condition() is not None:
                number = self.under(number, self.as_number(super().load(place, node), node))
            elif number.data < DATA and place.t.real and place.memory.data >= DATA:
                number = Number(0.0, number.t)
            return super().store(place, number, node)
        self.touch(place, node, stores=True)
        self.note_stored(place, number, updated=False)
        return number

    def store_members(self, place: Address, value: Structure, node: Any) -> Structure:
        """Store a structure somewhere."""
        if isinstance(place.memory, Global) and has_arrays(place.t):
            return self.store_arrays(place, value, node)
        if place.t.size not in (4, 8, 16) or not isinstance(place.memory, Global):
            return super().store_members(place, value, node)
        self.touch(place, node, stores=True)
        for name, t, offset, dims in place.t.members:
            held = value.fields.get(name)
            if isinstance(held, Number) and not dims:
                part = Address(place.memory, place.at + offset, t, (), place.data, place.origin)
                self.note_stored(part, held, updated=False)
        return value

    def store_arrays(self, place: Address, value: Structure, node: Any) -> Structure:
        """Store a structure with arrays, element by element."""
        for name, t, offset, dims in place.t.members:
            held = value.fields.get(name)
            part = Address(place.memory, place.at + offset, t, (), place.data, place.origin)
            if not dims:
                if held is not None:
                    self.store(part, held, node)
            elif isinstance(held, Address) and isinstance(held.memory, Held):
                for k in range(math.prod(dims)):
                    element = Address(place.memory, part.at + k * t.size, t, (), place.data, place.origin)
                    self.store(element, read_held(held.memory, held.at + k * t.size, t, self.own), node)
        return value

    def note_stored(self, place: Address, value: Number, *, updated: bool) -> None:
        """Remember what was stored in an array."""
        if not self.on.count:
            return
        array, size = self.find_array(place, place.at)
        named = self.name(value.v) if value.data >= DATA else 0
        if place.origin is not None:
            named = self.name(self.lead(value, place.origin).v)
        mask = self.on.mask
        conditions = self.find_condition() if not updated else None
        steps = self.note("store", array, None if place.data >= EVEN else place.at)
        hidden = self.turns.hidden > 0
        at = np.broadcast_to(np.asarray(place.at, dtype=np.int64), (self.lanes,))
        if conditions is not None:
            named = self.add_before(array, at // size, named, conditions)
            if place.data < EVEN and np.count_nonzero(mask) > 1 and len(np.unique(at[mask])) == 1:
                # A flag that any of them raises.
                updated = True
        nodes = np.broadcast_to(np.asarray(named, dtype=np.int64), (self.lanes,))[mask]
        at = at[mask]
        for k in range(max(1, place.t.size // size)):
            elements = (at + k * size) // size
            ranges = tuple(
                (b[mask] if isinstance(b, np.ndarray) else b, n)
                for b, n in (self.count_elements(step, size, times) for step, times in steps)
            )
            lanes = np.flatnonzero(mask)
            stored = Stored(array, elements, nodes, updated, place.data >= EVEN, lanes, ranges, hidden)
            stored.loop = self.turns.counting[-1] if self.turns.counting and not updated and not hidden else 0
            self.stored.append(stored)
            if ranges and not updated:
                self.spread[array].append(self.stored[-1])
            elif not updated:
                self.others.store(array, elements.tolist(), self.written[array])
                self.written[array].update(zip(elements.tolist(), nodes.tolist(), strict=True))

    def add_before(self, array: str, elements: Any, named: Any, conditions: Any) -> Any:
        """Nodes of elements that are stored under conditions: what the block stored there before, or the new ones."""
        known = self.written.get(array, {})
        before = np.array([known.get(int(e), 0) for e in elements], dtype=np.int64)
        before = np.where(conditions > 0, before, 0)
        nodes = [n for n in (np.asarray(named), before, conditions) if np.any(n)]
        values = [np.where(n > 0, n + BASE, 0) for n in nodes]
        return self.name(self.derive(INT, values, 0.0, "or").v)

    def set_variable(self, held: Variable, value: Slot) -> None:
        """Give a variable a value in the lanes that run."""
        known = [*(held.under or self.entered), *(c for c in self.conditions if c.left)]
        if self.conditions and self.find_condition(known) is not None:
            if isinstance(value, Number) and isinstance(held.value, Number):
                value = self.under(self.coerce(value, held.t), held.value, known)  # type: ignore[arg-type]
            elif isinstance(value, Structure) and isinstance(held.value, Structure):
                value = self.put_under(value, held.value, known)
            elif isinstance(value, Address) and held.value is not value and not is_nothing(held.value):
                raise SourceError("data decide which array is read")
        super().set_variable(held, value)

    def store_in(self, place: Reference, value: Slot, node: Any) -> Slot:
        """Store a value in a variable, or in a member of a structure that registers hold."""
        held = place.names[place.name]
        if isinstance(held, Number) and isinstance(value, Number) and value.data < DATA and not value.t.real:
            self.note("number", place.name, value.v, stays=True)
        if self.conditions and isinstance(held, Number) and isinstance(value, Number):
            value = self.under(self.coerce(value, held.t), held)  # type: ignore[arg-type]
        elif self.conditions and isinstance(held, Structure) and isinstance(value, Structure):
            value = self.put_under(value, held)
        return super().store_in(place, value, node)

    def touch(self, place: Address, node: Any, *, stores: bool) -> Any:
        """Where an access goes; what it moves is counted elsewhere."""
        assert isinstance(place.memory, Global)
        if place.data == UNSAID:
            self.refuse_unsaid(node)
        self.statements += 2
        return self.bound(place.memory, place.at, place)

    def touch_shared(self, place: Address, vector: Sequence[Any] = ()) -> None:
        """The same of shared memory."""

    def keeps(self, place: Address) -> bool:
        """Whether registers still hold an element of shared memory, which changes nothing here."""
        return True

    # What computes

    def convert(self, value: Number, kind: Type) -> Number:
        """A number as another type holds it: names stay what they are."""
        if value.data < DATA or value.v is None or kind.members or kind.name == "auto":
            converted = super().convert(value, kind)
            return converted if value.origin is None else replace(converted, origin=value.origin)
        v = value.v
        if isinstance(v, np.ndarray):
            v = v.astype(np.float64 if kind.real else np.int64)
        else:
            v = float(v) if kind.real else int(v)
        return Number(v, kind, value.data)

    def apply(self, op: str, left: Slot, right: Slot, node: Any) -> Slot:
        """An operation of two values."""
        if not (isinstance(left, Number) and isinstance(right, Number)) or max(left.data, right.data) < DATA:
            result = super().apply(op, left, right, node)
            real = any(isinstance(x, Number) and x.t.real for x in (left, right))
            if op in COMPARED and isinstance(result, Number) and self.looping and real:
                holds = np.broadcast_to(np.asarray(result.v), (self.lanes,))[self.on.mask]
                self.searches |= bool(holds.any() and not holds.all())
            return self.follow_from(result, left, right)
        kind, before = find_common(left.t, right.t), self.traffic.counts.operations
        if op in COMPARED:
            self.count_comparison()
            kind = INT
        else:
            self.count_operations(kind, 1.0)
            if op == "/" and kind.real:
                self.count_call("div", kind)
        # A number of each thread makes the same data another value in each.
        values = [x.v if x.data >= DATA else 0 * self.own if isinstance(x.v, np.ndarray) else 0 for x in (left, right)]
        operations = self.traffic.counts.operations - before
        code = self.encode(op, left, right)
        result = self.derive(kind, values, operations, SUMS.get(op, ""), orders=op in COMPARED, code=code)
        if code < 0:
            self.chunks[-1].known = next(
                (x.v for x in (left, right) if x.data < DATA and isinstance(x.v, np.ndarray)), None
            )
        self.chunks[-1].begins = op == "+" and any(x.data < DATA and not np.any(x.v) for x in (left, right))
        remains = op == "&" and (is_mask(left) or is_mask(right))
        self.chunks[-1].counts = not kind.real and (op in "+-*/%" or remains)
        self.chunks[-1].scales = (left.data >= DATA > right.data and op in "*/") or (
            right.data >= DATA > left.data and op == "*"
        )
        return result

    def follow_from(self, result: Slot, *values: Slot) -> Slot:
        """A number that no data enter, with what it follows from all the same: what the host fills arrays with."""
        origins = list[Any]()
        for v in values:
            if isinstance(v, Number) and v.origin is not None and not any(v.origin is o for o in origins):
                origins.append(v.origin)
        if not origins or not isinstance(result, Number):
            return result
        return replace(result, origin=origins[0] if len(origins) == 1 else self.derive(INT, origins).v)

    def note_asked(self, condition: Number) -> None:
        """What a loop that asks it computes follows from it."""
        if condition.origin is not None and self.bounds:
            self.bounds[-1].append(condition.origin)

    def lead_changed(self, before: Mapping[str, Any]) -> None:
        """Let what a loop computed follow from how often it ran. before : what variables held when it began."""
        asked = list[Any]()
        for origin in self.bounds.pop():
            if not any(origin is a for a in asked):
                asked.append(origin)
        if not asked:
            return
        origin = asked[0]
        for other in asked[1:]:
            origin = self.derive(INT, [origin, other]).v
        for name, held in self.frame.names.items():
            parts, known = (held.value.fields, before.get(name)) if isinstance(held.value, Structure) else ({}, None)
            for member, value in parts.items():
                changed = isinstance(known, dict) and value is not known.get(member)
                if changed and isinstance(value, Number) and value.data >= DATA:
                    parts[member] = self.lead(value, origin)
            changed = name in before and held.value is not before[name]
            if changed and isinstance(held.value, Number) and held.value.data >= DATA:
                held.value = self.lead(held.value, origin)

    @staticmethod
    def encode(op: str, *numbers: Number) -> int:
        """What stands for an operation and its operands that are no data; negative where those differ between lanes."""
        plain = [x.v for x in numbers if x.data < DATA]
        if any(isinstance(v, np.ndarray) and (v != v[0]).any() for v in plain):
            return -1
        return zlib.crc32(repr((op, [float(v[0] if isinstance(v, np.ndarray) else v or 0) for v in plain])).encode())

    def evaluate_binaryop(self, node: Any) -> Slot:
        """``a + b``."""
        if node.op not in ("&&", "||") and is_no_work(node):
            self.indexing += 1
            try:
                return super().evaluate_binaryop(node)
            finally:
                self.indexing -= 1
        return super().evaluate_binaryop(node)

    def join(self, node: Any, left: Number | None = None) -> Number:
        """``a && b``. left : the first, where it is known."""
        left = self.number(node.left) if left is None else left
        wanted = node.op == "&&"
        if left.data >= DATA:
            return self.union(INT, left, self.number(node.right))
        a = truth(left.v)
        if not isinstance(a, np.ndarray):
            if bool(a) != wanted:
                return Number(int(not wanted), INT, left.data)
            right = self.number(node.right)
            return right if right.data >= DATA else Number(truth(right.v), INT, max(left.data, right.data))
        before = self.on
        open_lanes = before.mask & (a if wanted else ~a)
        if not open_lanes.any():
            return Number(int(not wanted) if (a[before.mask] != wanted).all() else a, INT, left.data)
        if not (open_lanes == before.mask).all():
            self.on = make_lanes(open_lanes)
        right = self.number(node.right)
        self.on = before
        if right.data < DATA:
            b = truth(right.v)
            return Number(a & b if wanted else a | b, INT, max(left.data, right.data))
        v = np.broadcast_to(np.asarray(right.v), (self.lanes,))
        return Number(np.where(a, v, 0) if wanted else np.where(a, 1, v), INT, right.data)

    def negate(self, op: str, value: Slot, node: Any) -> Slot:
        """``-x``, ``+x``, ``~x``, ``!x``."""
        if isinstance(value, Number) and value.data >= DATA:
            before = self.traffic.counts.operations
            if op == "~":
                self.count_operations(find_common(value.t, INT), 1.0)
                return self.derive(value.t, [value.v], self.traffic.counts.operations - before)
            return Number(value.v, INT if op == "!" else value.t, value.data)
        return super().negate(op, value, node)

    def choose(self, a: Any, yes: Slot, no: Slot, data: int, node: Any) -> Slot:
        """Choose one of two values for each lane."""
        if data < DATA or not isinstance(yes, Number) or not isinstance(no, Number):
            return self.follow_from(super().choose(a, yes, no, data, node), yes, no)
        kind = find_common(yes.t, no.t)
        values = [x.v if x.data >= DATA else 0 for x in (yes, no)]
        for value, other in ((yes, values[1]), (no, values[0])):
            if value.data >= DATA and (gone_on := go_on(self, replace(value, t=kind), other, self.asked)) is not None:
                return gone_on
        return self.derive(kind, [*values, self.asked], 0.0, "or")

    def evaluate_ternaryop(self, node: Any) -> Slot:
        """``c ? a : b``."""
        asked = self.number(node.cond)
        if asked.data < DATA:
            self.note("if", id(node), truth(asked.v), stays=True)
            return super().evaluate_ternaryop(node)
        on, known = self.on, self.name(asked.v)
        v = np.broadcast_to(np.asarray(asked.v), (self.lanes,))
        open_lanes = np.broadcast_to(np.asarray(known), (self.lanes,)) > 0
        sides, counted = [], list[tuple[Any, Any, int]]()
        for branch, mask in ((node.iftrue, open_lanes | (v != 0)), (node.iffalse, open_lanes | (v == 0))):
            self.on = on if (on.mask <= mask).all() else make_lanes(on.mask & mask)
            most = counted if is_most(open_lanes, self.on.mask) else []
            sides.append(self.evaluate_side(branch, most) if self.on.count else None)
        self.on = on
        self.last_sides = self.average_work(counted)
        yes, no = sides
        if yes is None or no is None:
            return no if yes is None else yes  # type: ignore[return-value]
        self.asked = np.where(open_lanes, v, 0)
        merged = self.choose(True, yes, no, DATA, node)
        if open_lanes.all() or not isinstance(merged, Number):
            return merged
        settled = super().choose(v != 0, yes, no, KNOWN, node)
        return super().choose(open_lanes, merged, settled, KNOWN, node)

    # What data decide

    def mark_work(self) -> tuple[Any, ...]:
        """How much was counted so far, and the instructions that made nodes."""
        return *super().mark_work(), self.named, len(self.chunks)

    def scale_work(self, before: Any, after: Any, share: float) -> None:
        """Count a share of what was counted between two marks."""
        super().scale_work(before, after, share)
        self.named -= (1.0 - share) * (after[2] - before[2])
        for chunk in self.chunks[before[3] : after[3]]:
            chunk.each *= share

    def divides(self, branch: Any) -> bool:
        """Whether what follows a branch is its other side where data decide."""
        return type(find_last(branch)).__name__ in ("Return", "Continue")

    def run_if(self, node: Any, rest: Sequence[Any] = ()) -> None:
        """A condition divides the lanes."""
        self.rest_ran = False
        asked = self.number(node.cond)
        if asked.data != DATA:
            self.note("if", id(node), truth(asked.v), stays=True)
            self.run_sides(node, asked, ())
            self.rest_ran = False
            return
        v, open_lanes = self.open(asked)
        yes, no = open_lanes | (v != 0), open_lanes | (v == 0)
        second = list(rest) or ([node.iffalse] if node.iffalse is not None else [])
        left = bool(rest) and type(find_last(node.iftrue)).__name__ == "Return"
        self.run_divided(node, asked, [([node.iftrue], yes), (second, no)], left=left)
        self.rest_ran = bool(rest)

    def run_cases(self, node: Any, asked: Number) -> None:
        """A ``switch`` of which data decide the case."""
        v, open_lanes = self.open(asked)
        sides, taken = list[tuple[list[Any], Any]](), np.zeros(self.lanes, dtype=bool)
        others = None
        for labels, statements in list_cases(node):
            hit = np.zeros(self.lanes, dtype=bool)
            for label in labels:
                hit |= False if label is None else np.asarray(v == self.number(label).v)
            taken |= hit
            others = len(sides) if None in labels else others
            sides.append((statements, open_lanes | hit))
        if others is None:
            sides.append(([], open_lanes | ~taken))
        else:
            statements, hit = sides[others]
            sides[others] = statements, hit | ~taken
        self.run_divided(node, asked, sides, cases=True)

    def open(self, asked: Number) -> tuple[Any, Any]:
        """What a condition is in each lane, and the lanes in which data decide it."""
        v = np.broadcast_to(np.asarray(asked.v), (self.lanes,))
        return v, np.broadcast_to(np.asarray(self.name(asked.v)), (self.lanes,)) > 0

    def run_divided(
        self, node: Any, asked: Number, sides: Sequence[tuple[Sequence[Any], Any]], *, cases: bool = False,
        left: bool = False,
    ) -> None:  # fmt: skip
        """Sides between which data decide: lanes for which they do take all.

        Who leaves the turn or the function in one of them only goes on for the others: what follows is under the
        condition, too. sides : statements of each, and the lanes that may take it. left : whether lanes of the first
        side leave the call.
        """
        v, open_lanes = self.open(asked)
        under, before, outer = Decided(np.where(open_lanes, v, 0)), self.on, self.sides
        loop = next((x for x in reversed(self.frame.loops) if x.turns), None)
        ways = Ways(self.frame, loop, before.mask & ~combine(np.logical_or, [hit for _, hit in sides]))
        counted, self.sides = list[tuple[Any, Any, int]](), Sides()
        stored = self.others.enter()
        for statements, hit in sides:
            running = before.mask & hit
            if not running.any():
                continue
            self.others.begin(stored)
            self.on = before if (running == before.mask).all() else make_lanes(running)
            if (open_lanes & running).any():
                self.conditions.append(under)
            mark, self.last_sides = self.mark_work(), 1
            here = self.run_side(statements, running, cases=cases)
            if is_most(open_lanes, running):
                counted.append((mark, self.mark_work(), self.last_sides if is_chained(statements) else 1))
            self.conditions = [c for c in self.conditions if c is not under]
            if left and under.ends == "side" and not under.left:
                under = replace(under, left=True)
            if not ways.add(running, here, open_lanes):
                raise refuse(line_of(node), "data decide how often this loop runs")
            self.sides.second = True
        self.sides = outer
        self.others.leave(stored)
        self.last_sides = self.average_work(counted)
        ends = ways.leave(before.mask)
        if ends == "call" and any(x.turns for x in self.frame.loops):
            raise refuse(line_of(node), "data decide how often this loop runs")
        if ends:
            self.conditions.append(
                replace(under, ends=ends, loop=loop if ends == "turn" else None, left=ends == "call")
            )
        self.merge(before, before.mask & ways.stay)

    def run_side(self, statements: Sequence[Any], running: Any, *, cases: bool) -> Any:
        """Run a side; the lanes that come to its end. cases : whether ``break`` ends it."""
        if cases:
            self.frame.loops.append(Loop())
        for statement in statements:
            self.run(statement)
        here = running & self.on.mask
        if cases:
            ended = self.frame.loops.pop()
            self.end_cases(ended)
            here |= running & ended.broke if ended.broke is not None else False
        return here

    def enter_loop(self) -> dict[str, Any]:
        """A loop begins; what variables, and members of structures, hold."""
        self.looping += 1
        self.bounds.append([])
        return {
            n: dict(h.value.fields) if isinstance(h.value, Structure) else h.value for n, h in self.frame.names.items()
        }

    def run_for(self, node: Any) -> None:
        """A loop with a counter."""
        before = self.enter_loop()
        super().run_for(node)
        self.looping -= 1
        self.lead_changed(before)

    def run_while(self, node: Any) -> None:
        """A loop."""
        before = self.enter_loop()
        super().run_while(node)
        self.looping -= 1
        self.lead_changed(before)

    def run_dowhile(self, node: Any) -> None:
        """A loop that runs once at least."""
        before = self.enter_loop()
        super().run_dowhile(node)
        self.looping -= 1
        self.lead_changed(before)

    def end_turn(self) -> None:
        """A turn of a loop ends, and what followed a ``continue`` in it."""
        super().end_turn()
        loop = self.frame.loops[-1]
        self.conditions = [c for c in self.conditions if c.loop is not loop]

    def call(self, name: str, arguments: Sequence[Slot], node: Any, template: Sequence[Any] = ()) -> Slot:
        """Run a function of the file."""
        conditions, entered = list(self.conditions), self.entered
        self.entered = tuple(conditions)
        result = super().call(name, arguments, node, template)
        self.conditions, self.entered = conditions, entered
        return result

    def run_decl(self, node: Any) -> None:
        """A declaration: what it holds is under no condition that held before."""
        super().run_decl(node)
        held = self.frame.names.get(str(node.name))
        if held is not None:
            held.under = tuple(self.conditions)

    def run_return(self, node: Any) -> None:
        """Lanes leave the function; under a condition that data decide with one of several results."""
        before, on = self.frame.result, self.on
        super().run_return(node)
        result = self.frame.result
        if self.conditions and result is not None:
            self.on = on
            self.frame.result = self.put_under(result, before, self.entered)
            self.on = self.none

    def compute(self, name: str, values: list[Slot], node: Any) -> Slot:
        """A function of mathematics, or a conversion."""
        numbers = [v for v in values if isinstance(v, Number)]
        if len(numbers) < len(values) or max((n.data for n in numbers), default=KNOWN) < DATA:
            return super().compute(name, values, node)
        if name in FUSED and len(numbers) == 3:
            return self.apply("+", self.apply("*", numbers[0], numbers[1], node), numbers[2], node)
        before = self.traffic.counts.operations
        # The function runs on numbers that are none, to be counted.
        result = super().compute(name, [Number(1.5 if n.t.real else 1, n.t, n.data) for n in numbers], node)
        if not isinstance(result, Number):
            parts = [n.v for n in numbers if n.data >= DATA]
            return Structure(result.t, {  # type: ignore[union-attr]
                m: Number(parts[min(k, len(parts) - 1)], t, DATA) for k, (m, t, _, _) in enumerate(result.t.members)  # type: ignore[union-attr]
            })  # fmt: skip
        operations = self.traffic.counts.operations - before
        if not operations and len(numbers) == 1:
            return self.convert(numbers[0], result.t)
        values_of, code = [n.v if n.data >= DATA else 0 for n in numbers], self.encode(name, *numbers)
        derived = self.derive(result.t, values_of, operations, SUMS.get(name, ""), code=code)
        self.chunks[-1].begins = name in SUMS and any(n.data < DATA for n in numbers)
        return derived

    def convert_by(self, name: str, match: Any, values: list[Slot], node: Any) -> Slot:
        """Bits of a number as another type."""
        if match["bits"] and isinstance(values[0], Number) and values[0].data >= DATA:
            return self.convert(values[0], self.bits_type(match["to"] or match["bits"]))
        return super().convert_by(name, match, values, node)

    @staticmethod
    def bits_type(word: str) -> Type:
        """The type that bits are taken as."""
        return {"float": FLOAT, "double": DOUBLE, "longlong": LONG}.get(word, INT)

    def call_known(self, name: str, values: list[Slot], node: Any) -> Slot:
        """Votes of data are of all lanes of a warp; the others compute or exchange."""
        numbers = [v for v in values if isinstance(v, Number)]
        voted = name.startswith(("__ballot", "__any", "__all", "__syncthreads_", "__reduce_"))
        if voted and numbers and numbers[-1].data >= DATA:
            self.together = True
            value = np.where(self.on.mask, np.broadcast_to(np.asarray(numbers[-1].v), (self.lanes,)), 0)
            word = "+" if name.startswith(("__ballot", "__reduce_add", "__syncthreads_count")) else "max"
            step = 1
            while step < (self.lanes if name.startswith("__syncthreads") else WARP):
                partner = (self.own ^ step) % self.lanes
                value = self.derive(UINT, [value, value[partner]], 0.0, word).v
                step *= 2
            return Number(value, UINT, DATA)
        if name.startswith(("__popc", "__ffs", "__clz", "__brev")) and numbers and numbers[0].data >= DATA:
            before = self.traffic.counts.operations
            self.count_comparison()
            word = "+" if name.startswith("__popc") else ""
            return self.derive(INT, [numbers[0].v], self.traffic.counts.operations - before, word)
        if name in MULTIPLIED and len(numbers) == 2 and max(n.data for n in numbers) >= DATA:
            return self.apply("*", numbers[0], numbers[1], node)
        return super().call_known(name, values, node)

    def call_library(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """A function that the file does not hold."""
        if name in ("__matrix_multiply", "__shared_traffic", "__unknown_number", "__operations"):
            raise refuse(line_of(node), f"what '{name.strip('_')}' computes of which elements is not followed")
        return super().call_library(name, nodes, node)

    def refuse_parts_of(self, kind: Type, taken: Type, node: Any) -> None:
        """Refuse a member that a pointer takes for another type.

        Raises
        ------
        SourceError : it does.
        """
        if (taken.size, taken.real, bool(taken.members)) != (kind.size, kind.real, bool(kind.members)):
            raise refuse(line_of(node), "a pointer takes parts of a vector for another type")

    def pair_cosine(self, angle: Number, sine: Number) -> Number:
        """The cosine that comes with a sine, from the operation that made that."""
        return sine if sine.data >= DATA else super().pair_cosine(angle, sine)

    def update(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """An atomic update."""
        place = self.place_update(nodes[0], node)
        if isinstance(place, Reference):
            return super().update(name, nodes, node)
        value = self.number(nodes[-1])
        before = self.traffic.counts.operations
        if "CAS" in name:
            raise refuse(line_of(node), "what an exchange under a condition leaves is not followed")
        if isinstance(place.memory, Global):
            operations_before = self.traffic.counts.operations
            result = super().update(name, nodes, node)
            operations = self.traffic.counts.operations - operations_before
            term = self.put_term(value, place.t)
            if str(getattr(nodes[-1], "name", "")).endswith(OWN):
                term = self.derive(place.t, [term, term], 0.0, OWN).v
            self.note_stored(place, self.derive(place.t, [term, 0], operations, "+"), updated=True)
            return Number(result.v * 0 + 1, place.t, EVEN) if isinstance(result, Number) else result
        self.count_comparison()
        operations = self.traffic.counts.operations - before
        self.touch_shared(place)
        self.update_shared(place, value, operations, node)
        return Number(1.0 if place.t.real else 1, place.t, EVEN)

    def put_term(self, value: Number, kind: Type) -> Any:
        """What a term of a sum follows from: its value, and the conditions that it is added under."""
        named, under = value.v if value.data >= DATA else 0, [c.nodes for c in self.conditions]
        under = [u for u in under if not follows_from(self, u, named)]
        return self.derive(kind, [named, *under], 0.0, "or").v if under else named

    def update_shared(self, place: Address, value: Number, operations: float, node: Any) -> None:
        """An atomic update of shared memory: one lane after the other where several go to one place."""
        memory = place.memory
        assert isinstance(memory, Held)
        self.note("put", memory.name, None if place.data >= EVEN else place.at, stays=True)
        # Each lane adds its own, alike terms too.
        terms = np.broadcast_to(np.asarray(self.put_term(value, place.t)), (self.lanes,))
        named = self.derive(place.t, [terms, 0], operations, "+")
        if place.origin is not None:
            named = self.lead(named, place.origin)
        share = np.broadcast_to(np.asarray(named.v), (self.lanes,))[self.on.mask]
        if place.data >= EVEN:
            # Data choose the places: any of them may hold any of the values.
            joined = share
            while len(joined) > 1:
                half = (len(joined) + 1) // 2
                other = np.concatenate([joined[half:], np.zeros(2 * half - len(joined), dtype=joined.dtype)])
                joined = self.join_arrays(joined[:half], other)
            everything = self.join_arrays(memory.values.reshape(-1), np.full(memory.values.size, joined[0]))
            memory.values[:] = everything.reshape(memory.values.shape)
            memory.data = DATA
            return
        index = np.broadcast_to(np.asarray(place.at // memory.unit % len(memory.values)), (self.lanes,))[self.on.mask]
        left = np.ones(len(index), dtype=bool)
        while left.any():
            _, first = np.unique(index[left], return_index=True)
            turn = np.flatnonzero(left)[first]
            memory.values[index[turn]] = self.join_arrays(memory.values[index[turn]], share[turn])
            left[turn] = False
        memory.data = DATA

    def join_arrays(self, one: Any, two: Any, word: str = "+") -> Any:
        """Nodes of several places, each of two that were there."""
        chunk = Chunk(self.nodes, len(one), self.name(one), self.name(two), word=word)
        self.add(chunk, INT)
        return np.arange(chunk.start + BASE, chunk.start + BASE + chunk.count).astype(np.float64)

    # Places that data choose

    def find_values(self, nodes: Any) -> Any:
        """Numbers that are equal where nodes stand for equal values, as places of made-up elements."""
        if len(self.values) <= self.nodes:
            self.values = np.concatenate([self.values, np.zeros(self.nodes + 1, dtype=np.uint64)])
        for chunk in self.chunks[self.valued :]:
            self.values[chunk.start : chunk.start + chunk.count] = name_chunk(chunk, self.values)
        self.valued = len(self.chunks)
        return (self.values[nodes] >> np.uint64(7)).astype(np.int64) % (1 << 20)

    def name_places(self, elements: Any, origin: Any) -> Any:
        """Numbers that are equal where elements are and what chose them is; the elements where nothing chose them.

        Made-up places that an array is too small for are equal by chance, what they were made up from is not.
        """
        if origin is None:
            return elements
        return elements + (self.find_values(np.asarray(self.name(origin))) << 40)

    def step(self, place: Address, by: Number, sign: int = 1) -> Address:
        """An address some elements further; where data say how far, any place, and what it follows from."""
        if by.data < DATA:
            moved = super().step(place, by, sign)
            if by.origin is None:
                return moved
            both = by.origin if place.origin is None else self.derive(INT, [by.origin, place.origin]).v
            return replace(moved, origin=both)
        kind = self.kinds.get(place.memory.name) if isinstance(place.memory, Global) else None
        if kind is not None and has_arrays(kind) and place.t.size < kind.size:
            raise SourceError(f"data decide which element of an array inside of '{place.memory.name}' is read")
        spread = self.find_values(np.asarray(self.name(by.v)))
        moved = super().step(place, Number(spread if spread.ndim else int(spread), by.t, by.data), sign)
        origin = by.v if place.origin is None else self.derive(INT, [by.v, place.origin]).v
        return Address(moved.memory, moved.at, moved.t, moved.dims, DATA, origin)


def has_arrays(kind: Type) -> bool:
    """Whether a structure holds an array."""
    return any(dims or has_arrays(t) for _, t, _, dims in kind.members)


def is_nothing(value: Slot) -> bool:
    """Whether a pointer leads nowhere yet."""
    return isinstance(value, Number)


def is_most(lanes: Any, running: Any) -> bool:
    """Whether most of the lanes that run are some of these."""
    return bool(2 * np.count_nonzero(lanes & running) > np.count_nonzero(running))


def follow_origins(  # noqa: PLR0913 - what is known of a launch
    tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    blocks: Iterable[Sequence[int]], *, templates: Mapping[str, Sequence[str]] | None = None,
    roles: Mapping[int, str] | None = None, watches: bool = False, filled: Mapping[str, Any] | None = None,
) -> Origins:  # fmt: skip
    """Run blocks of a launch, and follow where what they store comes from.

    sizes : gridDim, blockDim and the numbers that the kernel is given. allocated : elements of its arrays.
    roles : place in the code that loads elements -> what the name of their array ends with there.
    watches : whether what each thread loads is remembered. filled : what the host fills arrays with of which loops ask
    how often they run.

    Raises
    ------
    SourceError : the code does what is not followed, or data decide what runs; with line and reason.
    """
    with quietly(overflow=True):
        try:
            return run_followed(
                tree, function, sizes, allocated, blocks, templates or {}, roles or {}, filled or {}, watches=watches
            )
        except (
            ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
            ValueError,
        ) as error:  # fmt: skip
            # Whatever a tree holds that these pages do not know.
            raise SourceError(f"{type(error).__name__} while its results were followed") from error


def run_followed(  # noqa: PLR0913 - the same
    tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    blocks: Iterable[Sequence[int]], templates: Mapping[str, Sequence[str]], roles: Mapping[int, str],
    filled: Mapping[str, Any], *, watches: bool,
) -> Origins:  # fmt: skip
    """The same; what a tree holds that is not known here may raise any error."""
    functions: dict[str, list[Any]] = defaultdict(list)
    for item in tree.ext:
        if type(item).__name__ == "FuncDef" and item is not function:
            functions[str(item.decl.name)].append(item)
    block, grid = ([sizes.get(f"{kind}.{a}", 1) for a in "xyz"] for kind in ("blockDim", "gridDim"))
    threads = OriginThreads(Types(tree), functions, Traffic(of_elements=True), block, grid)
    threads.templates, threads.kinds, threads.roles, threads.filled = templates, {}, roles, filled
    threads.watches = watches
    threads.turns, threads.touched, threads.looked_up, threads.copied = Turns(), defaultdict(set), {}, {}
    threads.begin()
    for name, value in sizes.items():
        if "." not in name:
            kind = INT if abs(value) < 1 << 31 else Type("long", 8)
            threads.file[name] = Variable(Number(value, kind), INT, threads.all)
    declare_file(threads, tree, {})
    tables = find_tables(threads, tree)
    arguments = make_arguments(threads, function, sizes, allocated, {}, find_offsets(function, functions))
    threads.kinds |= list_kinds(arguments.values())
    origins = Origins(kinds=threads.kinds, tables={
        n: len(h.values) * h.unit // (k.size if k.members else h.unit) for n, (h, k) in tables.items()
    }, inner={
        n: tuple(s.dims) for n, s in arguments.items() if isinstance(s, Address) and s.dims
    })  # fmt: skip
    follow_blocks(threads, origins, blocks, lambda at: run_alike(threads, at, function, arguments, tables))
    origins.looked_up = dict(threads.looked_up)
    origins.touched = {a: len(touched) for a, touched in threads.touched.items()}
    origins.notes, origins.together, origins.searches = tuple(threads.notes), threads.together, threads.searches
    return origins


def list_kinds(slots: Iterable[Slot]) -> dict[str, Type]:
    """Types of the elements of arrays that a kernel is given, those that structures lead to among them."""
    kinds: dict[str, Type] = {}
    for slot in slots:
        if isinstance(slot, Address):
            kinds[slot.memory.name] = slot.t
        elif isinstance(slot, Structure):
            kinds |= list_kinds(slot.fields.values())
    return kinds


def follow_blocks(
    threads: OriginThreads, origins: Origins, blocks: Iterable[Sequence[int]], run: Callable[[Sequence[int]], Any]
) -> None:
    """Run blocks one after the other, and remember what each did. run : runs one, and says what it counts.

    Raises
    ------
    SourceError : one of the first does what is not followed.
    """
    grid = threads.places["gridDim"]
    corners = (0, 0, 0), tuple(grid[a] - 1 for a in "xyz")
    for at in blocks:
        many = sum(b.nodes for b in origins.blocks) > MANY_NODES or threads.statements > MANY_STATEMENTS
        enough = many and len(origins.blocks) >= FEW_BLOCKS
        if enough and tuple(at) not in corners:
            # The first and the last block say where the grid is cut.
            continue
        try:
            counts = run(at)
        except SourceError:
            if enough:
                break
            raise
        uniform = max(0.0, counts.operations - threads.named)
        followed = threads.chunks, threads.stored, threads.nodes
        work = counts.operations, uniform, threads.loads
        origins.blocks.append(BlockOrigins(tuple(at), threads.lanes, *followed, *work))


def run_alike(
    threads: OriginThreads, at: Sequence[int], function: Any, arguments: Mapping[str, Slot],
    tables: Mapping[str, tuple[Held, Type]],
) -> Any:  # fmt: skip
    """Run a block, one turn of a loop for many where they do alike; what it counts."""
    statements = threads.statements
    while True:
        threads.begin()
        threads.statements = statements
        for name, (held, kind) in tables.items():
            count = len(held.values)
            threads.kinds[name] = kind
            elements = np.arange(count, dtype=np.int64) * held.unit // (kind.size if kind.members else held.unit)
            chunk = Chunk(threads.nodes, count, array=name, elements=elements)
            held.values[:] = threads.add(chunk, kind).v
            held.data = DATA
        counts = threads.traffic.begin()
        try:
            threads.run_block(at, function, arguments)
            threads.refuse_handed_on()
            threads.join_structures()
        except UnlikeTurnsError as error:
            threads.turns.unlike.add(error.loop)
        else:
            return counts


def find_tables(threads: OriginThreads, tree: Any) -> dict[str, tuple[Held, Type]]:
    """Arrays of constant memory that the host fills."""
    tables = {}
    for item in tree.ext:
        held = threads.file.get(str(getattr(item, "name", "")))
        if type(item).__name__ != "Decl" or item.init is not None or held is None:
            continue
        value = held.value
        if not isinstance(value, Address) or not isinstance(value.memory, Held) or value.memory.values.ndim != 1:
            continue
        tables[str(item.name)] = value.memory, value.t
    return tables
