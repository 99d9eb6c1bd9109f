"""Lists of operators that a model would run, recorded from shapes without a GPU: from JSON to a table of kernels.

The list says of each distinct operator its name, the shapes and element types of its tensors, its other arguments and
how often it ran. What it needs is told by the same recipes as for operators in a trace.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance
from roofcast.core.precision import ELEMENT_BYTES, stated_precision
from roofcast.core.resource import Resource
from roofcast.core.timeline import Operator
from roofcast.operators.amounts import OperatorAmounts
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import CODES, OperatorRows
from roofcast.operators.traced_operators import operation_of, parse_flag, parse_numbers, traced_amounts

FORMAT = "roofcast_operators"
FEW_CHANNELS = 8
"""Channels of a group below which tensor pipes have nothing to multiply: depthwise convolutions run on vector pipes."""
SQUARES = "winograd"
"""Extra column: 1 for windows of 3 x 3 with stride 1, which libraries compute by Winograd's algorithm in FP32."""
BY_BYTES = frozenset(
    {"max_pool2d_with_indices", "max_pool2d_with_indices_backward", "avg_pool2d", "avg_pool2d_backward",
     "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", "max_pool3d_with_indices", "upsample_nearest2d",
     "upsample_bilinear2d", "upsample_bicubic2d", "native_batch_norm_backward", "native_group_norm_backward",
     "embedding_dense_backward", "nll_loss_forward", "nll_loss_backward", "constant_pad_nd", "zeros", "zeros_like",
     "ones", "ones_like", "full", "full_like", "eye", "slice_backward", "select_backward", "index_put", "scatter",
     "scatter_add", "cumsum", "sort", "topk", "fill", "copy_", "add_", "select_scatter", "slice_scatter", "new_zeros",
     "new_full", "new_ones", "scalar_tensor", "linspace", "repeat", "roll", "unfold"}
)  # fmt: skip
"""Operators that move their tensors once, as far as anybody knows."""
MOST_OPERATORS = 200_000
BACKWARD_KERNELS = 2.0
"""A convolution's backward pass is two: of the input and of the weights."""


@dataclass(frozen=True)
class RecordedOperators:
    """What a list holds."""

    table: KernelTable
    """A row per distinct operator, with amounts; no times."""
    operation: list[Operation]
    rows: OperatorRows
    notes: tuple[str, ...]


def implicit_product(
    images: FloatArray, positions: FloatArray, channels_out: FloatArray, channels_in: FloatArray, window: FloatArray,
    groups: FloatArray,
) -> dict[str, FloatArray]:  # fmt: skip
    """Columns of a convolution as the product that it is: ``shape_m``, ``shape_n``, ``shape_k``, ``shape_batch``.

    positions : of the result, per image. channels_in, channels_out : of all groups. window : elements.

    >>> {k: float(v) for k, v in implicit_product(*map(np.asarray, (8.0, 49.0, 64.0, 32.0, 9.0, 1.0))).items()}
    {'shape_m': 392.0, 'shape_n': 64.0, 'shape_k': 288.0, 'shape_batch': 1.0}
    """
    return {
        "shape_m": images * positions, "shape_n": channels_out / groups, "shape_k": channels_in / groups * window,
        "shape_batch": groups * 1.0,
    }  # fmt: skip


def read_operators(given: str | bytes | Mapping[str, Any]) -> RecordedOperators:
    """The operators of a list, as JSON text or as what that stands for."""
    if isinstance(given, (str, bytes)):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise InputError(f"no list of operators: {one_line(str(error), 120)}") from error
    if not isinstance(given, Mapping) or FORMAT not in given or not isinstance(given.get("operators"), list):
        raise InputError("no list of operators: make one with roofcast.torch.record")
    entries = [e for e in given["operators"] if isinstance(e, Mapping)]
    if not entries:
        raise InputError("the list of operators is empty: nothing was run on tensors")
    if len(entries) > MOST_OPERATORS:
        raise InputError(f"more than {MOST_OPERATORS:,} distinct operators")
    try:
        return make_table(entries, str(given.get("what", "")), [str(n) for n in given.get("notes", [])])
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise InputError(f"the list of operators is damaged: {one_line(str(error), 120)}") from error


