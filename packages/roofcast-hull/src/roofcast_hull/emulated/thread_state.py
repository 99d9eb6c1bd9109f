"""What the threads of a block hold while they run: lanes, names, calls, loops, and what waits for memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.resource import Resource
from roofcast_hull.emulated.device_library import CALL_INSTRUCTIONS, CALLS, DIVIDE_BY_KNOWN, DIVIDE_INSTRUCTIONS
from roofcast_hull.emulated.device_memory import (
    UNSAID,
    Address,
    Held,
    Number,
    Reference,
    Slot,
    Structure,
    copy_held,
    make_held,
)  # fmt: skip
from roofcast_hull.emulated.traffic import WARP, Traffic
from roofcast_hull.emulated.value_types import DYNAMIC, INT, LONG, UCHAR, UINT, Type, Types, find_common
from roofcast_hull.emulated.whole_work import WholeWork
from roofcast_hull.source.nest import refuse

Bools = NDArray[np.bool_]
SEARCHED, ENDED = "which way a search goes", "ends where data decide"
"""What notes say of work that data alone bound."""
LARGEST_INDEX = 1 << 28
"""Elements of arrays whose places become numbers; larger ones are keys and states of generators."""


@dataclass(slots=True, eq=False)
class Lanes:
    """Lanes that run."""

    mask: Bools
    count: int
    warps: int


def make_lanes(mask: Bools) -> Lanes:
    """Lanes of a mask."""
    return Lanes(mask, int(mask.sum()), int(mask.reshape(-1, WARP).any(axis=1).sum()))


@dataclass(slots=True)
class Variable:
    """A name's value, its type, and the lanes that declared it."""

    value: Slot
    t: Type
    since: Lanes
    under: tuple[Any, ...] = ()
    """Conditions that data decide, and that held where it was declared."""


@dataclass(slots=True)
class Loop:
    """A loop that runs."""

    turns: bool = False
    """Whether it is a loop, not a switch."""
    broke: NDArray[np.bool_] | None = None
    waiting: NDArray[np.bool_] | None = None
    """Lanes that went on to the next turn."""
    steps: dict[tuple[bool, frozenset[str]], float] = field(default_factory=lambda: defaultdict(float))
    stores: bool = False
    waits: bool = False
    """Whether a barrier is inside."""
    multiplies: bool = False
    """Whether matrix units work inside: compilers load what they take some turns ahead."""
    taken: float = 0.0
    """Turns of warps."""
    asked: set[str] = field(default_factory=set)
    """Names in its condition."""
    rolled: bool = False
    """Whether a loop inside it stays one."""


@dataclass(slots=True)
class Nest:
    """Loops over the elements of a tensor."""

    entered: float
    """Lanes' turns each count so many."""
    elements: float = 0.0
    """Of the tensor, each lane's turns counted."""
    innermost: bool = True
    """Whether no loop ran in the turn that ends."""
    last: dict[str, Any] = field(default_factory=dict)
    """Array -> addresses of the access before."""
    wide: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    """Bytes of an element -> accesses of warps to such that lie side by side."""


@dataclass(slots=True)
class Frame:
    """A call."""

    names: dict[str, Variable] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    """Those whose number a compiler knows."""
    left: Bools | None = None
    """Lanes that returned."""
    result: Slot | None = None
    returns: Type = DYNAMIC
    loops: list[Loop] = field(default_factory=list)


@dataclass(slots=True)
class NodeFacts:
    """What nodes say, in whichever turn of a loop they are met."""

    keys: dict[int, str] = field(default_factory=dict)
    """Expression -> its text."""
    literals: dict[int, tuple[Any, Number]] = field(default_factory=dict)
    """Literal -> itself, which keeps its place in memory, and its number."""
    operations: dict[int, tuple[Any, bool, bool, set[str] | None]] = field(default_factory=dict)
    """Operation -> itself, whether it is no work, whether it is constant, and its names where it has nothing but names
    and numbers.
    """


@dataclass(slots=True)
class Phase:
    """Loads that do not wait for each other."""

    loads: bool = False
    deep: bool = False
    arrays: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Sides:
    """The two sides of a condition: what the first stores, by the text of its place."""

    second: bool = False
    stored: dict[str, tuple[str, Any, Bools]] = field(default_factory=dict)


