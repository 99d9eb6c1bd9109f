r"""SMs without a block, and the last, uneven wave.

.. math:: F = \frac{n / S}{\max(1, W'(n / S))}

F : share of the SMs' work that a grid can use; supplies inside of the SMs are multiplied by it. n : blocks of the grid.
S : SMs. W' : rounds of blocks that start, the last one whole but for what fits in while the one before it ends
(:func:`roofcast.models.physics.sides.started_waves`). Without geometry F = 1.

Reason: counting. An SM without a block gives none of its rates, and blocks that start late run beside empty SMs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs


def fill_with_blocks(side: Side, read: Inputs) -> Side:
    """The side as far as the grid fills it; wholly where no geometry is known."""
    with quietly():
        return replace(side, fill=np.fmin(read.k.grid_blocks / side.sm_count / side.busiest_blocks, 1.0))


CAUSE = Cause(
    name="few_blocks",
    sentence="SMs without a block, uneven waves",
    when="the grid is known",
    corrects="kernels of few blocks, which gain nothing from empty SMs",
    taught_by="grid sizes of HeCBench",
    acts=(at(SIDES, fill_with_blocks),),
    properties=(Property.SMS,),
)
