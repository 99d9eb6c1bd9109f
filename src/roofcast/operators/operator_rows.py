"""What the rows of a table tell beside their counters: operator, shape, precision, amounts, blocks of the launch.

All of it comes from the kernel's name, its label, columns and the configuration; what a table counts stays.

A row counts as a library's only where something says so: a name that libraries give their kernels, or a label of
which the whole is an operator's name (``torch/linear``, ``gemm/bfloat16``, ``aten::softmax``), or the last part
(``suite/softmax``) where a precision is stated and nothing is known of a launch: a call was timed and not a kernel.
Kernels that people wrote by hand are called ``matmul_tiled`` and the like, and are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, split_configuration
from roofcast.core.patterns import compile_later
from roofcast.core.precision import PRECISION_WORDS, pipe_of, stated_precision
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.formulas.values import combine, or_zero
from roofcast.operators.amounts import (
    OperatorAmounts,
    elementwise_amounts,
    gemm_amounts,
    normalisation_amounts,
    softmax_amounts,
)
from roofcast.operators.kernel_names import WORDS, Operation, library_kernel

MATRIX_LABELS = frozenset(
    {"linear", "bmm", "mm", "gemm", "matmul", "addmm", "baddbmm", "fc", "dense", "fully_connected", "batched_gemm",
     "batch_matmul", "cublasgemm", "hgemm", "sgemm", "dgemm", "gemm_ex", "_scaled_mm"}
)  # fmt: skip
ELEMENTWISE_LABELS = frozenset(
    {"add", "addu", "sub", "mul", "mulu", "div", "divu", "pow", "powu", "relu", "gelu", "silu", "tanh", "sigmoid",
     "exp", "elementwise", "element_wise", "leaky_relu", "clamp", "where", "copy", "copy_", "neg", "abs", "sqrt",
     "rsqrt", "add_", "mul_", "relu_", "swiglu", "act", "activation", "cast", "fill_", "dropout"}
)  # fmt: skip
SOFTMAX_LABELS = frozenset({"softmax", "_softmax", "log_softmax"})
NORM_LABELS = frozenset(
    {"ln", "layernorm", "layer_norm", "native_layer_norm", "rmsnorm", "rms_norm", "groupnorm", "group_norm",
     "input_layernorm", "post_attention_layernorm"}
)  # fmt: skip
SPECIAL = compile_later(
    r"gelu|silu|swi?sh|tanh|sigmoid|(?<![a-z])(?:exp|pow|log|erf|sin|cos)|mish|softplus|softmax", re.I
)
"""Element-wise operators of which every element takes exponentials and the like."""
ELEMENT_BYTES: dict[str, float] = {"fp64": 8.0, "double": 8.0, "fp16": 2.0, "half": 2.0, "bf16": 2.0, "bfloat16": 2.0,
                                   "float16": 2.0, "fp8": 1.0, "int8": 1.0}  # fmt: skip
"""By the precision that a table or a kernel's name gives; 4 else."""

CONVOLUTION_LABELS = frozenset(
    {"conv", "conv1d", "conv2d", "conv3d", "convolution", "conv_fwd", "conv_bwd_in", "conv_bwd_w", "_convolution",
     "cudnn_convolution", "miopen_convolution", "convolution_backward", "depthwise_conv"}
)  # fmt: skip

NAMESPACES = frozenset({"torch", "aten", "at", "pytorch", "nn", "functional", "tf", "tensorflow", "jax", "xla", "onnx",
                        "cublas", "cublaslt", "cudnn", "rocblas", "hipblas", "hipblaslt", "miopen", "vllm", "sglang",
                        "trtllm", "tensorrt", "library", "op", "ops"})  # fmt: skip
"""First parts of labels that say that a library does the work; element-wise and row operators need one."""

EXPERT_WORDS = ("moe", "mixture_of_experts", "grouped_gemm", "mla")
ATTENTION_WORDS = ("attention", "attn", "sdpa", "flash_attention", "fmha")
EXPERTS = compile_later(rf"(?:^|[/_:.])(?:{'|'.join(EXPERT_WORDS)})(?:$|[/_:.])")
ATTENTION = compile_later(rf"(?:^|[/_:.])(?:{'|'.join(ATTENTION_WORDS)})(?:$|[/_:.](?!\w*(?:proj|rope|norm|out)))")
PARTS = compile_later(r"::|[/.:]")
TOLD_BY = ("[/:.]", *map(re.escape, (*WORDS, *EXPERT_WORDS, *ATTENTION_WORDS, *sorted(MATRIX_LABELS))))
TOLD = compile_later("|".join(TOLD_BY))
"""One of these is in every name, in small letters, that may be a library's: tables can have a name per row."""