def make_table(entries: list[Mapping[str, Any]], what: str, notes: list[str]) -> RecordedOperators:
    """Rows with amounts, from the entries of a list."""
    n = len(entries)
    columns: dict[str, FloatArray] = {}
    operation, unknown = [], []
    element, special = np.full(n, 4.0), np.zeros(n, np.bool_)

    def put(name: str, i: int, value: float) -> None:
        if math.isfinite(value) and value > 0:
            columns.setdefault(name, np.full(n, np.nan))[i] = value

    for i, entry in enumerate(entries):
        operator, outputs, types = parse_entry(entry)
        kind, found = operation_of(operator), traced_amounts(operator)
        if kind is None or found is None:
            kind = Operation.ELEMENTWISE if kind is None or kind.is_matrix else kind
            short = operator.name.rpartition("::")[2]
            if short not in BY_BYTES and not short.startswith(("_foreach_", "_fused_")):
                unknown.append(operator.name)
            put("bytes_compulsory", i, tensor_bytes(operator.shapes, operator.dtypes) + tensor_bytes(outputs, types))
        else:
            put_amounts(put, i, kind, operator, found, outputs)
        operation.append(kind)
        put("launches", i, float(entry.get("count", 1)))
        types_known = [p for p in map(stated_precision, (*types, *operator.dtypes)) if p]
        element[i] = ELEMENT_BYTES.get(types_known[0] if types_known else "fp32", 4.0)
        special[i] = found is not None and found.insts_special is not None
    names = [parse_entry(e)[0].name for e in entries]
    shapes = ["×".join(map(str, parse_entry(e)[1][0])) if parse_entry(e)[1] else "" for e in entries]
    table = KernelTable.from_columns(
        {"kernel": names, "config": shapes},
        {name: (values, Origin.DERIVED) for name, values in columns.items() if name != SQUARES},
        extra={SQUARES: columns.get(SQUARES, np.zeros(n))},
        provenance=Provenance(file=what or "operators", format=FORMAT),
    )
    nothing = np.full(n, np.nan)
    code = np.array([CODES.index(o) for o in operation], dtype=np.int8)
    m, n_, k, batch = (table.column(f"shape_{name}") for name in ("m", "n", "k", "batch"))
    rows = OperatorRows(code, m, n_, k, batch, table.column("shape_rows"), nothing, element, special)
    if unknown:
        names_shown = ", ".join(dict.fromkeys(unknown))
        notes.append(
            f"operators without a formula, forecast by the bytes of their tensors: {one_line(names_shown, 300)}"
        )
    return RecordedOperators(table, operation, rows, tuple(notes))


def put_amounts(
    put: Any, i: int, kind: Operation, operator: Operator, found: OperatorAmounts, outputs: tuple[tuple[int, ...], ...]
) -> None:
    """Amounts and shapes of one operator with a recipe."""
    flops, pipe = float(found.flops), found.pipe
    for name, value in found.shape.items():
        put(name, i, float(value))
    if kind is Operation.CONVOLUTION:
        flops, pipe = put_convolution(put, i, operator, outputs, flops, pipe)
    put("bytes_compulsory", i, float(found.bytes_compulsory))
    put("working_set_bytes", i, float(found.working_set_bytes))
    if pipe is not None:
        put(pipe.value, i, flops)
    if found.insts_special is not None:
        put(Resource.INSTS_SPECIAL.value, i, float(found.insts_special))


def put_convolution(
    put: Any, i: int, operator: Operator, outputs: tuple[tuple[int, ...], ...], flops: float, pipe: Resource | None
) -> tuple[float, Resource | None]:
    """The product that a convolution is; FLOPs and pipe that then count.

    cuDNN may round FP32 convolutions to TF32 where a GPU has such pipes (PyTorch's default).
    """
    backward = operator.name.endswith("convolution_backward")
    x, weights = operator.shapes[1 if backward else 0], operator.shapes[2 if backward else 1]
    at = 9 if backward else 8
    groups = float((parse_numbers(operator, at) or [1])[0])
    transposed = parse_flag(operator, 7 if backward else 6)
    stride = parse_numbers(operator, 4 if backward else 3) or [1]
    result = operator.shapes[0] if backward else outputs[0] if outputs else x
    window = float(math.prod(weights[2:]))
    positions = float(math.prod((x if transposed else result)[2:]))
    few = weights[1] < FEW_CHANNELS and groups > 1
    if few:
        pipe = Resource.FLOPS_FP32
    elif pipe is Resource.FLOPS_FP32:
        pipe = Resource.FLOPS_TENSOR_TF32
    if tuple(weights[2:]) == (3, 3) and max(stride) == 1 and groups == 1:
        put(SQUARES, i, 1.0)
    times = BACKWARD_KERNELS if backward else 1.0
    if not few:
        shape = implicit_product(
            np.asarray(x[0] * times), np.asarray(positions), np.asarray(float(weights[0])),
            np.asarray(float(weights[1]) * groups), np.asarray(window), np.asarray(groups),
        )  # fmt: skip
        for name, value in shape.items():
            put(name, i, float(value))
    return flops * times, pipe


def parse_entry(entry: Mapping[str, Any]) -> tuple[Operator, tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """Operator, shapes and types of its results."""

    def shapes(key: str) -> tuple[tuple[int, ...], ...]:
        given = entry.get(key) or ()
        return tuple(tuple(int(d) for d in s) if isinstance(s, (list, tuple)) else () for s in given)

    def texts(key: str) -> tuple[str, ...]:
        return tuple(str(t) for t in entry.get(key) or ())

    # Fake CPU tensors take the CPU's name of an operator that GPUs have, too.
    name = str(entry.get("name", "")).replace("_for_cpu", "")
    operator = Operator(name, shapes("shapes"), texts("types"), shapes("strides"), texts("arguments"))
    return operator, shapes("outputs"), texts("output_types")


def tensor_bytes(shapes: tuple[tuple[int, ...], ...], types: tuple[str, ...]) -> float:
    """Bytes of tensors, each touched once."""
    total = 0.0
    for shape, kind in zip(shapes, types, strict=False):
        if shape:
            total += math.prod(shape) * ELEMENT_BYTES.get(stated_precision(kind) or "fp32", 4.0)
    return total
