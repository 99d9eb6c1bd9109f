r"""Blocks start one per clock on the whole GPU.

.. math:: \tau = n / (r f)

tau : s, joins the norm of the roofs. n : blocks of the grid. r : blocks per cycle, 1. f : Hz, SM clock.

Reason: one unit hands out all blocks, whatever the number of SMs.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.waterfall import Cause as Step
from roofcast.formulas.values import Values, or_zero
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import BLOCKS, OneSide

BLOCKS_PER_CYCLE = 1.0
"""Blocks that the whole GPU starts per SM clock. The fastest of 440 HeCBench kernels start 0.96 (A100) and 1.04 (H100)
per clock, with one warp a block as with eight."""


def dispatch_s(grid_blocks: Values, clock_hz: Values) -> FloatArray:
    """Seconds that starting the blocks alone takes (the equation above).

    grid_blocks : (...) 1. n; NaN (no geometry known) gives 0. clock_hz : (...) Hz. f.

    >>> float(dispatch_s(1e6, 1e9)), float(dispatch_s(np.nan, 1e9))
    (0.001, 0.0)
    """
    return or_zero(np.asarray(grid_blocks) / (BLOCKS_PER_CYCLE * np.asarray(clock_hz)))


def start_blocks(terms: list[FloatArray], read: OneSide) -> list[FloatArray]:
    """The terms with the seconds of starting the blocks."""
    return [*terms, dispatch_s(read.pair.k.grid_blocks, read.side.machines.clock_hz)]


CAUSE = Cause(
    name="dispatch",
    sentence="blocks start one per clock on the whole GPU",
    when="the grid is known",
    corrects="launches of millions of small blocks, which gain nothing from more SMs or bandwidth",
    taught_by="440 HeCBench kernels; hecbench_ncu 13.8 / 8.2 to 13.4 / 7.7 %",
    acts=(at(BLOCKS, start_blocks),),
    steps=(Step.CLOCK,),
)
