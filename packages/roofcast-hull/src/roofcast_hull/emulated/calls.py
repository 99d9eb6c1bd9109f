"""Calls: functions of the file, of CUDA and of the math library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.resource import Resource
from roofcast_hull.emulated import device_library as library
from roofcast_hull.emulated.device_library import KINDS_OF_CALLS, UPDATE_CYCLES
from roofcast_hull.emulated.device_memory import (
    DATA,
    EVEN,
    KNOWN,
    Address,
    Held,
    Number,
    Reference,
    Slot,
    Structure,
    make_up,
    read_held,
)  # fmt: skip
from roofcast_hull.emulated.lane_arithmetic import tame, whole
from roofcast_hull.emulated.thread_expressions import Expressions
from roofcast_hull.emulated.thread_state import Frame, Variable, line_of
from roofcast_hull.emulated.traffic import WARP
from roofcast_hull.emulated.value_types import (
    DOUBLE,
    DYNAMIC,
    FLOAT,
    HALF,
    INT,
    LONG,
    UINT,
    VECTORS,
    Type,
    find_common,
)  # fmt: skip
from roofcast_hull.source.builder import PACKED
from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_tree import called
from roofcast_hull.source.fixed_numbers import is_of_launch
from roofcast_hull.source.nest import SourceError, refuse

TEMPLATE = "template_of"
"""What looks like the first argument of a call and holds the parameters of the function's template."""
DEEPEST = 40
"""Functions inside each other."""
LOADS = frozenset({"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldlu", "__ldcv"})
STORES = frozenset({"__stcs", "__stcg", "__stwt", "__stwb"})
VOTES = ("__ballot", "__any", "__all", "__syncthreads_", "__reduce_")
OWN = "__own"
"""Ends the name of a sum of a turn's own, which is one term of what all turns add up, and no work beside its terms."""
BITS = ("__popc", "__ffs", "__clz", "__brev")
MATRIX_MULTIPLY = "__matrix_multiply"
"""Of a warp: products, and bits of what is multiplied (17 for bfloat16, 19 for TF32, 9 for FP8)."""
SHARED_TRAFFIC = "__shared_traffic"
"""Of a warp: bytes that go to and from shared memory without conflicts of banks, and those of them that need not where
four warps multiply as one (``wgmma``)."""
LOADED_AT_ONCE = 4.0
"""Rows of 128 bytes that an instruction loads for matrix units (``ldmatrix.x4``)."""
TENSOR = {
    8: Resource.OPS_TENSOR_INT8, 16: Resource.FLOPS_TENSOR_FP16, 17: Resource.FLOPS_TENSOR_BF16,
    19: Resource.FLOPS_TENSOR_TF32, 64: Resource.FLOPS_TENSOR_FP64, 9: Resource.FLOPS_TENSOR_FP8,
    32: Resource.FLOPS_FP32,
}  # fmt: skip
SHARED_BYTES = 128
"""B of an access of a warp to shared memory."""
FIXED: dict[str, tuple[int, Type]] = {"clock": (0, LONG), "clock64": (0, LONG), "__activemask": (0xFFFFFFFF, UINT)}


