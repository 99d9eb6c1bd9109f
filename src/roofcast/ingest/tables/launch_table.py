"""Kernel tables: CSV, TSV or Parquet with one row per launch, in the spellings found in the wild.

What each column means stands in :mod:`roofcast.ingest.tables.spellings`. Columns that nothing is known of are kept in
``extra``; sizes inside configurations and access patterns by name are read from words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray, Provenance, as_text
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR
from roofcast.ingest.ncu.launches import parse_dimensions
from roofcast.ingest.ncu.layout import parse_header
from roofcast.ingest.ncu.metrics import amounts_from_ncu
from roofcast.ingest.nvprof.nvprof_metrics import AMOUNTS as NVPROF_AMOUNTS
from roofcast.ingest.nvprof.nvprof_metrics import amounts_from_nvprof
from roofcast.ingest.tables.frame import (
    PARQUET,
    Cells,
    Columns,
    header_of,
    looks_delimited,
    numbers,
    read_columns,
    strings,
)
from roofcast.ingest.tables.spellings import (
    DIMENSIONS,
    IN_BRACKETS,
    MATRIX_WORK,
    PRECISIONS,
    SHARES,
    TENSOR,
    VECTOR,
    Meaning,
    meanings_of,
    normalise,
    text_column_of,
)
from roofcast.ingest.text.decoding import head_text, is_text
from roofcast.ingest.text.profiler_units import metric_factor

NVPROF_NAMES = {name for sums in NVPROF_AMOUNTS.values() for terms in sums for _, name in terms} | {
    *("gld_transactions", "gst_transactions", "tex_transactions", "branch_efficiency", "inst_control"),
}
ALWAYS_COUNTED = frozenset(
    {
        *("time_s", "time_std_s", "launch", "clock_hz", "clock_hz_dram", "power_w", "sm_count", "capacity_bytes_dram"),
        *("grid_blocks", "block_threads", "regs_per_thread", "smem_bytes_per_block"),
    }
)
"""What describes a launch stays measured where the table's amounts are analytic."""
SIZES = ("grid", "block")
SUFFIXES = (".csv", ".tsv", ".parquet", ".pq", ".txt")


OPERATOR_COLUMNS = ("op", "op_name", "operator", "operation")
"""What stands for the kernel's name where a table has none."""
PATTERN_COLUMNS = ("mem_pattern", "access_pattern", "memory_pattern")
PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"strided?_?(\d+)"), "both"),
    (re.compile(r"random|gather|scatter|uncoalesced|non_?coalesced"), "load"),
    (re.compile(r"transpose_naive|naive_transpose"), "store"),
    (re.compile(r"coalesced|stencil|tiled|stream|sequential|contiguous"), ""),
)
"""Word in the name of an access pattern -> the side that uses parts of sectors; a number is the stride."""

ELEMENT_BYTES, SECTOR_BYTES = 4.0, 32.0


def recognises(head: bytes, name: str) -> bool:
    """Parquet, or delimited text whose header names a kernel column and a time, or whose file name says table."""
    if head.startswith(PARQUET):
        return True
    if not is_text(head):
        return False
    text = head_text(head)
    if not looks_delimited(text):
        return False
    headers = header_of(text)[0]
    return name_of_kernel(headers) is not None or name.lower().removesuffix(".gz").endswith(SUFFIXES[:2])


def name_of_kernel(headers: list[str]) -> str | None:
    """The header of the kernel column."""
    spelled = {text_column_of(h): h for h in reversed(headers)}
    exact = {normalise(h): h for h in reversed(headers)}
    # Tables of operator times name operators, not kernels.
    operator = next((exact[name] for name in OPERATOR_COLUMNS if name in exact), None)
    return exact.get("kernel") or spelled.get("kernel") or operator


