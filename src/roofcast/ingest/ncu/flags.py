"""What is doubtful about the metrics of a launch, in words for a reader of the forecast."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.formulas.values import combine
from roofcast.ingest.ncu.expressions import Column, Counters
from roofcast.ingest.ncu.metric_columns import DRAM_PEAK

Mask = NDArray[np.bool_]
Rule = Callable[[Counters], Mask]

PASSES_AGREE_WITHIN = 0.05
"""Counters of different replay passes differ by up to 1.6 % on real reports of deterministic kernels."""
SHOWN_NAMES = 2
"""Counters that a flag names; it counts the others."""


def values_of(counters: Counters, expression: str) -> FloatArray:
    """(n,) values of an expression; NaN where it has none."""
    column = counters.evaluate(expression)
    return column[0] if column else np.full(counters.size, np.nan)


def capability(counters: Counters) -> FloatArray:
    """(n,) compute capability times ten: 86 for 8.6."""
    return values_of(
        counters, "10 * device__attribute_compute_capability_major + device__attribute_compute_capability_minor"
    )


def without_time(counters: Counters) -> Mask:
    """Rows whose duration is absent, zero or negative."""
    timed: Mask = values_of(counters, "time_s") > 0
    return ~timed


def suspected_moves(counters: Counters) -> Mask:
    """Rows whose half-precision work may be register moves: multiply-adds only, and no opcodes that tell."""
    fused, others = values_of(counters, "insts_fp16_fma"), values_of(counters, "insts_fp16_add + insts_fp16_mul")
    known = ~np.isnan(values_of(counters, "opcode__flops_fp16"))
    suspected: Mask = (fused > 0) & (others == 0) & (capability(counters) >= 80) & ~known
    return suspected


def passes_disagree(counters: Counters) -> Mask:
    """Rows where two passes counted clearly different numbers of instructions."""
    ratio = values_of(counters, "sum:smsp__inst_executed / inst_executed")
    differs: Mask = np.abs(ratio - 1) > PASSES_AGREE_WITHIN
    return differs


def beyond_memory(counters: Counters) -> Mask:
    """Rows with more DRAM traffic than the memory pins move in that time."""
    return values_of(counters, "bytes_dram") > 1.02 * values_of(counters, DRAM_PEAK)


def packed_missing(counters: Counters) -> Mask:
    """Rows of compute capability 10.x whose packed FP32 instructions were not counted."""
    packed = values_of(counters, "sum:smsp__sass_thread_inst_executed_op_ffma2_pred_on")
    chip = capability(counters)
    scalar = values_of(counters, "sum:smsp__sass_thread_inst_executed_op_ffma_pred_on")
    return (chip >= 100) & (chip < 110) & ~np.isnan(scalar) & np.isnan(packed)


def without_work(counters: Counters) -> Mask:
    """Rows that hold neither FLOPs nor bytes of any cache."""
    names = ("flops_fp64", "flops_fp32", "flops_fp16", "bytes_l1", "bytes_l2")
    absent = combine(np.logical_and, [np.isnan(values_of(counters, n)) for n in names])
    return absent & ~without_time(counters)


RULES: tuple[tuple[str, Rule], ...] = (
    ("no usable duration", without_time),
    ("no FLOPs and no cache traffic were collected (as with ncu's default --set basic)", without_work),
    ("FP16 FLOPs may be register moves (HFMA2 with immediates): collect SourceCounters to tell", suspected_moves),
    ("instruction counts of different replay passes disagree: the kernel may not be deterministic", passes_disagree),
    ("more DRAM traffic than the memory can move in the recorded time", beyond_memory),
    ("packed FP32 instructions (FFMA2) were not collected: FP32 FLOPs are a lower bound", packed_missing),
)
"""Text of a flag and the rows that it fits."""


def flags_of(
    metrics: Mapping[str, FloatArray],
    amounts: Mapping[str, Column],
    not_numbers: Sequence[Sequence[str]] = (),
    common: Sequence[str] = (),
) -> list[list[str]]:
    """Per launch, what is doubtful.

    metrics, amounts : as given to and returned by ``amounts_from_ncu``.
    not_numbers : per launch, metrics that were recorded as NaN or infinite.
    common : flags of every launch.
    """
    size = next((len(v) for v in (*metrics.values(), *(v for v, _ in amounts.values()))), 0)
    counters = Counters(metrics, size, dict(amounts))
    flags: list[list[str]] = [[] for _ in range(size)]
    for text, rule in RULES:
        for index in np.flatnonzero(rule(counters)).tolist():
            flags[index].append(text)
    for of_launch, names in zip(flags, not_numbers, strict=False):
        if names:
            more = f" and {len(names) - SHOWN_NAMES} more" if len(names) > SHOWN_NAMES else ""
            of_launch.append(f"recorded as not a number: {', '.join(names[:SHOWN_NAMES])}{more}")
    for of_launch in flags:
        of_launch.extend(common)
    return flags
