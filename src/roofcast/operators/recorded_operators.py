"""Lists of operators that a model would run, recorded from shapes without a GPU: from JSON to a table of kernels.

The list says of each distinct operator its name, the shapes and element types of its tensors, its other arguments and
how often it ran. What it needs is told by the same recipes as for operators in a trace.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance, as_text
from roofcast.core.precision import ELEMENT_BYTES, stated_precision
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.timeline import Operator
from roofcast.operators.cuda_kernels import list_parts
from roofcast.operators.execution_traces import is_execution_trace, list_executed
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_parts import Part, Recorded
from roofcast.operators.operator_rows import CODES, OperatorRows
from roofcast.operators.traced_operators import operation_of, parse_flag, traced_amounts

FORMAT = "roofcast_operators"
SQUARES = "winograd"
"""Extra column: 1 for windows of 3 x 3 with stride 1, which libraries compute by Winograd's algorithm in FP32."""
WORK, ELEMENTS, ROWS, WAITS = "work", "work_elements", "work_rows", "work_waits"
CHANNELS, TOUCHED, BLOCKS = "work_channels", "work_touched", "work_blocks"
"""Extra columns: the kind of a kernel (:mod:`roofcast.models.operators.works`), its elements, rows, waits and channels,
B at places of their own, blocks of attention."""
OWN_COLUMNS = (ELEMENTS, ROWS, WAITS, CHANNELS, TOUCHED, BLOCKS, SQUARES)
UNKNOWN, BY_COLUMNS, FLEX = "unknown", "unknown, by columns", "attention, flex"
"""Kinds of work of operators without a formula; of those that go through a matrix column by column until their numbers
converge; of attention with a mask that only code knows."""
UNDECIDED = (UNKNOWN, BY_COLUMNS, FLEX)
CONVERGING = frozenset({"_linalg_svd", "_linalg_eigh", "linalg_eig", "linalg_eigh", "_linalg_eigvals", "linalg_lstsq"})
COLUMN_WAITS_LEAST = 20.0
"""Times that a column of such a matrix waits for memory, at least as many as anybody has seen."""
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
"""Distinct operators of a list, each of which is forecast."""


@dataclass(frozen=True)
class RecordedOperators:
    """What a list holds."""

    table: KernelTable
    """A row per distinct operator, with amounts; no times."""
    operation: list[Operation]
    rows: OperatorRows
    notes: tuple[str, ...]
    operators: float = 0.0
    """Operators that the host launches in a step."""


def read_operators(given: str | bytes | Mapping[str, Any]) -> RecordedOperators:
    """The operators of a list, as JSON text or as what that stands for."""
    if isinstance(given, (str, bytes)):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise InputError(f"no list of operators: {one_line(str(error), 120)}") from error
    if isinstance(given, Mapping) and is_execution_trace(given):
        given = list_executed(given, FORMAT)
    if not isinstance(given, Mapping) or FORMAT not in given or not isinstance(given.get("operators"), list):
        raise InputError("no list of operators: make one with roofcast.torch.record")
    entries = [e for e in given["operators"] if isinstance(e, Mapping)]
    if not entries:
        raise InputError("the list of operators is empty: nothing was run on tensors")
    if len(entries) > MOST_OPERATORS:
        raise InputError(f"more than {MOST_OPERATORS:,} distinct operators")
    try:
        switches = {str(k): bool(v) for k, v in dict(given.get("switches") or {}).items()}
        held = given.get("memory") or {}
        memory = sum(float(v) for v in held.values()) if isinstance(held, Mapping) else 0.0
        recorded = make_table(entries, str(given.get("what", "")), [str(n) for n in given.get("notes", [])], switches)
        origin = dataclasses.replace(recorded.table.provenance[0], memory_bytes=memory if 0 < memory < 1e15 else None)
        return dataclasses.replace(recorded, table=dataclasses.replace(recorded.table, provenance=(origin,)))
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        raise InputError(f"the list of operators is damaged: {one_line(str(error), 120)}") from error


