"""Operators of language models as AIConfigurator's tables have them: one row per operator, shape, GPU and framework.

The header names operators and ``seconds``; shapes stand in columns of their own, a set for each kind of operator. What
an operator needs follows from them (:mod:`roofcast.operators.amounts`). Operators without a formula (modules of several
kernels, linear attention) keep their time alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance, as_text
from roofcast.core.precision import PRECISION_WORDS, element_bytes, pipe_of
from roofcast.core.resource import Resource
from roofcast.ingest.tables.frame import PARQUET, Columns, header_of, looks_delimited, read_columns, strings
from roofcast.ingest.text.decoding import head_text, is_text
from roofcast.operators.amounts import OperatorAmounts, attention_amounts, elementwise_amounts, gemm_amounts

HEADERS = {"operator", "gpu", "seconds", "framework", "kernel_source"}
"""What a table of this kind has beside its shapes."""
TYPES = ("gemm_dtype", "moe_dtype", "attn_dtype", "mla_dtype", "bmm_dtype", "quant_dtype")
APART = {*HEADERS, *TYPES, "system", "version", "flops", "efficiency", "bytes_kv", "kv_cache_dtype"}
"""Columns that are no shape."""
LATENT, ROTARY = 512.0, 64.0
"""Values of the latent, and of its rotary part, of all models that have these modules."""
HEAD = 128.0
"""Elements of an attention head's keys and values, without the rotary part."""
SEVERAL_KERNELS = ("gdn", "kda", "mamba2")
"""Operators of which a row times one kernel of several, which ``kernel_source`` names."""
USUAL = {"window_size": 0.0, "beam_width": 1.0, "step": 0.0}
"""Shapes that mean the same where they are not stated."""
WEIGHT_BYTES: Mapping[str, float] = {"int8_wo": 1.0, "int4_wo": 0.53125, "w4a16_mxfp4": 0.53125, "w4afp8": 0.53125}
"""Weights that are widened before they multiply -> B of one with its scales."""


def recognises(head: bytes, name: str) -> bool:
    """Whether the header names operators, their seconds and the framework."""
    if head.startswith(PARQUET) or not is_text(head):
        return False
    text = head_text(head)
    return looks_delimited(text) and set(header_of(text)[0]) >= HEADERS


@dataclasses.dataclass(frozen=True)
class Rows:
    """Rows of one operator and type; columns by name, NaN where absent."""

    columns: Mapping[str, FloatArray]
    dtype: str
    """As the table writes it."""
    cached: str
    """Type of the cache."""

    def of(self, name: str, absent: float = np.nan) -> FloatArray:
        """A column."""
        column = self.columns[name]
        return np.where(np.isnan(column), absent, column)


def read_product(r: Rows) -> OperatorAmounts:
    """A product; weights of few bits are read so and multiply in 16."""
    m, n, k = r.of("m"), r.of("n"), r.of("k")
    needed = gemm_amounts(m, n, k, dtype=plain_type(r.dtype))
    if r.dtype in WEIGHT_BYTES:
        return dataclasses.replace(needed, bytes_compulsory=2.0 * (m * k + m * n) + n * k * WEIGHT_BYTES[r.dtype])
    return needed


def read_heads_product(r: Rows) -> OperatorAmounts:
    """Latents to or from each head of their attention: same FLOPs and bytes either way."""
    return gemm_amounts(r.of("num_tokens"), LATENT, HEAD, r.of("num_heads"), plain_type(r.dtype))


def read_attention(r: Rows) -> OperatorAmounts:
    """Attention of new tokens to a cache; a window bounds what each of them sees."""
    new, old = r.of("isl"), r.of("step", 0.0)
    window = r.of("window_size", 0.0)
    seen = np.where(window > 0, np.minimum(new + old, window + new - 1.0), new + old)
    heads = r.of("num_heads")
    kv_heads = np.where(r.of("num_key_value_heads", 0.0) > 0, r.of("num_key_value_heads", 0.0), heads)
    needed = attention_amounts(
        r.of("batch_size"), heads, new, seen, r.of("head_dim"), plain_type(r.dtype), kv_heads=kv_heads, causal=True,
        dtype_kv=plain_type(r.cached or r.dtype),
    )  # fmt: skip
    # Of n tokens behind w others each sees at most w of those before it.
    pairs = np.where(window > 0, new * np.minimum(window, new + old), np.inf)
    most = 4.0 * r.of("batch_size") * heads * pairs * r.of("head_dim")
    return dataclasses.replace(needed, flops=np.minimum(needed.flops, most))


