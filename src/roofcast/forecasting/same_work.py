"""Rows of a table that measured the same work on several GPUs.

The same work: kernel, configuration and, where every such row names it, precision. Rows without a configuration must
agree in grid, block and sizes as well. Several launches of one work on a GPU pair in their order, where every GPU has
as many; where counts of FLOPs part, the inputs were not the same and the rows stay apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.operators.operator_rows import ROW_COLUMNS, SHAPE_COLUMNS, WIDTH_COLUMNS

Index = NDArray[np.intp]

FLOPS_APART = 1.5
"""Ratio of two counts of FLOPs beyond which they are not of the same work."""

SIZE_COLUMNS = frozenset({*SHAPE_COLUMNS, *ROW_COLUMNS, *WIDTH_COLUMNS, "size", "input_size", "n_elements", "iters"})
GEOMETRY = ("grid_blocks", "block_threads", "smem_bytes_per_block", "shape_m", "shape_n", "shape_k", "shape_batch")

WORK_COLUMNS = (
    *(r.value for r in Resource),
    *("flops", "flops_phantom_fp16", "bytes_dram_read", "bytes_dram_write", "bytes_shared_useful", "shared_wavefronts"),
    *(f"insts_{p}_{kind}" for p in ("fp64", "fp32", "fp16") for kind in ("add", "mul", "fma")),
    *("bytes_compulsory", "working_set_bytes", "threads_per_inst", "grid_blocks", "block_threads", "regs_per_thread"),
    *("smem_bytes_per_block", "bytes_per_sector_load", "bytes_per_sector_store"),
)
"""What belongs to the work rather than to the GPU that it was counted on, or nearly so."""

AMOUNT_COLUMNS = (*(r.value for r in Resource), "flops", "bytes_compulsory", "bytes_dram_read", "insts_executed")


@dataclass(frozen=True)
class SameWork:
    """Groups of rows with the same work, by the set of GPUs that they were measured on."""

    patterns: tuple[tuple[tuple[int, ...], Index], ...]
    """(positions of s GPUs, (g, s) rows of g groups)"""
    apart: NDArray[np.bool_]
    """(n,) rows that stay alone because the counts of their group contradict each other."""


def codes(values: Iterable[object]) -> Index:
    """(n,) integer per distinct value, -1 for what is empty."""
    seen: dict[object, int] = {"": -1}
    return np.array([seen.setdefault(v, len(seen) - 1) for v in values], dtype=np.intp)


def same_work(kernels: KernelTable, index: Index) -> SameWork:
    """Groups of a table, in time that grows with the rows and not with the pairs.

    index : (n,) position of each row's GPU, -1 where unknown: those rows stay alone.
    """
    apart = np.zeros(len(kernels), np.bool_)
    rows = np.flatnonzero(index >= 0)
    if not len(rows) or (index[rows] == index[rows[0]]).all():
        return SameWork((), apart)
    work = works_of(kernels, rows)
    gpu = index[rows]
    order = np.lexsort((rows, gpu, work))
    rows, work, gpu = rows[order], work[order], gpu[order]
    # Runs of one work on one GPU; the place within the run is the number of the launch.
    starts = np.r_[True, (work[1:] != work[:-1]) | (gpu[1:] != gpu[:-1])]
    run = np.cumsum(starts) - 1
    launch = np.arange(len(rows)) - np.flatnonzero(starts)[run]
    length = np.bincount(run)[run]
    _, which = np.unique(work, return_inverse=True)
    least = np.full(which.max() + 1, length.max())
    np.minimum.at(least, which, length)
    most = np.zeros_like(least)
    np.maximum.at(most, which, length)
    even = (least == most)[which]
    order = np.lexsort((gpu, launch, which))
    order = order[even[order]]
    rows, which, launch, gpu = rows[order], which[order], launch[order], gpu[order]
    begin = np.flatnonzero(np.r_[True, (which[1:] != which[:-1]) | (launch[1:] != launch[:-1])]) if len(rows) else rows
    sizes = np.diff(np.r_[begin, len(rows)])
    patterns = []
    for size in np.unique(sizes[sizes > 1]).tolist():
        at = begin[sizes == size][:, None] + np.arange(size)
        groups, gpus = rows[at], gpu[at]
        differ = contradicting(kernels, groups)
        apart[groups[differ].ravel()] = True
        groups, gpus = groups[~differ], gpus[~differ]
        kinds, member = np.unique(gpus, axis=0, return_inverse=True)
        for k, kind in enumerate(kinds.tolist()):
            patterns.append((tuple(kind), groups[member.ravel() == k]))
    return SameWork(tuple(patterns), apart)


def works_of(kernels: KernelTable, rows: Index) -> Index:
    """(r,) integer per distinct work of some rows."""
    config = kernels.strings("config")[rows]
    work = codes(kernels.strings("kernel")[rows] + "\x00" + config)
    named = config != ""
    precision = codes(str(v).strip().lower() for v in kernels.strings("precision")[rows])
    work = refined(work, precision)
    if named.all():
        return work
    attributes = [codes(kernels.strings(name)[rows]) for name in ("grid", "block") if name in kernels.text]
    attributes += [number_codes(kernels.column(name)[rows]) for name in GEOMETRY if name in kernels.numeric]
    sizes = [v for name, v in kernels.extra.items() if name in SIZE_COLUMNS]
    attributes += [number_codes(v[rows]) if v.dtype.kind == "f" else codes(str(x) for x in v[rows]) for v in sizes]
    for attribute in attributes:
        # One code for all rows with a configuration: it says what the rest would.
        work = refined(work, np.where(named, 0, attribute))
    return work


def number_codes(values: FloatArray) -> Index:
    """(n,) integer per distinct number, -1 for NaN."""
    found = np.unique(values, return_inverse=True)[1].astype(np.intp).ravel()
    return np.where(np.isnan(values), -1, found)


def refined(work: Index, attribute: Index) -> Index:
    """Works split by an attribute where every row of the work has it."""
    unknown = np.zeros(work.max(initial=0) + 2, np.bool_)
    unknown[work[attribute < 0]] = True
    attribute = np.where(unknown[work], 0, attribute)
    both = work * (attribute.max(initial=0) + 1) + attribute
    return np.asarray(np.unique(both, return_inverse=True)[1], dtype=np.intp).ravel()


def contradicting(kernels: KernelTable, groups: Index) -> NDArray[np.bool_]:
    """(g,) groups of which two rows count far other FLOPs."""
    names = [n for n in ("flops", *(r.value for r in FLOPS_VECTOR + FLOPS_TENSOR)) if n in kernels.numeric]
    flops = np.zeros(groups.shape)
    for name in names:
        flops += np.nan_to_num(kernels.column(name)[groups], nan=0.0, posinf=0.0, neginf=0.0)
    known = flops > 0
    most = np.where(known, flops, 0.0).max(axis=1, initial=0.0)
    least = np.where(known, flops, np.inf).min(axis=1, initial=np.inf)
    return np.asarray(most > FLOPS_APART * least)


def with_amounts_of_others(kernels: KernelTable, found: SameWork) -> KernelTable:
    """The table with the work that was counted on another GPU, for rows of which only the time is known."""
    present = [kernels.column(name) > 0 for name in AMOUNT_COLUMNS if name in kernels.numeric]
    if not present or not found.patterns:
        return kernels
    empty = np.asarray(~np.any(np.stack(present), axis=0), dtype=np.bool_)
    giver = np.full(len(kernels), -1, np.intp)
    for _, groups in found.patterns:
        counted = ~empty[groups]
        able: NDArray[np.bool_] = np.asarray(counted.any(axis=1), dtype=np.bool_)
        first = groups[np.arange(len(groups)), counted.argmax(axis=1)]
        taking = able[:, None] & ~counted
        giver[groups[taking]] = np.broadcast_to(first[:, None], groups.shape)[taking]
    takes = giver >= 0
    if not takes.any():
        return kernels
    columns = {}
    for name in WORK_COLUMNS:
        if name in kernels.numeric:
            values, origin = kernels.column(name), kernels.origin_of(name)
            fill = takes & np.isnan(values) & ~np.isnan(values[giver])
            columns[name] = (np.where(fill, values[giver], values), np.where(fill, np.uint8(Origin.ASSUMED), origin))
    filled = kernels.with_columns(**columns)
    precision = kernels.strings("precision")
    text = {**filled.text, "precision": np.where(takes & (precision == ""), precision[giver], precision)}
    return KernelTable(
        filled.numeric, filled.origin, text, filled.counters, filled.extra, filled.flags, filled.provenance
    )
