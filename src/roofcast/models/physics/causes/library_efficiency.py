r"""The part of a library's efficiency that its kernel for another architecture keeps.

.. math:: T_t = a_t + M_t \, r^{k}, \quad r = (T_s - a_s) / M_s

T : s. a : s of the launch. M : s that the operator's model needs. k : ``kept`` of the operator's level, 0.3 to 0.8;
without this cause 1. Fused experts follow the roofs alone, with k = 0.85, by half of what these explain of the source
time: :math:`T = T_{physics}^{1 - u/2} \, T_{roofs}^{u/2}`; what they leave open is a chain of small kernels.

Reason: a library runs another kernel on another architecture. How far the source's was from its model says a part of
how far the target's will be: regression to the mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.properties import Property
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over
from roofcast.models.physics.stages import KEPT, OPERATORS, Kept, Pair, PairRoofs, Result, geometric_mix
from roofcast.operators.kernel_names import Operation


def keep_a_part(kept: Kept, _: Pair) -> Kept:
    """Return what travels of an operator's efficiency: its usual share."""
    return replace(kept, share=kept.usual)


def follow_roofs_of_experts(result: Result, read: PairRoofs) -> Result:
    """Forecasts, fused experts half by what the roofs alone say."""
    pair, levels = read.pair, read.pair.levels
    if pair.operators is None:
        return result
    experts = pair.operators.of(Operation.MIXTURE_OF_EXPERTS)[:, None]
    if not experts.any():
        return result
    experts_share = Kept(Operation.MIXTURE_OF_EXPERTS, levels.experts_kept, levels.experts_kept)
    followed = carry_over((read.roofs_source_s, read.roofs_target_s), pair, experts_share)
    with quietly():
        share = levels.experts_share * np.clip(read.roofs_source_s / pair.time_s, 0.0, 1.0)
    mixed = geometric_mix(result.time_s, followed, share)
    good = experts & np.isfinite(mixed) & (mixed > 0)
    return replace(result, time_s=np.where(good, mixed, result.time_s))


CAUSE = Cause(
    name="library_efficiency",
    sentence="the part of a library's efficiency that its kernel for another architecture keeps",
    when="library operators between architectures",
    corrects="a slow or quick kernel of the source's library",
    taught_by="neusight linear 42.9 to 23.8 %, bmm 30.6 to 21.5 %, llm_ops experts 24.1 to 22.0 %",
    acts=(at(OPERATORS, follow_roofs_of_experts), at(KEPT, keep_a_part)),
    properties=(Property.OTHER,),
    levels=("experts_share", "experts_kept"),
    subject=Subject.OPERATOR,
)