def make_table(
    entries: list[Mapping[str, Any]], what: str, notes: list[str], switches: Mapping[str, bool]
) -> RecordedOperators:
    """Rows with amounts, a row for each kernel (or several alike) of every entry of a list."""
    rows: list[Row] = []
    unknown: dict[str, float] = {}
    operators = 0.0
    for entry in entries:
        operator, outputs, types = parse_entry(entry)
        recorded = Recorded(operator, outputs, types, switches)
        count = float(entry.get("count", 1))
        kernels_of, known = list_rows(recorded)
        operators += count * is_launched(recorded)
        shape = "×".join(map(str, outputs[0])) if outputs else ""
        if not known:
            unknown[operator.name] = unknown.get(operator.name, 0.0) + count
        rows += [
            dataclasses.replace(r, label=f"{operator.name}{', ' * bool(r.label)}{r.label}", shown=shape,
                                count=r.count * count) for r in kernels_of
        ]  # fmt: skip
    if not rows:
        raise InputError("the list of operators launches nothing on a device")
    if unknown:
        names_shown = ", ".join(unknown)
        notes.append(f"operators without a formula, forecast by what their tensors tell: {one_line(names_shown, 300)}")
    return RecordedOperators(*gather_rows(rows, what), (*notes, *tell_switches(switches)), operators)


def tell_switches(switches: Mapping[str, bool]) -> list[str]:
    """The process's switches that the operators rest on.

    >>> tell_switches({"tf32_products": False, "tf32_convolutions": True, "flash": True, "efficient": True})
    ['switches of the process: FP32 products in FP32, convolutions in TF32; attention may be flash, memory-efficient']
    """
    if not switches:
        return []
    types = [
        f"{what} in {'TF32' if switches.get(key) else 'FP32'}"
        for key, what in (("tf32_products", "FP32 products"), ("tf32_convolutions", "convolutions"))
    ]
    ways = {"flash": "flash", "efficient": "memory-efficient", "cudnn_attention": "cuDNN's"}
    attention = ", ".join(way for key, way in ways.items() if switches.get(key)) or "separate kernels"
    return [f"switches of the process: {', '.join(types)}; attention may be {attention}"]


@dataclass(frozen=True)
class Row:
    """One kernel of an operator, or several alike."""

    operation: Operation
    columns: Mapping[str, float]
    """Amounts and shapes."""
    work: str = ""
    """Kind of work with constants of its own."""
    label: str = ""
    shown: str = ""
    count: float = 1.0
    element_bytes: float = 4.0
    special: bool = False


def list_rows(r: Recorded) -> tuple[list[Row], bool]:
    """The kernels of an operator, and whether there is a formula for it."""
    types_known = [p for p in map(stated_precision, (*r.output_types, *r.operator.dtypes)) if p]
    element = ELEMENT_BYTES.get(types_known[0] if types_known else "fp32", 4.0)
    parts = list_parts(r)
    if parts is not None:
        return [row_of(p, element) for p in parts], True
    kind, needed = operation_of(r.operator), traced_amounts(r.operator)
    if kind is None or needed is None or kind is Operation.CONVOLUTION:
        return list_unknown(r, kind, element)
    columns, flex = {name: float(v) for name, v in needed.shape.items()}, "flex" in r.short
    columns |= {
        "bytes_compulsory": float(needed.bytes_compulsory),
        "working_set_bytes": float(needed.working_set_bytes),
    }
    work = ""
    if needed.pipe is not None:
        pipe = needed.pipe
        if kind is Operation.GEMM and pipe is Resource.FLOPS_FP32 and r.switches.get("tf32_products"):
            pipe = Resource.FLOPS_TENSOR_TF32
        if kind is Operation.GEMM and pipe is Resource.FLOPS_FP64:
            pipe = Resource.FLOPS_TENSOR_FP64
        columns[pipe.value] = float(needed.flops)
        if kind is Operation.GEMM and pipe in FLOPS_TENSOR:
            work = tell_alignment(columns, element)
        if kind is Operation.ATTENTION:
            plain = "strict" if pipe is Resource.FLOPS_FP32 else ""
            plain = plain or next((way for way in ("efficient", "flash", "flex") if way in r.short), "")
            tiles = tile_attention(r)
            if tiles is not None:
                columns[pipe.value] *= tiles.padded
                columns[BLOCKS], columns[ELEMENTS] = tiles.blocks, tiles.drawn
            work = ", ".join(t for t in ("attention", plain, "backward" * r.short.endswith("backward")) if t)
    if needed.insts_special is not None:
        columns[Resource.INSTS_SPECIAL.value] = float(needed.insts_special)
    work = FLEX if flex else work
    return [Row(kind, columns, work, element_bytes=element, special=needed.insts_special is not None)], not flex


