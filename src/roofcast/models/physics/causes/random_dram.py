r"""Scattered DRAM accesses follow their own rate.

.. math:: s' = s^{1 - u} \Big(\frac{Q_s}{Q_t}\Big)^{u}, \qquad
    u = m \, \max(d \, l, \min(1, d / 0.2) \, w), \qquad Q = P_{DRAM} \cdot \{1.5 \text{ on HBM}, 1 \text{ else}\}

s, s' : 1, factor on the unexplained seconds. Q : random accesses per second up to a factor, P_DRAM : B/s. m : 1, share
of the warps' time that they wait for memory. d : 1, share of the source time that DRAM's roof has. l : 1, share of the
bytes of loads that come along unused. w : 1, share of the writes that must first fetch what they change. Scattered
atomics count like partial writes: :math:`u = m \, n \sqrt{1 - h} \min(1, d / 0.2)`, n : 1, how many they are, h : hit
rate of L2.

Reason: what each access opens alone is limited by channels and banks, of which a stack of HBM has more per byte/s than
GDDR: 80 channels for 1.56 TB/s of HBM2 (A100), 160 for 3.35 of HBM3 (H100) are 51 and 48 per TB/s, 24 for 0.6 of GDDR6
(A10) and 20 for 0.76 of GDDR6X (RTX 3080) 40 and 26 (JEDEC JESD235, JESD238, JESD250). Partial writes turn DRAM around
for each access, so that they rule from little traffic on. Few blocks wait for each access on its own: no bank is busy
with others.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, has_stacked_memory
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, Constant, Constants, at
from roofcast.models.physics.causes.atomics import serial_share
from roofcast.models.physics.stages import FOLLOWING, SCATTERED, Scale, mix_logs

BUSY_DRAM = 0.2
"""Share of DRAM's rate from which scattered atomics are limited by it."""


def lone_sector_fraction(bytes_per_sector: Values) -> FloatArray:
    r"""Share l of the bytes of global loads that come along unused: sectors of which little is wanted.

    .. math:: l = 1 - b / 32

    bytes_per_sector : (...) B. b, useful bytes per 32-byte sector, in (0, 32].
    Source: sectors as in NVIDIA's Nsight Compute memory tables.

    >>> lone_sector_fraction(np.array([32.0, 8.0])).tolist()
    [0.0, 0.75]
    """
    return np.asarray(1.0 - np.clip(np.asarray(bytes_per_sector, dtype=np.float64) / 32.0, 0.0, 1.0))


def partial_write_fraction(l2_hit_fraction: Values, write_fraction: Values) -> FloatArray:
    r"""Share w of the writes that must first fetch what they change: scattered stores and atomics.

    .. math:: w = 1 - \min(1, h / v)

    l2_hit_fraction : (...) 1. h. write_fraction : (...) 1. v, share of DRAM bytes that are writes.
    Source: writes of whole sectors hit in L2 by definition, so a hit rate below the write share shows partial ones.
    Below a tenth of writes the comparison says nothing: 0.

    >>> partial_write_fraction(np.array([0.5, 0.1, 0.0]), np.array([0.4, 0.4, 0.0])).tolist()
    [0.0, 0.75, 0.0]
    """
    w = np.asarray(write_fraction, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        hit = np.where(w >= 0.1, np.clip(l2_hit_fraction / w, 0.0, 1.0), 1.0)
    return np.asarray(1.0 - hit)


def random_dram_fraction(dram_share: Values, lone: Values, partial: Values, stall: Values) -> FloatArray:
    """Share u of the unexplained time that follows the rate of random DRAM accesses (the equation above).

    dram_share : (...) 1. d. lone, partial : (...) 1. l and w. stall : (...) 1. m. Fitted on hecbench_ncu.

    >>> random_dram_fraction(np.array([0.25, 0.25]), [1.0, 0.0], [0.0, 1.0], 0.8).tolist()
    [0.2, 0.8]
    """
    d = np.clip(np.asarray(dram_share, dtype=np.float64), 0.0, 1.0)
    rule = np.maximum(d * np.asarray(lone), np.minimum(1.0, d / 0.2) * np.asarray(partial))
    return np.asarray(rule * np.asarray(stall))


def random_rate(machines: Machines, c: Constants) -> FloatArray:
    """Q: random accesses per second, up to a factor that all GPUs share."""
    stacked = machines.gather(has_stacked_memory)
    return np.asarray(machines.rate(Resource.BYTES_DRAM) * np.where(stacked > 0, c.random_hbm, 1.0))


def follow_random_rate(factor: FloatArray, s: Scale) -> FloatArray:
    """(n, m) ln s': the factor with the share that scattered accesses have."""
    k, c, source = s.pair.k, s.pair.c, s.pair.source
    dram = s.roofs_source.get(Resource.BYTES_DRAM)
    if dram is None or not s.counted.any():
        return factor
    with np.errstate(divide="ignore", invalid="ignore"):
        busy = or_zero(dram / s.pair.execution_s)
    sector = np.where(np.isnan(k.bytes_per_sector), 32.0, k.bytes_per_sector)
    hit = np.where(np.isnan(k.l2_hit_fraction), 1.0, np.clip(k.l2_hit_fraction, 0.0, 1.0))
    partial = partial_write_fraction(hit, or_zero(k.amounts.bytes_dram_write_fraction)[:, None])
    share = random_dram_fraction(busy, lone_sector_fraction(sector), partial, s.memory)
    if not np.isnan(k.atomics).all():
        with np.errstate(divide="ignore", invalid="ignore"):
            many = np.clip(or_zero(k.atomics / k.insts_warp) / c.atomic_least, 0.0, 1.0)
        spread = many * (1.0 - k.atomics_in_shared) * (1.0 - serial_share(s)) * s.memory * np.sqrt(1.0 - hit)
        share = np.maximum(share, spread * np.minimum(1.0, busy / BUSY_DRAM))
    with np.errstate(invalid="ignore"):
        share = np.where(s.counted & ~(k.grid_blocks < source.sm_count), share, 0.0)
    if not share.any():
        return factor
    ratio = random_rate(source.machines, c) / random_rate(s.pair.target.machines, c)
    ratio = s.pair.walk.through(SCATTERED, np.where(np.isnan(ratio), 1.0, ratio), s)
    return mix_logs(factor, ratio, share)


CAUSE = Cause(
    name="random_dram",
    sentence="scattered DRAM accesses follow their own rate",
    when="stall reasons were counted, as many blocks as SMs, and sectors or writes are partial",
    corrects="gather, scatter and hashing between HBM and GDDR",
    taught_by="scatter, linearprobing, rainflow and nine more programs of HeCBench; JEDEC's channel counts",
    acts=(at(FOLLOWING, follow_random_rate),),
    properties=(Property.DRAM,),
    constants=(
        Constant(
            "random_hbm", 1.5, 1.0, 3.0, "random accesses per byte/s of an HBM stack over GDDR: more channels", 26
        ),
    ),
)