def read_encoder(r: Rows) -> OperatorAmounts:
    """Attention of all tokens to all."""
    return attention_amounts(
        r.of("batch_size"), r.of("num_heads"), r.of("isl"), r.of("isl"), r.of("head_dim"), plain_type(r.dtype)
    )


def read_latent_context(r: Rows) -> OperatorAmounts:
    """Latent attention of prompts: keys of 192 values, values of 128, widened from latents before."""
    b, h, new, old = r.of("batch_size"), r.of("num_heads"), r.of("isl"), r.of("step", 0.0)
    return attention_amounts(b, h, new, new + old, HEAD + ROTARY, plain_type(r.dtype), value_dim=HEAD, causal=True)


def read_latent_generation(r: Rows) -> OperatorAmounts:
    """Latent attention of one token: every head reads the same latents."""
    b, h, kv = r.of("batch_size"), r.of("num_heads"), r.of("isl") + r.of("step", 0.0)
    needed = attention_amounts(b, h, 1.0, kv, LATENT + ROTARY, plain_type(r.dtype), value_dim=LATENT)
    size, cached = element_bytes(plain_type(r.dtype)), element_bytes(plain_type(r.cached or r.dtype))
    moved = b * (kv * (LATENT + ROTARY) * cached + h * (2.0 * LATENT + ROTARY) * size)
    return dataclasses.replace(needed, bytes_compulsory=moved, working_set_bytes=moved)


def read_experts(r: Rows) -> OperatorAmounts:
    r"""Three products of each token and chosen expert; weights of the experts that somebody chose.

    .. math:: W = 6 t k h f / p, \quad V = [\min(E, t k)\,3 h f s_w + 2 t k h s] / p

    p : GPUs that share the experts, whole or cut.
    """
    t, e, k, h = r.of("num_tokens"), r.of("num_experts"), r.of("topk"), r.of("hidden_size")
    over = r.of("moe_tp_size", 1.0) * r.of("moe_ep_size", 1.0)
    weights = 3.0 * h * r.of("inter_size")
    used = e * -np.expm1(t * k * np.log1p(-1.0 / np.maximum(e, 1.0 + 1e-9)))
    wide = WEIGHT_BYTES.get(r.dtype, element_bytes(plain_type(r.dtype)))
    moved = (used * weights * wide + 4.0 * t * k * h) / over
    pipe = pipe_of(plain_type(r.dtype), matrix=True)
    return OperatorAmounts(2.0 * t * k * weights / over, moved, moved, pipe)


def read_scales(r: Rows) -> OperatorAmounts:
    """Values of 16 bits made FP8."""
    return elementwise_amounts(r.of("m") * r.of("k"), "bf16", dtype_out="fp8")


KINDS: Mapping[str, tuple[str, Callable[[Rows], OperatorAmounts]]] = {
    "gemm": ("gemm", read_product), "mla_bmm": ("bmm", read_heads_product), "moe": ("moe", read_experts),
    "context_attention": ("attention_prefill", read_attention),
    "generation_attention": ("attention_decode", read_attention), "encoder_attention": ("attention", read_encoder),
    "context_mla": ("attention_latent_prefill", read_latent_context),
    "generation_mla": ("attention_latent_decode", read_latent_generation),
    "scale_matrix": ("operator/scale_matrix", read_scales),
}  # fmt: skip
"""Operator -> its label, and what it needs."""


def plain_type(written: str) -> str:
    """The type that multiplies.

    >>> plain_type("fp8_block"), plain_type("int4_wo"), plain_type("nvfp4"), plain_type("w4a16_mxfp4")
    ('fp8', 'bf16', 'fp4', 'bf16')
    """
    if written in WEIGHT_BYTES or not written:
        return "fp8" if written == "w4afp8" else "bf16"
    for word, precision in (("fp8", "fp8"), ("fp4", "fp4"), ("int8", "int8")):
        if word in written:
            return precision
    return PRECISION_WORDS.get(written, "bf16")