NAMED_SHAPE = compile_later(r"(?<![A-Za-z])(B|M|N|K|batch|b|m|n|k)\s*[=:]\s*(\d+)")
PLAIN_SHAPE = compile_later(r"(?<![\dx=\[])(\d+)x(\d+)x(\d+)(?:x(\d+))?(?![\dx])")
KERNEL_COLUMNS = ("cuda_kernel", "kernel_demangled", "gpu_kernel", "kernel_symbol")
LABEL_COLUMNS = ("op", "operator", "operation", "op_name", "op_type")
"""Columns that name a library's operator by themselves."""
ROW_COLUMNS = ("rows", "B", "tokens", "num_tokens", "batch")
WIDTH_COLUMNS = ("cols", "columns", "H", "hidden", "hidden_size", "width")
SHAPE_COLUMNS = ("m", "M", "n", "N", "k", "K", "batch", "b", "B")
EXTRA_COLUMNS = frozenset({*KERNEL_COLUMNS, *LABEL_COLUMNS, *SHAPE_COLUMNS, *ROW_COLUMNS, *WIDTH_COLUMNS})
"""All columns beside the vocabulary that are read here."""

FLOPS_AGREE = 0.1
"""A shape belongs to a row whose FLOPs are those of its product within this share."""

NONE = -1
"""Code of a row that is no operator."""
CODES: tuple[Operation, ...] = tuple(Operation)


@lru_cache(maxsize=2**18)
def operation_of_label(label: str) -> Operation | None:
    """The library operator that a label is the name of; None for all else.

    >>> [str(operation_of_label(x)) for x in ("torch/linear", "gemm/bfloat16", "aten::_softmax", "attention/kv=fp8")]
    ['gemm', 'gemm', 'softmax', 'attention']
    >>> [operation_of_label(x) for x in ("matmul_tiled", "pmpp/softmax", "micro16/matmul_naive")]
    [None, None, None]
    """
    text = label.lower()
    parts = [p for p in PARTS.split(text.strip()) if p]
    if not parts:
        return None
    if EXPERTS.search(text):
        return Operation.MIXTURE_OF_EXPERTS
    if ATTENTION.search(text):
        return Operation.ATTENTION
    if any(p in MATRIX_LABELS for p in parts[:2]) or (parts[0] == "op" and parts[-1].endswith("_proj")):
        return Operation.GEMM
    if parts[0] not in NAMESPACES or len(parts) < 2:
        return None
    word = parts[1]
    for known, operation in (
        (ELEMENTWISE_LABELS, Operation.ELEMENTWISE),
        (SOFTMAX_LABELS, Operation.SOFTMAX),
        (NORM_LABELS, Operation.NORMALISATION),
        (CONVOLUTION_LABELS, Operation.CONVOLUTION),
    ):
        if word in known:
            return operation
    return None


@lru_cache(maxsize=2**18)
def code_of(name: str) -> int:
    """Position in ``CODES`` of a name's operation, -1 where it is no library's."""
    if not TOLD.search(name.lower()):
        return NONE
    library = None if name.startswith("op/") else library_kernel(name)
    operation = library.operation if library is not None else operation_of_label(name)
    return NONE if operation is None else CODES.index(operation)


def codes_of(names: Sequence[str]) -> NDArray[np.int8]:
    """(n,) position in ``CODES`` of each name's operation, -1 where it is no library's."""
    code = {name: code_of(name) for name in set(names)}
    return np.array([code[name] for name in names], dtype=np.int8)


@lru_cache(maxsize=2**18)
def is_special(text: str) -> bool:
    """Whether a name says that an element-wise operator takes exponentials and the like."""
    return SPECIAL.search(text) is not None


@dataclass(frozen=True)
class OperatorRows:
    """What is known of n rows as library operators; arrays are (n,), NaN where unknown."""

    code: NDArray[np.int8]
    m: FloatArray
    n: FloatArray
    k: FloatArray
    batch: FloatArray
    rows: FloatArray
    """Vectors that a row operator reduces or normalises."""
    width: FloatArray
    """Elements of such a vector."""
    element_bytes: FloatArray
    """Bytes of an element; 4 where nothing tells."""
    special: NDArray[np.bool_]
    """Element-wise operators with exponentials and the like."""

    def of(self, *operations: Operation) -> NDArray[np.bool_]:
        """(n,) rows of some operations."""
        return np.asarray(np.isin(self.code, [CODES.index(o) for o in operations]))


