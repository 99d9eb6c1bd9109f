"""What the boat hull model says of one class on one processor: lines over the complexity, hull and floors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.resource import Resource


class Limit(StrEnum):
    """What a line is limited by."""

    COMPUTE = "compute"
    MEMORY = "memory"
    ATOMICS = "atomics"
    LATENCY = "latency"


@dataclass(frozen=True, slots=True)
class Line:
    """One bound: seconds that grow linearly with the complexity."""

    key: str
    """c0, m0, c1 ... as in the source; l1, l2, a0, n1 for ours."""
    meaning: str
    limit: Limit
    seconds: float
    """At complexity 0."""
    seconds_per_op: float = 0.0
    """Per operation of the class's function."""
    of_updates: bool = False
    """Whether updates cost it: what is stored as it is (complexity 0) has none."""

    def at(self, complexity: float) -> float:
        """Seconds at a complexity."""
        if self.of_updates and complexity == 0:
            return 0.0
        return self.seconds + self.seconds_per_op * complexity


@dataclass(frozen=True, slots=True)
class Bounds:
    """Hull and floors of one class on one processor.

    The time at a complexity lies between the largest line of the hull and the largest of hull and floors.
    """

    processor: str
    form: str
    hull: tuple[Line, ...]
    floors: tuple[Line, ...]
    overhead_s: float = 0.0
    """Launch of the kernel, added to either end."""
    transfer_in_s: float = 0.0
    transfer_out_s: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def transfer_s(self) -> float:
        """t0: all input and output over the bus once."""
        return self.transfer_in_s + self.transfer_out_s

    def low(self, complexity: float) -> float:
        """Seconds of the hull."""
        return self.overhead_s + max(line.at(complexity) for line in self.hull)

    def high(self, complexity: float) -> float:
        """Seconds of the highest floor, at least those of the hull."""
        lines = self.floors + self.hull
        return self.overhead_s + max(line.at(complexity) for line in lines)

    def limit(self, complexity: float) -> Line:
        """The line that bounds the hull."""
        return max(self.hull, key=lambda line: line.at(complexity))

    def limit_high(self, complexity: float) -> Line:
        """The line that bounds the floors."""
        return max((*self.hull, *self.floors), key=lambda line: line.at(complexity))


PAIRS: dict[str, tuple[str, bool]] = {
    "fma": ("fma", True), "no-fma": ("fma", False), "coalesced": ("coalesced", True), "scattered": ("coalesced", False),
    "threads": ("threads", True), "one-thread": ("threads", False), "vector": ("vector", True),
    "scalar": ("vector", False), "warm": ("warm", True), "cold": ("warm", False),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What is known of the code that the class does not say; None leaves it open, and the range then holds both."""

    fma: bool | None = None
    coalesced: bool | None = None
    threads: bool | None = None
    vector: bool | None = None
    warm: bool | None = None

    @classmethod
    def of(cls, words: tuple[str, ...]) -> Assumptions:
        """Assumptions from words such as ``no-fma`` and ``coalesced``."""
        assumptions = cls()
        for word in words:
            if word not in PAIRS:
                raise RoofcastError(f"assumption {one_line(word, 40)!r}: use {', '.join(PAIRS)}")
            name, value = PAIRS[word]
            if getattr(assumptions, name) not in (None, value):
                raise RoofcastError(f"assumption {word!r} contradicts another one")
            assumptions = replace(assumptions, **{name: value})
        return assumptions


ELEMENT_TYPES: dict[str, tuple[int, Resource]] = {
    "fp32": (4, Resource.FLOPS_FP32), "int32": (4, Resource.OPS_INT32), "fp64": (8, Resource.FLOPS_FP64),
    "fp16": (2, Resource.FLOPS_FP16), "bf16": (2, Resource.FLOPS_BF16), "int8": (1, Resource.OPS_INT32),
    "int16": (2, Resource.OPS_INT32), "int64": (8, Resource.OPS_INT32), "tf32": (4, Resource.FLOPS_FP32),
    "fp8": (1, Resource.FLOPS_FP16),
}  # fmt: skip
MATRIX_PIPES = {
    "fp64": Resource.FLOPS_TENSOR_FP64, "fp16": Resource.FLOPS_TENSOR_FP16, "bf16": Resource.FLOPS_TENSOR_BF16,
    "int8": Resource.OPS_TENSOR_INT8, "tf32": Resource.FLOPS_TENSOR_TF32, "fp8": Resource.FLOPS_TENSOR_FP8,
}  # fmt: skip
"""What computes matrix products of an element type, where the processor has such units."""
LARGEST_COMPLEXITY = 1e15
"""Operations per unit; a larger number is a slip."""
DEFAULT_ELEMENT = "fp32"
FORMS = ("auto", "published", "modern")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to read a class: element type, form of the model, what is known of the code."""

    element: str = DEFAULT_ELEMENT
    form: str = "auto"
    """published, modern, or auto: modern for GPUs since 2014."""
    assume: Assumptions = Assumptions()
    offset_ops: float | None = None
    """o in place of the class's own."""
    mean_bytes: float | None = None
    """Bytes of an element in the mean over the arrays of the class, where their types differ."""
    pipes: tuple[tuple[Resource, float], ...] = ()
    """Units that do the operations, each with its share of them; empty: those of the element type."""

    def __post_init__(self) -> None:
        if self.element not in ELEMENT_TYPES:
            raise RoofcastError(f"element type {one_line(self.element, 40)!r}: use {', '.join(ELEMENT_TYPES)}")
        if self.form not in FORMS:
            raise RoofcastError(f"form {one_line(self.form, 40)!r}: use {', '.join(FORMS)}")
        if self.offset_ops is not None and not 0 <= self.offset_ops < 1e15:
            raise RoofcastError(f"offset {self.offset_ops:g}: operations per unit of work, 0 or more")

    @property
    def element_bytes(self) -> float:
        """Bytes of one element, in the mean over the arrays."""
        return self.mean_bytes or self.type_bytes

    @property
    def type_bytes(self) -> int:
        """Bytes of the element type that is computed with."""
        return ELEMENT_TYPES[self.element][0]

    @property
    def matrix(self) -> Resource | None:
        """What matrix products of this type run on beside :attr:`resource`."""
        return MATRIX_PIPES.get(self.element)

    @property
    def resource(self) -> Resource:
        """What the operations of the class run on."""
        return ELEMENT_TYPES[self.element][1]
