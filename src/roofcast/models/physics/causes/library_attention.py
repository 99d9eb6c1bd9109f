r"""Libraries' attention: keys and values from memory, and products over whole tiles of queries.

.. math:: M = \left(\tau_{bus}^p + \Big(\frac{q \, \tau_{pipe}}{e}\Big)^p\right)^{1/p} + \frac{c}{f}, \qquad
    q = \max\left(1, \frac{128}{I s / 2}\right)

M : s without launch. tau : s of the slowest memory roof and of the FLOPs at the pipe's peak. I : FLOP/B, of the
algorithm; s : B of an element, so that I s / 2 is the queries that share each key. e : 0.6. p : 1.4. c : 15,000 SM
cycles of the chain of loads, maxima and sums through the blocks that share a row. f : SM clock, 1/s.

Reason: a block computes 128 queries with each key, whether so many share it or one (decoding): an A100 then has as much
to compute as to read, and reaches half of its DRAM's rate where GPUs with more FLOPs per byte reach most of theirs.
Loads and products of one block follow each other, those of others overlap in part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import combine
from roofcast.models.operators.products import BYTES_OF_PIPE
from roofcast.models.physics.carried import SecondsByResource
from roofcast.models.physics.cause import Cause, Subject, at
from roofcast.models.physics.library_times import carry_over, kept_share, replace_rows
from roofcast.models.physics.resource_seconds import overlapped_s
from roofcast.models.physics.stages import KEPT, OPERATORS, Kept, PairRoofs, Result, select_rows
from roofcast.operators.kernel_names import Operation

QUERIES = 128.0
"""Rows of FlashAttention's tiles. With e, p and c: flat optima on llm_ops, and within 1 % with each GPU left out."""
EFFICIENCY = 0.6
"""1; e, share of the pipe's peak that whole tiles reach."""
OVERLAP = 1.4
"""1; p, how far loads and products overlap: 1 not at all, infinite entirely."""
CHAIN_CYCLES = 15000.0
"""SM cycles; c, of the chain of loads, maxima and sums through the blocks of a row."""
KEPT_SHARE = 0.7
"""k of :mod:`roofcast.models.physics.causes.library_efficiency`."""


def model_attention(result: Result, read: PairRoofs) -> Result:
    """Forecasts, those of attention whose amounts are known by their own model."""
    pair, amounts = read.pair, read.pair.k.amounts
    if pair.operators is None:
        return result
    flops = amounts.flops_total
    chosen = np.flatnonzero(
        pair.operators.of(Operation.ATTENTION) & (flops > 0) & (amounts.get(Resource.BYTES_DRAM) > 0)
    )
    if not len(chosen):
        return result
    operand = sum(f[chosen] * BYTES_OF_PIPE.get(pipe, 2.0) for pipe, f in amounts.flops.items()) / flops[chosen]
    queries = flops[chosen] / amounts.get(Resource.BYTES_DRAM)[chosen] * operand / 2.0
    padding = np.maximum(QUERIES / queries, 1.0)[:, None]
    here = pair.rows(chosen)
    needs = (
        attention_s(read.roofs.source, chosen, padding, here.source.machines),
        attention_s(read.roofs.target, chosen, padding, here.target.machines),
    )
    share = pair.walk.through(KEPT, Kept(Operation.ATTENTION, KEPT_SHARE), pair)
    return replace_rows(result, chosen, carry_over(needs, here, share), needs[0], kept_share(here, share))


def attention_s(
    roofs: SecondsByResource, chosen: NDArray[np.intp], padding: FloatArray, machines: Machines
) -> FloatArray:
    """M on one side. roofs : of all kernels. chosen : (r,) attention among them. padding : (r, 1) 1, q."""
    bus = combine(np.fmax, (select_rows(s, chosen) for r, s in roofs.items() if r.is_memory))
    pipe = combine(np.fmax, (select_rows(s, chosen) for r, s in roofs.items() if r.is_compute))
    return overlapped_s([bus, padding * pipe / EFFICIENCY], OVERLAP) + CHAIN_CYCLES / machines.clock_hz


CAUSE = Cause(
    name="library_attention",
    sentence="libraries' attention: keys and values from memory, and products over whole tiles of queries",
    when="attention of a library, by the algorithm's amounts",
    corrects="decoding on GPUs with few FLOPs per byte of DRAM",
    taught_by="llm_ops decode 27.2 to 20.7, prefill 17.0 to 15.4 %",
    acts=(at(OPERATORS, model_attention),),
    properties=(Property.TENSOR, Property.DRAM, Property.CLOCK),
    subject=Subject.OPERATOR,
)