def find_operators(kernels: KernelTable) -> OperatorRows | None:
    """Operators and shapes of a table's rows; None where no row is a library's."""
    code = codes_of(kernels.strings("kernel").tolist())
    for column in KERNEL_COLUMNS:
        beside = kernels.extra.get(column)
        if beside is not None and (code == NONE).any():
            code = np.where(code == NONE, codes_of([str(v) for v in beside]), code).astype(np.int8)
    for column in LABEL_COLUMNS:
        beside = kernels.extra.get(column)
        if beside is not None and (code == NONE).any():
            labels = codes_of([f"op/{v}" for v in beside])
            code = np.where(code == NONE, labels, code).astype(np.int8)
    calls = np.flatnonzero((code == NONE) & are_calls(kernels))
    if len(calls):
        code[calls] = codes_of([last_part(name) for name in kernels.strings("kernel")[calls]])
    if (code == NONE).all():
        return None
    nothing = np.full(len(kernels), np.nan)
    m, n, k, batch = nothing, nothing, nothing, nothing
    products = code == CODES.index(Operation.GEMM)
    if products.any():
        m, n, k, batch = find_product_shapes(kernels, products)
    return OperatorRows(code, m, n, k, batch, *find_vectors(kernels), *find_elements(kernels))


def unrecognised_operators(kernels: KernelTable, found: OperatorRows | None) -> NDArray[np.bool_]:
    """(n,) rows without counters whose label or columns are an operator's, and that no operator's model took.

    found : what was recognised (see :func:`find_operators`).
    """
    asked = np.ones(len(kernels), np.bool_) if found is None else found.code == NONE
    for name in ("block_threads", "insts_executed", "bytes_dram", "bytes_l2"):
        asked &= ~(kernels.column(name) > 0)
    if not asked.any():
        return asked
    names = kernels.strings("kernel").tolist()
    looks = {name: is_library_label(name) for name in set(names)}
    labelled = np.array([looks[name] for name in names], np.bool_)
    for column in LABEL_COLUMNS:
        if column in kernels.extra:
            labelled |= np.array([bool(str(v or "").strip()) for v in kernels.extra[column]], np.bool_)
    shapes = [np.isfinite(pick_column(kernels, (name, name.upper()))) for name in ("m", "n", "k")]
    return np.asarray(asked & (labelled | combine(np.logical_and, shapes)))


def is_library_label(name: str) -> bool:
    """Whether a label says that a library does the work.

    >>> is_library_label("aten::_foreach_lerp"), is_library_label("torch/rope"), is_library_label("nca/matMul_gpu")
    (True, True, False)
    """
    parts = [p for p in PARTS.split(name.strip().lower()) if p]
    return len(parts) > 1 and parts[0] in NAMESPACES


def are_calls(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) rows that may be timed calls of an operator: a precision is stated, but no launch and no instructions."""
    known = [kernels.column(name) > 0 for name in ("block_threads", "grid_blocks", "regs_per_thread", "insts_executed")]
    return np.asarray((kernels.strings("precision") != "") & ~combine(np.logical_or, known))


def last_part(name: str) -> str:
    """The last part of a label as an operator's name; '' where the label has one part.

    >>> operation_of_label(last_part("vidur/mlp_up_proj"))   # a projection of a network is a product
    <Operation.GEMM: 'gemm'>
    >>> last_part("suite/softmax"), last_part("suite/gemm_fp8"), last_part("softmax")
    ('op/softmax', 'op/gemm', '')
    """
    collection, _, word = name.rpartition("/")
    operator, _, precision = word.rpartition("_")
    return f"op/{operator if precision.lower() in PRECISION_WORDS else word}" if collection else ""


def find_elements(kernels: KernelTable) -> tuple[FloatArray, NDArray[np.bool_]]:
    """(n,) bytes of an element by the stated precision, else by the kernel's name; whether elements are special."""
    names, given = kernels.strings("kernel").tolist(), kernels.strings("precision").tolist()
    # Each row by its own labels: another row's may stand in another column.
    labels = [kernels.extra[c] for c in LABEL_COLUMNS if c in kernels.extra]
    texts = [
        " ".join([name, *(str(v) for v in labels_of_row if v)])
        for name, *labels_of_row in zip(names, *labels, strict=True)
    ]
    size = {pair: element_size(*pair) for pair in set(zip(names, given, strict=True))}
    special = {text: is_special(text) for text in set(texts)}
    return (
        np.array([size[pair] for pair in zip(names, given, strict=True)], np.float64),
        np.array([special[text] for text in texts], np.bool_),
    )