@dataclass
class Reading:
    """A table on its way to a :class:`KernelTable`."""

    size: int
    text: dict[str, NDArray[np.object_]] = field(default_factory=dict)
    values: dict[str, FloatArray] = field(default_factory=dict)
    origin: dict[str, OriginArray] = field(default_factory=dict)
    counters: dict[str, FloatArray] = field(default_factory=dict)
    flags: list[tuple[NDArray[np.intp], str]] = field(default_factory=list)
    """Rows, and what is doubtful about all of them."""
    analytic: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    """(n,) whether the table says that the amounts of a row are computed, not counted."""

    def flag(self, rows: NDArray[np.intp] | list[int], text: str) -> None:
        """Note a doubt about rows."""
        self.flags.append((np.asarray(rows, np.intp), text))

    def column(self, name: str) -> FloatArray:
        """(n,) values of a column; all NaN where there are none yet."""
        return self.values.get(name, np.full(self.size, np.nan))

    def put(self, name: str, more: FloatArray, origin: Origin | OriginArray) -> NDArray[np.intp]:
        """Fill the cells of a column that are still absent; returns the rows that were filled."""
        values = self.values.setdefault(name, np.full(self.size, np.nan))
        origins = self.origin.setdefault(name, np.zeros(self.size, np.uint8))
        rows = np.flatnonzero(np.isnan(values) & ~np.isnan(more))
        values[rows] = more[rows]
        origins[rows] = int(origin) if isinstance(origin, Origin) else origin[rows]
        return rows

    def origin_of(self, meaning: Meaning) -> Origin | OriginArray:
        """Counted or derived, from the meaning of a column and what the table says of its source."""
        if meaning.origin is not None:
            return meaning.origin
        if meaning.column in ALWAYS_COUNTED:
            return Origin.COUNTED
        return np.where(self.analytic, int(Origin.DERIVED), int(Origin.COUNTED)).astype(np.uint8)


def read(stream: BinaryIO, name: str) -> KernelTable:
    """All rows of a kernel table."""
    columns = read_columns(stream, name, is_word)
    headers = list(columns)
    file = one_line(name)
    if parse_header('"' + '","'.join(headers) + '"') is not None:
        raise InputError(f"{file}: an ncu CSV, not a kernel table: read it as ncu-csv")
    kernel = name_of_kernel(headers)
    metrics = {h: m for h in headers if (m := ncu_metric(h)) is not None}
    timed = [h for h in headers if any(m.column == "time_s" for m in meanings_of(h))]
    missing = [] if kernel else ["kernel (the kernel's name)"]
    derived = "loads_in_turn" in headers
    missing += [] if timed or metrics or derived else ["time_s (seconds; or time_ms, time_us)"]
    if missing:
        present = one_line(", ".join(headers[:8]) + (", ..." if len(headers) > 8 else ""), 160)
        raise InputError(f"{file}: not a kernel table: no column {' and no column '.join(missing)}; found {present}")
    assert kernel is not None
    size = len(columns[kernel])
    if not size:
        raise InputError(f"{file}: the table has a header but no rows")
    reading = Reading(size)
    extra = take_columns(reading, columns, kernel, metrics)
    for rule in RULES:
        rule(reading, extra)
    return KernelTable.from_columns(
        reading.text,
        {n: (v, reading.origin[n]) for n, v in reading.values.items() if n == "time_s" or not np.isnan(v).all()},
        counters=reading.counters,
        extra=extra,
        flags=flags_of(reading),
        provenance=Provenance(tool="kernel table"),
    )


def flags_of(reading: Reading) -> list[tuple[str, ...]]:
    """Doubts per row; rows with the same ones share them."""
    code = np.zeros(reading.size, np.intp)
    texts: list[tuple[str, ...]] = [()]
    for rows, text in reading.flags:
        held = np.unique(code[rows])
        following = np.zeros(len(texts), np.intp)
        following[held] = np.arange(len(texts), len(texts) + len(held))
        code[rows] = following[code[rows]]
        texts += [(*texts[k], text) for k in held.tolist()]
    return list(map(texts.__getitem__, code.tolist()))


def is_word(header: str) -> bool:
    """Whether the cells of a column say something as they are written, also where they look like numbers."""
    name = normalise(header)
    return text_column_of(header) is not None or name in DIMENSIONS or name in (*OPERATOR_COLUMNS, *PATTERN_COLUMNS)


