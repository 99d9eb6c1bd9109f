r"""SMs without a block, and the last, uneven wave.

.. math:: F = \min(1, n / S) \, \frac{n / S}{W'(n / S)} \text{ for } n > S

F : share of the SMs' work that a grid can use; supplies inside of the SMs are multiplied by it. n : blocks of the grid.
S : SMs. W' : rounds of blocks that start, the last one whole but for what fits in while the one before it ends
(:func:`roofcast.models.physics.sides.started_waves`). Without geometry F = 1.

Reason: counting. An SM without a block gives none of its rates, and blocks that start late run beside empty SMs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side, started_waves
from roofcast.models.physics.stages import SIDES, Inputs


def fill_fraction(grid_blocks: Values, sm_count: Values) -> FloatArray:
    """Share of the SMs' work that a grid can use (the equation above); NaN (no geometry known) gives 1.

    grid_blocks : (...) 1. n. sm_count : (...) 1. S.

    >>> fill_fraction(np.array([54.0, 108.0, 162.0, np.nan]), 108).tolist()
    [0.5, 1.0, 0.75, 1.0]
    """
    per_sm = np.divide(grid_blocks, sm_count)
    with np.errstate(invalid="ignore", divide="ignore"):
        even = np.where(per_sm > 1.0, per_sm / started_waves(per_sm), per_sm)
    return np.asarray(np.where(np.isnan(per_sm), 1.0, np.minimum(even, 1.0)))


def fill_with_blocks(side: Side, read: Inputs) -> Side:
    """The side as far as the grid fills it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return replace(side, fill=fill_fraction(read.k.grid_blocks, side.sm_count))


CAUSE = Cause(
    name="few_blocks",
    sentence="SMs without a block, uneven waves",
    when="the grid is known",
    corrects="kernels of few blocks, which gain nothing from empty SMs",
    taught_by="grid sizes of HeCBench",
    acts=(at(SIDES, fill_with_blocks),),
    steps=(Step.SMS,),
)
