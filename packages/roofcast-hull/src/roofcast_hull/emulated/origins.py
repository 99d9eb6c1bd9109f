"""Where results come from: blocks of a launch run so that each value of data is the name of how it was computed.

A value that is data stands for a node: an element that was loaded, or an operation and the nodes that it joins. Nodes
go wherever values go (registers, shared memory, shuffles, vectors, tiles), so that what an element of a result is
computed from is known however threads divide the work. A node's number is :data:`BASE` more than its place, and fits
into the numbers that lanes and memories hold.
"""

from __future__ import annotations

import math
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast_hull.emulated.device_memory import (
    DATA,
    EVEN,
    KNOWN,
    Address,
    Global,
    Held,
    Number,
    Reference,
    Slot,
    Structure,
    make_up,
)  # fmt: skip
from roofcast_hull.emulated.lane_arithmetic import COMPARED, truth
from roofcast_hull.emulated.launch import declare_file, find_offsets, make_arguments
from roofcast_hull.emulated.thread_state import Sides, Variable, line_of, make_lanes
from roofcast_hull.emulated.threads import Threads, leaves
from roofcast_hull.emulated.traffic import WARP, Traffic
from roofcast_hull.emulated.value_types import INT, UINT, Type, Types, find_common
from roofcast_hull.source.c_tree import is_no_work
from roofcast_hull.source.nest import SourceError, refuse

BASE = 1 << 40
"""Numbers from here on are names of nodes."""
MOST_NODES = 3_000_000
"""Of a block."""
MOST_STATEMENTS = 40_000
"""Of all blocks that run."""
LONGEST_S = 6
"""Seconds that blocks are followed."""
FEW_BLOCKS, MANY_NODES = 3, 400_000
"""Blocks that run at least, and nodes of all of them beyond which no further one does."""
SUMS = {"+": "+", "fmaxf": "max", "fmax": "max", "max": "max", "fminf": "min", "fmin": "min", "min": "min"}
"""Operations of which the order does not matter."""

ORDERS = ("max", "min", "or")
"""Those that take one of their operands."""

Ints = NDArray[np.int64]