def take_columns(
    reading: Reading, columns: Columns, kernel: str, metrics: Mapping[str, tuple[str, float]]
) -> dict[str, NDArray[Any]]:
    """Sort the columns of the file into text, quantities, counters and the rest, which is returned."""
    named = {h: "kernel" if h == kernel else text_column_of(h) for h in columns if h not in metrics}
    first = {what: h for h, what in reversed(named.items()) if what != "kernel" or h == kernel}
    # Whoever has "kernel" and "name" means the first; the other is kept as it is.
    texts = {h: what for h, what in named.items() if what and first[what] == h and what not in SIZES}
    sizes = {h: DIMENSIONS[n] for h in columns if (n := normalise(h)) in DIMENSIONS}
    for header, column in texts.items():
        reading.text[column] = strings(columns[header])
    source = next((strings(c) for h, c in columns.items() if normalise(h) == "source_of_counts"), as_text([]))
    computed = [s for s in dict.fromkeys(source) if is_analytic(s)]
    reading.analytic = np.isin(source, computed) if len(source) else np.zeros(reading.size, np.bool_)
    meanings = {
        h: meanings_of_header
        for h in columns
        if h not in texts and h not in sizes and (meanings_of_header := meanings_of(h))
    }
    nvprof = {h: metric for h in columns if h not in meanings and (metric := nvprof_metric(h))}
    numeric, bad, note = numbers({h: columns[h] for h in (*meanings, *metrics, *nvprof)})
    for header, rows in bad.items():
        reading.flag(rows, f"column {one_line(header, 60)} holds no number here: taken as absent")
    if note:
        reading.flag(list(range(reading.size)), note)
    take_sizes(reading, {what: columns[h] for h, what in sizes.items()})
    take_meanings(reading, meanings, numeric)
    take_counters(reading, {m: numeric[h] * factor for h, (m, factor) in metrics.items()})
    take_nvprof(reading, {n: numeric[h] for h, n in nvprof.items()})
    # A column of operators says that a library did the work: it stays beside the name.
    used = {*(h for h in texts if normalise(h) not in OPERATOR_COLUMNS), *meanings, *metrics, *sizes}
    return {h: extra_values(c) for h, c in columns.items() if h not in used}


def take_meanings(
    reading: Reading, meanings: Mapping[str, tuple[Meaning, ...]], numeric: Mapping[str, FloatArray]
) -> None:
    """Columns of the vocabulary, those under their own name first."""
    pairs = [(h, m) for h, several in meanings.items() for m in several]
    pairs.sort(key=lambda pair: (normalise(pair[0]) != pair[1].column, bool(pair[1].flag)))
    for header, meaning in pairs:
        values = numeric[header] * meaning.factor
        share = meaning.column.endswith("_fraction") or meaning.column in SHARES
        # A share above one and a half in a column that does not say so is in percent.
        if share and meaning.factor in (1.0, 32.0) and np.nanmax(np.append(numeric[header], 0)) > 1.5:
            is_amount = meaning.column in SHARES and meaning.factor == 1.0
            values = values if is_amount else values * 0.01
        rows = reading.put(meaning.column, values, reading.origin_of(meaning))
        if meaning.flag:
            reading.flag(rows, meaning.flag)


def take_sizes(reading: Reading, sizes: Mapping[str, Cells]) -> None:
    """Grid and block, as a number or as a tuple."""
    products: dict[str, FloatArray] = {}
    for what, column in sizes.items():
        cells = strings(column)
        parsed = {cell: parse_dimensions(cell.removesuffix(".0")) for cell in set(cells)}
        products[what] = np.array([math.prod(s) if (s := parsed[c]) else math.nan for c in cells], dtype=np.float64)
        if what != "threads" and any("," in c or "x" in c for c in parsed):
            reading.text[what] = as_text(str(s) if (s := parsed[c]) else "" for c in cells)
    if "threads" in products and "block" in products:
        with quietly():
            products.setdefault("grid", np.ceil(products["threads"] / products["block"]))
    for what, name in (("grid", "grid_blocks"), ("block", "block_threads")):
        if what in products:
            reading.put(name, products[what], Origin.COUNTED)


def take_counters(reading: Reading, metrics: Mapping[str, FloatArray]) -> None:
    """Amounts from ncu metrics, where the table does not state them itself."""
    if not metrics:
        return
    reading.counters |= metrics
    known = ("time_s", "sm_count", "grid_blocks", "block_threads")
    given = {n: (reading.values[n], reading.origin[n]) for n in known if n in reading.values}
    for name, (values, origin) in amounts_from_ncu(metrics, given).items():
        reading.put(name, values, origin)


def take_nvprof(reading: Reading, metrics: Mapping[str, FloatArray]) -> None:
    """Amounts from nvprof metrics, where the table does not state them itself."""
    reading.counters |= metrics
    for name, (values, origin) in amounts_from_nvprof(metrics, reading.column("time_s")).items():
        reading.put(name, values, origin)


def ncu_metric(header: str) -> tuple[str, float] | None:
    """Metric name and factor to base units of a header that is an ncu metric, with or without ``ncu_`` before it.

    >>> ncu_metric("ncu_dram__bytes.sum"), ncu_metric("gpu__time_duration.sum [us]"), ncu_metric("time_s")
    (('dram__bytes.sum', 1.0), ('gpu__time_duration.sum', 1000.0), None)
    """
    bracket = IN_BRACKETS.match(header.strip())
    name, unit = (bracket["name"], bracket["unit"]) if bracket else (header.strip(), "")
    name = name.removeprefix("ncu_")
    return (name, metric_factor(name, unit)) if "__" in name.strip("_") and " " not in name else None


