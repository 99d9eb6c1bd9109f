r"""What neither roofs nor floor explain on the source, and how it scales: by its own causes.

.. math:: R = (E^q - \min(C, E)^q)^{1/q}, \qquad T_t = a_t + \kappa \left(C_t^q + (R \, s)^q\right)^{1/q}

R : s left unexplained. E : s, execution on the source, C its roofs. q : ``overlap_unexplained``. s : 1, how R scales.
It starts as the ratio of the SM clocks; the causes of :data:`CLOCK`, :data:`WAITING` and :data:`FOLLOWING` say more.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import rate
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values
from roofcast.models.physics.carried import SecondsByResource
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.resource_seconds import load_store_rate, wider_warps
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import (
    CLOCK,
    FOLLOWING,
    WAITING,
    Follows,
    Pair,
    Scale,
    Unexplained,
    log_of,
)

MEMORY_SHARE_UNKNOWN = 0.5
"""Share of stalls taken for memory where none were counted."""

ROOFS_OF_LIBRARIES = 0.1
"""Below this share of the source time the roofs do not say what a library's kernel is limited by: tensor pipes have a
low share where matrices are small. Of other kernels such roofs say nothing at all."""


def scale_unexplained(pair: Pair, roofs_source: SecondsByResource, roof_ratio: FloatArray) -> FloatArray:
    """(n, m) s: factor on the unexplained seconds.

    roofs_source : (n, 1) s per resource. roof_ratio : (n, m) all roofs of the target over the source's.
    """
    clock = pair.source.machines.clock_hz / pair.target.machines.clock_hz
    memory = np.where(pair.k.stalls_counted > 0, pair.k.memory_share, MEMORY_SHARE_UNKNOWN)
    slowest = pair.once("slowest", lambda: slowest_share(roofs_source, pair.execution_s))
    unexplained = Unexplained(pair, roofs_source, roof_ratio, slowest, memory)
    clock = pair.walk.through(CLOCK, clock, unexplained)
    machine = pair.once("machine", lambda: machine_ratio(pair.k, pair.source, pair.target, clock))
    scale = Scale(pair, roofs_source, roof_ratio, slowest, memory, clock, machine)
    waiting = pair.walk.through(WAITING, [Follows(np.ones_like(pair.time_s), clock)], scale)
    logs = log_of(pair.walk.through(FOLLOWING, waiting, scale))
    return np.exp(logs, out=logs)


def slowest_share(roofs: Mapping[Resource, FloatArray], execution: FloatArray) -> FloatArray:
    """(n, 1) the slowest roof's share of the source time; 0 where no roof is known."""
    slowest = np.zeros_like(execution)
    for seconds in roofs.values():
        slowest = np.fmax(slowest, seconds)
    with quietly():
        share = slowest / execution
    return np.where(share > 0, share, 0.0)


def stated_share(pair: Pair) -> FloatArray:
    """(n, 1) share of the source time that the slowest stated amount takes at the source's rate; at most 1.

    Of what was stated alone, with nothing derived from several amounts: it grows with every amount that is known.
    """
    share = np.zeros_like(pair.time_s)
    for resource, amount in pair.k.amounts.by_resource.items():
        with quietly():
            share = np.fmax(share, amount[:, None] / rate(pair.source.machines, resource) / pair.time_s)
    return np.asarray(np.minimum(share, 1.0))


def machine_ratio(k: Kernels, source: Side, target: Side, clock: FloatArray) -> FloatArray:
    r"""(n, m) SMs x clock of the source over the target's.

    .. math:: M = \frac{f_s S_s}{f_t S_t}, \quad M = \frac{f_s b_t}{f_t} \ \text{where}\ n < S_s

    clock : (n, m) 1. f_s / f_t. S : SMs. n : blocks. b : blocks of the busiest SM. Where the source has idle SMs,
    neither more SMs help nor fewer hurt while each block has its own.
    """
    with quietly():
        idle = k.grid_blocks < source.sm_count
    ratio = clock * source.sm_count / target.sm_count
    return np.where(idle, clock * target.busiest_blocks, ratio) if idle.any() else np.asarray(ratio)


def supply_ratio(s: Scale, resource: Resource) -> FloatArray:
    """(n, m) supply of the source over the target's; SMs x clock where SMs are idle or a supply is unknown."""
    k, source, target = s.pair.k, s.pair.source, s.pair.target
    if resource is Resource.INSTS_LSU:
        ratio = load_store_rate(k, source) / (load_store_rate(k, target) * wider_warps(source, target))
    else:
        ratio = rate(source.machines, resource) / rate(target.machines, resource)
    with quietly():
        idle = k.grid_blocks < source.sm_count
    return np.where(np.isnan(ratio) | idle, s.machine, ratio)


def blind_ratio(source: Side, target: Side) -> FloatArray:
    """(n, m) seconds on the target over the source's for a kernel of which only the time is known.

    The geometric mean of memory-bound and compute-bound: a ratio between the two ends; NaN where one is unknown.
    """
    memory = rate(source.machines, Resource.BYTES_DRAM) / rate(target.machines, Resource.BYTES_DRAM)
    cores = [side.sm_count * side.machines.clock_hz for side in (source, target)]
    return np.asarray(np.sqrt(memory * cores[0] / cores[1]))


def unexplained_s(time_s: Values, roofs_s: Values, q: float) -> FloatArray:
    r"""Seconds that must join the roofs' to give what was measured; 0 where the roofs alone need as much.

    .. math:: R = (T^q - \min(C, T)^q)^{1/q}

    time_s : (...) s. T, without the launch floor. roofs_s : (...) s. C. q : 1.
    Source: inverse of :func:`overlapped_s` for two terms.

    >>> round(float(unexplained_s(5.0, 4.0, 2.0)), 9), float(unexplained_s(5.0, 6.0, 2.0))
    (3.0, 0.0)
    """
    t = np.asarray(time_s, dtype=np.float64)
    with quietly():
        r = np.clip(np.asarray(roofs_s) / t, 0.0, 1.0)
    return np.asarray(t * np.power(1.0 - np.power(r, q), 1.0 / q))
