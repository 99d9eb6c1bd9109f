"""Advice on two launches that follow each other: one may read what the other wrote."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from roofcast.advice.case import Case, Symptom
from roofcast.advice.memory_traffic import MOST_BUSY, lowered
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.formulas.occupancy import residency
from roofcast.kit.names import short_name, versions_of
from roofcast.models.published.resident_blocks import sm_limits

ALIKE = 0.1
"""1; how far the bytes read may be from a whole number of arrays as large as what was written: halos, write-backs that
are still in L2 when a kernel ends, and partial sectors are a few hundredths."""
MOST_ARRAYS = 3
"""Arrays of that size that the second kernel may read; a tenth of more is as large as the array itself is uncertain."""
LEVELS = (Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.BYTES_L1)


def find_pairs(case: Case) -> Iterator[tuple[int, int, float, int]]:
    r"""Two kernels behind each other, limited by memory, of which the second reads as much as the first writes.

    .. math:: X = \min(W_1, R_2), \qquad |R_2 / W_1 - k| \le k / 10, \; k \in \{1, 2, 3\}

    X : B that need be neither written nor read in one kernel. W_1 : B that the first writes to DRAM. R_2 : B that the
    second reads. k : arrays of that size. Reason: of kernels with the same blocks, which touch as many elements, what
    is written between them can stay in registers. The first is forecast without the writes, the second without the
    reads, at each level of the memory. A profile counts bytes, not addresses: that they are the same bytes it does not
    prove, so that nothing at all may be gained. Silent where launches were merged or versions are compared, where the
    second is the first once more, and where no block of both kernels' registers fits.

    Data: MiniWeather on a V100, whose fluxes (1.27 GB), tendencies (1.20) and state are written by one kernel and read
    by the next.

    Yields the rows of both, X and k.
    """
    kernels = case.kernels
    rows = set(case.rows)
    names, versions = kernels.strings("kernel"), versions_of(kernels)
    for i in sorted(rows):
        j = i + 1
        if j not in rows or names[i] == names[j] or versions[i] or versions[j] or not follows(case, i, j):
            continue
        written, read = case.get("bytes_dram_write", i), case.get("bytes_dram_read", j)
        arrays = read / written if written > 0 and read > 0 else 0.0
        nearest = min(range(1, MOST_ARRAYS + 1), key=lambda k: abs(arrays - k))
        if not abs(arrays - nearest) <= ALIKE * nearest:
            continue
        if min(case.busy_fraction(Resource.BYTES_DRAM, k) for k in (i, j)) >= MOST_BUSY:
            yield i, j, min(written, read), nearest


def written_for_next(case: Case) -> Iterator[Symptom]:
    """Kernels that write as much as the next one reads."""
    for first, second, moved, arrays in find_pairs(case):
        yield from one_kernel(case, (first, second), moved, arrays, row=first)


def read_from_last(case: Case) -> Iterator[Symptom]:
    """Kernels that read as much as the one before wrote."""
    for first, second, moved, arrays in find_pairs(case):
        yield from one_kernel(case, (first, second), moved, arrays, row=second)


def follows(case: Case, first: int, second: int) -> bool:
    """Whether two rows are single launches of one file, profiled one behind the other, with the same blocks."""
    kernels = case.kernels
    files = kernels.strings("source_file")
    return bool(
        kernels.launches[first] == kernels.launches[second] == 1
        and files[first] == files[second] != ""
        and case.get("launch", second) == case.get("launch", first) + 1
        and all(case.get(n, first) == case.get(n, second) > 0 for n in ("grid_blocks", "block_threads"))
    )


def one_kernel(case: Case, pair: tuple[int, int], moved: float, arrays: int, *, row: int) -> Iterator[Symptom]:
    """One kernel in place of two, as one of them sees it."""
    blocks = blocks_together(case, pair)
    shares = {r: moved / amount for r in LEVELS if (amount := case.get(r.value, row)) >= moved}
    if not (blocks >= 1 and shares):
        return
    names = [short_name(str(case.kernels.strings("kernel")[k])) for k in pair]
    written, read = case.get("bytes_dram_write", pair[0]), case.get("bytes_dram_read", pair[1])
    several = "" if arrays == 1 else f" ({arrays} arrays of that size)"
    way, other = ("written", pair[1]) if row == pair[0] else ("read", pair[0])
    yield Symptom(
        row, f"{format_quantity(moved, 'B')} may be {way} only to pass between two kernels",
        (f"{names[0]} writes {format_quantity(written, 'B')} to DRAM, {names[1]}, the next launch, reads "
         f"{format_quantity(read, 'B')}{several}, with the same {case.get('grid_blocks', row):.0f} blocks; that these "
         "are the same bytes is not proven",),
        f"if {names[1]} reads what {names[0]} wrote (bytes are counted, not addresses: else nothing is gained), "
        "compute both in one kernel, so that the result in between stays in registers; where threads need each other's "
        "results, in tiles that overlap and compute their edges twice",
        {name: factor for r, share in shares.items() for name, factor in lowered(share, r).items()},
        holds=max(float(case.resident_blocks[row]) / blocks, 1.0), beside=other,
    )  # fmt: skip


def blocks_together(case: Case, pair: tuple[int, int]) -> float:
    """Blocks that an SM holds of a kernel with the registers and shared memory of both; NaN where unknown."""

    def total(name: str) -> float:
        return sum(case.get(name, k) for k in pair)

    machine = Machines.of([case.target], np.zeros(1, np.intp), np.full(1, np.nan))
    registers, most = total("regs_per_thread"), case.target.max_regs_per_thread or math.inf
    shared = np.nan_to_num(total("smem_bytes_per_block"))
    resident = residency(
        case.get("block_threads", pair[0]), regs_per_thread=min(registers, most), smem_bytes_per_block=float(shared),
        sm=sm_limits(machine),
    )  # fmt: skip
    return float(np.ravel(resident.blocks)[0])
