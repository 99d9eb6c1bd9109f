"""Amounts of library operators from their shapes: FLOPs by precision, the least bytes, the working set.

Whatever the library and the GPU: products of matrices, attention, convolutions, element-wise operators, reductions
and normalisations. Every argument is a number or an array; they broadcast. Bytes are *compulsory*: each operand read
once, each result written once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

import numpy as np
from numpy.typing import ArrayLike

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, OriginArray
from roofcast.core.precision import element_bytes, pipe_of, precision_of
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource

SOFTMAX_FLOPS = 5.0
"""Per element: maximum, subtraction, exponential, sum, division."""

LAYER_NORM_FLOPS = 8.0
"""Per element: sum, difference, square, sum of squares, scale, weight, bias, rounding to a whole number of FMAs."""


@dataclass(frozen=True)
class OperatorAmounts:
    """What operators need, whoever computes them; arrays broadcast to one shape."""

    flops: FloatArray
    """FLOP"""
    bytes_compulsory: FloatArray
    """B; operands once, results once."""
    working_set_bytes: FloatArray
    """B; distinct bytes touched."""
    pipe: Resource | None
    """Which pipe does the FLOPs; None where the type is an integer's."""
    insts_special: FloatArray | None = None
    """Warp instructions of special functions (exponentials, reciprocal roots)."""
    shape: Mapping[str, FloatArray] = field(default_factory=dict)
    """Columns ``shape_*`` of the vocabulary: what the models of library kernels read."""

    def columns(self) -> dict[str, tuple[FloatArray, Origin | OriginArray]]:
        """Columns for :meth:`KernelTable.with_columns`, all derived."""
        shape = np.broadcast_shapes(*(v.shape for v in (self.flops, self.bytes_compulsory, self.working_set_bytes)))
        values = {"bytes_compulsory": self.bytes_compulsory, "working_set_bytes": self.working_set_bytes}
        if self.pipe is not None:
            values[self.pipe.value] = self.flops
        if self.insts_special is not None:
            values[Resource.INSTS_SPECIAL.value] = self.insts_special
        values |= self.shape
        return {k: (np.array(np.broadcast_to(v, shape), np.float64), Origin.DERIVED) for k, v in values.items()}


def floats(*values: ArrayLike) -> list[FloatArray]:
    """Arguments as arrays of floats."""
    return [np.asarray(v, dtype=np.float64) for v in values]


def amounts(
    dtype: str, flops: FloatArray, moved: FloatArray, *, matrix: bool, special: FloatArray | None = None,
    working_set: FloatArray | None = None, tensor: bool = False,
) -> OperatorAmounts:  # fmt: skip
    """Amounts of one operator whose operands have one type."""
    pipe = pipe_of(precision_of(dtype), matrix=matrix, tensor=tensor)
    # Half-precision operators off the tensor pipes convert, and compute in FP32.
    pipe = Resource.FLOPS_FP32 if not matrix and pipe in (Resource.FLOPS_FP16, Resource.FLOPS_BF16, None) else pipe
    return OperatorAmounts(flops, moved, moved if working_set is None else working_set, pipe, special)


def gemm_amounts(  # noqa: PLR0913 - an operator has the arguments that it has
    m: ArrayLike, n: ArrayLike, k: ArrayLike, batch: ArrayLike = 1, dtype: str = "fp32", *,
    dtype_out: str | None = None, bias: bool = False, accumulate: bool = False, shared_b: bool = False,
    tensor: bool = False,
) -> OperatorAmounts:  # fmt: skip
    r"""``batch`` products of an m x k by a k x n matrix.

    .. math:: W = 2 B m n k, \quad V = B (m k + k n) s_{in} + B m n s_{out}

    dtype_out : element type of the result (default: the operands'; of FP8, FP4 and INT8 two bytes).
    bias : n more elements read, m n more additions. accumulate : the result is read as well (beta is not 0).
    shared_b : one right-hand matrix for all of the batch. tensor : FP32 (as TF32) or FP64 on tensor pipes.

    >>> one = gemm_amounts(1024, 10240, 1024, dtype="bf16")
    >>> float(one.flops), float(one.bytes_compulsory), one.pipe.value
    (21474836480.0, 44040192.0, 'flops_tensor_bf16')
    """
    m, n, k, batch = floats(m, n, k, batch)
    size = element_bytes(dtype)
    size_out = max(size, 2.0) if dtype_out is None else element_bytes(dtype_out)
    right = k * n * (1.0 if shared_b else batch)
    moved = (batch * m * k + right) * size + batch * m * n * size_out * (2.0 if accumulate else 1.0)
    flops = 2.0 * batch * m * n * k
    if bias:
        moved, flops = moved + n * size_out, flops + batch * m * n
    shape = {"shape_m": m, "shape_n": n, "shape_k": k, "shape_batch": batch}
    return replace(amounts(dtype, flops, moved, matrix=True, tensor=tensor), shape=shape)