class ThreadState(ABC):
    """The state of a block; what runs in it follows in further classes."""

    follows_conditions = False
    """Whether whole numbers that are set where data decide count as data."""
    placing = 0
    """Addresses that are computed: whole numbers that they go on by are no work, real ones are."""
    filled: Mapping[str, Any] = {}
    """What the host fills arrays with of which loops ask how often they run."""
    updating = False
    """Whether the address is that of an atomic update: what is counted there, bits of data say."""

    def __init__(
        self, types: Types, functions: Mapping[str, Sequence[Any]], traffic: Traffic, block: Sequence[int],
        grid: Sequence[int], *, restricted: bool = False,
    ) -> None:  # fmt: skip
        self.types, self.functions, self.traffic = types, functions, traffic
        self.restricted = restricted
        threads = int(np.prod(block))
        self.lanes = -(-threads // WARP) * WARP
        self.own = np.arange(self.lanes, dtype=np.int64)
        self.all = make_lanes(self.own < threads)
        self.none = Lanes(np.zeros(self.lanes, dtype=bool), 0, 0)
        x, y = block[0], block[0] * block[1]
        index = (self.own % x, self.own // x % block[1], self.own // y)
        self.places: dict[str, dict[str, Any]] = {
            "threadIdx": {a: (index[k] if block[k] > 1 else 0) for k, a in enumerate("xyz")},
            "blockDim": dict(zip("xyz", block, strict=True)), "gridDim": dict(zip("xyz", grid, strict=True)),
            "blockIdx": {"x": 0, "y": 0, "z": 0},
        }  # fmt: skip
        self.templates: Mapping[str, Sequence[str]] = {}
        """Names of the parameters of functions' templates."""
        self.loaded_types: dict[str, str] = {}
        """Array -> type of its elements where it was touched last."""
        self.file: dict[str, Variable] = {}
        """What the file declares outside of functions, and the sizes of the launch."""
        self.shared: dict[str, Held] = {}
        self.notes: dict[str, None] = {}
        self.statements = 0
        self.leapt = False
        """Whether turns of a loop were left out."""
        self.averaged = False
        """Whether data decide between sides that both compute: operations are those of the mean side."""
        self.last_sides = 1
        """Sides of the condition that ran last."""
        self.decided = frozenset[int]()
        """Variables that stood there before the condition of data that the lanes are under."""
        self.together = False
        """Whether threads waited for each other or asked each other: what they do then is no sum of what each does."""
        self.texts = NodeFacts()
        self.divided: dict[str, int] = {}
        """Quotient of whole numbers -> the node that stands for it first."""
        self.on = self.all
        self.weight = 1.0
        self.phase = Phase()
        self.sides: Sides | None = None
        """Of the condition that the lanes are under."""
        self.frame = Frame()
        self.depth = 0
        self.loaded: dict[str, tuple[str, Any]] = {}
        """Text of an element that a register still holds -> type of its array, and addresses."""
        self.vectors: dict[str, tuple[list[Any], Any]] = {}
        """Array in shared memory -> addresses that the last load of it takes at once, and its lanes."""
        self.unsaid = ""
        """A number that the file does not say, asked last."""
        self.whole_work = WholeWork()
        self.ends = False
        """Whether the last turn of a loop runs too, to say how far arrays of unknown size go."""
        self.silent = False
        """Whether a condition is only tried."""

    roles: Mapping[int, str] = {}
    """Place in the code that loads elements -> what the name of their array ends with there."""
    tensors = False
    """Whether loops but those of the program go over elements of tensors, which threads hold side by side."""
    nest: Nest | None = None
    """The loops over elements that run."""
    exact = False
    """Whether every turn of every loop runs, for its numbers are looked at."""

    def watch_loop(self, parts: tuple[Any, Any, Any]) -> Any:
        """Who looks at a loop's turns, where they all run. parts : its condition, its body and what follows a turn."""
        return None

    @abstractmethod
    def evaluate(self, node: Any) -> Slot:
        """The value of an expression."""

    @abstractmethod
    def run(self, node: Any) -> None:
        """Run a statement in the lanes that are on."""

    def flush(self) -> None:
        """Loads so far are waited for."""
        phase = self.phase
        if phase.loads:
            steps = self.frame.loops[-1].steps if self.frame.loops else self.traffic.counts.steps
            steps[phase.deep, frozenset(phase.arrays)] += self.weight
            self.phase = Phase()

    def tell(self, node: Any, what: str) -> None:
        """Note what was assumed of a line."""
        self.notes[f"line {line_of(node)}: {what}"] = None

    def note_asked(self, condition: Number) -> None:  # noqa: B027 - only some ask
        """Note what a loop's condition follows from, where that is asked for."""

    def find(self, name: str) -> Variable | None:
        """What a name stands for."""
        return self.frame.names.get(name) or self.file.get(name)

    def say(self, value: Slot, name: str) -> Slot:
        """A value; a number that the file does not say is none that an address or a loop may ask for."""
        if isinstance(value, Number) and value.v is None:
            self.unsaid = name
            return Number(1.0 if value.t.real else 1, value.t, UNSAID)
        return value

    def refuse_unsaid(self, node: Any) -> None:
        """Refuse what asks for a number that the file does not say."""
        raise refuse(line_of(node), f"the file does not say '{self.unsaid}'")

    def follow(self, value: Reference) -> Variable:
        """The variable behind another name."""
        held = value.names[value.name]
        if isinstance(held, Variable):
            return self.follow(held.value) if isinstance(held.value, Reference) else held
        return Variable(held, held.t, self.all)

    def number(self, node: Any) -> Number:
        """The number that an expression is."""
        return self.as_number(self.evaluate(node), node)

    def as_number(self, value: Slot, node: Any) -> Number:
        """A number: an address is one that is not 0."""
        if isinstance(value, Number):
            return value
        if isinstance(value, Address):
            return Number(1, LONG)
        if isinstance(value, Structure) and len(value.fields) == 1:
            return self.as_number(next(iter(value.fields.values())), node)
        raise refuse(line_of(node), "a structure where a number is wanted")

    def convert(self, value: Number, kind: Type) -> Number:
        """A number as another type holds it."""
        if kind is DYNAMIC or kind.members or value.v is None:
            return value
        v = value.v
        many = isinstance(v, np.ndarray)
        if kind.real:
            if not value.t.real:
                v = v.astype(np.float64) if many else float(v)
        elif value.t.real or (many and v.dtype == np.float64):
            v = (
                np.trunc(np.clip(np.nan_to_num(v), -4e18, 4e18)).astype(np.int64)
                if many
                else (int(v) if abs(v) < 4e18 else 0)
            )
        elif many and v.dtype == bool:
            v = v.astype(np.int64)
        if kind in (UINT, UCHAR) or (kind.size < 4 and not kind.real):
            v = v & ((1 << 8 * kind.size) - 1) if not kind.signed else v
        if kind.real and not value.t.real:
            self.use_whole(value)
        return Number(v, kind, value.data, value.step)

    def coerce(self, value: Slot, kind: Type) -> Slot:
        """A value as a variable of some type holds it."""
        if isinstance(value, Number):
            if kind.members:
                return Structure(kind, {n: self.coerce(value, t) for n, t, _, _ in kind.members})
            return self.convert(value, kind)
        if isinstance(value, Structure):
            return Structure(value.t, {n: copy_held(v) for n, v in value.fields.items()})
        return value

    def empty(self, kind: Type, dims: tuple[int, ...] = ()) -> Slot:
        """What a variable holds that nothing was stored in."""
        if dims:
            held = make_held("", kind, dims, self.lanes, shared=False)
            return Address(held, 0, kind, dims[1:]) if held is not None else Number(0)
        if kind.members:
            return Structure(kind, {n: self.empty(t, d) for n, t, _, d in kind.members})
        return Number(0.0 if kind.real else 0, kind)

    def choose(self, a: Any, yes: Slot, no: Slot, data: int, node: Any) -> Slot:
        """Choose one of two values for each lane."""
        if isinstance(yes, Structure) and isinstance(no, Structure):
            return Structure(yes.t, {n: self.choose(a, yes.fields[n], no.fields[n], data, node) for n in yes.fields})
        if isinstance(yes, Address) and isinstance(no, Address) and yes.memory is no.memory:
            return Address(yes.memory, np.where(a, yes.at, no.at), yes.t, yes.dims, max(yes.data, no.data, data))
        if isinstance(yes, Address):
            return yes
        if isinstance(no, Address):
            return no
        x, y = self.as_number(yes, node), self.as_number(no, node)
        kind = find_common(x.t, y.t)
        return Number(np.where(a, x.v, y.v), kind, max(x.data, y.data, data), self.whole_work.join(x.step, y.step))

    def read_type(self, node: Any) -> tuple[Type, tuple[int, ...], bool]:
        """Type of the elements, sizes of dimensions, and whether it is an address."""
        dims: list[int] = []
        pointed = False
        while type(node).__name__ in ("ArrayDecl", "PtrDecl"):
            if type(node).__name__ == "ArrayDecl":
                dims.append(int(self.number(node.dim).v) if node.dim is not None else 0)
            else:
                pointed = True
                if dims:
                    dims.append(1)
            node = node.type
        return self.types.of(node), tuple(dims), pointed

    def count_operations(self, kind: Type, each: float) -> None:
        """Operations of all lanes that run."""
        if not self.silent:
            resource = kind.computes if kind.real else Resource.OPS_INT32
            self.traffic.counts.flops[resource] += each * self.on.count * self.weight
            if kind.real or not self.placing:
                self.traffic.counts.operations += each * self.on.count * self.weight

    def note_whole(self, left: Number, right: Number, result: Any, op: str) -> int:
        """An operation on whole numbers that no data enter: its number.

        result : what it makes, before that is cut to its bits. Indices hardly have an exclusive or.
        """
        amount = 0.0 if self.silent else self.on.count * self.weight
        large = op == "^" or is_large(result) or is_large(left.v) or is_large(right.v)
        return self.whole_work.note(amount, left.step, right.step, large=large, shifts=op in ("<<", ">>"))

    def use_whole(self, *values: Number) -> None:
        """Whole numbers become part of what the algorithm computes."""
        for value in values:
            self.whole_work.use(value.step)

    def mark_work(self) -> tuple[float, int]:
        """How much was counted so far: operations of data, and steps on whole numbers."""
        return self.traffic.counts.operations, len(self.whole_work.amounts)

    def average_work(self, sides: Sequence[tuple[Any, Any, int]]) -> int:
        """Let each lane do one of several sides: the mean of those that compute, instead of their sum.

        A side that computes nothing is none: what stands under a condition without another side counts whole.

        sides : marks before and after each (:meth:`mark_work`), and how many sides it has itself, as ``else if`` has.
        Returns how many compute.
        """
        computing = [s for s in sides if s[1][0] > s[0][0]]
        every = sum(n for *_, n in computing)
        if len(computing) > 1:
            for before, after, several in computing:
                self.scale_work(before, after, several / every)
        return max(1, every)

    def scale_work(self, before: Any, after: Any, share: float) -> None:
        """Count a share of what was counted between two marks."""
        self.traffic.counts.operations -= (1.0 - share) * (after[0] - before[0])
        amounts = self.whole_work.amounts
        amounts[before[1] : after[1]] = [share * a for a in amounts[before[1] : after[1]]]
        self.averaged = True

    def end_turn(self) -> None:
        """A turn of a loop ends."""
        self.flush()

    def count_comparison(self) -> None:
        """A comparison of data, a count of its bits or an update, which are operations of classes alone."""
        if not self.silent and not self.placing:
            self.traffic.counts.operations += self.on.count * self.weight

    def count_call(self, name: str, kind: Type) -> None:
        """What a function takes beyond one operation."""
        if name in CALLS and kind.real and kind.size >= 4 and not self.silent:
            beyond = CALLS[name][kind.size == 8]
            self.traffic.counts.flops[kind.computes] += beyond * self.on.count * self.weight
            self.traffic.counts.issued += CALL_INSTRUCTIONS[name][kind.size == 8] * self.on.warps * self.weight
            self.traffic.counts.flops_of_calls += beyond * self.on.count * self.weight

    def count_division(self, node: Any, divided: Any, kind: Type) -> None:
        """Instructions of a division of whole numbers; quotient and remainder of the same are one.

        divided : what each lane divides; what all share is divided once, before loops.
        """
        right = getattr(node, "right", None) or getattr(node, "rvalue", None)
        left = getattr(node, "left", None) or getattr(node, "lvalue", None)
        if self.silent or right is None or not isinstance(divided, np.ndarray):
            return
        key = f"{self.find_key(left)} / {self.find_key(right)}"
        payer = self.divided.setdefault(key, id(node))
        if payer != id(node):
            cost = 1.0
        elif self.is_known(right):
            by = self.number(right).v
            plain = isinstance(by, (int, np.integer)) and by > 0 and by & (by - 1) == 0
            cost = 1.0 if plain else DIVIDE_BY_KNOWN
        else:
            cost = DIVIDE_INSTRUCTIONS[kind.size > INT.size]
        self.traffic.counts.issued += cost * self.on.warps * self.weight

    def is_known(self, node: Any) -> bool:
        """Whether a compiler knows a number: literals, and constants of the file and of templates."""
        kind = type(node).__name__
        if kind == "Constant":
            return True
        if kind == "ID":
            # What is neither given nor declared here is a constant of the file, of a template or of the preprocessor.
            return str(node.name) not in self.frame.names or str(node.name) in self.frame.known
        if kind in ("BinaryOp", "UnaryOp", "Cast"):
            return all(self.is_known(c) for label, c in node.children() if label != "to_type")
        return False

    def find_key(self, node: Any) -> str:
        """An expression as text."""
        if node is None:
            return ""
        key = self.texts.keys.get(id(node))
        if key is None:
            from pycparser import c_generator

            key = self.texts.keys[id(node)] = str(c_generator.CGenerator().visit(node))
        return key

    def merge(self, before: Lanes, mask: Bools) -> None:
        """Lanes that go on; the same object where none left."""
        self.on = before if (mask == before.mask).all() else make_lanes(mask)


@cache
def name_method(does: str, kind: str) -> str:
    """The method for nodes of a kind. does : "evaluate" or "run"."""
    return f"{does}_{kind.lower()}"


def is_large(value: Any) -> bool:
    """Whether a number, or one of many, is beyond any index."""
    if isinstance(value, np.ndarray):
        return bool(value.max() > LARGEST_INDEX or value.min() < -LARGEST_INDEX)
    return bool(abs(value) > LARGEST_INDEX)


def line_of(node: Any) -> int:
    """The line of a node."""
    return int(getattr(getattr(node, "coord", None), "line", 1) or 1)
