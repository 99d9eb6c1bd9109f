"""What an operator of PyTorch is made of on CUDA: a part for each kernel, and what the record says of its tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field

from roofcast.core.precision import ELEMENT_BYTES, element_bytes, pipe_of, stated_precision
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.timeline import Operator
from roofcast.operators.kernel_names import Operation

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """One kernel of an operator, or several alike."""

    operation: Operation
    work: str
    """Kind of work with constants of its own (:data:`roofcast.models.operators.works.WORKS`)."""
    bytes_moved: float
    """B"""
    elements: float = 0.0
    """Elements that threads address one by one."""
    rows: float = 0.0
    """Rows that blocks or warps start with."""
    waits: float = 0.0
    """Times that each thread waits for memory, one after the other."""
    flops: float = 0.0
    pipe: Resource | None = None
    what: str = ""
    """What of the operator it is, for people; '' for all of it."""
    count: float = 1.0
    """Kernels alike that follow each other."""
    touched: float = 0.0
    """B that lie at places of their own, where fewer than moved: results in the place of an input; 0 for all."""
    shape: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Recorded:
    """One recorded operator: inputs, results, the process's switches."""

    operator: Operator
    outputs: tuple[Shape, ...]
    output_types: tuple[str, ...]
    switches: Mapping[str, bool]

    @property
    def short(self) -> str:
        """Name without namespace and overload, in-place or not."""
        return self.operator.name.rpartition("::")[2].removesuffix("_")

    @property
    def inputs(self) -> list[int]:
        """Positions of the inputs that are tensors with dimensions."""
        return [i for i, s in enumerate(self.operator.shapes) if s]

    def bytes_in(self, position: int, *, distinct: bool = True) -> float:
        """Bytes of an input, what expanded dimensions repeat counted once."""
        shape = self.operator.shapes[position]
        if distinct and len(self.operator.strides) > position:
            steps = self.operator.strides[position]
            if len(steps) == len(shape):
                shape = tuple(n for n, step in zip(shape, steps, strict=True) if step != 0)
        return math.prod(shape) * self.width(position)

    def width(self, position: int) -> float:
        """Bytes of an element of an input."""
        kind = stated_precision(self.operator.dtypes[position]) if len(self.operator.dtypes) > position else ""
        return ELEMENT_BYTES.get(kind or "fp32", 4.0)

    @property
    def bytes_out(self) -> float:
        """Bytes of the results."""
        widths = [ELEMENT_BYTES.get(stated_precision(t) or "fp32", 4.0) for t in self.output_types]
        return sum(math.prod(s) * w for s, w in zip(self.outputs, widths, strict=False) if s)

    @property
    def elements_out(self) -> float:
        """Elements of the first result; of the largest input where there is none."""
        if self.outputs and self.outputs[0]:
            return float(math.prod(self.outputs[0]))
        return float(max((math.prod(self.operator.shapes[i]) for i in self.inputs), default=1))


def is_dense(shape: Shape, steps: Shape) -> bool:
    """Whether a tensor fills its memory without gaps or repeats, in whatever order of dimensions.

    >>> is_dense((2, 3, 4), (12, 1, 3)), is_dense((2, 3), (4, 1)), is_dense((2, 3), (0, 1))
    (True, False, False)
    """
    expected = 1
    for step, n in sorted((step, n) for n, step in zip(shape, steps, strict=True) if n > 1):
        if step != expected:
            return False
        expected *= n
    return True


def is_contiguous(shape: Shape, steps: Shape) -> bool:
    """Whether the last dimension runs fastest, without gaps."""
    expected = 1
    for n, step in zip(reversed(shape), reversed(steps), strict=True):
        if n > 1 and step != expected:
            return False
        expected *= n
    return True


def is_channels_last(shape: Shape, steps: Shape) -> bool:
    """Whether the channels of an image run fastest.

    >>> is_channels_last((8, 64, 7, 7), (3136, 1, 448, 64)), is_channels_last((8, 64, 7, 7), (3136, 49, 7, 1))
    (True, False)
    """
    return len(shape) >= 4 and shape[1] > 1 and steps[1] == 1 and not is_contiguous(shape, steps)


def steps_of(r: Recorded, position: int) -> Shape:
    """Strides of an input; those of a contiguous one where none are recorded."""
    shape = r.operator.shapes[position]
    if len(r.operator.strides) > position and len(r.operator.strides[position]) == len(shape):
        return r.operator.strides[position]
    return tuple(math.prod(shape[i + 1 :]) for i in range(len(shape)))


def product_pipe(kind: str, tf32: bool) -> Resource:
    """Pipe of a product. tf32 : whether FP32 may be rounded to it."""
    if kind == "fp32":
        return Resource.FLOPS_TENSOR_TF32 if tf32 else Resource.FLOPS_FP32
    return pipe_of(kind, matrix=True, tensor=kind == "fp64") or Resource.FLOPS_FP32


def product_part(
    m: float, n: float, k: float, kind: str, pipe: Resource, what: str, count: float, batch: float = 1.0
) -> Part:
    """A product of matrices."""
    size = element_bytes(kind)
    return Part(
        Operation.GEMM, "", batch * (m * k + k * n + m * n) * size, flops=2.0 * batch * m * n * k, pipe=pipe, what=what,
        count=count, shape={"shape_m": m, "shape_n": n, "shape_k": k, "shape_batch": batch},
    )  # fmt: skip