def attention_amounts(  # noqa: PLR0913 - an operator has the arguments that it has
    batch: ArrayLike, heads: ArrayLike, query_length: ArrayLike, key_length: ArrayLike, head_dim: ArrayLike,
    dtype: str = "fp16", *, kv_heads: ArrayLike | None = None, value_dim: ArrayLike | None = None,
    causal: bool = False, dtype_kv: str | None = None,
) -> OperatorAmounts:  # fmt: skip
    r"""Fused attention: softmax(Q K') V per head; the scores stay on the chip.

    .. math:: W = 2 B h l_q l_k (d + d_v) \cdot c, \quad V = B s [h l_q (d + d_v) + h_{kv} l_k (d + d_v)]

    kv_heads : of keys and values (grouped queries; default: heads). value_dim : d_v (default: d).
    causal : queries see what stands before them, the last query sees every key: c is the share of pairs that remain.
    dtype_kv : element type of a quantised cache of keys and values. Decoding: query_length 1.

    >>> one = attention_amounts(1024, 1, 1, 1024, 128, "bf16")      # a public decode measurement
    >>> float(one.flops), float(one.bytes_compulsory)
    (536870912.0, 537395200.0)
    >>> float(attention_amounts(1, 1, 4, 4, 64, causal=True).flops / attention_amounts(1, 1, 4, 4, 64).flops)
    0.625
    """
    b, h, q, kv, d = floats(batch, heads, query_length, key_length, head_dim)
    h_kv = h if kv_heads is None else floats(kv_heads)[0]
    both = d + (d if value_dim is None else floats(value_dim)[0])
    pairs = q * kv
    if causal:
        inside = np.minimum(q, kv)
        pairs = q * kv - inside * (inside - 1.0) / 2.0 - np.maximum(q - kv, 0.0) * kv
    size, size_kv = element_bytes(dtype), element_bytes(dtype_kv or dtype)
    moved = b * (h * q * both * size + h_kv * kv * both * size_kv)
    return amounts(dtype, 2.0 * b * h * pairs * both, moved, matrix=True, special=b * h * pairs / 32.0)


def elementwise_amounts(
    elements: ArrayLike, dtype: str = "fp32", *, reads: ArrayLike = 1, writes: ArrayLike = 1,
    operations: ArrayLike = 1, special: ArrayLike = 0, dtype_out: str | None = None,
) -> OperatorAmounts:  # fmt: skip
    """Element-wise operators: ``reads`` operands of full size in, ``writes`` results out.

    operations, special : FLOPs and special functions (exp, tanh, division) per element.

    >>> one = elementwise_amounts(1_063_000, "fp32", reads=2)       # a public measurement of an addition
    >>> float(one.flops), float(one.bytes_compulsory)
    (1063000.0, 12756000.0)
    """
    n, r, w, f, s = floats(elements, reads, writes, operations, special)
    moved = n * (r * element_bytes(dtype) + w * element_bytes(dtype_out or dtype))
    return amounts(dtype, n * f, moved, matrix=False, special=n * s / 32.0 if np.any(s > 0) else None)


def reduction_amounts(elements: ArrayLike, outputs: ArrayLike = 1, dtype: str = "fp32") -> OperatorAmounts:
    """Sums, maxima, norms: every element read once, the results written.

    >>> float(reduction_amounts(1000, 10, "fp16").bytes_compulsory)
    2020.0
    """
    n, o = floats(elements, outputs)
    return amounts(dtype, n + 0.0 * o, (n + o) * element_bytes(dtype), matrix=False)


def softmax_amounts(rows: ArrayLike, columns: ArrayLike, dtype: str = "fp32") -> OperatorAmounts:
    """Softmax over the last dimension.

    >>> one = softmax_amounts(8, 100)
    >>> float(one.flops), float(one.bytes_compulsory)
    (4000.0, 6400.0)
    """
    r, c = floats(rows, columns)
    n = r * c
    moved = 2.0 * n * element_bytes(dtype)
    needed = amounts(dtype, SOFTMAX_FLOPS * n, moved, matrix=False, special=n / 32.0)
    return replace(needed, shape={"shape_rows": r})


