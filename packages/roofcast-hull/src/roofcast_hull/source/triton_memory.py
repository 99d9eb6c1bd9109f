"""What a Triton program loads and stores: addresses, block pointers, descriptors of tensors and masks."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import refuse
from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.torch_views import is_dense
from roofcast_hull.source.triton_host import Descriptor, TritonLaunch
from roofcast_hull.source.triton_operations import Operations
from roofcast_hull.source.triton_steps import Bools, Ints, Step, Stored, fill
from roofcast_hull.source.triton_values import (
    LARGE,
    Block,
    Pointer,
    Value,
    broadcast,
    is_known,
    measure,
    narrow,
)


class Memory(Operations):
    """Loads and stores of one program. Each has the name of the language's own function behind ``do_``."""

    def __init__(
        self, launch: TritonLaunch, program: tuple[int, int, int], line: int, apart: frozenset[str] = frozenset()
    ) -> None:  # fmt: skip
        super().__init__(program, line)
        self.launch, self.apart = launch, apart
        """apart : arrays of which loads are told apart by their lines."""
        self.written: dict[str, list[Ints]] = {}
        """Elements of arrays that it stored."""
        self.overwritten: set[str] = set()
        """Arrays of which data chose the elements that it wrote."""
        self.under: list[Value] = []
        """Conditions on data under which statements run."""

    def do_make_block_ptr(
        self, base: Any, shape: Any, strides: Any, offsets: Any, block_shape: Any, order: Any = None
    ) -> Block:
        """A block pointer."""
        return Block(base, tuple(shape), tuple(strides), tuple(offsets), tuple(block_shape))

    def do_make_tensor_descriptor(self, base: Any, shape: Any, strides: Any, block_shape: Any, **_: Any) -> Block:
        """A descriptor of a tensor."""
        return Block(base, tuple(shape), tuple(strides), (0,) * len(shape), tuple(block_shape), whole=True)

    def do_advance(self, block: Block, steps: Any) -> Block:
        """A block pointer some elements further."""
        starts = tuple(self.combine(ast.Add(), a, b) for a, b in zip(block.starts, steps, strict=True))
        return Block(block.base, block.sizes, block.strides, starts, block.shape, block.whole)

    def point(self, block: Block, checked: Any) -> tuple[Pointer, Any]:
        """Addresses of a block, and the mask of the dimensions that are checked."""
        offsets: Any = block.base.offsets
        mask: Any = True
        named = checked if isinstance(checked, tuple) else () if checked is None else (checked,)
        axes = range(len(block.shape)) if block.whole else [int(c) for c in named]
        for n, (size, stride, start) in enumerate(zip(block.sizes, block.strides, block.starts, strict=True)):
            along = np.arange(block.shape[n]).reshape([-1 if k == n else 1 for k in range(len(block.shape))])
            place = self.combine(ast.Add(), along, start)
            offsets = self.combine(ast.Add(), offsets, self.combine(ast.Mult(), place, stride))
            if n in axes:
                inside = self.combine(
                    ast.BitAnd(), self.combine(ast.Lt(), place, size), self.combine(ast.GtE(), place, 0)
                )
                mask = inside if mask is True else self.combine(ast.BitAnd(), mask, inside)
        return Pointer(block.base.array, offsets), None if mask is True else mask

    def do_load(self, pointer: Any, mask: Any = None, other: Any = None, boundary_check: Any = None, **_: Any) -> Any:
        """What lies at addresses; outside of a mask nothing is loaded."""
        if isinstance(pointer, Block) and isinstance(mask, tuple):
            # A descriptor loads at a place.
            pointer, mask = self.do_advance(pointer, mask), None
        pointer, mask = self.resolve(pointer, mask, boundary_check, "what is loaded has no address")
        tensor = self.find_tensor(pointer.array)
        if pointer.array in self.launch.rows and is_known(pointer.offsets):
            # Where rows begin that are all as long as in the mean.
            return np.asarray(pointer.offsets) * self.launch.rows[pointer.array]
        inputs = [(v.step, narrow(v.shape)) for v in (pointer.offsets, mask) if isinstance(v, Value) and v.step >= 0]
        shape = pointer.shape
        step = Step(shape, tuple(inputs), 0.0, self.find_mask(mask, shape), array=pointer.array)
        if pointer.array in self.apart:
            step.array = f"{pointer.array}#{self.line}"
        if isinstance(other, float) and abs(other) > LARGE and step.live is not None:
            step.lost = ~step.live
        if is_known(pointer.offsets) and pointer.array not in self.overwritten:
            step.offsets = number_elements(tensor, np.broadcast_to(np.asarray(pointer.offsets, dtype=np.int64), shape))
            for elements in self.written.get(pointer.array, ()):
                taken = step.offsets if step.live is None else step.offsets[step.live]
                if len(elements) and np.isin(taken, elements).any():
                    raise refuse(self.line, f"a program reads what it wrote to '{one_line(pointer.array, 40)}'")
        elif pointer.array in self.written:
            raise refuse(self.line, f"a program reads what it wrote to '{one_line(pointer.array, 40)}'")
        return Value(shape, self.add(step), dtype=tensor.dtype)

    def resolve(self, pointer: Any, mask: Any, checked: Any, refusal: str) -> tuple[Pointer, Any]:
        """What a load or store is given as addresses and a mask, those of a block. refusal : what is said of others."""
        if isinstance(pointer, Block):
            pointer, inside = self.point(pointer, checked)
            mask = inside if inside is not None else mask
        if not isinstance(pointer, Pointer):
            raise refuse(self.line, refusal)
        return pointer, mask

    def find_tensor(self, array: str) -> Tensor:
        """The tensor that a kernel gets as an array."""
        value = self.launch.arguments[array]
        return value.tensor if isinstance(value, Descriptor) else value

    def find_mask(self, mask: Any, shape: tuple[int, ...]) -> Bools | None:
        """Lanes under a mask; None for all."""
        if mask is None:
            return None
        if isinstance(mask, Value) and mask.exact is not None:
            mask = mask.exact
        elif isinstance(mask, Value):
            self.trace.chosen = True
            mask = mask.bound
            if mask is None:
                return None
        lanes = fill(np.asarray(mask, dtype=bool), shape)
        return None if lanes.all() else lanes

    def do_store(
        self, pointer: Any, value: Any, mask: Any = None, boundary_check: Any = None, *, added: bool = False, **_: Any
    ) -> None:
        """Elements that get values."""
        if isinstance(pointer, Block) and isinstance(value, tuple):
            # A descriptor stores at a place: what follows is the value.
            pointer, value, mask = self.do_advance(pointer, value), mask, None
        pointer, mask = self.resolve(pointer, mask, boundary_check, "the place of a store is no address")
        chosen = not is_known(pointer.offsets)
        if chosen and not added:
            raise refuse(self.line, f"data decide where it writes in '{one_line(pointer.array, 40)}'")
        shape = broadcast(pointer.shape, measure(value))
        given = [v for v in (value, mask, pointer.offsets, *self.under) if isinstance(v, Value) and v.step >= 0]
        step = self.add(Step(shape, tuple((v.step, narrow(v.shape)) for v in given)))
        lanes = self.find_mask(mask, shape)
        numbers = np.arange(math.prod(shape)) if lanes is None else np.flatnonzero(lanes)
        if added and not (isinstance(value, Value) and value.total):
            # A sum that is added to what is there has as many operations as terms.
            self.trace.steps[step].operations = 1.0
        offsets = np.zeros(0, dtype=np.int64)
        if chosen:
            self.overwritten.add(pointer.array)
        else:
            offsets = np.broadcast_to(np.asarray(pointer.offsets, dtype=np.int64), shape).reshape(-1)[numbers]
            offsets = number_elements(self.find_tensor(pointer.array), offsets)
        self.trace.stores.append(Stored(pointer.array, offsets, numbers, step, shape, added, chosen))
        self.written.setdefault(pointer.array, []).append(offsets)

    def do_atomic_add(self, pointer: Any, value: Any, mask: Any = None, **_: Any) -> Value:
        """Elements that something is added to."""
        self.do_store(pointer, value, mask, added=True)
        return Value(measure(pointer), self.add(Step(measure(pointer))))

    def do_atomic_cas(self, *_: Any, **__: Any) -> Any:
        """A lock."""
        raise refuse(self.line, "programs wait for each other by a lock: which one goes first is not known")

    do_atomic_xchg = do_atomic_cas

    do_atomic_max = do_atomic_add

    do_atomic_min = do_atomic_add


def number_elements(tensor: Tensor, offsets: Ints) -> Ints:
    """Numbers of a view's elements, in the order in which they lie, from their addresses; -1 outside of it.

    >>> number_elements(Tensor((2, 3), "float32", (8, 1)), np.array([0, 2, 8, 10, 3])).tolist()
    [0, 2, 3, 5, -1]
    """
    if not tensor.strides or is_dense(tensor):
        return offsets
    number, rest = np.zeros_like(offsets), offsets
    inside = offsets >= 0
    for n in sorted(range(len(tensor.shape)), key=lambda n: (-tensor.stride(n), n)):
        if tensor.shape[n] == 1:
            continue
        at, rest = np.divmod(rest, max(1, tensor.stride(n)))
        inside &= at < tensor.shape[n]
        number = number * tensor.shape[n] + at
    return np.where(inside & (rest == 0), number, -1)


def name_whole(array: str) -> str:
    """The array that a load takes, where its loads are told apart by their lines."""
    return array.partition("#")[0]