def nvprof_metric(header: str) -> str | None:
    """Metric of nvprof that a header names, also with the size of a transaction or ``_pct`` behind it."""
    name = normalise(header).removesuffix("_32b").removesuffix("_pct")
    return name if name in NVPROF_NAMES else None


def is_analytic(source: str) -> bool:
    """Whether a source of counts is a computation: neither a profiler nor a counter is named."""
    lowered = source.lower()
    return bool(lowered) and not any(word in lowered for word in ("ncu", "nvprof", "cupti", "counter", "rocprof"))


def extra_values(column: Cells) -> NDArray[Any]:
    """(n,) numbers where all present cells are numbers, else text."""
    if isinstance(column, np.ndarray):
        texts = [c.strip() for c in column]
        if all(not c or is_float(c) for c in texts):
            return np.array([float(c) if c else math.nan for c in texts], dtype=np.float64)
        return column
    import polars as pl

    if column.dtype != pl.String:
        return column.to_numpy()
    present = column.str.strip_chars().replace("", None)
    cast = present.cast(pl.Float64, strict=False)
    if cast.null_count() == present.null_count():
        return cast.fill_null(math.nan).to_numpy()
    return as_text(column.fill_null("").to_list())


def is_float(text: str) -> bool:
    """Whether a text is a number as programs print it."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text and text.isascii()


def refuse_impossible(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Negative amounts and times that are not positive are absent."""
    reading.values.setdefault("time_s", np.full(reading.size, np.nan))
    reading.origin.setdefault("time_s", np.zeros(reading.size, np.uint8))
    for name, values in reading.values.items():
        with quietly():
            rows = np.flatnonzero((values < 0) | ((values == 0) & (name == "time_s")))
        if len(rows):
            values[rows] = np.nan
            reading.flag(
                rows, f"{name} is not positive: taken as absent" if name == "time_s" else f"{name} is negative"
            )


