"""Resident blocks and warps per SM: the published estimate, and the exact allocation rules.

``docs/references.md`` has the report of [Srivastava2025].
[CudaOccupancy] ``cuda_occupancy.h`` of the CUDA toolkit (13.5) and the CUDA Programming Guide: allocation rules.

Every argument may be a number or an array; arrays broadcast. NaN means that the limit is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.formulas.values import FloatArray, Values, combine, or_zero

LIMITERS = ("blocks", "warps", "registers", "shared memory")
"""Names of the four limits, in the order in which ties are settled."""


def published_occupancy(
    block_threads: Values,
    regs_per_thread: Values,
    smem_bytes_per_block: Values,
    max_threads_per_sm: Values,
    max_blocks_per_sm: Values,
    regs_per_sm: Values,
    smem_bytes_per_sm: Values,
    warp_size: Values = 32,
) -> FloatArray:
    r"""Occupancy without allocation granularity.

    .. math:: B_{reg} = \lfloor R_{SM} / (r \, t) \rfloor, \; B_{smem} = \lfloor S_{SM} / s \rfloor, \;
              B_{threads} = \lfloor T_{SM} / t \rfloor, \; B_{active} = \min(B_{reg}, B_{smem}, B_{threads}, B_{hw})
    .. math:: O = B_{active} \lceil t / w \rceil / \lfloor T_{SM} / w \rfloor

    block_threads : (...) 1. t, >= 1.
    regs_per_thread : (...) 1. r; 0 or NaN sets no limit.
    smem_bytes_per_block : (...) B. s; 0 or NaN sets no limit.
    max_threads_per_sm, max_blocks_per_sm, regs_per_sm, smem_bytes_per_sm : (...) T_SM, B_hw, R_SM, S_SM.
    warp_size : (...) 1. w.

    Unlike the equations, and like the authors' code, a limit of 0 blocks is skipped (a kernel that ran did fit).
    Source: [Srivastava2025] sec. 4.0.2; a block of 1024 threads that fills the RTX 2080 Ti, and one of 65 registers.

    >>> float(published_occupancy(1024, 30, 8192, 1024, 16, 65536, 65536))
    1.0
    >>> float(published_occupancy(256, 65, 0, 1024, 16, 65536, 65536))
    0.75
    """
    t = np.asarray(block_threads, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        limits = (
            np.asarray(max_blocks_per_sm, dtype=np.float64),
            np.floor(max_threads_per_sm / t),
            np.floor(regs_per_sm / (regs_per_thread * t)),
            np.floor(np.divide(smem_bytes_per_sm, smem_bytes_per_block)),
        )
        blocks = combine(np.minimum, [np.where(b > 0, b, np.inf) for b in limits])
        warps = blocks * np.ceil(t / warp_size)
        return np.asarray(np.minimum(warps / np.floor(np.divide(max_threads_per_sm, warp_size)), 1.0))


@dataclass(frozen=True)
class SmLimits:
    """What one SM can hold; each field a number or an array. NaN where not known.

    ``reg_alloc_per_block``: whether registers are allocated per block (compute capability 1.x) and not per warp.
    ``smem_bytes``: shared memory per SM: the largest carve-out, or the one that the driver chose for the launch.
    """

    max_blocks: Values
    max_warps: Values
    regs: Values
    smem_bytes: Values
    warp_size: Values = 32
    max_threads_per_block: Values = 1024
    max_smem_bytes_per_block: Values = np.nan
    reg_granularity: Values = np.nan
    reg_alloc_per_block: bool | NDArray[np.bool_] = False
    subpartitions: Values = np.nan
    smem_granularity_bytes: Values = np.nan
    smem_reserved_bytes_per_block: Values = np.nan


@dataclass(frozen=True)
class Residency:
    """Blocks and warps that are resident on one SM."""

    blocks_by: dict[str, FloatArray]
    """Limiter -> (...) blocks that it alone allows; infinite where it sets no limit or is not known."""
    blocks: FloatArray
    """(...) blocks per SM; 0 where the launch does not fit, NaN where the block size is not known."""
    warps: FloatArray
    """(...) warps per SM."""
    occupancy: FloatArray
    """(...) warps over the most that the SM can hold."""
    limiter: NDArray[np.object_]
    """(...) name of the tightest limit, '' where not known."""


def residency(block_threads: Values, regs_per_thread: Values, smem_bytes_per_block: Values, sm: SmLimits) -> Residency:
    r"""Resident blocks per SM under the hardware's allocation rules.

    .. math:: B_{reg} = \lfloor S \lfloor (R/S) / \lceil r w \rceil_g \rfloor / W \rfloor, \quad
              B_{smem} = \lfloor M / \lceil s + s_0 \rceil_h \rfloor, \quad W = \lceil t / w \rceil

    with :math:`\lceil x \rceil_g` rounded up to a multiple of g. Registers are given to warps in units of g within
    the S sub-partitions; shared memory to blocks in units of h, after the driver's share s_0 (1 KiB since sm_80).

    block_threads : (...) 1. t, >= 1.
    regs_per_thread : (...) 1. r; NaN: not known, no limit.
    smem_bytes_per_block : (...) B. s, static and dynamic, without s_0; NaN: not known, only s_0 counts.
    sm : limits per SM. Unknown granularities count as 1, an unknown reservation as 0.

    Source: [CudaOccupancy]; examples are launches that Nsight Compute recorded: A10G, 32 threads, 8 KiB shared
    (11 blocks, 22.9 %); V100, 128 threads, 34 registers (12 blocks, 75 %).

    >>> a10g = SmLimits(16, 48, 65536, 102400, reg_granularity=256, subpartitions=4, smem_granularity_bytes=128,
    ...                 smem_reserved_bytes_per_block=1024)
    >>> found = residency(32, 40, 8192, a10g)
    >>> float(found.blocks), round(float(found.occupancy), 4), str(found.limiter)
    (11.0, 0.2292, 'shared memory')
    >>> v100 = SmLimits(32, 64, 65536, 98304, reg_granularity=256, subpartitions=4, smem_granularity_bytes=256)
    >>> found = residency(128, 34, 0, v100)
    >>> float(found.blocks), float(found.occupancy), str(found.limiter)
    (12.0, 0.75, 'registers')
    """
    t = np.asarray(block_threads, dtype=np.float64)
    blocks, limits = resident_blocks(t, regs_per_thread, smem_bytes_per_block, sm)
    stack = np.stack(np.broadcast_arrays(*limits))
    with np.errstate(divide="ignore", invalid="ignore"):
        warps = blocks * np.ceil(t / sm.warp_size)
        occupancy = np.asarray(warps / sm.max_warps)
    names = np.array(LIMITERS, dtype=np.object_)[stack.argmin(axis=0)]
    limiter = np.where(np.isnan(blocks), "", names).astype(np.object_)
    return Residency(dict(zip(LIMITERS, stack, strict=True)), blocks, warps, occupancy, limiter)


def resident_blocks(
    block_threads: Values, regs_per_thread: Values, smem_bytes_per_block: Values, sm: SmLimits
) -> tuple[FloatArray, tuple[FloatArray, ...]]:
    """Resident blocks alone (see :func:`residency`), and what each limiter allows, in the order of LIMITERS."""
    t = np.asarray(block_threads, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        warps_per_block = np.ceil(t / sm.warp_size)
        limits = (
            no_limit_where_unknown(np.asarray(sm.max_blocks, dtype=np.float64)),
            no_limit_where_unknown(np.floor(sm.max_warps / warps_per_block)),
            no_limit_where_unknown(blocks_by_registers(regs_per_thread, warps_per_block, sm)),
            no_limit_where_unknown(blocks_by_shared_memory(smem_bytes_per_block, sm)),
        )
        # Those of few values first: of the GPU alone, of the kernel's block on the GPU.
        least = np.minimum(np.minimum(limits[0], limits[1]), np.minimum(limits[2], limits[3]))
        blocks = np.where(np.isnan(t) | np.isinf(least), np.nan, least)
        return np.where(t > known_or(sm.max_threads_per_block, np.inf), 0.0, blocks), limits


def blocks_by_registers(regs_per_thread: Values, warps_per_block: Values, sm: SmLimits) -> FloatArray:
    """Blocks per SM that the registers allow (see :func:`residency`); infinite for 0 registers."""
    g, s = known_or(sm.reg_granularity, 1.0), known_or(sm.subpartitions, 1.0)
    r = np.asarray(regs_per_thread * sm.warp_size)
    warps = s * np.floor(np.floor(sm.regs / s) / round_up(r, g))
    if not np.any(sm.reg_alloc_per_block):
        return np.asarray(np.floor(warps / warps_per_block))
    # Compute capability 1.x rounds the warps of a block to an even number and allocates once per block.
    per_block = np.floor(sm.regs / round_up(r * round_up(warps_per_block, 2.0), g))
    return np.asarray(np.where(sm.reg_alloc_per_block, per_block, np.floor(warps / warps_per_block)))


def blocks_by_shared_memory(smem_bytes_per_block: Values, sm: SmLimits) -> FloatArray:
    """Blocks per SM that shared memory allows (see :func:`residency`); 0 where one block is too large."""
    asked = or_zero(smem_bytes_per_block)
    h = known_or(sm.smem_granularity_bytes, 1.0)
    per_block = round_up(asked + known_or(sm.smem_reserved_bytes_per_block, 0.0), h)
    fits = asked <= known_or(sm.max_smem_bytes_per_block, np.inf)
    return np.asarray(np.where(fits, np.floor(sm.smem_bytes / per_block), 0.0))


def round_up(value: Values, multiple: Values) -> FloatArray:
    """The least multiple that is not below a value.

    >>> round_up([576, 768, 1], 256).tolist()
    [768.0, 768.0, 256.0]
    """
    return np.asarray(np.ceil(np.divide(value, multiple)) * multiple)


def known_or(value: Values, default: float) -> FloatArray:
    """The value; a default where it is NaN."""
    array = np.asarray(value, dtype=np.float64)
    return np.where(np.isnan(array), default, array)


def no_limit_where_unknown(blocks: FloatArray) -> FloatArray:
    """Infinite where a limit is not known."""
    return np.where(np.isnan(blocks), np.inf, blocks)
