r"""Caches that nobody tells of: halfway between flushed and warm.

.. math:: m' = m_{cold} + w \, (m_{warm} - m_{cold}), \qquad w = 1/2

m : 1, shares of the bytes asked for that DRAM serves and that a cache between L2 and DRAM serves, with either state of
the caches (:mod:`roofcast.models.physics.causes.cache`). w : 1, how far a launch is expected to find its data.

Reason: a benchmark repeats its launches on data that stay, an application comes back to them after other kernels, and
a table of times says neither. Where one GPU's cache holds the data and the other's does not, both answers differ by a
factor of two and more; halfway errs least whichever holds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.causes.cache import serve_from_caches
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import CACHES, Inputs

FOUND = 0.5
"""w: no better known; 0.3 to 0.7 gain alike."""


def expect_either(side: Side, read: Inputs) -> Side:
    """The side with the shares expected of caches in an unknown state."""
    k = read.k
    if not k.caches_unsaid.any():
        return side
    warm = serve_from_caches(side, replace(read, k=replace(k, warm=np.ones_like(k.warm))))
    w = FOUND * k.caches_unsaid
    dram, behind = ((1.0 - w) * a + w * b for a, b in (
        (side.dram_share, warm.dram_share), (side.llc_share, warm.llc_share)
    ))  # fmt: skip
    return replace(side, dram_share=dram, llc_share=behind)


CAUSE = Cause(
    name="unknown_caches",
    sentence="caches that nobody tells of: halfway between flushed and warm",
    when="bytes of the algorithm, no matrix product, state of the caches unknown",
    corrects="operators whose data only one GPU's L2 holds",
    taught_by="llm_ops attention 27 to 25 %, experts and MLA 41 to 38 %, micro16 61 to 58 % (vidur 21 to 23 %)",
    acts=(at(CACHES, expect_either),),
    properties=(Property.L2_CAPACITY,),
)