def split_dram(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """DRAM reads and writes from their sum and the share of reads; the sum from its parts."""
    share = extra.get("dram_read_frac")
    if share is not None and share.dtype.kind == "f":
        total = reading.column("bytes_dram")
        reading.put("bytes_dram_read", total * share, Origin.DERIVED)
        reading.put("bytes_dram_write", total * (1 - share), Origin.DERIVED)
    parts = reading.column("bytes_dram_read") + reading.column("bytes_dram_write")
    reading.put("bytes_dram", parts, Origin.DERIVED)


def name_precision(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Precisions under one spelling each."""
    named = reading.text.get("precision")
    if named is not None:
        known = {text: PRECISIONS.get(text.lower(), text) for text in set(named)}
        reading.text["precision"] = as_text(known[text] for text in named)


def split_flops(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """FLOPs of a kernel with one precision go to that precision's pipe, where the table has no split of its own."""
    flops, named = reading.column("flops"), reading.text.get("precision")
    if named is None:
        return
    split = np.zeros(reading.size, np.bool_)
    for resource in (*FLOPS_VECTOR, *FLOPS_TENSOR):
        split |= ~np.isnan(reading.column(resource.value))
    wanted = ~split & ~np.isnan(flops)
    kernels = reading.text["kernel"][wanted]
    is_matrix = {k: bool(MATRIX_WORK.search(k)) for k in set(kernels)}
    matrix = np.zeros(reading.size, np.bool_)
    matrix[wanted] = [is_matrix[k] for k in kernels]
    for precision in set(named[wanted]):
        rows = (named == precision) & wanted
        for on_tensor in (True, False):
            pipe = (TENSOR if on_tensor else VECTOR).get(precision) or TENSOR.get(precision)
            chosen = rows & (matrix == on_tensor)
            if pipe is None and on_tensor:
                pipe = VECTOR.get(precision)
            if pipe is not None and chosen.any():
                reading.put(pipe.value, np.where(chosen, flops, np.nan), Origin.DERIVED)


def issue_what_executes(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Instructions issued are those executed; without the number of replays nothing better is known."""
    reading.put("insts_issued", reading.column("insts_executed"), Origin.DERIVED)
    both = reading.column("insts_executed") * reading.column("threads_per_inst")
    reading.put("insts_thread", both, Origin.DERIVED)
    wavefronts = reading.column("shared_wavefronts")
    reading.put("bytes_shared", 128 * wavefronts, Origin.DERIVED)


def know_datasets(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """What the notes of a published data set say of its columns and no header does."""
    named = reading.text.get("dataset")
    if named is None:
        return
    rows = np.flatnonzero(named == "hecbench_ncu")
    smem = reading.values.get("smem_bytes_per_block")
    if smem is not None and len(rows):
        # All its GPUs are of compute capability 8 or 9, whose driver reserves 1 KiB of each block's shared memory.
        smem[rows] = np.maximum(smem[rows] - 1024, 0)
        reading.put("smem_bytes_per_block_driver", np.where(named == "hecbench_ncu", 1024.0, np.nan), Origin.DERIVED)
    match = extra.get("counters_match")
    if match is not None and len(rows):
        disagree = np.isin(match, [m for m in dict.fromkeys(match) if str(m).lower() == "false"])
        reading.flag(np.flatnonzero(disagree), "two releases of the data disagree on this row: counters left out")


def configurations_from_sizes(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Configurations that some rows lack, from the columns that the others' name (``N=1024;block=256``).

    A size that a row does not state is 0, as in those names.
    """
    named = reading.text.get("config")
    if named is None or all(named) or not any(named):
        return
    columns = sizes_of(reading, extra)
    form = next((f for text in dict.fromkeys(named) if text and (f := form_of(str(text), columns))), None)
    if form is None:
        return
    for row in np.flatnonzero(named == ""):
        known = [(key, float(np.nan_to_num(columns[key][row])), dotted) for key, dotted in form]
        if any(value > 0 for _, value, _ in known):
            named[row] = ";".join(f"{k}={v:.1f}" if dotted else f"{k}={v:.0f}" for k, v, dotted in known)


def sizes_of(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> dict[str, FloatArray]:
    """Numeric columns under the names that configurations give them."""
    columns = {**reading.values, **{n: v for n, v in extra.items() if v.dtype.kind == "f"}}
    return columns | {"block": reading.column("block_threads"), "grid": reading.column("grid_blocks")}


def form_of(text: str, columns: Mapping[str, FloatArray]) -> list[tuple[str, bool]] | None:
    """Sizes that a configuration names, and whether with decimals; None unless each is a column and a number.

    >>> form_of("N=4;iters=0.0", {"N": np.zeros(1), "iters": np.zeros(1)}), form_of("fast", {})
    ([('N', False), ('iters', True)], None)
    """
    parts = [part.partition("=") for part in text.split(";")]
    if not all(mark and key in columns and is_number(value) for key, mark, value in parts):
        return None
    return [(key, "." in value) for key, _, value in parts]


def is_number(text: str) -> bool:
    """Whether a text is a finite number."""
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def sectors_of_patterns(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Useful bytes per sector from the name of an access pattern, for elements of four bytes."""
    named = next((extra[n] for n in PATTERN_COLUMNS if n in extra and extra[n].dtype == object), None)
    if named is None:
        return
    load, store = np.full(reading.size, np.nan), np.full(reading.size, np.nan)
    for text in set(named):
        useful = useful_bytes(str(text))
        if useful is not None:
            rows = named == text
            load[rows], store[rows] = useful
    reading.put("bytes_per_sector_load", load, Origin.DERIVED)
    reading.put("bytes_per_sector_store", store, Origin.DERIVED)


def useful_bytes(pattern: str) -> tuple[float, float] | None:
    """Useful bytes per sector of loads and stores; None for a name that says nothing.

    >>> useful_bytes("stride_2"), useful_bytes("transpose_naive"), useful_bytes("unknown")
    ((16.0, 16.0), (32.0, 4.0), None)
    """
    for expression, side in PATTERNS:
        if (match := expression.search(pattern.lower())) is not None:
            stride = float(match.group(1)) if match.groups() else math.inf
            little = min(max(ELEMENT_BYTES, SECTOR_BYTES / max(stride, 1.0)), SECTOR_BYTES)
            load, store = side in ("both", "load"), side in ("both", "store")
            return (little if load else SECTOR_BYTES), (little if store else SECTOR_BYTES)
    return None


def number_launches(reading: Reading, extra: Mapping[str, NDArray[Any]]) -> None:
    """Index of each row."""
    reading.values["launch"] = np.arange(reading.size, dtype=np.float64)
    reading.origin["launch"] = np.full(reading.size, int(Origin.COUNTED), np.uint8)


RULES: tuple[Callable[[Reading, Mapping[str, NDArray[Any]]], None], ...] = (
    refuse_impossible, know_datasets, name_precision, split_dram, split_flops, issue_what_executes,
    configurations_from_sizes, sectors_of_patterns, number_launches,
)  # fmt: skip
"""What follows from several columns together, in this order."""
