"""Amounts of a framework's operators as a trace records them: name, shapes, element types, arguments.

Shapes tell what must be computed and moved, whoever's kernel did it: so one recipe serves every library and GPU.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import FloatArray, KernelTable, as_text
from roofcast.core.precision import element_bytes, stated_precision
from roofcast.core.resource import Resource
from roofcast.core.timeline import Operator
from roofcast.operators.amounts import (
    OperatorAmounts,
    amounts,
    attention_amounts,
    convolution_amounts,
    gather_amounts,
    gemm_amounts,
    normalisation_amounts,
    reduction_amounts,
    softmax_amounts,
)
from roofcast.operators.kernel_names import LibraryKernel, Operation, library_kernel

Shape = tuple[int, ...]
Recipe = Callable[[Operator, str], OperatorAmounts | None]

BACKWARD_ATTENTION = 2.5
"""Five products of the backward pass for two of the forward pass."""


@lru_cache(maxsize=1 << 16)
def traced_amounts(operator: Operator, precision: str = "") -> OperatorAmounts | None:
    """What an operator needs; None where its name or shapes do not say.

    precision : of the operands where the trace does not record their types (lists of tensors).

    >>> found = traced_amounts(Operator("aten::addmm", ((512,), (141, 512), (512, 512)), ("c10::BFloat16",) * 3))
    >>> float(found.flops) - 2 * 141 * 512 * 512, found.pipe.value
    (72192.0, 'flops_tensor_bf16')
    >>> traced_amounts(Operator("my::operator", ((8, 8),), ("float",))) is None
    True
    """
    entry = recipe_of(operator.name)
    if entry is None or not any(operator.shapes):
        return None
    try:
        dtype = element_type(operator) or precision
        result = entry[1](operator, dtype) if dtype else None
    except (IndexError, ValueError, InputError, OverflowError, ZeroDivisionError):
        return None
    usable = result is not None and bool(np.all(np.isfinite(result.bytes_compulsory) & (result.bytes_compulsory > 0)))
    return result if usable else None


def operation_of(operator: Operator) -> Operation | None:
    """The kind of work of an operator; None where its name does not say.

    >>> operation_of(Operator("aten::cudnn_convolution")).value, operation_of(Operator("aten::gelu")).value
    ('convolution', 'elementwise')
    """
    entry = recipe_of(operator.name)
    return entry[0] if entry else None


def recipe_of(name: str) -> tuple[Operation, Recipe] | None:
    """Kind and recipe of an operator's name."""
    if name.startswith("triton_"):
        return Operation.ELEMENTWISE, all_once
    short = name.rpartition("::")[2].removesuffix("_")
    return RECIPES.get(short) or (RECIPES.get(short.removesuffix("_out")) if short.endswith("_out") else None)


def element_type(operator: Operator) -> str:
    """The element type of the operands: the first floating-point one among the tensors, else the first."""
    known: list[str] = []
    for kind, shape in zip(operator.dtypes, operator.shapes, strict=False):
        precision = stated_precision(kind) if shape or not known else ""
        known += [precision] if precision else []
    floating = [k for k in known if k.startswith(("fp", "bf", "tf", "complex"))]
    return (floating or known or [""])[0]


def array(value: float) -> FloatArray:
    """A number as an array without dimensions."""
    return np.asarray(value, dtype=np.float64)


def list_tensors(operator: Operator) -> list[Shape]:
    """Shapes of the inputs that are tensors with dimensions."""
    return [s for s in operator.shapes if s]


def parse_flag(operator: Operator, position: int) -> bool:
    """Whether an argument is true."""
    return len(operator.arguments) > position and operator.arguments[position] == "True"


def parse_numbers(operator: Operator, position: int) -> list[int]:
    """The whole numbers of an argument such as ``[16, 16]``; an empty list where there are none."""
    text = operator.arguments[position] if len(operator.arguments) > position else ""
    parts = text.strip("[] ").split(",") if text else []
    return [int(p) for p in parts if p.strip().lstrip("-").isdigit()]


def product(left: Shape, right: Shape, dtype: str, *, bias: bool = False) -> OperatorAmounts:
    """A product of (batched) matrices; a right side without batch is shared."""
    m, k, n = left[-2], left[-1], right[-1]
    if right[-2] != k:
        raise ValueError("not a product")
    batch_left, batch_right = math.prod(left[:-2]), math.prod(right[:-2])
    if batch_right == 1:
        return gemm_amounts(batch_left * m, n, k, dtype=dtype, bias=bias)
    return gemm_amounts(m, n, k, max(batch_left, batch_right), dtype=dtype, bias=bias)