def element_size(name: str, precision: str) -> float:
    """Bytes of an element.

    >>> element_size("torch/add", "fp16"), element_size("vectorized_elementwise_kernel<4, add<c10::BFloat16>>", "")
    (2.0, 2.0)
    """
    stated = ELEMENT_BYTES.get(precision.strip().lower())
    if stated is not None or precision.strip():
        return stated or 4.0
    library = library_kernel(name)
    return ELEMENT_BYTES.get(library.precision if library else "", 4.0)


def find_product_shapes(kernels: KernelTable, products: NDArray[np.bool_]) -> tuple[FloatArray, ...]:
    """(n,) m, n, k, batch of matrix products: columns, else the configuration; NaN where the FLOPs are others."""
    shape = [kernels.column(f"shape_{name}") for name in ("m", "n", "k", "batch")]
    beside = [pick_column(kernels, (name, name.upper())) for name in ("m", "n", "k")]
    beside.append(pick_column(kernels, ("batch", "b", "B")))
    shape = [np.where(np.isnan(a), b, a) for a, b in zip(shape, beside, strict=True)]
    unknown = np.flatnonzero(products & np.isnan(shape[0] + shape[1] + shape[2]))
    if len(unknown):
        config = kernels.strings("config")
        parsed = np.array([parse_shape(str(config[i])) for i in unknown])
        for column, values in zip(shape, parsed.T, strict=True):
            column[unknown] = values
    shape[3] = np.where(shape[3] > 0, shape[3], 1.0)
    flops = sum_product_flops(kernels)
    with quietly(overflow=True):
        sums = shape[0] * shape[1] * shape[3]
        # With and without a bias.
        same = [np.abs(sums * (2.0 * shape[2] + more) / flops - 1.0) < FLOPS_AGREE for more in (0.0, 1.0)]
        agrees = products & (np.isnan(flops) | same[0] | same[1])
    return tuple(np.where(agrees & (column > 0), column, np.nan) for column in shape)


def sum_product_flops(kernels: KernelTable) -> FloatArray:
    """(n,) FLOPs over all pipes that products use; NaN where none are known."""
    pipes = [r.value for r in (*FLOPS_TENSOR, Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.OPS_TENSOR_INT8)]
    known = [kernels.column(p) for p in pipes if p in kernels.numeric] or [kernels.column("flops")]
    total = combine(np.add, [or_zero(flops) for flops in known])
    return np.where(total > 0, total, kernels.column("flops"))


@lru_cache(maxsize=65536)
def parse_shape(config: str) -> tuple[float, float, float, float]:
    """m, n, k and batch from a configuration's text; NaN without.

    Brackets hold the sizes of one tensor, as traces write an operator's arguments: no product can be read from them.

    >>> parse_shape("M=35;N=700;K=2048;ta=N;tb=N"), parse_shape("bsweep;16x1024x512x256")
    ((35.0, 700.0, 2048.0, nan), (1024.0, 512.0, 256.0, 16.0))
    >>> parse_shape("aten::bmm [96x3137x64] [96x64x3137]")
    (nan, nan, nan, nan)
    """
    nan = float("nan")
    named = {name.lower()[:1]: float(value) for name, value in NAMED_SHAPE.findall(config)}
    if {"m", "n", "k"} <= named.keys():
        return named["m"], named["n"], named["k"], named.get("b", nan)
    plain = PLAIN_SHAPE.search(config)
    if plain is None:
        return nan, nan, nan, nan
    numbers = [float(g) for g in plain.groups() if g is not None]
    return (*numbers[-3:], numbers[0] if len(numbers) == 4 else nan)  # type: ignore[return-value]  # three and one


def find_vectors(kernels: KernelTable) -> tuple[FloatArray, FloatArray]:
    """(n,) vectors of a row operator and their width: columns whose product fits the bytes, where those are known."""
    given = kernels.column("shape_rows")
    rows, width = pick_column(kernels, ROW_COLUMNS), pick_column(kernels, WIDTH_COLUMNS)
    least = kernels.column("bytes_compulsory")
    with quietly(overflow=True):
        per_element = least / (rows * width)
        fits = np.isnan(least) | ((per_element >= 1.0) & (per_element <= 32.0))
    fits &= (rows > 0) & (width > 0)
    return np.where(np.isnan(given), np.where(fits, rows, np.nan), given), np.where(fits, width, np.nan)