@dataclass(slots=True)
class Chunk:
    """Nodes that one instruction made, one for each lane, or one for all."""

    start: int
    count: int
    left: Any = None
    """Nodes that they join: one, or one of each; None of a loaded element."""
    right: Any = None
    each: float = 0.0
    """Operations of a node in one lane."""
    times: int = 1
    """Lanes that do them: of one node for all lanes those that run."""
    orders: bool = False
    """Whether it compares values, or takes one of them."""
    code: int = 0
    """Stands for the operation and numbers that are no data; negative where those differ between threads."""
    word: str = ""
    """What joins them, where the order does not matter."""
    array: str = ""
    """Of loaded elements: where from, and which."""
    elements: Any = None
    site: int = 0
    """The place in the code that loads them."""
    chosen: bool = False
    """Whether data say which."""


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
    inner: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Arrays of which the code declares the sizes of all dimensions but the first."""


class OriginThreads(Threads):
    """Threads whose data are names of nodes."""

    exact, most_statements = True, MOST_STATEMENTS
    kinds: dict[str, Type]
    asked: Any = 0
    last_asked: Any = 0
    until: float
    """Seconds of this process after which it takes too long."""
    unfollowed: set[int]
    """Memory that the host fills and of which the values are no nodes."""

    def begin(self) -> None:
        """Forget the nodes of the block before."""
        self.chunks: list[Chunk] = []
        self.stored: list[Stored] = []
        self.nodes = 1
        self.indexing = 0
        self.named = 0.0
        self.conditions: list[Any] = []
        self.written: dict[str, dict[int, int]] = defaultdict(dict)

    # Nodes

    def name(self, v: Any) -> Any:
        """Nodes that values stand for, 0 for numbers that are no data."""
        if isinstance(v, np.ndarray):
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
        if time.process_time() > self.until:
            raise SourceError(f"following its blocks takes longer than {LONGEST_S} s")
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
            result = self.add(Chunk(self.nodes, count, left, right, share, times, orders, code, word), t)
            left = self.name(result.v)
        return result

    def union(self, t: Type, *values: Number) -> Number:
        """A value that may be any of several."""
        return self.derive(t, [v.v if v.data >= DATA else 0 for v in values], 0.0, "or")

    def under(self, value: Number, before: Number | None) -> Number:
        """What is stored under conditions that data decide: what was there, or the new value."""
        if not self.conditions:
            return value
        held = [value, *([before] if before is not None else [])]
        values = [v.v if v.data >= DATA else 0 for v in held]
        return self.derive(value.t, [*values, *self.conditions], 0.0, "or")

    # What is loaded and stored

    def find_array(self, place: Address, at: Any) -> tuple[str, int]:
        """The array, or the member of its structures, that an access goes to, and bytes of its elements."""
        assert isinstance(place.memory, Global)
        kind = self.kinds.setdefault(place.memory.name, place.t)
        if not kind.members:
            return place.memory.name, max(1, kind.size)
        first = int(at[self.on.mask][0]) if isinstance(at, np.ndarray) else int(at)
        name, size, inside = place.memory.name, kind.size, first % kind.size
        while kind.members:
            result_found = [(n, t, o, d) for n, t, o, d in kind.members if o <= inside < o + t.size * math.prod(d)]
            if not result_found:
                break
            label, kind, offset, dims = result_found[0]
            name, inside = f"{name}.{label}", inside - offset
            if dims:
                raise SourceError("arrays inside of structures are not followed")
        self.kinds.setdefault(name, kind)
        return name, size

    def leaf(self, place: Address, at: Any, node: Any) -> Number:
        """A loaded element."""
        array, size = self.find_array(place, at)
        many = np.asarray(at, dtype=np.int64) if isinstance(at, np.ndarray) else int(at)
        chosen = place.data >= EVEN
        parts = []
        for k in range(max(1, place.t.size // size)):
            elements = (many + k * size) // size
            count = self.lanes if isinstance(elements, np.ndarray) else 1
            chunk = Chunk(self.nodes, count, array=array, elements=elements, site=id(node), chosen=chosen)
            result = self.add(chunk, place.t)
            known = self.written.get(array)
            if known:
                result = self.read_back(known, elements, result)
            parts.append(result.v)
        if place.origin is not None:
            parts.append(place.origin)
        return self.derive(place.t, parts) if len(parts) > 1 else result

    def read_back(self, known: Mapping[int, int], elements: Any, result: Number) -> Number:
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
                if id(memory) in self.unfollowed:
                    raise refuse(line_of(node), "structures in constant memory are not followed")
                if place.data >= DATA:
                    raise refuse(line_of(node), "data decide which element of shared or constant memory is read")
            value = super().load(place, node)
            if isinstance(value, Number) and isinstance(place, Address) and place.origin is not None:
                return self.union(value.t, value, Number(place.origin, value.t, DATA))
            return value
        at = self.touch(place, node, stores=False)
        if memory.total is not None and not place.t.real:
            return make_up(memory, at, place.t)
        return self.leaf(place, at, node)

    def load_members(self, place: Address, node: Any) -> Structure:
        """A structure that is stored somewhere."""
        if not isinstance(place.memory, Global) or place.t.size not in (4, 8, 16):
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
            if self.conditions and not place.memory.constant:
                number = self.under(number, self.as_number(super().load(place, node), node))
            elif number.data < DATA and place.t.real and place.memory.data >= DATA:
                number = Number(0.0, number.t)
            return super().store(place, number, node)
        self.touch(place, node, stores=True)
        if self.conditions:
            raise refuse(line_of(node), "data decide whether it writes")
        self.note_stored(place, number, updated=False)
        return number

    def store_members(self, place: Address, value: Structure, node: Any) -> Structure:
        """Store a structure somewhere."""
        if place.t.size not in (4, 8, 16) or not isinstance(place.memory, Global):
            return super().store_members(place, value, node)
        self.touch(place, node, stores=True)
        if self.conditions:
            raise refuse(line_of(node), "data decide whether it writes")
        for name, t, offset, dims in place.t.members:
            held = value.fields.get(name)
            if isinstance(held, Number) and not dims:
                part = Address(place.memory, place.at + offset, t, (), place.data, place.origin)
                self.note_stored(part, held, updated=False)
        return value

    def note_stored(self, place: Address, value: Number, *, updated: bool) -> None:
        """Remember what was stored in an array."""
        if not self.on.count:
            return
        array, size = self.find_array(place, place.at)
        named = self.name(value.v) if value.data >= DATA else 0
        if place.origin is not None:
            named = self.name(self.derive(value.t, [value.v if value.data >= DATA else 0, place.origin]).v)
        mask = self.on.mask
        nodes = np.broadcast_to(np.asarray(named, dtype=np.int64), (self.lanes,))[mask]
        at = np.broadcast_to(np.asarray(place.at, dtype=np.int64), (self.lanes,))[mask]
        for k in range(max(1, place.t.size // size)):
            elements = (at + k * size) // size
            self.stored.append(Stored(array, elements, nodes, updated, place.data >= EVEN, np.flatnonzero(mask)))
            if not updated:
                self.written[array].update(zip(elements.tolist(), nodes.tolist(), strict=True))

    def set_variable(self, held: Variable, value: Slot) -> None:
        """Give a variable a value in the lanes that run."""
        if self.conditions and isinstance(value, Number) and isinstance(held.value, Number):
            value = self.under(self.coerce(value, held.t), held.value)  # type: ignore[arg-type]
        super().set_variable(held, value)

    # What computes

    def convert(self, value: Number, kind: Type) -> Number:
        """A number as another type holds it: names stay what they are."""
        if value.data < DATA or value.v is None or kind.members or kind.name == "auto":
            return super().convert(value, kind)
        v = value.v
        if isinstance(v, np.ndarray):
            v = v.astype(np.float64 if kind.real else np.int64)
        else:
            v = float(v) if kind.real else int(v)
        return Number(v, kind, value.data)

    def apply(self, op: str, left: Slot, right: Slot, node: Any) -> Slot:
        """An operation of two values."""
        if not (isinstance(left, Number) and isinstance(right, Number)) or max(left.data, right.data) < DATA:
            return super().apply(op, left, right, node)
        kind, before = find_common(left.t, right.t), self.traffic.counts.operations
        if op in COMPARED:
            self.count_comparison()
            kind = INT
        else:
            self.count_operations(kind, 1.0)
            if op == "/" and kind.real:
                self.count_call("div", kind)
        values = [x.v if x.data >= DATA else 0 for x in (left, right)]
        operations = self.traffic.counts.operations - before
        code = self.encode(op, left, right)
        return self.derive(kind, values, operations, SUMS.get(op, ""), orders=op in COMPARED, code=code)

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

    def join(self, node: Any) -> Number:
        """``a && b``."""
        left = self.number(node.left)
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
            return Number(value.v, INT if op == "!" else value.t, value.data)
        return super().negate(op, value, node)

    def choose(self, a: Any, yes: Slot, no: Slot, data: int, node: Any) -> Slot:
        """Choose one of two values for each lane."""
        if data < DATA or not isinstance(yes, Number) or not isinstance(no, Number):
            return super().choose(a, yes, no, data, node)
        kind = find_common(yes.t, no.t)
        values = [x.v if x.data >= DATA else 0 for x in (yes, no)]
        return self.derive(kind, [*values, self.asked], 0.0, "or")

    def evaluate_ternaryop(self, node: Any) -> Slot:
        """``c ? a : b``."""
        asked = self.number(node.cond)
        if asked.data < DATA:
            return super().evaluate_ternaryop(node)
        on, known = self.on, self.name(asked.v)
        v = np.broadcast_to(np.asarray(asked.v), (self.lanes,))
        open_lanes = np.broadcast_to(np.asarray(known), (self.lanes,)) > 0
        sides = []
        for branch, mask in ((node.iftrue, open_lanes | (v != 0)), (node.iffalse, open_lanes | (v == 0))):
            self.on = on if (on.mask <= mask).all() else make_lanes(on.mask & mask)
            sides.append(self.evaluate(branch) if self.on.count else None)
        self.on = on
        yes, no = sides
        if yes is None or no is None:
            return no if yes is None else yes  # type: ignore[return-value]
        self.asked = np.where(open_lanes, v, 0)
        merged = self.choose(True, yes, no, DATA, node)
        if open_lanes.all() or not isinstance(merged, Number):
            return merged
        settled = super().choose(v != 0, yes, no, KNOWN, node)
        return super().choose(open_lanes, merged, settled, KNOWN, node)

    def run_both(self, node: Any, a: Any) -> None:
        """A condition that data decide: lanes for which they do take both sides."""
        asked = np.broadcast_to(np.asarray(self.last_asked), (self.lanes,))
        open_lanes = np.broadcast_to(np.asarray(self.name(self.last_asked)), (self.lanes,)) > 0
        before, outer = self.on, self.sides
        self.sides = Sides()
        left_mask = before.mask.copy()
        for branch, mask in ((node.iftrue, open_lanes | (asked != 0)), (node.iffalse, open_lanes | (asked == 0))):
            running = before.mask & mask
            if branch is None or not running.any():
                continue
            decided = not (open_lanes & running).any()
            if leaves(branch) and not decided:
                if any(type(n).__name__ == "Break" for n in walk(branch)):
                    raise refuse(line_of(node), "data decide how often this loop runs")
                continue
            left = self.frame.left.copy() if self.frame.left is not None else None
            self.on = before if (running == before.mask).all() else make_lanes(running)
            self.conditions.append(np.where(open_lanes, asked, 0))
            self.run(branch)
            self.conditions.pop()
            if decided:
                left_mask &= ~(running & ~self.on.mask)
            else:
                self.frame.left = left
            self.sides.second = True
        self.sides = outer
        self.merge(before, left_mask)

    def run_if(self, node: Any) -> None:
        """A condition divides the lanes."""
        asked = self.number(node.cond)
        if asked.data == DATA:
            self.last_asked = asked.v
            self.run_both(node, None)
            return
        self.run_sides(node, asked)

    def compute(self, name: str, values: list[Slot], node: Any) -> Slot:
        """A function of mathematics, or a conversion."""
        numbers = [v for v in values if isinstance(v, Number)]
        if len(numbers) < len(values) or max((n.data for n in numbers), default=KNOWN) < DATA:
            return super().compute(name, values, node)
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
        return self.derive(result.t, values_of, operations, SUMS.get(name, ""), code=code)

    def convert_by(self, name: str, match: Any, values: list[Slot], node: Any) -> Slot:
        """Bits of a number as another type."""
        if match["bits"] and isinstance(values[0], Number) and values[0].data >= DATA:
            return self.convert(values[0], self.bits_type(match["to"] or match["bits"]))
        return super().convert_by(name, match, values, node)

    @staticmethod
    def bits_type(word: str) -> Type:
        """The type that bits are taken as."""
        from roofcast_hull.emulated.value_types import FLOAT

        return FLOAT if word == "float" else INT

    def call_known(self, name: str, values: list[Slot], node: Any) -> Slot:
        """Votes of data are of all lanes of a warp; the others compute or exchange."""
        numbers = [v for v in values if isinstance(v, Number)]
        voted = name.startswith(("__ballot", "__any", "__all", "__syncthreads_", "__reduce_"))
        if voted and numbers and numbers[-1].data >= DATA:
            self.together = True
            value = np.broadcast_to(np.asarray(numbers[-1].v), (self.lanes,))
            step = 1
            while step < (self.lanes if name.startswith("__syncthreads") else WARP):
                partner = (self.own ^ step) % self.lanes
                value = self.derive(UINT, [value, value[partner]], 0.0, "or").v
                step *= 2
            return Number(value, UINT, DATA)
        if name.startswith(("__popc", "__ffs", "__clz", "__brev")) and numbers and numbers[0].data >= DATA:
            before = self.traffic.counts.operations
            self.count_comparison()
            return self.derive(INT, [numbers[0].v], self.traffic.counts.operations - before)
        return super().call_known(name, values, node)

    def call_library(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """A function that the file does not hold."""
        if name in ("__matrix_multiply", "__shared_traffic", "__unknown_number", "__operations"):
            raise refuse(line_of(node), f"what '{name.strip('_')}' computes of which elements is not followed")
        return super().call_library(name, nodes, node)

    def update(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """An atomic update."""
        place = self.dereference(self.evaluate(nodes[0]), node)
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
            plain = Number(value.v if value.data >= DATA else 0, place.t, DATA)
            self.note_stored(place, self.derive(place.t, [plain.v, *self.conditions, 0], operations, "+"), updated=True)
            return Number(result.v * 0 + 1, place.t, EVEN) if isinstance(result, Number) else result
        self.count_comparison()
        operations = self.traffic.counts.operations - before
        self.touch_shared(place)
        self.update_shared(place, value, operations, node)
        return Number(1.0 if place.t.real else 1, place.t, EVEN)

    def update_shared(self, place: Address, value: Number, operations: float, node: Any) -> None:
        """An atomic update of shared memory: one lane after the other where several go to one place."""
        memory = place.memory
        assert isinstance(memory, Held)
        named = self.derive(place.t, [value.v if value.data >= DATA else 0, *self.conditions, 0], operations, "+")
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

    def join_arrays(self, one: Any, two: Any) -> Any:
        """Nodes of several places, each of two that were there."""
        chunk = Chunk(self.nodes, len(one), self.name(one), self.name(two), word="+")
        self.nodes += chunk.count
        self.chunks.append(chunk)
        return np.arange(chunk.start + BASE, chunk.start + BASE + chunk.count).astype(np.float64)

    # Places that data choose

    def place_element(self, node: Any) -> Address | Reference:
        """``a[i]``: what computes the index is no operation."""
        self.indexing += 1
        try:
            return super().place_element(node)
        finally:
            self.indexing -= 1

    def step(self, place: Address, by: Number, sign: int = 1) -> Address:
        """An address some elements further; where data say how far, any place, and what it follows from."""
        if by.data < DATA:
            return super().step(place, by, sign)
        named = self.name(by.v)
        spread = (np.asarray(named) * 2654435761 >> 7) % (1 << 20)
        moved = super().step(place, Number(spread if spread.ndim else int(spread), by.t, by.data), sign)
        origin = by.v if place.origin is None else self.derive(INT, [by.v, place.origin]).v
        return Address(moved.memory, moved.at, moved.t, moved.dims, DATA, origin)


def walk(node: Any) -> Iterable[Any]:
    """A tree's nodes."""
    yield node
    for _, child in node.children():
        yield from walk(child)