def mm(o: Operator, dtype: str) -> OperatorAmounts:
    """mm, bmm, _scaled_mm: left and right."""
    left, right = list_tensors(o)[:2]
    return product(left, right, dtype)


def addmm(o: Operator, dtype: str) -> OperatorAmounts:
    """addmm, baddbmm: what is added, left, right."""
    _, left, right = list_tensors(o)[:3]
    return product(left, right, dtype, bias=True)


def matmul(o: Operator, dtype: str) -> OperatorAmounts:
    """matmul: vectors become matrices of one row or column."""
    left, right = list_tensors(o)[:2]
    return product(left if len(left) > 1 else (1, *left), right if len(right) > 1 else (*right, 1), dtype)


def linear(o: Operator, dtype: str) -> OperatorAmounts:
    """linear: input, weights by output row, bias."""
    shapes = list_tensors(o)
    x, (n, k) = shapes[0], shapes[1]
    if x[-1] != k:
        raise ValueError("not a linear layer")
    return gemm_amounts(math.prod(x[:-1]), n, k, dtype=dtype, bias=len(shapes) > 2)


def mv(o: Operator, dtype: str) -> OperatorAmounts:
    """mv, addmv: the matrix is the input with most dimensions."""
    m, k = max(list_tensors(o), key=len)
    return gemm_amounts(m, 1, k, dtype=dtype)


def convolution(stride: int, padding: int, dilation: int, groups: int, transposed: int = -1) -> Recipe:
    """A convolution whose arguments stand at the given positions."""

    def recipe(o: Operator, dtype: str) -> OperatorAmounts:
        x, weights = o.shapes[0], o.shapes[1]
        return convolve(o, x, weights, dtype, (stride, padding, dilation, groups, transposed))

    return recipe


def convolution_backward(o: Operator, dtype: str) -> OperatorAmounts:
    """Either gradient: as much work as the forward pass. Inputs: gradient, input, weights."""
    return convolve(o, o.shapes[1], o.shapes[2], dtype, (4, 5, 6, 9, 7))


def convolve(o: Operator, x: Shape, weights: Shape, dtype: str, at: tuple[int, ...]) -> OperatorAmounts:
    """A convolution of one to three dimensions."""
    stride, padding, dilation, groups = (parse_numbers(o, i) for i in at[:4])
    group = (groups or [1])[0]
    size, kernel = x[2:], weights[2:]
    if len(size) != len(kernel) or not size:
        raise ValueError("not a convolution")
    if at[4] >= 0 and parse_flag(o, at[4]):
        # A transposed convolution does the work of the one whose input is its output.
        step = (stride or [1])[0]
        return convolution_amounts(
            x[0], weights[1] * group, *pair([s * step for s in size]), x[1], *pair(kernel), dtype=dtype, stride=step,
            padding=(padding or [0])[0], groups=group,
        )  # fmt: skip
    depth, kernel_depth = (size[0], kernel[0]) if len(size) == 3 else (1, 1)
    steps, pads = pair(stride or [1] * len(size)), pair(padding or [0] * len(size), fill=0)
    if len(size) == 3:
        depth = (depth + 2 * (padding or [0])[0] - kernel_depth) // max((stride or [1])[0], 1) + 1
    return convolution_amounts(
        x[0], x[1], *pair(size), weights[0], *pair(kernel), dtype=dtype, stride=steps[0], stride_w=steps[1],
        padding=pads[0], padding_w=pads[1], dilation=(dilation or [1])[-1], groups=group, depth=depth,
        kernel_depth=kernel_depth,
    )  # fmt: skip


def pair(values: Shape | list[int], fill: int = 1) -> tuple[int, int]:
    """Height and width: the last two, the height of one-dimensional ones 1."""
    return (values[-2], values[-1]) if len(values) > 1 else (fill, values[-1])


