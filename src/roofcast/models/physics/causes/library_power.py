r"""Power limits bind dense products, not attention.

.. math:: \tau' = \tau \, P_{sustained} / P_{peak}

tau : s, tensor FLOPs of attention over the sustained rate. P : FLOP/s that a card sustains in dense products, and that
clock and units allow.

Reason: softmax between the products of attention leaves the power limit unreached.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.machines import rate
from roofcast.core.properties import Property
from roofcast.core.resource import FLOPS_TENSOR
from roofcast.models.operators.products import peak_rate
from roofcast.models.physics.carried import SecondsByResource
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import ROOFS, Pair, Roofs
from roofcast.operators.kernel_names import Operation


def free_attention(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with attention's products at the peak rate."""
    if pair.operators is None or not (attention := pair.operators.of(Operation.ATTENTION)).any():
        return roofs
    return replace(
        roofs,
        source=run_at_peak(roofs.source, pair.source, attention),
        target=run_at_peak(roofs.target, pair.target, attention),
    )


def run_at_peak(roofs: SecondsByResource, side: Side, attention: NDArray[np.bool_]) -> SecondsByResource:
    """Seconds of one side, those of tensor pipes at the peak rate for attention, (n,)."""
    at_peak = roofs
    for resource in FLOPS_TENSOR:
        if resource in roofs:
            with quietly():
                factor = rate(side.machines, resource) / peak_rate(side.machines, resource)
            at_peak = at_peak.times(resource, np.where(attention[:, None] & (factor > 0), factor, 1.0))
    return at_peak


CAUSE = Cause(
    name="library_power",
    sentence="power limits bind dense products, not attention",
    when="attention of a library, by the algorithm's amounts",
    corrects="attention on power-limited cards (L40S, T4, P4)",
    taught_by="llm_ops prefill 17.8 to 14.0 %",
    acts=(at(ROOFS, free_attention),),
    properties=(Property.TENSOR,),
    subject=Subject.OPERATOR,
)