def pick_column(kernels: KernelTable, names: Sequence[str]) -> FloatArray:
    """(n,) the first column of numbers among some names; NaN without."""
    for name in names:
        column = kernels.extra.get(name)
        if column is not None and column.dtype.kind in "fiu":
            return np.asarray(column, dtype=np.float64)
    return np.full(len(kernels), np.nan)


TWO_OPERANDS = frozenset({"add", "sub", "mul", "div", "pow"})
"""Element-wise operators that read two arrays of full size."""


# Shapes beyond all reason give amounts that no model forecasts from.
@quietly(overflow=True)
def with_shape_amounts(kernels: KernelTable) -> KernelTable:
    """The table with FLOPs, compulsory bytes and shapes of the rows that have neither work nor bytes.

    The same table where there is nothing to add: values that a table states stay.
    """
    empty = np.ones(len(kernels), np.bool_)
    for name in (*(r.value for r in Resource), "flops", "bytes_compulsory", "insts_executed"):
        if name in kernels.numeric:
            empty &= ~(kernels.column(name) > 0)
    if not empty.any() or not says_shapes(kernels):
        return kernels
    operators = find_operators(kernels)
    if operators is None:
        return kernels
    values: dict[str, FloatArray] = {}
    precisions = find_precisions(kernels)
    for precision in set(precisions.tolist()):
        for operation, known in select_known(operators).items():
            rows = np.flatnonzero(empty & known & (precisions == precision))
            if not len(rows):
                continue
            for name, (column, _) in amounts_of(operation, operators, kernels, rows, precision).columns().items():
                values.setdefault(name, np.full(len(kernels), np.nan))[rows] = column
    if not values:
        return kernels
    columns = {name: (np.where(np.isnan(v), kernels.column(name), v), Origin.DERIVED) for name, v in values.items()}
    return kernels.with_columns(**columns)


def says_shapes(kernels: KernelTable) -> bool:
    """Whether anything in a table may be a shape, so that its names are worth reading."""
    columns = any(name in kernels.extra for name in (*SHAPE_COLUMNS, *ROW_COLUMNS))
    return columns or any(name.startswith("shape_") for name in kernels.numeric) or any(kernels.strings("config"))


def select_known(found: OperatorRows) -> dict[Operation, NDArray[np.bool_]]:
    """(n,) rows of each operation whose shape is known."""
    return {
        Operation.GEMM: found.of(Operation.GEMM) & ~np.isnan(found.m),
        **{
            operation: found.of(operation) & ~np.isnan(found.rows * found.width)
            for operation in (Operation.ELEMENTWISE, Operation.SOFTMAX, Operation.NORMALISATION)
        },
    }


def find_precisions(kernels: KernelTable) -> NDArray[np.object_]:
    """(n,) element type of each row: as the table says, else as the kernel's name does, else fp32."""

    def of(said: str, name: str) -> str:
        library = library_kernel(name)
        return stated_precision(said) or (library.precision if library else "") or "fp32"

    pairs = zip(kernels.strings("precision"), kernels.strings("kernel"), strict=True)
    return np.array([of(str(stated), str(name)) for stated, name in pairs], dtype=np.object_)


def amounts_of(
    operation: Operation, found: OperatorRows, kernels: KernelTable, rows: NDArray[np.intp], precision: str
) -> OperatorAmounts:
    """Amounts of some rows that share operation and element type."""
    if operation is Operation.GEMM:
        return gemm_amounts(found.m[rows], found.n[rows], found.k[rows], found.batch[rows], precision)
    vectors, width = found.rows[rows], found.width[rows]
    if operation is Operation.SOFTMAX:
        return softmax_amounts(vectors, width, precision)
    if operation is Operation.NORMALISATION:
        return normalisation_amounts(vectors, width, precision)
    names = kernels.strings("kernel")[rows]
    reads = np.array([2.0 if str(name).lower().split("/")[-1] in TWO_OPERANDS else 1.0 for name in names])
    return elementwise_amounts(vectors * width, precision, reads=reads)


Kind = tuple[Operation, Resource | None]


