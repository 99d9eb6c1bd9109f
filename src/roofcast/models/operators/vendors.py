"""What tells the libraries of one vendor from those of another: what they usually reach, how rows must be aligned.

On another vendor's GPU another library runs, written by other people. How far the source's kernel is from its model
then says little about the target's; what the vendor's libraries usually take beside the model says more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.operators.kernel_names import Operation

CAUSE = "library_vendors"
ALIGNMENT = "library_alignment"
CAUSES = {
    CAUSE: "between vendors: what each vendor's libraries usually reach, not how the source's kernel fared",
    ALIGNMENT: "rows at no multiple of 16 bytes keep NVIDIA's kernels from wide and asynchronous copies",
}

LEVELS: Mapping[Operation, Mapping[str, float]] = {
    Operation.GEMM: {"NVIDIA": 0.87, "AMD": 1.17},
    Operation.ATTENTION: {"NVIDIA": 1.0, "AMD": 1.9},
    Operation.CONVOLUTION: {"NVIDIA": 1.22, "AMD": 1.27},
}
"""Usual time over the model's (attention: over what the roofs carry over from NVIDIA; convolutions: over the roofs).

Products on tensor pipes: medians of A100 (0.84 and 0.86), H100 (0.79), L40S (0.98), V100 (1.0 to 1.27); MI250X 1.20,
MI210 0.94 (eleuther_gemm, llmcompass, llm_ops); MI300X 1.16 [TraceLens], ten shapes of two models. Convolutions:
deepbench, V100, P100, GTX 1080 Ti against MI25 and Vega FE. Attention: three shapes of H100 and MI300X [TraceLens], 1.6
to 4 times what the roofs say; an assumption more than a fit.

[TraceLens]: operator tables of traced models in the repository AMD-AGI/TraceLens, tests/traces (MIT licence).
"""
KEPT_ACROSS: Mapping[Operation, float] = {Operation.CONVOLUTION: 0.75}
KEPT_ACROSS_MOST = 0.25
"""Part of what the source's kernel takes beside its model that another vendor's takes too: slope of one logarithm over
the other, 0.1 (V100) and 0.27 (A100) to MI250X for products, 0.7 to 0.77 for convolutions (deepbench)."""

LEAST_CYCLES = 2000.0
"""SM cycles of the smallest kernel beside its launch: three accesses to DRAM one after the other. Less than that is no
efficiency of a library."""

ALIGNED_BYTES = 16
MISALIGNED, ODD, WITHOUT_ASYNCHRONOUS_COPIES = 1.2, 1.7, 1.5
"""Times as long: rows at multiples of 4 or 8 bytes (eleuther_gemm: 1.17 on A100, 1.26 on V100 where k is no multiple of
8; MI250X 1.0), of 2 bytes; from Hopper on also what the older instructions lose that such rows need ([TraceLens], H100:
2.0 to 2.7 times the model at odd widths where aligned products take 0.8)."""
ODD_SOFTMAX_CYCLES = 1.35
"""SM cycles per element of softmax over rows that are no multiple of 16 bytes: one element per load, no copy in shared
memory. H100, [TraceLens]: 1.33 at a width of 5,185; AMD's kernels take what they take for other widths."""
SINGLE_BYTES = 4.0
"""Elements from this size on lose nothing: neusight's FP32 rows take the same at odd widths."""
WARP_SOFTMAX_WIDTH = 1024
"""Up to this width a warp holds a row in registers, whatever its alignment."""
HOPPER = 90


def vendors_differ(source: Machines, target: Machines) -> NDArray[np.bool_]:
    """(n, m) where source and target are known and of different vendors."""
    keys: dict[str, int] = {}

    def code(machines: Machines) -> FloatArray:
        return machines.gather(lambda p: keys.setdefault(p.vendor, len(keys)) if p.vendor else None)

    here, there = code(source), code(target)
    return np.asarray((here != there) & ~np.isnan(here) & ~np.isnan(there))


def level(machines: Machines, operation: Operation) -> FloatArray:
    """What the vendor's libraries usually take, over the model; 1 for all of an operation that was not compared.

    Vendors that nobody measured are taken to be between the others.
    """
    usual = LEVELS.get(operation)
    if usual is None:
        return np.ones(machines.index.shape)
    between = math.exp(sum(map(math.log, usual.values())) / len(usual))
    return machines.gather(lambda p: usual.get(p.vendor, between))


def kept_across(operation: Operation, kept: float) -> float:
    """Part of a source's efficiency that another vendor's kernel keeps. kept : within a vendor, an upper bound."""
    return KEPT_ACROSS.get(operation, min(kept, KEPT_ACROSS_MOST))


def alignment_bytes(n: FloatArray, k: FloatArray, element_bytes: float) -> FloatArray:
    """Largest power of two up to 16 bytes of which the rows of both operands and of the result are multiples.

    >>> alignment_bytes(np.array([768.0, 3137.0, 30522.0]), np.array([64.0, 64.0, 512.0]), 2.0).tolist()
    [16.0, 2.0, 4.0]
    """
    found = np.full(np.shape(n), float(ALIGNED_BYTES))
    for size in (n, k):
        bytes_per_row = np.nan_to_num(size * element_bytes)
        for power in (8.0, 4.0, 2.0, 1.0):
            found = np.where(np.mod(bytes_per_row, 2.0 * power) != 0, np.minimum(found, power), found)
    return found


def alignment_factor(machines: Machines, n: FloatArray, k: FloatArray, element_bytes: float) -> FloatArray:
    """How much longer NVIDIA's products on tensor pipes take because of their rows; 1 on other GPUs.

    n, k : (n, 1). machines broadcasts with them.
    """
    width = alignment_bytes(n, k, element_bytes)
    older = np.where(width >= ALIGNED_BYTES, 1.0, np.where(width >= 4.0, MISALIGNED, ODD))
    newest = np.where(width >= ALIGNED_BYTES, 1.0, older * WITHOUT_ASYNCHRONOUS_COPIES)
    kind = machines.gather(generation)
    return np.asarray(np.where(kind >= HOPPER, newest, np.where(kind > 0, older, 1.0)))


def generation(p: Processor) -> float:
    """Number of an NVIDIA architecture, 90 for sm_90; 0 for other vendors'."""
    digits = p.architecture.removeprefix("sm_")
    return float(digits) if p.vendor == "NVIDIA" and digits.isdigit() else 0.0


def likeness_to_amd(machines: Machines) -> FloatArray:
    """Shape of the machines' index: 1 for AMD's GPUs, 0 for NVIDIA's, between for others, which nobody measured."""
    return machines.gather(lambda p: {"AMD": 1.0, "NVIDIA": 0.0}.get(p.vendor, 0.5))


def softmax_cycles(machines: Machines, usual: FloatArray, row_bytes: FloatArray, width: FloatArray) -> FloatArray:
    """SM cycles per element of softmax, with those rows that no wide load fits.

    usual : of aligned rows. row_bytes, width : (n, 1) bytes and elements of a row, NaN where unknown.
    """
    with np.errstate(invalid="ignore"):
        odd = (np.mod(np.round(row_bytes), ALIGNED_BYTES) != 0) & (width > WARP_SOFTMAX_WIDTH)
        odd &= row_bytes < SINGLE_BYTES * width
    nvidia = machines.gather(generation) > 0
    return np.where(odd & nvidia & np.isfinite(row_bytes), np.maximum(ODD_SOFTMAX_CYCLES, usual), usual)