def attention(causal: int, *, heads_last: bool, skip: int = 0, factor: float = 1.0) -> Recipe:
    """Fused attention.

    causal : position of the flag. heads_last : (batch, length, heads, dim). skip : inputs before the queries.
    """

    def recipe(o: Operator, dtype: str) -> OperatorAmounts:
        q, k, v = o.shapes[skip : skip + 3]
        if len(q) == 3:
            # Sequences of different lengths one after the other, as (all tokens, heads, dim).
            longest = (parse_numbers(o, skip + 5) or [q[0]])[0]
            q, k, v = ((max(s[0] // max(longest, 1), 1), min(longest, s[0]), *s[1:]) for s in (q, k, v))
        length, heads = (1, 2) if heads_last else (2, 1)
        once = attention_amounts(
            q[0], q[heads], q[length], k[length], q[3], dtype, kv_heads=k[heads], value_dim=v[3],
            causal=parse_flag(o, causal),
        )  # fmt: skip
        if factor == 1.0:
            return once
        return OperatorAmounts(once.flops * factor, once.bytes_compulsory * 2, once.working_set_bytes * 2, once.pipe,
                               once.insts_special)  # fmt: skip

    return recipe


def softmax(o: Operator, dtype: str) -> OperatorAmounts:
    """Softmax over one dimension."""
    shape = list_tensors(o)[0]
    at = (parse_numbers(o, 1) or [-1])[0]
    columns = shape[at]
    return softmax_amounts(math.prod(shape) / max(columns, 1), columns, dtype)


def norm(o: Operator, dtype: str) -> OperatorAmounts:
    """Layer norm over the last dimensions."""
    shape = list_tensors(o)[0]
    columns = math.prod(parse_numbers(o, 1)) or shape[-1]
    return normalisation_amounts(math.prod(shape) / columns, columns, dtype)


def norm_of_channels(o: Operator, dtype: str) -> OperatorAmounts:
    """Batch and group norm: one vector per channel."""
    shape = list_tensors(o)[0]
    channels = shape[1] if len(shape) > 1 else 1
    return normalisation_amounts(channels, math.prod(shape) / channels, dtype)


def gradient_of_channels(o: Operator, dtype: str) -> OperatorAmounts:
    """Gradients of such norms: two tensors read, one written; the sums of both stay small."""
    shape = list_tensors(o)[0]
    channels = shape[1] if len(shape) > 1 else 1
    return normalisation_amounts(channels, math.prod(shape) / channels, dtype, residual=True)


def pool(o: Operator, dtype: str) -> OperatorAmounts:
    """Windows: images read, one element of each window written, with its place where the operator tells it."""
    shape, window = list_tensors(o)[0], parse_numbers(o, 1)
    step = parse_numbers(o, 2) or window
    results = math.prod(shape) / max(math.prod(pair(step)), 1)
    written = results * (element_bytes(dtype) + (8.0 if "indices" in o.name else 0.0))
    moved = math.prod(shape) * element_bytes(dtype) + written
    return amounts(dtype, array(results * math.prod(window)), array(moved), matrix=False)


def gradient_of_pool(o: Operator, dtype: str) -> OperatorAmounts:
    """Gradients of windows: those of the results read, with their places, those of the images written."""
    given, images = list_tensors(o)[:2]
    places = 8.0 if "indices" in o.name else 0.0
    moved = math.prod(given) * (element_bytes(dtype) + places) + math.prod(images) * element_bytes(dtype)
    return amounts(dtype, array(math.prod(images)), array(moved), matrix=False)


def norm_of_rows(skip: int, *, residual: bool) -> Recipe:
    """Root-mean-square norms of inference engines, whose output may be an argument."""

    def recipe(o: Operator, dtype: str) -> OperatorAmounts:
        shape = list_tensors(o)[skip]
        return normalisation_amounts(math.prod(shape[:-1]), shape[-1], dtype, residual=residual)

    return recipe


def reduction(o: Operator, dtype: str) -> OperatorAmounts:
    """Sums and extremes: everything read, little written."""
    return reduction_amounts(math.prod(list_tensors(o)[0]), dtype=dtype)


def gather(o: Operator, dtype: str) -> OperatorAmounts:
    """Rows of a table by index."""
    table = list_tensors(o)[0]
    indices = [math.prod(s) for s in list_tensors(o)[1:]]
    return gather_amounts(max(indices, default=1), table[-1] if len(table) > 1 else 1, dtype, table_rows=table[0])


def distinct_elements(o: Operator, position: int) -> int:
    """Elements of an input that stand at places of their own: expanded dimensions have stride 0."""
    shape = o.shapes[position]
    steps = o.strides[position] if len(o.strides) > position else ()
    if len(steps) != len(shape):
        return math.prod(shape)
    return math.prod(n for n, step in zip(shape, steps, strict=True) if step != 0)


def bytes_of(o: Operator, position: int, default: str) -> float:
    """Bytes of an input."""
    kind = stated_precision(o.dtypes[position]) if len(o.dtypes) > position else ""
    return distinct_elements(o, position) * element_bytes(kind or default)


def elementwise(*, special: float = 0.0, operations: float = 1.0, reads_first: bool = True) -> Recipe:
    """Inputs read, one result of the broadcast shape written. reads_first : the first input is not the result alone."""

    def recipe(o: Operator, dtype: str) -> OperatorAmounts:
        places = [i for i, s in enumerate(o.shapes) if s]
        shapes = [o.shapes[i] for i in places]
        try:
            elements = math.prod(np.broadcast_shapes(*shapes))
        except ValueError:
            elements = max(math.prod(s) for s in shapes)
        read = sum(bytes_of(o, i, dtype) for i in (places if reads_first else places[1:]))
        out = o.dtypes[places[0]] if not reads_first and len(o.dtypes) > places[0] else dtype
        moved = read + elements * element_bytes(out or dtype)
        extra = array(special * elements / 32.0) if special else None
        return amounts(dtype, array(operations * elements), array(moved), matrix=False, special=extra)

    return recipe


def concatenate(o: Operator, dtype: str) -> OperatorAmounts:
    """cat, stack: everything read and written."""
    moved = 2.0 * sum(bytes_of(o, i, dtype) for i, s in enumerate(o.shapes) if s)
    return amounts(dtype, array(0.0), array(moved), matrix=False)


def all_once(o: Operator, dtype: str) -> OperatorAmounts:
    """Generated kernels and those with the result as argument: every tensor is touched once."""
    moved = sum(bytes_of(o, i, dtype) for i, s in enumerate(o.shapes) if s)
    elements = max(math.prod(s) for s in list_tensors(o))
    return amounts(dtype, array(elements), array(moved), matrix=False)


def first_pair(o: Operator, dtype: str) -> OperatorAmounts:
    """Queries and keys (or keys and values) rotated or stored: the two inputs with three dimensions, in and out."""
    both = [i for i, s in enumerate(o.shapes) if len(s) >= 2][:2]
    moved = 2.0 * sum(bytes_of(o, i, dtype) for i in both)
    return amounts(dtype, array(4.0 * sum(math.prod(o.shapes[i]) for i in both)), array(moved), matrix=False)


def share(text: str, operation: Operation, recipe: Recipe) -> dict[str, tuple[Operation, Recipe]]:
    """The same recipe for several names."""
    return dict.fromkeys(text.split(), (operation, recipe))


RECIPES: dict[str, tuple[Operation, Recipe]] = {
    **share("mm bmm _scaled_mm _int_mm", Operation.GEMM, mm),
    **share("addmm baddbmm _addmm_activation", Operation.GEMM, addmm),
    **share("matmul", Operation.GEMM, matmul),
    **share("linear", Operation.GEMM, linear),
    **share("mv addmv", Operation.GEMV, mv),
    **share("convolution _convolution convolution_overrideable", Operation.CONVOLUTION, convolution(3, 4, 5, 8, 6)),
    **share("conv1d conv2d conv3d", Operation.CONVOLUTION, convolution(3, 4, 5, 6)),
    **share("cudnn_convolution", Operation.CONVOLUTION, convolution(3, 2, 4, 5)),
    **share("cudnn_convolution_relu miopen_convolution_relu", Operation.CONVOLUTION, convolution(3, 4, 5, 6)),
    **share("miopen_convolution", Operation.CONVOLUTION, convolution(4, 3, 5, 6)),
    **share("_conv_depthwise2d", Operation.CONVOLUTION, convolution(4, 5, 6, 99)),
    **share("convolution_backward", Operation.CONVOLUTION, convolution_backward),
    **share("scaled_dot_product_attention", Operation.ATTENTION, attention(5, heads_last=False)),
    **share("_scaled_dot_product_flash_attention", Operation.ATTENTION, attention(4, heads_last=False)),
    **share("_scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention", Operation.ATTENTION,
            attention(6, heads_last=False)),
    **share("flex_attention", Operation.ATTENTION, attention(99, heads_last=False)),
    **share("flex_attention_backward", Operation.ATTENTION,
            attention(99, heads_last=False, factor=BACKWARD_ATTENTION)),
    **share("_cudnn_attention_forward", Operation.ATTENTION, attention(10, heads_last=False)),
    **share("_cudnn_attention_backward", Operation.ATTENTION,
            attention(14, heads_last=False, skip=1, factor=BACKWARD_ATTENTION)),
    **share("_flash_attention_forward", Operation.ATTENTION, attention(8, heads_last=True)),
    **share("_efficient_attention_forward", Operation.ATTENTION, attention(99, heads_last=True)),
    **share("_flash_attn_forward flash_attn_func", Operation.ATTENTION, attention(5, heads_last=True)),
    **share("_scaled_dot_product_flash_attention_backward _scaled_dot_product_efficient_attention_backward",
            Operation.ATTENTION, attention(11, heads_last=False, skip=1, factor=BACKWARD_ATTENTION)),
    **share("_scaled_dot_product_cudnn_attention_backward", Operation.ATTENTION,
            attention(14, heads_last=False, skip=1, factor=BACKWARD_ATTENTION)),
    **share("_flash_attention_backward _efficient_attention_backward", Operation.ATTENTION,
            attention(99, heads_last=True, skip=1, factor=BACKWARD_ATTENTION)),
    **share("_softmax softmax _log_softmax log_softmax _safe_softmax _softmax_backward_data "
            "_log_softmax_backward_data", Operation.SOFTMAX, softmax),
    **share("native_layer_norm layer_norm rms_norm _fused_rms_norm", Operation.NORMALISATION, norm),
    **share("native_layer_norm_backward", Operation.NORMALISATION, norm_of_rows(0, residual=True)),
    **share("native_batch_norm cudnn_batch_norm miopen_batch_norm _batch_norm_impl_index native_group_norm group_norm "
            "_native_batch_norm_legit batch_norm_stats batch_norm_elemt", Operation.NORMALISATION, norm_of_channels),
    **share("native_batch_norm_backward cudnn_batch_norm_backward miopen_batch_norm_backward "
            "native_group_norm_backward", Operation.NORMALISATION, gradient_of_channels),
    **share("max_pool2d_with_indices max_pool3d_with_indices avg_pool2d avg_pool3d", Operation.POOLING, pool),
    **share("max_pool2d_with_indices_backward max_pool3d_with_indices_backward avg_pool2d_backward avg_pool3d_backward "
            "_adaptive_avg_pool2d_backward", Operation.POOLING, gradient_of_pool),
    **share("fused_add_rms_norm", Operation.NORMALISATION, norm_of_rows(0, residual=True)),
    **share("sum mean max min amax amin argmax argmin all any norm linalg_vector_norm var std var_mean prod aminmax "
            "count_nonzero logsumexp", Operation.REDUCTION, reduction),
    **share("embedding index_select index gather take embedding_renorm", Operation.GATHER, gather),
    **share("cat stack _cat concat", Operation.COPY, concatenate),
    **share("copy clone contiguous to _to_copy", Operation.COPY, elementwise(operations=0.0)),
    **share("add sub mul div rsub addcmul addcdiv neg abs relu clamp clamp_min clamp_max where masked_fill eq ne lt le "
            "gt ge bitwise_and bitwise_or bitwise_not logical_and logical_or logical_not maximum minimum threshold "
            "threshold_backward leaky_relu hardtanh sign floor ceil round remainder fmod lerp square triu tril dropout "
            "native_dropout native_dropout_backward masked_scatter flip roll", Operation.ELEMENTWISE, elementwise()),
    **share("gelu silu sigmoid tanh exp log log2 log1p expm1 sqrt rsqrt reciprocal pow erf sin cos mish elu softplus "
            "hardswish gelu_backward silu_backward sigmoid_backward tanh_backward", Operation.ELEMENTWISE,
            elementwise(special=1.0, operations=8.0)),
    **share("rotary_embedding reshape_and_cache reshape_and_cache_flash", Operation.ELEMENTWISE, first_pair),
    **share("silu_and_mul gelu_and_mul static_scaled_fp8_quant dynamic_scaled_fp8_quant", Operation.ELEMENTWISE,
            all_once),
}  # fmt: skip
"""Last part of an operator's name -> the kind of work and its recipe. In-place variants share the name."""

RECIPES["copy"] = (Operation.COPY, elementwise(operations=0.0, reads_first=False))
RECIPES |= share("fill zero normal uniform random bernoulli arange", Operation.ELEMENTWISE,
                 elementwise(reads_first=False))  # fmt: skip


OPAQUE_BYTES = {"OpaqueType<1u>": "int8", "OpaqueType<2u>": "fp16", "OpaqueType<4u>": "fp32", "OpaqueType<8u>": "fp64"}
"""PyTorch's copies know only how large an element is."""


def with_traced_amounts(table: KernelTable) -> tuple[KernelTable, NDArray[np.bool_]]:
    """The table with the amounts that its operators' shapes tell, and (n,) which rows have them.

    Operators stand in the extra column ``operator``, where the reader of a trace put them. Values that the table
    has already stay.
    """
    n = len(table)
    values: dict[str, FloatArray] = {}
    shaped = np.zeros(n, np.bool_)
    labels = as_text([""] * n)
    operators = table.extra.get("operator")
    for i, operator in enumerate(operators if operators is not None else ()):
        if not isinstance(operator, Operator):
            continue
        name = str(table.strings("kernel")[i])
        library = library_kernel(name)
        kind = operation_of(operator)
        # A product's work belongs to a kernel that multiplies, where the name says what it is.
        if kind is not None and library is not None and kind.is_matrix != library.operation.is_matrix:
            continue
        opaque = next((p for word, p in OPAQUE_BYTES.items() if word in name), "")
        amounts_found = traced_amounts(operator, opaque or (library.precision if library else ""))
        if amounts_found is None:
            continue
        shaped[i] = True
        labels[i] = operator.name.rpartition("::")[2].removesuffix("_")
        for column, value in (columns_of(amounts_found, library) | shape_columns(operator)).items():
            values.setdefault(column, np.full(n, np.nan))[i] = value
    columns = {}
    for column, traced in values.items():
        old = table.column(column)
        origin = np.where(np.isnan(old), np.uint8(Origin.DERIVED), table.origin_of(column)).astype(np.uint8)
        columns[column] = (np.where(np.isnan(old), traced, old), origin)
    if columns:
        table = table.with_columns(**columns)
        table = dataclasses.replace(table, extra={**table.extra, "op": labels})
    return table, shaped


def columns_of(found: OperatorAmounts, library: LibraryKernel | None) -> dict[str, float]:
    """Columns of one operator; its FLOPs go to the pipe that the kernel's name tells, where it tells one."""
    values = {"bytes_compulsory": float(found.bytes_compulsory), "working_set_bytes": float(found.working_set_bytes)}
    pipe = found.pipe
    # FP32 products run on tensor pipes only where the library chose TF32, and its kernel's name says so.
    if pipe is Resource.FLOPS_FP32 and library is not None and library.tensor and library.operation.is_matrix:
        pipe = library.resource or Resource.FLOPS_TENSOR_TF32
    if pipe is not None and float(found.flops) > 0:
        values[pipe.value] = float(found.flops)
    if found.insts_special is not None:
        values[Resource.INSTS_SPECIAL.value] = float(found.insts_special)
    values |= {name: float(size) for name, size in found.shape.items()}
    return {k: v for k, v in values.items() if math.isfinite(v)}


def shape_columns(operator: Operator) -> dict[str, float]:
    """The shape of a matrix product or of a row operator, as columns of a table.

    >>> shape_columns(Operator("aten::linear", ((2, 32, 64), (16, 64))))
    {'shape_m': 64.0, 'shape_n': 16.0, 'shape_k': 64.0, 'shape_batch': 1.0}
    """
    entry = recipe_of(operator.name)
    recipe, shapes = entry[1] if entry else None, list_tensors(operator)
    try:
        if recipe in (softmax, norm):
            columns = shapes[0][(parse_numbers(operator, 1) or [-1])[0]] if recipe is softmax else shapes[0][-1]
            return {"shape_rows": math.prod(shapes[0]) / columns}
        if recipe is linear:
            (n, k), batch = shapes[1], 1
            m = math.prod(shapes[0]) // k
        elif recipe in (mm, addmm, matmul):
            left, right = shapes[-2:] if recipe is addmm else shapes[:2]
            (m, k), n = left[-2:], right[-1]
            batch = math.prod(right[:-2])
            m = m if batch > 1 else math.prod(left[:-1])
        else:
            return {}
    except (IndexError, ValueError, ZeroDivisionError):
        return {}
    return {f"shape_{name}": float(v) for name, v in (("m", m), ("n", n), ("k", k), ("batch", batch))}