@lru_cache(maxsize=65536)
def kind_of(name: str, precision: str = "") -> Kind | None:
    """Operation and pipe of a kernel by its name or label; None for anybody else's kernel.

    precision : as a table states it, '' where it does not.

    >>> kind_of("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn")[1].value, kind_of("gemm/bfloat16")[1].value
    ('flops_tensor_bf16', 'flops_tensor_bf16')
    >>> kind_of("torch/softmax"), kind_of("my_kernel")
    ((<Operation.SOFTMAX: 'softmax'>, None), None)
    """
    library = library_kernel(name)
    operation = library.operation if library is not None else operation_of_label(name)
    if operation is None:
        return None
    if not operation.is_matrix:
        return operation, None
    stated = (
        stated_precision(precision) or (library.precision if library is not None else "") or precision_in_label(name)
    )
    return operation, pipe_of(stated, matrix=True, tensor=library is not None and library.tensor)


def precision_in_label(label: str) -> str:
    """A precision among the parts of a label."""
    return next((PRECISION_WORDS[p] for p in PARTS.split(label.lower()) if p in PRECISION_WORDS), "")


def kinds_of(names: Sequence[str], precisions: Sequence[str]) -> tuple[list[Kind], NDArray[np.intp]]:
    """Distinct kinds, and (n,) which of them each kernel is; -1 for none."""
    kinds: dict[Kind, int] = {}
    code: dict[tuple[str, str], int] = {}
    for pair in set(zip(names, precisions, strict=True)):
        kind = kind_of(*pair)
        code[pair] = -1 if kind is None else kinds.setdefault(kind, len(kinds))
    return list(kinds), np.array([code[pair] for pair in zip(names, precisions, strict=True)], dtype=np.intp)


BLOCKS = frozenset({"grid", "griddim", "gridsize", "numblocks", "blocks", "numberofblocks", "nblocks"})
"""Names of the number of blocks in a configuration, as letters alone."""
ROWS = frozenset({"rows", "numrows", "nrows", "m"})
MATRIX_VECTOR = compile_later(r"(?:mat|matrix)[\W_]*(?:vec|vector)(?![a-z])")
"""Names of hand-written products of a matrix with a vector: a thread computes a row."""
EXTENT = compile_later(r"\d+(?:x\d+){0,2}")
LARGEST_GRID = float(2**31 - 1)


def with_named_launches(kernels: KernelTable) -> KernelTable:
    """The table with the blocks of the rows that have threads per block but no grid, where something names them.

    A product of a matrix with a vector that names its rows has a thread per row, which is an assumption (``ASSUMED``).
    The same table where nothing is to be added.
    """
    threads, blocks = kernels.column("block_threads"), kernels.column("grid_blocks")
    rows = np.flatnonzero((threads > 0) & np.isnan(blocks))
    if not len(rows) or not any(kernels.strings("config")):
        return kernels
    configs, names = kernels.strings("config"), kernels.strings("kernel")
    origin = kernels.origin_of("grid_blocks").copy()
    named = blocks.copy()
    known: dict[tuple[str, str, float], tuple[float, Origin]] = {}
    for row in rows.tolist():
        key = (str(configs[row]), str(names[row]), float(threads[row]))
        if key not in known:
            known[key] = find_blocks(*key)
        named[row], origin[row] = known[key]
    if np.isnan(named[rows]).all():
        return kernels
    return kernels.with_columns(grid_blocks=(named, np.where(np.isnan(named), np.uint8(Origin.ABSENT), origin)))


def find_blocks(config: str, kernel: str, threads: float) -> tuple[float, Origin]:
    """Blocks of one launch, and how that is known; NaN where nothing names them.

    >>> find_blocks("n=4096;grid=16x2", "scale", 128.0)[0]
    32.0
    >>> find_blocks("Num Rows=1000;Num Cols=64", "Matrix Vector Multiplication", 512.0)[0]
    2.0
    >>> find_blocks("Num Rows=1000;Num Cols=64", "matrix_transpose", 512.0)[0]
    nan
    """
    written = split_configuration(config).items()
    parts = {re.sub(r"[^a-z0-9]", "", name.lower()): value.strip() for name, value in written}
    stated = next((parts[name] for name in parts if name in BLOCKS), "")
    if EXTENT.fullmatch(stated):
        return check_blocks(float(np.prod([float(n) for n in stated.split("x")]))), Origin.DERIVED
    rows = next((parts[name] for name in parts if name in ROWS), "")
    if rows.isascii() and rows.isdigit() and MATRIX_VECTOR.search(kernel.lower()):
        return check_blocks(float(np.ceil(float(rows) / threads))), Origin.ASSUMED
    return float("nan"), Origin.ABSENT


def check_blocks(blocks: float) -> float:
    """A number of blocks that a launch can have; else NaN."""
    return blocks if 1 <= blocks <= LARGEST_GRID else float("nan")