class Calls(Expressions):
    """Evaluates calls."""

    def argue(self, node: Any) -> Slot:
        """An argument; names are handed over so that a reference may store in them."""
        if type(node).__name__ in ("ID", "ArrayRef", "StructRef"):
            value = self.evaluate(node)
            if (
                isinstance(value, (Number, Structure))
                and type(node).__name__ == "ID"
                and self.find(str(node.name)) is not None
            ):
                return self.place(node)
            return value
        return self.evaluate(node)

    def evaluate_funccall(self, node: Any) -> Slot:
        """A function of the file, of CUDA or of the math library."""
        arguments = list(node.args.exprs) if node.args else []
        if type(node.name).__name__ == "StructRef":
            raise refuse(line_of(node), f"the call of '{node.name.field.name}' is not followed")
        name = called(node)
        held = self.find(name)
        if held is not None and isinstance(held.value, Structure):
            return self.call("operator_call", [held.value, *(self.argue(a) for a in arguments)], node)
        if name in self.functions:
            first = arguments[:1]
            template = list(first[0].args.exprs) if first and called(first[0]) == TEMPLATE else []
            given = arguments[1:] if template else arguments
            return self.call(name, [self.argue_for(name, k, a) for k, a in enumerate(given)], node, template)
        before = self.traffic.counts.operations
        result = self.call_library(name, arguments, node)
        if is_of_launch(node):
            self.traffic.counts.operations = before
        return result

    def argue_for(self, name: str, at: int, node: Any) -> Slot:
        """An argument of one parameter: the place of it, where it is taken by reference."""
        for function in self.functions[name]:
            parameters = getattr(function.decl.type.args, "params", None) or ()
            referred = at < len(parameters) and str(parameters[at].name).endswith(REFERENCE)
            if referred and type(node).__name__ in ("ID", "ArrayRef", "StructRef", "UnaryOp"):
                return self.place(node)
        held = self.find(str(node.name)) if type(node).__name__ == "ID" else None
        if held is not None and isinstance(held.value, Reference) and not str(node.name).endswith(REFERENCE):
            # A pointer to a variable of a function that called goes on as it is.
            return held.value
        return self.evaluate(node)

    def call_library(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """A function that the file does not hold."""
        if name == "__syncthreads":
            self.wait()
            return Number(0)
        if name in FIXED:
            return Number(*FIXED[name])
        if name in library.SILENT:
            return Number(0)
        if name.startswith("make_") and name[5:] in VECTORS:
            return self.make_vector(VECTORS[name[5:]], [self.evaluate(n) for n in nodes])
        if nodes and (name.startswith(("atomic", "red")) or name in LOADS or name in STORES):
            return self.call_access(name, nodes, node)
        if name.rstrip("f") in ("sincos", "__sincos", "sincospi") and len(nodes) == 3:
            angle = self.number(nodes[0])
            sine = self.as_number(self.compute("__sinf" if name.startswith("__") else "sin", [angle], node), node)
            for target, value in zip(nodes[1:], (sine, self.pair_cosine(angle, sine)), strict=True):
                self.store(self.dereference(self.evaluate(target), node), value, node)
            return Number(0)
        if name in self.own_words:
            return self.own_words[name](self, nodes)
        if not known_call(name):
            raise refuse(line_of(node), f"the call of '{name[:40]}' is not followed")
        return self.call_known(name, [self.evaluate(n) for n in nodes], node)

    def pair_cosine(self, angle: Number, sine: Number) -> Number:
        """The cosine that comes with a sine: both are one operation."""
        return Number(np.cos(np.asarray(angle.v, dtype=float))[()], sine.t, sine.data)

    def multiply_matrices(self, nodes: list[Any]) -> Number:
        """Products of a matrix unit, one call of each warp: how many, and of which numbers."""
        products, bits = (int(self.number(n).v) for n in nodes)
        if not self.silent:
            self.traffic.counts.flops[TENSOR[bits]] += 2.0 * products * self.on.warps * self.weight
            self.traffic.counts.operations += 2.0 * products * self.on.warps * self.weight
        for loop in self.frame.loops:
            loop.multiplies = True
        return Number(0)

    def move_shared(self, nodes: list[Any]) -> Number:
        """Bytes that each warp moves to and from shared memory, without conflicts of banks."""
        if not self.silent:
            moved = float(self.number(nodes[0]).v) * self.on.warps
            if len(nodes) > 1:
                self.traffic.counts.shared_by_groups += float(self.number(nodes[1]).v) * self.on.warps * self.weight
            self.traffic.counts.shared += moved / SHARED_BYTES * self.weight
            self.traffic.counts.accesses -= (1.0 - 1.0 / LOADED_AT_ONCE) * moved / SHARED_BYTES * self.weight
        return Number(0)

    def count_stated(self, nodes: list[Any]) -> Number:
        """Operations on whole numbers that a function of a library does."""
        self.count_operations(UINT, float(self.number(nodes[0]).v))
        return Number(0)

    def refuse_launch(self, _: list[Any]) -> Number:
        """A launch that a thread does."""
        raise SourceError("it launches kernels itself (dynamic parallelism): how many is not followed")

    def copy_bytes(self, nodes: list[Any]) -> Slot:
        """``memcpy(&word, a.bytes, 4)``: a variable takes bytes as they are, an array those of another one."""
        to, source = self.evaluate(nodes[0]), self.evaluate(nodes[1])
        count = self.number(nodes[2])
        if not isinstance(source, Address) or not isinstance(to, (Address, Reference)) or count.data >= DATA:
            raise refuse(line_of(nodes[0]), "what 'memcpy' copies is not followed")
        kind = to.t if isinstance(to, Address) else self.follow(to).t
        for k in range(int(np.max(count.v)) // max(1, kind.size)):
            at = k * kind.size
            value = self.load(Address(source.memory, source.at + at, kind, (), source.data, source.origin), nodes[1])
            place = to if isinstance(to, Reference) else Address(to.memory, to.at + at, kind, (), to.data, to.origin)
            self.store(place, value, nodes[0])
        return to

    def part_number(self, nodes: list[Any]) -> Slot:
        """``frexp(x, &e)``: a number in two parts, the other one where an address leads to; one operation."""
        part = self.as_number(self.compute("trunc", [self.number(nodes[0])], nodes[0]), nodes[0])
        self.store(self.dereference(self.evaluate(nodes[1]), nodes[1]), part, nodes[1])
        return part

    own_words: ClassVar[dict[str, Callable[[Calls, list[Any]], Slot]]] = {
        MATRIX_MULTIPLY: multiply_matrices, SHARED_TRAFFIC: move_shared, "__operations": count_stated,
        "launch_inside_a_kernel": refuse_launch, "__unknown_number": lambda *_: Number(12345, UINT, DATA),
        "__cvta_generic_to_shared": lambda self, nodes: self.evaluate(nodes[0]), "memcpy": copy_bytes,
        **dict.fromkeys(("frexp", "frexpf", "frexpl", "modf", "modff", "modfl"), part_number),
    }  # fmt: skip
    """What our own declarations call, and what hands an address on."""

    def wait(self) -> None:
        """A barrier: loads are waited for, and what registers hold of memory may have changed."""
        self.together = True
        self.flush()
        self.loaded, self.vectors = {}, {}
        self.traffic.joining.clear()
        for loop in self.frame.loops:
            loop.waits = True

    def make_vector(self, kind: Type, values: list[Slot]) -> Structure:
        """``make_float4(x, y, z, w)``."""
        values = values * len(kind.members) if len(values) == 1 else values
        pairs = zip(kind.members, values, strict=False)
        return Structure(kind, {m: self.coerce(v, t) for (m, t, _, _), v in pairs})

    def call_access(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """An atomic update, or a load or store with a hint to caches."""
        if name in LOADS:
            return self.load(self.dereference(self.evaluate(nodes[0]), node), node)
        if name in STORES and len(nodes) > 1:
            return self.store(self.dereference(self.evaluate(nodes[0]), node), self.evaluate(nodes[1]), nodes[0])
        return self.update(name, nodes, node)

    def call_known(self, name: str, values: list[Slot], node: Any) -> Slot:
        """Shuffles, votes, counts of bits, mathematics."""
        if (match := library.SHUFFLE.fullmatch(name)) and values:
            values, self.together = values[1:] if name.endswith("_sync") else values, True
            return self.exchange(match["kind"] or "", values, node)
        numbers = [v for v in values if isinstance(v, Number)]
        data = max((v.data for v in numbers), default=KNOWN)
        if name.startswith(VOTES) and numbers:
            self.together = True
            if name.startswith("__syncthreads"):
                self.wait()
            return Number(library.vote(name, numbers[-1].v, self.on.mask), UINT, data)
        if name.startswith(BITS) and numbers:
            if data >= DATA:
                self.count_comparison()
            return Number(library.count_bits(whole(numbers[0].v), name), INT, data)
        if name in library.MULTIPLIED and len(numbers) == len(values) == 2:
            return self.multiply_high(name, *numbers)
        return self.compute(name, values, node)

    def multiply_high(self, name: str, left: Number, right: Number) -> Number:
        """The upper half of a product."""
        kind, data = find_common(left.t, right.t), max(left.data, right.data)
        result = library.multiply_high(whole(left.v), whole(right.v), library.MULTIPLIED[name])
        if data >= DATA:
            self.count_operations(kind, 1.0)
            self.use_whole(left, right)
            return Number(result, kind, data)
        return Number(result, kind, data, self.note_whole(left, right, result, "*"))

    def exchange(self, kind: str, values: list[Slot], node: Any) -> Slot:
        """A shuffle."""
        if isinstance(values[0], Structure):
            return Structure(
                values[0].t, {n: self.exchange(kind, [v, *values[1:]], node) for n, v in values[0].fields.items()}
            )
        value, by = self.as_number(values[0], node), self.as_number(values[1], node)
        width = int(np.max(self.as_number(values[2], node).v)) if len(values) > 2 else WARP
        return Number(library.shuffle(kind, value.v, whole(by.v), max(1, width), self.lanes), value.t, value.data)

    def compute(self, name: str, values: list[Slot], node: Any) -> Slot:
        """A function of mathematics, or a conversion."""
        structure = next((v for v in values if isinstance(v, Structure)), None)
        if match := library.CONVERSION.fullmatch(name):
            return self.convert_by(name, match, values, node)
        if structure is not None and not name.startswith("__low") and not name.startswith("__high"):
            parts = {
                n: self.compute(name, [v.fields[n] if isinstance(v, Structure) else v for v in values], node)
                for n in structure.fields
            }
            return Structure(structure.t, parts)
        if structure is not None:
            held = structure.fields["x" if name.startswith("__low") else "y"]
            return Number(held.v, FLOAT if "float" in name else held.t, held.data)
        numbers = [self.as_number(v, node) for v in values]
        bare = library.find_name(name)
        kind = numbers[0].t if numbers else INT
        for other in numbers[1:]:
            kind = find_common(kind, other.t)
        data = max((n.data for n in numbers), default=KNOWN)
        function = library.EXACT.get(bare) or library.SUMS.get(bare) or library.PLAIN[bare]
        if bare in library.EXACT:
            kind = kind if kind.real else DOUBLE
            self.count_operations(kind, 1.0)
            if not name.startswith("__"):
                self.count_call(KINDS_OF_CALLS.get(bare, bare), kind)
        else:
            self.count_operations(
                kind, float(PACKED[name] if name.startswith("__dp") else 2 if bare in ("fma", "mad") else 1)
            ) if kind.real or data == DATA else None
        with quietly(overflow=True):
            try:
                result = function(*(n.v for n in numbers))
            except (TypeError, ValueError) as error:
                raise refuse(line_of(node), f"the call of '{name[:40]}' is not followed") from error
        return Number(tame(result[()] if isinstance(result, np.ndarray) and result.ndim == 0 else result), kind, data)

    def convert_by(self, name: str, match: Any, values: list[Slot], node: Any) -> Slot:
        """``__half22float2``, ``__float2half_rn``, ``__floats2half2_rn``, ``__float_as_int``."""
        to = match["to"] or match["bits"]
        if to in ("half2", "bfloat162", "float2"):
            kind = VECTORS["float2" if to == "float2" else "half2"]
            if isinstance(values[0], Structure):
                parts: list[Slot] = list(values[0].fields.values())
            else:
                parts = values if len(values) > 1 else values * 2
            single = FLOAT if to == "float2" else HALF
            return Structure(
                kind, {m: self.convert(self.as_number(p, node), single) for m, p in zip("xy", parts, strict=False)}
            )
        value = self.as_number(values[0], node)
        if match["bits"]:
            kind = {"float": FLOAT, "double": DOUBLE, "longlong": LONG}.get(to, INT)
            return Number(value.v if not value.t.real else 1, kind, max(value.data, EVEN))
        return self.convert(value, library.CONVERTED[to])

    def place_update(self, target: Any, node: Any) -> Address | Reference:
        """The place that an atomic updates."""
        self.updating = True
        try:
            return self.dereference(self.evaluate(target), node)
        finally:
            self.updating = False

    def update(self, name: str, nodes: list[Any], node: Any) -> Slot:
        """An atomic update."""
        place = self.place_update(nodes[0], node)
        values = [self.number(n) for n in nodes[1:]]
        self.use_whole(*values)
        if isinstance(place, Reference):
            return self.follow(place).value
        if isinstance(place.memory, Held):
            self.touch_shared(place)
            self.count_comparison()
            before = read_held(place.memory, place.at, place.t, self.own)
            place.memory.data = DATA
            return Number(before.v, before.t, DATA)
        memory, at = place.memory, place.at
        spread = (memory.extent or np.inf) if place.data == DATA else None
        if place.data == DATA:
            self.traffic.counts.scattered.add(memory.name)
            at = at % max(place.t.size, int(memory.extent)) if memory.extent else at
        if not self.silent and self.on.count:
            many = at if isinstance(at, np.ndarray) else np.full(self.lanes, int(at), dtype=np.int64)
            real, wide = place.t.real, place.t.size > INT.size
            self.traffic.update(
                memory.name, many // max(1, place.t.size), self.on.mask, memory.base, self.weight,
                size=place.t.size, cycles=UPDATE_CYCLES[real], spread=spread,
                merged=not real and not wide and not isinstance(at, np.ndarray),
            )  # fmt: skip
            if not str(getattr(nodes[-1], "name", "")).endswith(OWN):
                self.count_comparison()
        if name.startswith("atomicCAS") and values:
            # The first try succeeds: how often others come between is not known.
            return values[0]
        return make_up(memory, at, place.t)

    def call(self, name: str, arguments: Sequence[Slot], node: Any, template: Sequence[Any] = ()) -> Slot:
        """Run a function of the file."""
        if self.depth >= DEEPEST:
            raise refuse(line_of(node), "functions call each other too deeply")
        function = self.pick(name, arguments, node)
        outer, entered = self.frame, self.on
        frame = Frame(returns=self.types.of(function.decl.type.type))
        for parameter, argument in zip(getattr(function.decl.type.args, "params", None) or (), arguments, strict=False):
            label = str(parameter.name)
            if label.endswith(REFERENCE) and isinstance(argument, (Reference, Address)):
                kind = Type(REFERENCE, 8) if isinstance(argument, Address) else self.follow(argument).t
                frame.names[label] = Variable(argument, kind, entered)
                continue
            value = (
                self.load(argument, node)
                if isinstance(argument, Reference) and type(parameter.type).__name__ == "TypeDecl"
                else argument
            )
            kind, _, pointed = (
                self.read_type(parameter.type) if type(parameter).__name__ == "Decl" else (DYNAMIC, (), False)
            )
            if pointed and isinstance(value, Address) and kind is not DYNAMIC and kind.name != "void":
                value = Address(value.memory, value.at, kind, value.dims, value.data, value.origin)
            elif not pointed and not isinstance(value, (Address, Reference)):
                value = self.coerce(value, kind)
            frame.names[label] = Variable(value, kind, entered)
        for label, item in zip(self.templates.get(name, ()), template, strict=False):
            frame.names[label] = Variable(self.evaluate(item), DYNAMIC, entered)
        self.frame, self.depth = frame, self.depth + 1
        self.run(function.body)
        self.frame, self.depth, self.on = outer, self.depth - 1, entered
        return frame.result if frame.result is not None else Number(0)

    def pick(self, name: str, arguments: Sequence[Slot], node: Any) -> Any:
        """Of the functions of one name the one that takes these arguments."""
        fitting = [
            f
            for f in self.functions.get(name, ())
            if len(getattr(f.decl.type.args, "params", None) or ()) >= len(arguments)
        ]
        fitting = fitting or list(self.functions.get(name, ()))
        if not fitting:
            raise refuse(line_of(node), f"the call of '{name[:40]}' is not followed")
        if len(fitting) == 1:
            return fitting[0]
        for function in fitting:
            parameters = getattr(function.decl.type.args, "params", None) or ()
            kinds = [self.types.of(p.type) if type(p.type).__name__ == "TypeDecl" else None for p in parameters]
            if all(k is None or takes(k, a) for k, a in zip(kinds, arguments, strict=False)):
                return function
        return fitting[0]


def takes(kind: Type, argument: Slot) -> bool:
    """Whether a parameter of a type takes an argument: a structure one of its own name, a number none."""
    if isinstance(argument, Structure):
        return kind.name == argument.t.name
    return not (isinstance(argument, Number) and kind.members)


def known_call(name: str) -> bool:
    """Whether a function is one of CUDA's or of the math library's."""
    patterns = library.SHUFFLE.fullmatch(name) or library.CONVERSION.fullmatch(name)
    begins = name.startswith((*VOTES, *BITS, "__low2", "__high2"))
    return bool(patterns or begins or name in library.MULTIPLIED or library.find_name(name))