def list_unknown(r: Recorded, kind: Operation | None, element: float) -> tuple[list[Row], bool]:
    """The one kernel of an operator of which its tensors tell all, and whether that is all there is."""
    kind = Operation.ELEMENTWISE if kind is None or kind.is_matrix else kind
    moved = tensor_bytes(r.operator.shapes, r.operator.dtypes) + tensor_bytes(r.outputs, r.output_types)
    known = r.short in BY_BYTES or r.operator.name.rpartition("::")[2] in BY_BYTES
    columns, work = {"bytes_compulsory": moved}, "" if known else UNKNOWN
    if r.short in CONVERGING:
        longest = max((max(s[-2:]) for s in r.operator.shapes if s), default=1)
        columns, work = columns | {WAITS: COLUMN_WAITS_LEAST * longest}, BY_COLUMNS
    return [Row(kind, columns, work, element_bytes=element)], known


HEADS = (32, 64, 96, 128, 192, 256)
"""Lengths of heads that kernels of attention are compiled for."""
QUERIES = (16, 32, 64, 128)
"""Queries that a block of attention may take; the memory-efficient kernel takes at most 64."""
KEYS = 64
"""Keys that it takes at a time."""


@dataclass(frozen=True)
class AttentionTiles:
    """How kernels of fused attention cut their work: (batch, heads, queries, head) against (.., keys, head)."""

    batch: int
    heads: int
    queries: int
    keys: int
    head: int
    is_causal: bool
    is_dropped: bool
    most: int
    """Queries of a block at most."""

    @property
    def rows(self) -> int:
        """Queries of a block."""
        return next((n for n in QUERIES if n >= min(self.queries, self.most)), self.most)

    @property
    def padded(self) -> float:
        """Work of whole tiles over that of the operator."""
        head = next((n for n in HEADS if n >= self.head), self.head)
        down, across = (math.ceil(n / tile) * tile / n for n, tile in ((self.queries, self.rows), (self.keys, KEYS)))
        return head / self.head * down * across

    @property
    def drawn(self) -> float:
        """Numbers drawn at random, one a pair of query and key."""
        pairs = float(self.batch * self.heads * self.queries * self.keys)
        return pairs / (2.0 if self.is_causal else 1.0) if self.is_dropped else 0.0

    @property
    def blocks(self) -> float:
        """Blocks, as many as if all went through as many keys as the longest: of causal ones half."""
        return self.batch * self.heads * math.ceil(self.queries / self.rows) / (2.0 if self.is_causal else 1.0)


