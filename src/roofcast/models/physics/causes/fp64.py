r"""A source without FP64 units hides what limits the target.

.. math:: \tau_{FP64}' = \tau_{FP64}^{1 - w} T_s^{w}, \quad R' = (1 - w) R + 1.6 \, w T_s (1 - u), \quad
    w = \mathrm{clip}(u / 0.34 - 1/2) \quad \text{where}\ \tau_{FP64} > 0

tau_FP64 : s, FP64 FLOPs over supply on the source; the target's seconds grow by the same factor. T_s : s, execution on
the source. R : s left to other causes. w : 1, how surely FP64 hides there. u : share of the warps' time that
they wait for an arithmetic pipe or what stands behind it. Without stall reasons the roof's share alone tells (0.2 in
place of 0.34), and 0.1 T_s is left. Nothing jumps: a kernel with one block more is another by a block.

Without any FP64 FLOPs u is the share of the queue that FP64 has with textures and of its results (tex_throttle, with
short_scoreboard, above 0.1 and 0.05), where fewer loads are waited for (textures are loads).

Reason: conversions, comparisons and special functions use the FP64 pipe and are no FLOPs. On a GPU that has it for
compatibility only they fill it, and warps that wait for it show that; a target with FP64 units has no such limit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, rate
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import or_zero
from roofcast.models.physics.carried import SecondsByResource
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.stages import REST, ROOFS, Explained, Pair, Roofs

FEW_FP64 = 17.0
"""FLOP per SM and clock: with at most 8 FP64 units in an SM (Kepler's GeForce; 2 to 4 since Maxwell) they are there for
compatibility only. Not a share of the FP32 rate: more FP32 units would make the FP64 units few, and a target slower."""


def few_fp64(p: Columns) -> FloatArray:
    """1 where a GPU has FP64 units for compatibility only, else 0."""
    with quietly():
        of_sm = p.supply(Resource.FLOPS_FP64).theory_per_s / (p.number("sm_count") * p.number("clock_hz_boost"))
    return np.asarray(of_sm < FEW_FP64, dtype=np.float64)


def reveal_fp64(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with the FP64 seconds that the source time implies, as surely as FP64 is the hidden limit."""
    key, hidden = Resource.FLOPS_FP64, hidden_fp64(roofs.source, pair)
    roofs = replace(roofs, hidden_fp64=hidden)
    if not hidden.any():
        return roofs
    here = roofs.source.get(key, np.full_like(hidden, np.nan))
    supplied = [rate(side.machines, key) for side in (pair.source, pair.target)]
    with quietly():
        revealed = np.fmax(here, pair.execution_s)
        revealed *= (np.where(here > 0, here, revealed) / revealed) ** (1.0 - hidden)
        return roofs.carry(key, hidden > 0, revealed, supplied[0] / supplied[1], of_sms=True)


def hidden_fp64(roofs: SecondsByResource, pair: Pair) -> FloatArray:
    """(n, 1) how surely the source's few FP64 units are the limit, though the FLOP count does not say so."""
    k, c, share = pair.k, pair.c, np.zeros_like(pair.execution_s)
    if (fp64 := roofs.get(Resource.FLOPS_FP64)) is not None:
        with quietly():
            share = or_zero(fp64 / pair.execution_s)
    seen = np.where(share > 0, k.pipe_share, k.fp64_queue) / c.fp64_stall_least
    certainty = np.clip(np.where(k.stalls_counted > 0, seen, share / c.fp64_share_uncounted) - 0.5, 0.0, 1.0)
    return np.where(pair.source.machines.gather(few_fp64) > 0, certainty, 0.0)


def leave_beside_fp64(rest: FloatArray, read: Explained) -> FloatArray:
    """(n, 1) s left to other causes where FP64 was the hidden limit."""
    k, c = read.pair.k, read.pair.c
    share = np.where(k.stalls_counted > 0, c.fp64_rest * (1.0 - k.pipe_share), c.fp64_rest_uncounted)
    w = read.roofs.hidden_fp64
    return np.where(w > 0, (1.0 - w) * rest + w * read.pair.execution_s * share, rest)


CAUSE = Cause(
    name="fp64",
    sentence="a source without FP64 units hides what limits the target",
    when="the source has an FP64 unit for every 32 or 64 FP32 units, and FP64 FLOPs or its queue were counted",
    corrects="FP64 kernels from GeForce, A10 and L40, forecast far too slow",
    taught_by="29 programs of HeCBench on A10 and RTX 3080",
    acts=(at(ROOFS, reveal_fp64), at(REST, leave_beside_fp64)),
    properties=(Property.FP64,),
    constants=(
        Constant("fp64_stall_least", 0.34, 0.15, 0.7, "short-scoreboard, math and texture stall share of even odds"),
        Constant("fp64_rest", 1.6, 0.4, 3.0, "what other stalls become without that limit"),
        Constant("fp64_share_uncounted", 0.2, 0.05, 0.6, "FP64 roof share that shows it where no stalls were counted"),
        Constant("fp64_rest_uncounted", 0.1, 0.01, 0.3, "unexplained share that remains then"),
    ),
)
