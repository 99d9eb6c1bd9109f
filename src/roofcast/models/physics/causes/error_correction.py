r"""Codes against errors that lie in the memory itself multiply the bytes of writes that change a part of a sector.

.. math:: \tau_{DRAM}' = \tau_{DRAM} \frac{a_t}{a_s}, \qquad a = 1 + \epsilon \, v \, (1 - h_w)

tau_DRAM : s of the counted DRAM bytes on the target. a : 1, bytes over those of a memory without codes; 1 on any other
memory. v : 1, share of the DRAM bytes that are writes. h_w : 1, share of the writes that hit L2. epsilon :
``error_correction``, bytes beside each byte of such a write.

Reason: a code covers a whole sector, so that a write of a part of it must fetch the rest; where the codes lie in the
data's own memory (GDDR of data centre cards) the code is read and written as well. L2 takes writes of whole sectors
without a look at memory, so that each write that misses is one of those. 543 kernels of HeCBench with 20 MB or more: an
A10 moves 1.12 times the bytes of an RTX 3080 where whole sectors are read and written (that much its own rate of
counted bytes holds), and up to 3.6 times where they are not; A100 and H100 read what the RTX 3080 reads to 1 %.

What the source's bytes have in them of this is taken out, and what the target adds is put in. Scattered accesses
(:mod:`roofcast.models.physics.causes.random_dram`) grow by the same factor.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import has_inline_ecc
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.stages import ROOFS, SCATTERED, Pair, Roofs, Scale


def bytes_with_codes(write_fraction: Values, write_hit_fraction: Values, more: float) -> FloatArray:
    """DRAM bytes a over those of a memory without codes (the equation above); 1 where hits of writes are unknown.

    write_fraction, write_hit_fraction : (...) 1. v and h_w. more : 1. epsilon.

    >>> bytes_with_codes(np.array([0.5, 0.5, 0.2]), np.array([0.6, 1.0, np.nan]), 4.0).tolist()
    [1.8, 1.0, 1.0]
    """
    missed = or_zero(1.0 - np.clip(write_hit_fraction, 0.0, 1.0))
    return np.asarray(1.0 + more * or_zero(np.asarray(write_fraction, dtype=np.float64)) * missed)


def grow_with_codes(pair: Pair) -> FloatArray:
    """a_t / a_s, broadcastable to (n, m)."""
    k = pair.k
    written = np.where(k.bytes_counted > 0, k.amounts.bytes_dram_write_fraction[:, None], 0.0)
    more = bytes_with_codes(written, k.l2_write_hit_fraction, pair.c.error_correction)
    here, there = (side.machines.gather(has_inline_ecc) > 0 for side in (pair.source, pair.target))
    fewer = np.where(here, 1.0 / more, 1.0)
    return np.where(there, more * fewer, fewer) if there.any() else fewer


def move_codes(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with the DRAM bytes that the target's memory moves."""
    key = Resource.BYTES_DRAM
    if key not in roofs.target:
        return roofs
    return replace(roofs, target=roofs.target.times(key, pair.once("codes", lambda: grow_with_codes(pair))))


def open_codes(ratio: FloatArray, s: Scale) -> FloatArray:
    """Random accesses per second, source over target, with those to codes."""
    return np.asarray(ratio * s.pair.once("codes", lambda: grow_with_codes(s.pair)))


CAUSE = Cause(
    name="error_correction",
    sentence="codes against errors in the memory itself multiply writes of parts of sectors",
    when="hits of writes were counted, and one GPU of the two is a data centre card with GDDR",
    corrects="scattered stores from or to an A10, L4, L40S or T4",
    taught_by="DRAM bytes of HeCBench on an A10 and an RTX 3080",
    acts=(at(ROOFS, move_codes), at(SCATTERED, open_codes)),
    properties=(Property.DRAM,),
    constants=(
        Constant(
            "error_correction",
            4.0,
            1.0,
            8.0,
            "bytes for one written in part: fetch it, and read and write its code",
        ),
    ),
)