def tile_attention(r: Recorded) -> AttentionTiles | None:
    """Tiles of fused attention; None where its tensors do not say."""
    tensors = [s for s in r.operator.shapes if len(s) == 4 and all(s)]
    q, k = tensors[1:3] if r.short.endswith("backward") and len(tensors) > 3 else [*tensors[:2], (), ()][:2]
    if not q or not k:
        return None
    most = 64 if "efficient" in r.short else QUERIES[-1]
    dropped, causal = DROPOUT_CAUSAL.get(r.short, (-1, -1))
    texts = (*r.operator.arguments, "", "")
    drawn = texts[dropped] not in ("", "0", "0.0") if dropped < len(texts) else False
    is_causal = parse_flag(r.operator, causal) if causal >= 0 else False
    return AttentionTiles(q[0], q[1], q[2], k[2], q[3], is_causal, drawn, most)


DROPOUT_CAUSAL: Mapping[str, tuple[int, int]] = {
    "_scaled_dot_product_flash_attention": (3, 4), "_scaled_dot_product_efficient_attention": (5, 6),
    "_scaled_dot_product_cudnn_attention": (5, 6), "_scaled_dot_product_flash_attention_backward": (10, 11),
    "_scaled_dot_product_efficient_attention_backward": (9, 11),
    "_scaled_dot_product_cudnn_attention_backward": (13, 14),
}  # fmt: skip
"""Operator -> where its arguments say how much is dropped, and whether it is causal."""


def tell_alignment(shape: Mapping[str, float], element: float) -> str:
    """Kind of product by where the rows of its operands begin: '' at whole eight bytes, as tensor pipes load them.

    >>> tell_alignment({"shape_n": 50257.0, "shape_k": 768.0}, 2.0), tell_alignment({"shape_n": 196.0}, 2.0)
    ('odd', '')
    """
    steps = [shape[name] * element for name in ("shape_n", "shape_k") if shape.get(name, 1.0) > 1]
    if all(step % 8 == 0 for step in steps):
        return ""
    return "half odd" if all(step % 4 == 0 for step in steps) and element < 4 else "odd" if element < 4 else ""


def row_of(part: Part, element: float) -> Row:
    """A part as a row."""
    columns = {
        "bytes_compulsory": part.bytes_moved,
        TOUCHED: part.touched or part.bytes_moved,
        ELEMENTS: part.elements,
        ROWS: part.rows,
        WAITS: part.waits,
    }
    columns |= {CHANNELS if k == "channels" else k: v for k, v in part.shape.items()}
    if part.pipe is not None:
        columns[part.pipe.value] = part.flops
    return Row(part.operation, columns, part.work, part.what, count=part.count, element_bytes=element)


def is_launched(r: Recorded) -> bool:
    """Whether the host launches something for it."""
    return list_parts(r) != []


def gather_rows(rows: list[Row], what: str) -> tuple[KernelTable, list[Operation], OperatorRows]:
    """Table, kinds and shapes of rows."""
    n = len(rows)
    columns: dict[str, FloatArray] = {}
    for i, row in enumerate(rows):
        for name, value in (*row.columns.items(), ("launches", row.count)):
            if math.isfinite(value) and value > 0:
                columns.setdefault(name, np.full(n, np.nan))[i] = value
    of_blocks = {name: columns.pop(name, np.full(n, np.nan)) for name in OWN_COLUMNS}
    table = KernelTable.from_columns(
        {"kernel": [r.label for r in rows], "config": [r.shown for r in rows]},
        {name: (values, Origin.DERIVED) for name, values in columns.items()},
        extra={WORK: as_text([r.work for r in rows]), **of_blocks},
        provenance=Provenance(file=what or "operators", format=FORMAT),
    )
    code = np.array([CODES.index(r.operation) for r in rows], dtype=np.int8)
    m, n_, k, batch = (table.column(f"shape_{name}") for name in ("m", "n", "k", "batch"))
    element, special = np.array([r.element_bytes for r in rows]), np.array([r.special for r in rows], np.bool_)
    shapes = OperatorRows(code, m, n_, k, batch, table.column("shape_rows"), np.full(n, np.nan), element, special)
    return table, [r.operation for r in rows], shapes


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
