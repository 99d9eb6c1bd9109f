"""Where threads load and store: variables, registers, shared memory, arrays; each access to memory is counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

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
    write_held,
)  # fmt: skip
from roofcast_hull.emulated.lane_arithmetic import whole
from roofcast_hull.emulated.tensor_loops import take_element
from roofcast_hull.emulated.thread_state import ThreadState, Variable, line_of
from roofcast_hull.emulated.value_types import DYNAMIC, Type
from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.nest import refuse

MOST_COPIED = 64
"""Elements of an array of a structure that registers may hold."""
VECTOR_BYTES = 16
"""That a lane loads at once, where compilers know the address to be a multiple of it."""
MOST_KEPT = 16
"""Elements of one array in shared memory that a thread keeps: loops of so many turns are written out."""


class Accesses(ThreadState):
    """Places, and what is loaded from and stored in them."""

    def place(self, node: Any) -> Address | Reference:
        """Where something is stored."""
        kind = type(node).__name__
        if kind == "ID":
            return self.place_name(node)
        if kind == "ArrayRef":
            return self.place_element(node)
        if kind == "StructRef":
            return self.place_member(node)
        if kind == "UnaryOp" and node.op == "*":
            return self.point_at(node.expr)
        if kind == "Cast":
            value = self.evaluate(node)
            if isinstance(value, Address):
                return value
        raise refuse(line_of(node), f"a place that is not followed ('{kind}')")

    def place_name(self, node: Any) -> Address | Reference:
        """A variable, or what it is another name of."""
        held = self.find(str(node.name))
        if held is None:
            raise refuse(line_of(node), f"the file does not say '{node.name}'")
        if isinstance(held.value, Reference):
            return held.value
        if isinstance(held.value, Address) and held.t.name == REFERENCE:
            return held.value
        names = self.frame.names if str(node.name) in self.frame.names else self.file
        return Reference(names, str(node.name))

    def place_element(self, node: Any) -> Address | Reference:
        """``a[i]``."""
        held = self.find(str(node.name.name)) if type(node.name).__name__ == "ID" else None
        if held is not None and isinstance(held.value, Reference) and not str(node.name.name).endswith(REFERENCE):
            index = self.as_number(self.evaluate_index(node.subscript), node.subscript)
            beside = self.place_beside(held.value, index, node)
            self.refuse_parts_of(self.follow(beside).t, held.t, node)
            return beside
        base = self.evaluate(node.name)
        index = self.as_number(self.evaluate_index(node.subscript), node.subscript)
        if isinstance(base, Reference):
            return base
        if not isinstance(base, Address):
            raise refuse(line_of(node), "an index of what is no array")
        place = self.step(base, index)
        return Address(place.memory, place.at, place.t, base.dims, place.data, place.origin)

    def refuse_parts_of(self, kind: Type, taken: Type, node: Any) -> None:
        """Refuse a member that a pointer takes for another type: what it moves is known all the same."""

    def place_beside(self, first: Reference, index: Number, node: Any) -> Reference:
        """``p[i]`` of a pointer to a variable of a thread: a member of a short vector, ``float *p = &v.x``."""
        if index.data >= EVEN or np.size(index.v) != 1:
            raise refuse(line_of(node), "which member of a vector a pointer leads to is not followed")
        by, names, name = int(np.ravel(index.v)[0]), first.names, first.name
        held = names[name]
        value = held.value if isinstance(held, Variable) else held
        if isinstance(value, Reference):
            return self.place_beside(value, index, node)
        if isinstance(value, Structure):
            # The pointer of another type leads to all of it.
            names, name = value.fields, next(iter(value.fields))
        elif by == 0:
            return first
        members = list(names)
        at = members.index(name) + by
        fields = names if not any(isinstance(v, Variable) for v in names.values()) else {}
        if not 0 <= at < len(fields) or len({str(getattr(v, "t", "")) for v in fields.values()}) > 1:
            raise refuse(line_of(node), "a pointer to a variable leads beyond it")
        return Reference(fields, members[at])

    def evaluate_index(self, node: Any) -> Slot:
        """What an address goes on by: its arithmetic on whole numbers is no operation of a class."""
        self.placing += 1
        try:
            return self.evaluate(node)
        finally:
            self.placing -= 1

    def place_member(self, node: Any) -> Address | Reference:
        """``p.x`` or ``p->x``."""
        name = str(node.field.name)
        base: Any
        if node.type == "->":
            base = self.point_at(node.name)
        elif type(node.name).__name__ in ("ID", "ArrayRef", "StructRef", "UnaryOp"):
            base = self.place(node.name)
        else:
            base = self.evaluate(node.name)
        if isinstance(base, Reference):
            held = base.names[base.name]
            if isinstance(held, Variable) and isinstance(held.value, Reference):
                held = self.follow(held.value)
            base = held.value if isinstance(held, Variable) else held
        if isinstance(base, Address):
            for label, t, offset, dims in base.t.members:
                if label == name:
                    return Address(base.memory, base.at + offset, t, dims, base.data, base.origin)
        if isinstance(base, Structure) and name in base.fields:
            return Reference(base.fields, name)
        raise refuse(line_of(node), f"the member '{name}' is not followed")

    def point_at(self, node: Any) -> Address | Reference:
        """The place that a pointer leads to: in memory, or a variable of the function that called."""
        name = str(getattr(node, "name", "")) if type(node).__name__ == "ID" else ""
        held = self.find(name) if name and not name.endswith(REFERENCE) else None
        if held is not None and isinstance(held.value, Reference):
            return held.value
        return self.dereference(self.evaluate(node), node)

    def dereference(self, value: Slot, node: Any) -> Address | Reference:
        """The place that an address names."""
        if isinstance(value, Address):
            return (
                Address(value.memory, value.at, value.t, value.dims[1:], value.data, value.origin)
                if value.dims
                else value
            )
        if isinstance(value, Reference):
            return value
        raise refuse(line_of(node), "an address that is not followed")

    def step(self, place: Address, by: Number, sign: int = 1) -> Address:
        """An address some elements further."""
        size = place.t.size
        for d in place.dims:
            size *= d
        at = place.at + whole(by.v) * (sign * size)
        return Address(place.memory, at, place.t, place.dims, max(place.data, by.data), place.origin)

    def load(self, place: Address | Reference, node: Any) -> Slot:
        """What is stored somewhere."""
        if isinstance(place, Reference):
            return self.say(self.follow(place).value, place.name)
        if place.dims:
            return Address(place.memory, place.at, place.t, place.dims[1:], place.data, place.origin)
        if place.t.points is not None:
            return self.point(place)
        if place.t.members:
            return self.load_members(place, node)
        if isinstance(place.memory, Held):
            if place.memory.shared and not place.memory.constant and not self.keeps(place):
                self.touch_shared(place, self.find_vector(place))
            elif place.memory.constant and not self.silent and isinstance(place.at, np.ndarray):
                self.traffic.read_constants(place.at, self.on.mask, self.weight)
            value = read_held(place.memory, place.at, place.t, self.own)
            value.data = max(value.data, place.data)
            return value
        at = self.touch(place, node, stores=False)
        value = make_up(place.memory, at, place.t)
        if place.memory.filled is not None:
            value.data = max(value.data, place.data)
        return value

    def load_members(self, place: Address, node: Any) -> Structure:
        """A structure that is stored somewhere."""
        wide = place.t.size in (4, 8, 16)
        if wide and isinstance(place.memory, Global):
            self.touch(place, node, stores=False)
        fields = {}
        for name, t, offset, dims in place.t.members:
            part = Address(place.memory, place.at + offset, t, dims, place.data, place.origin)
            if dims and isinstance(place.memory, Global) and math.prod(dims) <= MOST_COPIED and not t.members:
                fields[name] = self.copy_array(part, node)
            elif dims or not wide or not isinstance(place.memory, Global):
                fields[name] = self.load(part, node)
            else:
                fields[name] = make_up(place.memory, part.at, t)
        return Structure(place.t, fields)

    def copy_array(self, place: Address, node: Any) -> Slot:
        """A small array of a structure that a thread takes from memory, in registers of its own."""
        copied = self.empty(place.t, place.dims)
        if isinstance(copied, Address) and isinstance(copied.memory, Held):
            for k in range(math.prod(place.dims)):
                value = self.load(Address(place.memory, place.at + k * place.t.size, place.t, (), place.data), node)
                write_held(copied.memory, k * place.t.size, self.as_number(value, node), self.all.mask, self.own)
        return copied

    def point(self, place: Address) -> Address:
        """A pointer that is stored in memory: to an array of its own."""
        if isinstance(place.memory, Global):
            self.touch(place, None, stores=False)
        name = f"{place.memory.name}.{place.at if not isinstance(place.at, np.ndarray) else ''}"
        assert place.t.points is not None
        memory = Global(name, None, self.traffic.locate(name, None))
        return Address(memory, 0, place.t.points)

    def keeps(self, place: Address) -> bool:
        """Whether registers still hold an element of shared memory: compilers write short loops out.

        A tile of registers reads each of its rows and columns once, though its code names them in every product.
        """
        assert isinstance(place.memory, Held)
        at, name = place.at, place.memory.name
        label = f"{name}[{hash(at.tobytes()) if isinstance(at, np.ndarray) else int(at)}]"
        held = self.loaded.pop(label, None)
        self.loaded[label] = name, 0
        if held is None:
            others = [key for key, (owner, _) in self.loaded.items() if owner == name]
            for key in others[:-MOST_KEPT]:
                del self.loaded[key]
        return held is not None

    def find_vector(self, place: Address) -> list[Any]:
        """Addresses of elements that the instruction takes that loads this one: its neighbours, up to 16 aligned bytes.

        Reason: compilers write loops over a tile out, and load four neighbours of a row by one instruction. That takes
        as many words of the banks, but where all lanes ask for the same ones, a quarter of the turns
        (``matmul_tiled`` of the suite: 40 in place of 64 for 32 products).
        """
        assert isinstance(place.memory, Held)
        at, name = place.at, place.memory.name
        if not isinstance(at, np.ndarray):
            return [at]
        before, on = self.vectors.get(name, ([], None))
        goes_on = (
            bool(before)
            and on is self.on.mask
            and np.array_equal(at, before[-1] + place.t.size)
            and bool((at // VECTOR_BYTES == before[0] // VECTOR_BYTES).all())
            and bool((before[0] % VECTOR_BYTES == 0).all())
        )
        vector = [*before, at] if goes_on else [at]
        self.vectors[name] = vector, self.on.mask
        return vector

    def let_go(self, name: str) -> None:
        """A store to shared memory: what registers hold of that array may have changed."""
        self.vectors.pop(name, None)
        for key in [key for key, (owner, _) in self.loaded.items() if owner == name]:
            del self.loaded[key]

    def touch_shared(self, place: Address, vector: Sequence[Any] = ()) -> None:
        """Count an access to shared memory. vector : addresses that one instruction takes, this one last."""
        assert isinstance(place.memory, Held)
        if self.silent:
            return
        at = place.at
        if isinstance(at, np.ndarray):
            self.traffic.share(vector or [at], self.on.mask, self.weight)
            top = int(at[self.on.mask].max()) if self.on.count else 0
        else:
            self.traffic.counts.shared += self.weight * self.on.warps
            top = int(at)
        place.memory.top = max(place.memory.top, top + place.t.size)

    def touch(self, place: Address, node: Any, *, stores: bool) -> Any:
        """Count an access to memory; returns where it goes."""
        memory, at = place.memory, place.at
        assert isinstance(memory, Global)
        if place.data == UNSAID:
            self.refuse_unsaid(node)
        at = self.bound(memory, at, place)
        if self.silent or not self.on.count:
            return at
        if not stores and id(node) in self.roles:
            name = f"{memory.name}{self.roles[id(node)]}"
            memory = Global(name, memory.extent, self.traffic.locate(name, memory.extent))
        self.statements += 2
        if place.data == DATA:
            self.traffic.counts.scattered.add(memory.name)
            if not stores:
                self.flush()
        same = self.remember(memory.name, at, place.t.name, node, stores)
        if stores:
            if not self.is_merged(memory, at, node):
                self.traffic.store(memory.name, self.find_sectors(at, memory, place.t), self.weight, self.on.warps)
            if self.frame.loops:
                self.frame.loops[-1].stores = True
        elif not same:
            self.fetch(memory, at, place.t)
        return at

    def bound(self, memory: Global, at: Any, place: Address) -> Any:
        """Where in an array an access goes that data choose; of one of unknown size, how far others go is noted."""
        if memory.extent is not None:
            size = max(1, place.t.size)
            return at % max(size, int(memory.extent) // size * size) if place.data == DATA and memory.extent else at
        if place.data == DATA or memory.top < 0:
            memory.top = -1
        elif self.on.count:
            last = int(at[self.on.mask].max()) if isinstance(at, np.ndarray) else int(at)
            memory.top = max(memory.top, last + place.t.size)
        return at

    def is_merged(self, memory: Global, at: Any, node: Any) -> bool:
        """Whether the other side of a condition stores to the same place: compilers make one store of both.

        Of the second side the lanes that the first had not are added.
        """
        sides, key = self.sides, self.find_key(node)
        if sides is None or not key:
            return False
        if not sides.second:
            sides.stored[key] = memory.name, at, self.on.mask
            return False
        array, before, mask = sides.stored.get(key, ("", 0, self.on.mask))
        if array != memory.name or not (before is at or (np.shape(before) == np.shape(at) and np.all(before == at))):
            return False
        many = np.broadcast_to(np.asarray(at, dtype=np.int64), (self.lanes,))
        sectors = self.traffic.split(many, mask, memory.name, memory.base, -self.weight)
        self.traffic.counts.sectors_l2 -= self.weight * len(sectors)
        self.traffic.counts.stored_l2 -= self.weight * len(sectors)
        self.traffic.joining.pop(memory.name, None)
        both = self.traffic.split(many, mask | self.on.mask, memory.name, memory.base, self.weight)
        self.traffic.store(memory.name, both, self.weight)
        return True

    def remember(self, array: str, at: Any, kind: str, node: Any, stores: bool) -> bool:
        """Whether registers still hold an element; a store lets those of elements go that it may have changed."""
        key = self.find_key(node)
        held, before = self.loaded.get(key, ("", 0)) if key else ("", 0)
        same = held == array and (before is at or (np.shape(before) == np.shape(at) and bool(np.all(before == at))))
        if stores:
            for other, (owner, _) in list(self.loaded.items()):
                if owner == array or (not self.restricted and self.loaded_types.get(owner) == kind):
                    del self.loaded[other]
        self.loaded_types[array] = kind
        if key:
            self.loaded[key] = array, at
        return same

    def fetch(self, memory: Global, at: Any, kind: Type) -> None:
        """A load that goes to L1 at least."""
        if not self.restricted:
            self.traffic.joining.clear()
        if isinstance(at, np.ndarray) or self.traffic.of_elements:
            deep, new = self.traffic.enter(memory.name, self.find_sectors(at, memory, kind), self.weight)
        else:
            deep, new = self.traffic.load_one(memory.name, memory.base, int(at), self.on.warps, self.weight)
        self.phase.loads = True
        self.phase.deep |= deep
        if new:
            self.phase.arrays.add(memory.name)

    def find_sectors(self, at: Any, memory: Global, kind: Type) -> Any:
        """Distinct sectors of each warp; counted as an access of L1. Where elements count, all of a vector's."""
        many = at if isinstance(at, np.ndarray) else np.full(self.lanes, int(at), dtype=np.int64)
        counts = self.traffic.counts
        before = counts.accesses, counts.sectors_l1, counts.wavefronts_l1, counts.sectors_uncoalesced
        unit = self.traffic.find_unit(memory.name, kind.unit)
        wide: Sequence[int] = range(0, kind.size, unit) if self.traffic.of_elements else range(1)
        if kind.members and self.traffic.of_elements:
            # What fills a structure up is touched by nobody.
            wide = [k for at, size in kind.leaves.values() for k in range(at, at + size, unit)]
        places = [
            self.traffic.split(many + k, self.on.mask, memory.name, memory.base, self.weight, kind.size) for k in wide
        ]
        if self.nest is not None:
            take_element(self.nest, counts, memory.name, many, max(1, kind.size), self.on, before)
        return places[0] if len(places) == 1 else np.concatenate(places)

    def assign_to(self, node: Any, value: Slot) -> Slot:
        """Store a value."""
        if type(node).__name__ == "ID":
            held = self.find(str(node.name))
            if held is not None and not isinstance(held.value, Reference) and held.t.name != REFERENCE:
                self.set_variable(held, value)
                return held.value
        place = self.place(node)
        return self.store(place, value, node)

    def set_variable(self, held: Variable, value: Slot) -> None:
        """Give a variable a value in the lanes that run."""
        value = self.coerce(value, held.t) if not isinstance(value, Address) else value
        if self.follows_conditions and id(held) in self.decided and isinstance(value, Number) and not held.t.real:
            # A whole number that data decide about follows from them: what counts them is work.
            value = Number(value.v, value.t, max(value.data, DATA), value.step)
        if self.on is held.since or held.value is None or type(held.value) is not type(value):
            held.value = value
            return
        held.value = self.choose(self.on.mask, value, held.value, KNOWN, None)
        chosen = held.value
        if (
            isinstance(chosen, Number)
            and isinstance(chosen.v, np.ndarray)
            and not held.t.real
            and held.t is not DYNAMIC
        ):
            chosen.t = held.t

    def store(self, place: Address | Reference, value: Slot, node: Any) -> Slot:
        """Store a value somewhere."""
        if isinstance(place, Reference):
            return self.store_in(place, value, node)
        if place.t.members and isinstance(value, Structure):
            return self.store_members(place, value, node)
        number = self.as_number(value, node)
        if isinstance(place.memory, Held):
            if place.memory.shared and not self.silent:
                self.let_go(place.memory.name)
                self.touch_shared(place)
            if not place.memory.constant:
                write_held(place.memory, place.at, self.convert(number, place.t), self.on.mask, self.own)
                place.memory.step = self.whole_work.join(place.memory.step, number.step)
        else:
            self.touch(place, node, stores=True)
            self.use_whole(number)
        return number

    def store_members(self, place: Address, value: Structure, node: Any) -> Structure:
        """Store a structure somewhere."""
        if place.t.size in (4, 8, 16) and isinstance(place.memory, Global):
            self.touch(place, node, stores=True)
            self.use_whole(*(v for v in value.fields.values() if isinstance(v, Number)))
            return value
        for name, t, offset, dims in place.t.members:
            held = value.fields.get(name)
            part = Address(place.memory, place.at + offset, t, (), place.data, place.origin)
            if not dims and held is not None:
                self.store(part, held, node)
            elif isinstance(held, Address) and isinstance(held.memory, Held) and math.prod(dims) <= MOST_COPIED:
                for k in range(math.prod(dims)):
                    element = Address(place.memory, part.at + k * t.size, t, (), place.data)
                    self.store(element, read_held(held.memory, held.at + k * t.size, t, self.own), node)
        return value

    def store_in(self, place: Reference, value: Slot, node: Any) -> Slot:
        """Store a value in a variable, or in a member of a structure that registers hold."""
        held = place.names[place.name]
        if isinstance(held, Variable):
            if isinstance(held.value, Reference):
                return self.store(held.value, value, node)
            self.set_variable(held, value)
            return held.value
        stored = value
        if not isinstance(value, Address) and isinstance(held, (Number, Structure)):
            stored = self.coerce(value, held.t)
        if self.on is not self.all and type(stored) is type(held):
            stored = self.choose(self.on.mask, stored, held, KNOWN, node)
        place.names[place.name] = stored
        return stored
