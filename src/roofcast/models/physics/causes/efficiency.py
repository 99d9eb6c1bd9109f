r"""How near its roofs a kernel came on the source stays, as far as the roofs say what limits it.

.. math:: s' = s^{1 - u} (C_t / C_s)^{u}, \quad
    u = \max\big(\min(x / 0.3, 1)\,(0.95\, a + e (1 - a)),\; \mathrm{clip}((d - 0.5) / 0.5, 0, 1)\big)

s, s' : 1, factor on the unexplained seconds. C : s, all roofs together. x : 1, share of the source time that its
slowest roof has (on tensor pipes over 0.1). a : 1, share of arithmetic pipes in the roofs' norm. e :
``efficiency_share_counted`` or ``efficiency_share``. d : 1, share of DRAM's rate on the source. With stall reasons
u = 0.5 clip((d - 0.1) / 0.9, 0, 1), of the time alone u = 1.

Reason: a library's tiles reach a like share of a pipe wherever they run, and a loaded memory answers as fast as its
bus, not as fast as an idle one; what latency leaves open says little there. FP64 is no such pipe: a source that has it
for compatibility only says nothing about the efficiency on one that has it.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.formulas.values import combine, or_zero
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.resource_seconds import NEXT_TO_NOTHING
from roofcast.models.physics.stages import FOLLOWING, Factor, Scale, follow
from roofcast.models.physics.unexplained import ROOFS_OF_LIBRARIES

ROOFS_SAY_SOMETHING = 0.3
"""Below this share of the source time the roofs do not say what a kernel is limited by."""

DRAM_QUEUES = 0.1
"""Share of DRAM's rate from which requests begin to queue for the bus rather than to wait for the memory's latency."""

STREAMING = (0.5, 1.0)
"""Shares of DRAM's rate from which a kernel begins to stream, and from which it does nothing else: what it leaves of
the rate, another bus leaves as well. Where no stall reasons tell better (docs/accuracy.md)."""


def keep_efficiency(factor: Factor, s: Scale) -> Factor:
    """s': the factor with the part that follows the roofs."""
    c, ratio = s.pair.c, s.roof_ratio
    known = ~np.isnan(ratio) & (ratio > 0)
    stays = c.near_roof_share * near_dram_roof(s, DRAM_QUEUES, 1.0)
    if not s.counted.all():
        stays = np.where(s.counted, stays, share_kept(s))
    return follow(factor, ratio, stays if known.all() else np.where(known, stays, 0.0))


def share_kept(s: Scale) -> FloatArray:
    """(n, 1) u without stall reasons."""
    k, c = s.pair.k, s.pair.c
    on_tensors = uses_tensors(k)
    say = np.minimum(s.slowest / np.where(on_tensors, ROOFS_OF_LIBRARIES, ROOFS_SAY_SOMETHING), 1.0)
    compute = compute_share(s.roofs_source, s.pair.execution_s, np.where(on_tensors, 1.0, c.overlap))
    memory_kept = np.where(k.bytes_counted > 0, c.efficiency_share_counted, c.efficiency_share)
    share = (c.efficiency_share_compute * compute + memory_kept * (1.0 - compute)) * say
    share = np.maximum(share, near_dram_roof(s, *STREAMING))
    return np.where(k.time_alone > 0, 1.0, share)


def uses_tensors(k: Kernels) -> NDArray[np.bool_]:
    """(n, 1) kernels on tensor pipes: libraries', whose tiles fill a GPU to a like share wherever they run."""
    flops = [v for r, v in k.amounts.flops.items() if r in FLOPS_TENSOR]
    if not flops:
        return np.zeros_like(k.time_s, dtype=np.bool_)
    return np.asarray(combine(np.add, flops)[:, None] > 0)


def near_dram_roof(s: Scale, low: float, high: float) -> FloatArray:
    """(n, 1) 0 up to a low share d of DRAM's rate on the source, 1 from a high one (its roof).

    Kernels that stream on a V100 gain on an A100 by the ratio of bandwidths within 6 % ([VanLanker2024] Fig. 4),
    though the A100's idle latency is longer.
    """
    dram = s.roofs_source.get(Resource.BYTES_DRAM)
    if dram is None:
        return np.zeros_like(s.pair.execution_s)
    with quietly():
        share = or_zero(dram / s.pair.execution_s)
    return np.asarray(np.clip((share - low) / (high - low), 0.0, 1.0))


def compute_share(roofs: Mapping[Resource, FloatArray], like: FloatArray, p: FloatArray) -> FloatArray:
    r"""(n, 1) share a of the roofs' p-norm that arithmetic pipes have, FP64 left aside.

    .. math:: a = \frac{\sum_{pipes} \tau^p}{\sum_r \tau_r^p}

    roofs : s per resource. like : an array of the result's shape. p : (n, 1), 1 on tensor pipes, else ``overlap``.
    """
    pipes, others = np.zeros_like(like), np.zeros_like(like)
    slowest = np.zeros_like(like)
    for seconds in roofs.values():
        slowest = np.fmax(slowest, seconds)
    some = slowest > 0
    unit = np.where(some, slowest, 1.0)
    for resource, seconds in roofs.items():
        part = np.power(np.fmax(seconds / unit, NEXT_TO_NOTHING), p)
        if resource.is_compute and resource is not Resource.FLOPS_FP64:
            pipes = pipes + part
        else:
            others = others + part
    with quietly():
        return np.where(some, pipes / (pipes + others), 0.0)


CAUSE = Cause(
    name="efficiency",
    sentence="how near its roofs a kernel came stays, as far as the roofs limit it",
    when="the roofs of both sides are known",
    corrects="kernels near a roof, whose rest is queueing",
    taught_by="hecbench_ncu (near DRAM's roof), llm_ops and deepbench (tiles), Van Lanker 2024 Fig. 4 (streaming)",
    acts=(at(FOLLOWING, keep_efficiency),),
    properties=(Property.DRAM, Property.PIPES, Property.TENSOR, Property.L2, Property.L1),
    constants=(
        Constant(
            "near_roof_share", 0.5, 0.05, 1.0,
            "at DRAM's roof, how far what it leaves open follows the roofs: requests queue for the bus",
        ),
        Constant("efficiency_share", 0.55, 0.01, 1.0, "without counters: how far memory efficiency stays"),
        Constant("efficiency_share_counted", 0.1, 0.01, 1.0, "with bytes but no stalls counted: the same"),
        Constant(
            "efficiency_share_compute", 0.95, 0.01, 1.0, "the same for arithmetic: a library's tile efficiency"
        ),
    ),
)  # fmt: skip
