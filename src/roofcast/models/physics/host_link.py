r"""What goes over the link between host and GPU: copies, pages that unified memory moves, kernels that wait for them.

A copy takes a fixed time and bytes over a rate; only the part that the link limits changes with it:

.. math:: t' = t \left((1 - b) + b f\right), \quad b = 1 - \alpha / t, \quad f = R / R' \text{ or, where the host's copy
    into a staging buffer is what limits, } \max(1, u \, R / R')

t, t' : seconds here and there. :math:`\alpha` : a copy of nothing (:data:`ALPHA_COPY_S`). R, R' : rates of the links,
bytes/s. u : share of R that was reached.

Pages move on demand: the GPU faults, the driver on the host handles a group of faults and moves pages, the warps go on.
What a kernel took is then not the kernel alone:

.. math:: T = C + S, \quad 0 \le S \le O, \qquad T' = \rho \, C + \sigma \, S

T : the kernel's recorded seconds. S : how long it waited for pages, of which only the bound O is recorded: the time
during which faults were handled or pages moved while it ran. :math:`\rho` : what the model says of the kernel, target
over source. :math:`\sigma` : seconds of moves there over here. What part of a move is the driver's and what part the
link's is not recorded either, and another host beside the other GPU handles faults faster or slower by s
(:data:`FAULT_SPREAD`):

.. math:: \sigma_{low} = \min(1, R/R') / s, \quad \sigma_{high} = s \max(1, R/R')

Beside a coherent link (NVLink-C2C) the GPU reads the host's memory without a fault, at the link's full rate:
:math:`\sigma_{low} = u R / (s R')`; where CPU and GPU share one memory nothing moves: :math:`\sigma_{low} = 0`. The
upper bound stays, since drivers may move pages there as well.

Reason: handling a group of faults is work of the host's driver, not of the GPU or the link: 20 to 50 us per group in
[Zheng2016] and [Kim2020]. Of one PCIe 3.0 x16 link, migration on demand reaches 5.4 GB/s where prefetches reach 10.9
and explicit copies 11.4; with one fault per page it comes within 30 % of that [Sakharnykh2017]. T' is linear in S, so
that its ends lie at S = 0 or S = O.

[Zheng2016] T. Zheng et al., Towards High Performance Paged Memory for GPUs, HPCA 2016. [Kim2020] H. Kim et al.,
Batch-Aware Unified Memory Management in GPUs for Irregular Workloads, ASPLOS 2020. [Sakharnykh2017] N. Sakharnykh,
Maximizing Unified Memory Performance in CUDA, NVIDIA developer blog, 2017.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.formulas.values import or_zero

ALPHA_COPY_S = 1.2e-6
"""A copy of nothing on the device: the shortest copies in public traces take 0.9 to 2 us."""
PAGEABLE_SHARE = 0.6
"""Pageable copies are staged by the host: above this share of the link's rate the link counts, below it the host."""
FAULT_SPREAD = 1.6
"""Between hosts: square root of the 50 us over 20 us that public studies give for a group of faults."""
SHORTEST_KERNEL_S = 1e-6
"""No kernel takes less, also where all of its recorded time may have been waiting: the shortest in public traces."""
ON_DEMAND_SHARE = 5.4 / 10.9
"""Of the rate of prefetches, what migration on demand reaches [Sakharnykh2017]: u where no bytes were recorded."""


@dataclass(frozen=True)
class MoveFactors:
    """Seconds of page moves on a target over those on the source."""

    low: float
    middle: float
    high: float


UNMOVED = MoveFactors(1.0, 1.0, 1.0)


def link_rate(processor: Processor) -> float:
    """Bytes per second of the link to the host; NaN where the catalog knows none."""
    return processor.rate(Resource.BYTES_HOST_LINK)


def known_ratio(ratio: float) -> float:
    """A ratio of rates; 1 where one of them is unknown."""
    return ratio if 0 < ratio < math.inf else 1.0


def share_bound_by_rate(time_s: FloatArray) -> FloatArray:
    r"""(n,) :math:`b`: part of the seconds of copies that is not the fixed time."""
    return np.clip(1.0 - ALPHA_COPY_S / np.maximum(time_s, 1e-12), 0.0, 1.0)


def find_copy_factor(
    bytes_: FloatArray, time_s: FloatArray, staged: NDArray[np.bool_], source: Processor, target: Processor
) -> FloatArray:
    r"""(n,) :math:`f` of copies between host and device. staged : (n,) whether the host copies into a buffer first."""
    here_per_s = link_rate(source)
    ratio = known_ratio(here_per_s / link_rate(target))
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = bytes_ / np.maximum(time_s - ALPHA_COPY_S, 1e-12)
    share = np.nan_to_num(reached / here_per_s, nan=1.0, posinf=1.0)
    # What the host limits stays, unless the target's link is slower still than what was reached.
    return np.where(staged & (share < PAGEABLE_SHARE), np.maximum(1.0, or_zero(share) * ratio), ratio)


def find_move_factors(
    source: Processor | None, target: Processor, bytes_: float = math.nan, time_s: float = math.nan
) -> MoveFactors:
    r"""The bounds of :math:`\sigma`, and what lies between them.

    That is their geometric mean; beside a coherent link, where the lower bound says that faults vanish, the arithmetic
    one. bytes_, time_s : what moved on the source, and for how long, which tell u.
    """
    if source is None or source.key == target.key:
        return UNMOVED
    here_per_s = link_rate(source)
    ratio = known_ratio(here_per_s / link_rate(target))
    low, high = min(1.0, ratio) / FAULT_SPREAD, max(1.0, ratio) * FAULT_SPREAD
    if target.shares_host_memory:
        low = 0.0
    elif target.is_host_coherent:
        share = bytes_ / time_s / here_per_s if time_s > 0 else math.nan
        low = min(share if 0 < share < 1 else ON_DEMAND_SHARE, 1.0) * ratio / FAULT_SPREAD
        low = min(low, high)
    middle = (low + high) / 2 if target.is_host_coherent else math.sqrt(low * high)
    return MoveFactors(low, middle, high)


def bound_stalled_times(
    recorded_s: FloatArray, stall_s: FloatArray, times_s: tuple[FloatArray, FloatArray, FloatArray],
    factors: tuple[FloatArray, FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    r"""Middle, low and high seconds of kernels whose recorded time holds waits for pages.

    recorded_s, stall_s : (n, 1) T and O. times_s : (n, m) middle, low and high of the model, :math:`\rho T`.
    factors : (n, m) :math:`\sigma`, middle, low, high.

    >>> one = lambda x: np.array([[x]])
    >>> bounds = bound_stalled_times(one(4.0), one(3.0), (one(2.0), one(2.0), one(2.0)), (one(1.0), one(0.5), one(2.0)))
    >>> [float(b[0, 0]) for b in bounds]   # half the time for 1 s, and 3 s of moves; low 1.5 + 0.5, high 6 + 0.5
    [3.5, 2.0, 6.5]
    """
    stall = np.minimum(stall_s, recorded_s)
    computes = 1.0 - stall / recorded_s
    middle = times_s[0] * computes + factors[0] * stall
    low = np.minimum(times_s[1], times_s[1] * computes + factors[1] * stall)
    low = np.maximum(low, np.minimum(times_s[1], SHORTEST_KERNEL_S))
    high = np.maximum(times_s[2], times_s[2] * computes + factors[2] * stall)
    return middle, np.minimum(low, middle), np.maximum(high, middle)
