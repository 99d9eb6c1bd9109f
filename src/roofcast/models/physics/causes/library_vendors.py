r"""Between vendors: what each vendor's libraries usually reach, not how the source's kernel fared.

.. math:: T_t = a_t + M_t \, l_t \left(\frac{T_s - a_s}{M_s \, l_s}\right)^{k}

T : s. a : s of the launch. M : s that the operator's model needs. l : 1, usual time of the vendor's libraries over the
model's. k : 0.25, convolutions 0.75. SM cycles per element of row operators are AMD's own.

Reason: on another vendor's GPU another library runs, written by other people; how far the source's kernel is from its
model says little about the target's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import likeness_to_amd
from roofcast.core.properties import Property
from roofcast.models.operators.vendors import kept_across, vendors_differ
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over
from roofcast.models.physics.stages import (
    KEPT,
    OPERATORS,
    ROW_CYCLES,
    Kept,
    Pair,
    PairRoofs,
    Result,
    RowOperators,
    geometric_mix,
)
from roofcast.operators.kernel_names import Operation


def keep_across_vendors(kept: Kept, _: Pair) -> Kept:
    """Return what travels of an operator's efficiency to another vendor's library."""
    return replace(kept, across=kept_across(kept.operation, kept.share))


def take_cycles_of_amd(cycles: FloatArray, read: RowOperators) -> FloatArray:
    """SM cycles per element: AMD's on its GPUs, between the two on those that nobody measured."""
    c = read.own
    special = read.operators.special[read.chosen, None]
    amd = np.where(special, c.amd_cycles_per_special, c.amd_cycles_per_element)
    return geometric_mix(cycles, amd, likeness_to_amd(read.machines))


def change_library(result: Result, read: PairRoofs) -> Result:
    """Forecasts, convolutions on another vendor's GPU by its own library's level."""
    pair, rows = read.pair, read.pair.operators
    if rows is None:
        return result
    convolution = Operation.CONVOLUTION
    other = vendors_differ(pair.source.machines, pair.target.machines)
    if not other.any() or not rows.of(convolution).any():
        return result
    share = Kept(convolution, 1.0, 1.0, kept_across(convolution, 1.0))
    followed = carry_over((read.roofs_source_s, read.roofs_target_s), pair, share)
    good = other & rows.of(convolution)[:, None] & np.isfinite(followed) & (followed > 0)
    return replace(result, time_s=np.where(good, followed, result.time_s))


CAUSE = Cause(
    name="library_vendors",
    sentence="between vendors: what each vendor's libraries usually reach, not how the source's kernel fared",
    when="library operators between GPUs of different vendors",
    corrects="forecasts from NVIDIA to AMD and back",
    taught_by="eleuther_gemm 22.0 to 15.7 %, llmcompass 20.8 to 16.0 %, deepbench 39.2 to 32.8 %; TraceLens",
    acts=(at(OPERATORS, change_library), at(KEPT, keep_across_vendors), at(ROW_CYCLES, take_cycles_of_amd)),
    properties=(Property.OTHER,),
    levels=("elementwise", "softmax", "normalisation"),
    subject=Subject.OPERATOR,
)
