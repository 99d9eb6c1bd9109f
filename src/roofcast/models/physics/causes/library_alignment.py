r"""Rows at no multiple of 16 bytes keep NVIDIA's kernels from wide and asynchronous copies.

.. math:: M' = M \, \{1, 1.2, 1.7\} \, \{1, 1.5\}

M : s of a matrix product on tensor pipes. 1.2 where rows are multiples of 4 or 8 bytes, 1.7 of 2 bytes; 1.5 more from
Hopper on. Softmax over such rows of more than 1,024 elements takes 1.35 SM cycles per element.

Reason: copies of 16 bytes a lane need rows that start at multiples of 16 bytes, and so do asynchronous copies; the
instructions that do not are the older ones. FP32 loses nothing, nor do AMD's libraries.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.properties import Property
from roofcast.core.resource import FLOPS_TENSOR
from roofcast.formulas.values import or_zero
from roofcast.models.operators.products import BYTES_OF_PIPE, generation
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.stages import PRODUCT_S, ROW_CYCLES, Products, RowOperators
from roofcast.operators.kernel_names import Operation

ALIGNED_BYTES = 16
"""B; rows at multiples of it lose nothing: the widest load and the widest asynchronous copy move so many."""
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
"""SM version of Hopper."""


def alignment_bytes(n: FloatArray, k: FloatArray, element_bytes: float) -> FloatArray:
    """Largest power of two up to 16 bytes of which the rows of both operands and of the result are multiples.

    >>> alignment_bytes(np.array([768.0, 3137.0, 30522.0]), np.array([64.0, 64.0, 512.0]), 2.0).tolist()
    [16.0, 2.0, 4.0]
    """
    aligned = np.full(np.shape(n), float(ALIGNED_BYTES))
    for size in (n, k):
        bytes_per_row = or_zero(size * element_bytes)
        for power in (8.0, 4.0, 2.0, 1.0):
            aligned = np.where(np.mod(bytes_per_row, 2.0 * power) != 0, np.minimum(aligned, power), aligned)
    return aligned


def alignment_factor(machines: Machines, n: FloatArray, k: FloatArray, element_bytes: float) -> FloatArray:
    """Estimate how much longer NVIDIA's products on tensor pipes take because of their rows; 1 on other GPUs.

    n, k : (n, 1). machines broadcasts with them.
    """
    width = alignment_bytes(n, k, element_bytes)
    older = np.where(width >= ALIGNED_BYTES, 1.0, np.where(width >= 4.0, MISALIGNED, ODD))
    newest = np.where(width >= ALIGNED_BYTES, 1.0, older * WITHOUT_ASYNCHRONOUS_COPIES)
    kind = machines.gather(generation)
    return np.asarray(np.where(kind >= HOPPER, newest, np.where(kind > 0, older, 1.0)))


def softmax_cycles(machines: Machines, usual: FloatArray, row_bytes: FloatArray, width: FloatArray) -> FloatArray:
    """SM cycles per element of softmax, with those rows that no wide load fits.

    usual : of aligned rows. row_bytes, width : (n, 1) bytes and elements of a row, NaN where unknown.
    """
    with quietly():
        odd = (np.mod(np.round(row_bytes), ALIGNED_BYTES) != 0) & (width > WARP_SOFTMAX_WIDTH)
        odd &= row_bytes < SINGLE_BYTES * width
    nvidia = machines.gather(generation) > 0
    return np.where(odd & nvidia & np.isfinite(row_bytes), np.maximum(ODD_SOFTMAX_CYCLES, usual), usual)


def slow_odd_products(seconds: FloatArray, read: Products) -> FloatArray:
    """M': seconds of products, longer for odd rows on tensor pipes."""
    if read.pipe not in FLOPS_TENSOR:
        return seconds
    return seconds * alignment_factor(read.machines, read.n, read.k, BYTES_OF_PIPE.get(read.pipe, 2.0))


def slow_odd_softmax(cycles: FloatArray, read: RowOperators) -> FloatArray:
    """SM cycles per element, more for softmax over odd rows."""
    if read.operation is not Operation.SOFTMAX:
        return cycles
    width = read.elements / read.operators.rows[read.chosen, None]
    row_bytes = width * read.operators.element_bytes[read.chosen, None]
    return softmax_cycles(read.machines, cycles, row_bytes, width)


CAUSE = Cause(
    name="library_alignment",
    sentence="rows at no multiple of 16 bytes keep NVIDIA's kernels from wide and asynchronous copies",
    when="matrix products on tensor pipes and softmax of a library, on NVIDIA's GPUs",
    corrects="products and softmax of odd widths",
    taught_by="eleuther_gemm (1.17 on A100, 1.26 on V100, 1.0 on MI250X); TraceLens, H100",
    acts=(at(PRODUCT_S, slow_odd_products), at(ROW_CYCLES, slow_odd_softmax)),
    properties=(Property.OTHER,),
    subject=Subject.OPERATOR,
)