def follow_origins(
    tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    blocks: Iterable[Sequence[int]], *, templates: Mapping[str, Sequence[str]] | None = None,
) -> Origins:  # fmt: skip
    """Run blocks of a launch, and follow where what they store comes from.

    sizes : gridDim, blockDim and the numbers that the kernel is given. allocated : elements of its arrays.

    Raises
    ------
    SourceError : the code does what is not followed, or data decide what runs; with line and reason.
    """
    with quietly(overflow=True):
        try:
            return run_followed(tree, function, sizes, allocated, blocks, templates or {})
        except (
            ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RecursionError, TypeError,
            ValueError,
        ) as error:  # fmt: skip
            # Whatever a tree holds that these pages do not know.
            raise SourceError(f"{type(error).__name__} while its results were followed") from error


def run_followed(
    tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    blocks: Iterable[Sequence[int]], templates: Mapping[str, Sequence[str]],
) -> Origins:  # fmt: skip
    """The same; what a tree holds that is not known here may raise any error."""
    functions: dict[str, list[Any]] = defaultdict(list)
    for item in tree.ext:
        if type(item).__name__ == "FuncDef" and item is not function:
            functions[str(item.decl.name)].append(item)
    block, grid = ([sizes.get(f"{kind}.{a}", 1) for a in "xyz"] for kind in ("blockDim", "gridDim"))
    threads = OriginThreads(Types(tree), functions, Traffic(of_elements=True), block, grid)
    threads.templates, threads.kinds, threads.unfollowed = templates, {}, set()
    threads.until = time.process_time() + LONGEST_S
    threads.begin()
    for name, value in sizes.items():
        if "." not in name:
            kind = INT if abs(value) < 1 << 31 else Type("long", 8)
            threads.file[name] = Variable(Number(value, kind), INT, threads.all)
    declare_file(threads, tree, {})
    tables = find_tables(threads, tree)
    arguments = make_arguments(threads, function, sizes, allocated, {}, find_offsets(function, functions))
    for name, slot in arguments.items():
        if isinstance(slot, Address):
            threads.kinds[name] = slot.t
    origins = Origins(kinds=threads.kinds, tables={n: len(h.values) for n, (h, _) in tables.items()}, inner={
        n: tuple(s.dims) for n, s in arguments.items() if isinstance(s, Address) and s.dims
    })  # fmt: skip
    for at in blocks:
        if len(origins.blocks) >= FEW_BLOCKS and sum(b.nodes for b in origins.blocks) > MANY_NODES:
            break
        threads.begin()
        for name, (held, kind) in tables.items():
            count = len(held.values)
            threads.kinds[name] = kind
            chunk = Chunk(threads.nodes, count, array=name, elements=np.arange(count, dtype=np.int64))
            held.values[:] = threads.add(chunk, kind).v
            held.data = DATA
        counts = threads.traffic.begin()
        threads.run_block(at, function, arguments)
        uniform = max(0.0, counts.operations - threads.named)
        followed = threads.chunks, threads.stored, threads.nodes
        origins.blocks.append(BlockOrigins(tuple(at), threads.lanes, *followed, counts.operations, uniform))
    origins.notes, origins.together = tuple(threads.notes), threads.together
    return origins


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
        if value.t.members:
            threads.unfollowed.add(id(value.memory))
        else:
            tables[str(item.name)] = value.memory, value.t
    return tables