def normalisation_amounts(
    rows: ArrayLike, columns: ArrayLike, dtype: str = "fp32", *, affine: bool = True, residual: bool = False
) -> OperatorAmounts:
    """Layer, group or root-mean-square norms of ``rows`` vectors, each with its own statistics.

    affine : one weight and one bias per column. residual : a second operand is added first, and the sum is kept.

    >>> float(normalisation_amounts(4, 256, "fp16", affine=False).bytes_compulsory)
    4096.0
    """
    r, c = floats(rows, columns)
    size = element_bytes(dtype)
    moved = r * c * size * (4.0 if residual else 2.0) + (2.0 * c * size if affine else 0.0)
    needed = amounts(dtype, (LAYER_NORM_FLOPS + float(residual)) * r * c, moved, matrix=False, special=r / 32.0)
    return replace(needed, shape={"shape_rows": r})


def convolution_amounts(  # noqa: PLR0913 - an operator has the arguments that it has
    batch: ArrayLike, channels_in: ArrayLike, height: ArrayLike, width: ArrayLike, channels_out: ArrayLike,
    kernel_height: ArrayLike, kernel_width: ArrayLike, dtype: str = "fp32", *, stride: ArrayLike = 1,
    padding: ArrayLike = 0, dilation: ArrayLike = 1, groups: ArrayLike = 1, stride_w: ArrayLike | None = None,
    padding_w: ArrayLike | None = None, depth: ArrayLike = 1, kernel_depth: ArrayLike = 1, tensor: bool = False,
) -> OperatorAmounts:  # fmt: skip
    r"""Direct convolution, forward or either gradient: all three multiply the same pairs and touch the same tensors.

    .. math:: W = 2 B C_o h_o w_o \frac{C_i}{g} r s

    stride_w, padding_w : where they differ from the height's. depth, kernel_depth : of volumes (stride 1, padded).
    Libraries that compute by Winograd or FFT need fewer FLOPs.

    >>> one = convolution_amounts(16, 64, 56, 56, 64, 3, 3, padding=1)
    >>> float(one.flops) == 2 * 16 * 64 * 56 * 56 * 64 * 9
    True
    """
    b, ci, h, w, co, r, s = floats(batch, channels_in, height, width, channels_out, kernel_height, kernel_width)
    g, dd, kd = floats(groups, depth, kernel_depth)
    out_h = outputs(h, r, *floats(stride, padding, dilation))
    out_w = outputs(
        w, s, *floats(stride if stride_w is None else stride_w, padding if padding_w is None else padding_w, dilation)
    )
    size = element_bytes(dtype)
    result = b * co * out_h * out_w * dd
    weights = co * ci / g * r * s * kd
    moved = (b * ci * h * w * dd + weights + result) * size
    return amounts(dtype, 2.0 * result * ci / g * r * s * kd, moved, matrix=True, tensor=tensor)


def outputs(
    size: FloatArray, kernel: FloatArray, stride: FloatArray, padding: FloatArray, dilation: FloatArray
) -> FloatArray:
    """Positions of a kernel along one dimension; at least 0.

    >>> float(outputs(np.array(7.0), np.array(3.0), np.array(2.0), np.array(1.0), np.array(1.0)))
    4.0
    """
    return np.maximum(np.floor((size + 2.0 * padding - dilation * (kernel - 1.0) - 1.0) / stride) + 1.0, 0.0)


def gather_amounts(
    rows: ArrayLike, columns: ArrayLike, dtype: str = "fp32", *, table_rows: ArrayLike | None = None
) -> OperatorAmounts:
    """Embeddings and index selections: ``rows`` rows found by 8-byte indices, copied.

    table_rows : rows of the table, which bounds the distinct ones.

    >>> float(gather_amounts(10, 64, "fp16").bytes_compulsory)
    2640.0
    """
    r, c = floats(rows, columns)
    distinct = r if table_rows is None else np.minimum(r, floats(table_rows)[0])
    size = element_bytes(dtype)
    return amounts(dtype, 0.0 * r * c, (r + distinct) * c * size + 8.0 * r, matrix=False)
