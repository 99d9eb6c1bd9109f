r"""SMs without a block, and the last, uneven wave.

.. math:: F = \min(1, n / S) \, \Big(\frac{n / S}{\lceil n / S \rceil}\Big)^{e} \text{ for } n > S

F : share of the SMs' work that a grid can use; supplies inside of the SMs are multiplied by it. n : blocks of the grid.
S : SMs. e : ``uneven_waves``, 1 for blocks of equal length. Without geometry F = 1.

Reason: counting. An SM without a block gives none of its rates, and blocks that start late run beside empty SMs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs


def fill_fraction(grid_blocks: Values, sm_count: Values, exponent: Values) -> FloatArray:
    """Share of the SMs' work that a grid can use (the equation above); NaN (no geometry known) gives 1.

    grid_blocks : (...) 1. n. sm_count : (...) 1. S. exponent : (...) 1. e.

    >>> fill_fraction(np.array([54.0, 108.0, 162.0, np.nan]), 108, 1.0).tolist()
    [0.5, 1.0, 0.75, 1.0]
    """
    per_sm = np.divide(grid_blocks, sm_count)
    with np.errstate(invalid="ignore", divide="ignore"):
        uneven = np.where(per_sm > 1.0, np.power(per_sm / np.ceil(per_sm), exponent), 1.0)
    return np.asarray(np.where(np.isnan(per_sm), 1.0, np.minimum(per_sm, 1.0) * uneven))


def fill_with_blocks(side: Side, read: Inputs) -> Side:
    """The side as far as the grid fills it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return replace(side, fill=fill_fraction(read.k.grid_blocks, side.sm_count, read.c.uneven_waves))


CAUSE = Cause(
    name="few_blocks",
    sentence="SMs without a block, uneven waves",
    when="the grid is known",
    corrects="kernels of few blocks, which would gain from SMs that they leave empty",
    taught_by="hecbench_ncu: mean error 13.4 % with it, 16.9 % without",
    acts=(at(SIDES, fill_with_blocks),),
    steps=(Step.SMS,),
    constants=(Constant("uneven_waves", 0.9, 0.2, 1.0, "exponent of the last wave's imbalance; 1 = equal blocks", 15),),
)