def read(stream: BinaryIO, name: str) -> KernelTable:
    """All rows."""
    columns = read_columns(stream, name, lambda header: header in APART and header != "seconds")
    missing = HEADERS - set(columns)
    if missing:
        raise InputError(f"{one_line(name)}: no table of operators: no column {', '.join(sorted(missing))}")
    operator = strings(columns["operator"])
    if not len(operator):
        raise InputError(f"{one_line(name)}: the table has a header but no rows")
    shapes = {h: c for h, c in columns.items() if h not in APART}
    numbers, words = split_shapes(shapes)
    dtype, cached = join_types(columns, len(operator)), text_of(columns, "kv_cache_dtype", len(operator))
    values, labels = take_amounts(operator, dtype, cached, numbers)
    if "kernel_source" in columns:
        kernel = strings(columns["kernel_source"])
        several = np.isin(operator, SEVERAL_KERNELS)
        labels = as_text(np.where(several, labels + "/" + kernel, labels).tolist())
    configs = write_configs(columns, numbers, words, cached)
    precision = as_text([plain_type(d) if d else "" for d in dtype.tolist()])
    time = to_floats(strings(columns["seconds"]))
    return KernelTable.from_columns(
        {"kernel": labels, "config": configs, "gpu": strings(columns["gpu"]), "precision": precision},
        {
            "launch": (np.arange(len(operator), dtype=np.float64), Origin.COUNTED),
            "time_s": (np.where(time > 0, time, np.nan), Origin.COUNTED),
            **values,
        },
        extra={n: strings(columns[n]) for n in ("framework", "version", "kernel_source") if n in columns},
        provenance=Provenance(tool="table of operators"),
    )


def to_floats(cells: NDArray[np.object_]) -> FloatArray:
    """(n,) numbers; NaN of what is none."""

    def number(cell: str) -> float:
        try:
            return float(cell)
        except ValueError:
            return np.nan

    return np.array([number(str(c)) for c in cells.tolist()], np.float64)


def split_shapes(shapes: Columns) -> tuple[dict[str, FloatArray], dict[str, NDArray[np.object_]]]:
    """Columns of numbers, and of words."""
    numbers, words = {}, {}
    for header, cells in shapes.items():
        written = strings(cells)
        values = to_floats(written)
        if (np.isnan(values) & (written != "")).any():
            words[header] = written
        else:
            numbers[header] = values
    return numbers, words


def text_of(columns: Columns, name: str, size: int) -> NDArray[np.object_]:
    """A column of words; '' without."""
    return strings(columns[name]) if name in columns else as_text([""] * size)


def join_types(columns: Columns, size: int) -> NDArray[np.object_]:
    """(n,) the type of each row, whichever column holds it."""
    types = as_text([""] * size)
    for name in TYPES:
        types = np.where(types == "", text_of(columns, name, size), types)
    return types


def take_amounts(
    operator: NDArray[np.object_], dtype: NDArray[np.object_], cached: NDArray[np.object_],
    numbers: Mapping[str, FloatArray],
) -> tuple[dict[str, tuple[FloatArray, Origin]], NDArray[np.object_]]:  # fmt: skip
    """Amounts, and the label of each row."""
    n = len(operator)
    values: dict[str, FloatArray] = {}
    labels = as_text([f"operator/{o}" for o in operator.tolist()])
    nothing = np.full(n, np.nan)
    for kind, written, cache in sorted(set(zip(operator.tolist(), dtype.tolist(), cached.tolist(), strict=True))):
        if kind not in KINDS:
            continue
        label, recipe = KINDS[kind]
        rows = np.flatnonzero((operator == kind) & (dtype == written) & (cached == cache))
        labels[rows] = f"{label}/{written}" if written else label
        needs = recipe(Rows(Absent({h: v[rows] for h, v in numbers.items()}, nothing[rows]), written, cache))
        for column, (column_values, _) in needs.columns().items():
            if column != Resource.INSTS_SPECIAL.value:
                values.setdefault(column, nothing.copy())[rows] = column_values
    return {name: (v, Origin.DERIVED) for name, v in values.items()}, labels


class Absent(dict[str, FloatArray]):
    """Columns; those that a table lacks are absent values."""

    def __init__(self, known: Mapping[str, FloatArray], absent: FloatArray) -> None:
        super().__init__(known)
        self.absent = absent

    def __missing__(self, name: str) -> FloatArray:
        """All NaN."""
        return self.absent


def write_configs(
    columns: Columns, numbers: Mapping[str, FloatArray], words: Mapping[str, NDArray[np.object_]],
    cached: NDArray[np.object_],
) -> NDArray[np.object_]:  # fmt: skip
    """(n,) all that tells one case of an operator from another, the framework among it."""
    framework = strings(columns["framework"])
    parts = [[f"framework={f}"] + [f"kv={c}"] * bool(c) for f, c in zip(framework, cached, strict=True)]
    for name, of_words in words.items():
        for words_of_row, word in zip(parts, of_words.tolist(), strict=True):
            words_of_row.extend([f"{name}={word}"] * bool(word))
    for name, of_numbers in numbers.items():
        for words_of_row, number in zip(parts, of_numbers.tolist(), strict=True):
            words_of_row.extend([f"{name}={number:g}"] * (not np.isnan(number) and number != USUAL.get(name)))
    return as_text([";".join(words_of_row) for words_of_row in parts])
