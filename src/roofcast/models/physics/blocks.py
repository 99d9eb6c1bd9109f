"""What blocks take beside the amounts that they move: their start, and the steps that a block waits for as a whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.resource import Resource
from roofcast.formulas.mechanistic_execution import dispatch_s, overlapped_s, tree_s
from roofcast.models.physics.constants import Constants
from roofcast.models.physics.hidden import CONSISTENT
from roofcast.models.physics.kernels import Kernels
from roofcast.models.physics.roofs import Side

VALUE_BYTES = (4.0, 8.0)
"""Shared memory per thread of blocks that join a value of each thread: FP32 or FP64."""


def together_s(
    k: Kernels,
    source: Side,
    side: tuple[Side, Mapping[Resource, FloatArray]],
    execution: FloatArray,
    c: Constants,
    off: Collection[str],
) -> FloatArray:
    """Seconds of all resources of one side, of starting its blocks and of what they wait for as a whole.

    side : with the seconds of its roofs. execution : (n, 1) source seconds without the floor.
    """
    found = overlapped_s([*side[1].values()], c.overlap)
    terms = blocks_s(k, source, side[0], execution, off)
    return overlapped_s([found, *terms], c.overlap) if terms else found


def blocks_s(k: Kernels, source: Side, side: Side, execution: FloatArray, off: Collection[str]) -> list[FloatArray]:
    """Seconds that no amount names: starting blocks, and their trees; (n, m) or (n, 1) each."""
    if np.isnan(k.grid_blocks).all():
        return []
    terms = [] if "dispatch" in off else [dispatch_s(k.grid_blocks, side.machines.clock_hz)]
    if "trees" in off or not (joining := joins(k, source, execution)).any():
        return terms
    return [*terms, np.where(joining, np.nan_to_num(trees(k, side)), 0.0)]


def joins(k: Kernels, source: Side, execution: FloatArray) -> NDArray[np.bool_]:
    """(n, 1) kernels whose blocks each join a value per thread, where the source was slow enough for it.

    They keep as many values in shared memory as they have threads. Counted kernels show their barriers.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        held = k.smem_bytes_per_block / k.block_threads
        one_each = (k.bytes_counted == 0) & np.isin(held, VALUE_BYTES) & (k.grid_blocks > source.sm_count)
        return np.asarray(one_each & (trees(k, source) <= CONSISTENT * execution))


def trees(k: Kernels, side: Side) -> FloatArray:
    """(n, m) seconds of the blocks' trees; NaN where geometry or latency is unknown."""
    latency = side.machines.gather(lambda p: p.latency_cycles_dram)
    with np.errstate(divide="ignore", invalid="ignore"):
        known = np.where(np.isnan(side.blocks_per_sm), np.nan, side.waves)
        return tree_s(known, k.block_threads, latency, side.machines.clock_hz)
