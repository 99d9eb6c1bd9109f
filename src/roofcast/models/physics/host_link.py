r"""What goes over the link between host and GPU: copies, pages that unified memory moves, kernels that wait for them.

A copy takes a fixed time and bytes over a rate; only the part that the link limits changes with it:

.. math:: t' = t \left((1 - b) + b f\right), \quad b = 1 - \alpha / t, \quad f = R / R' \text{ or, where the host's copy
    into a staging buffer is what limits, } \max(1, u \, R / R')

t, t' : seconds here and there. :math:`\alpha` : a copy of nothing (:data:`ALPHA_COPY_S`). R, R' : rates of the links,
bytes/s. u : share of R that was reached.

Pages move on demand: the GPU faults, the driver on the host handles a group of faults and moves pages, the warps go on.
What a kernel took is then not the kernel alone:

.. math:: T = C + S, \quad 0 \le S \le O, \qquad T' = \max(\rho \, C + \sigma \, S, \; \sigma H)

T : the kernel's recorded seconds. S : how long it waited for pages, of which only the bound O is recorded: the time
during which faults were handled or pages moved while it ran. H : as much of it as is known to be on the kernel's own
demand, where faults were recorded: groups of faults are handled one after the other, and no kernel ends before the last
of its pages is there, whatever its other warps do meanwhile. :math:`\rho` : what the model says of the kernel, target
over source. :math:`\sigma` : seconds of moves there over here. What part of a move is the driver's and what part the
link's is not recorded either, and another host beside the other GPU handles faults faster or slower by s
(:data:`FAULT_SPREAD`):

.. math:: \sigma_{low} = \min(1, R/R') / s, \quad \sigma_{high} = s \max(1, R/R')

Beside a coherent link (NVLink-C2C) managed memory, which is what faults on a GPU behind PCIe, moves by faults as well
[CUDA2025, Schieffer2024]; its link is faster. What the system allocates, or what is advised to be accessed, is read
there without a fault and without a move, at the link's rate: another program, told in a note (:func:`access_s`). Where
CPU and GPU share one memory nothing moves: :math:`\sigma_{low} = 0`; the upper bound stays, since drivers may handle
faults there as well.

Where bytes and seconds of the moves were recorded (D, t), the link's part is known, and only the rest is the host's:

.. math:: l = \min(D / (R t), 1), \quad \sigma_{low} = (1 - l) / s + l R / (R' s_l), \quad
    \sigma_{high} = (1 - l) s + l s_l R / R', \quad \sigma = (1 - l) + l R / R'

l : 1. :math:`s_l` : 1, links of one kind to each other (:data:`LINK_SPREAD`). No interval is wider than s squared, 2.5.
Launches beside no pages tell C, and thereby the least of S: then T' has its ends at that S or at O.

Where moves were recorded and handling was not timed, moves are the link's alone and l says nothing of the rest of S:

.. math:: S = S_m + S_x, \quad 0 \le S_m \le M, \quad X_{least} \le S_x \le X = O - M, \quad
    T' = \rho \, C + \sigma \, S_m + \delta \, S_x, \quad 1/s \le \delta \le s

:math:`S_m, S_x` : waits while pages moved and while none did, which the driver handled, if anything. M : s, moves while
it ran. :math:`X_{least}` : s, by the number of faults (:meth:`PageTraffic.bound_handling` of
`core/unified_memory.py`).
The middle takes what dense access needs: moves on demand reach half the rate of moves ahead of it, so that
:math:`S = M / u_d` (:data:`ON_DEMAND_SHARE`) within its bounds. T' is linear: its ends lie at corners.

Where more pages were on the source at once (P) than the target's memory holds (:func:`bound_evictions`), the driver
moves the least used back, 2 MB at once, and they fault again when a kernel comes back to them [Ganguly2019]. At best
those go that would have gone anyway, and the low end stays. At worst a kernel finds nothing of what it touches.

Reason: handling a group of faults is work of the host's driver, not of the GPU or the link: 20 to 50 us per group in
[Zheng2016] and [Kim2020]. Of one PCIe 3.0 x16 link, migration on demand reaches 5.4 GB/s where prefetches reach 10.9
and explicit copies 11.4; with one fault per page it comes within 30 % of that [Sakharnykh2017]. T' is linear in S, so
that its ends lie at S = 0 or S = O.

On hardware-coherent systems managed memory is accessed without page faults only where it is advised so [CUDA2025];
system memory moves by access counters, managed memory by faults [Schieffer2024]. Keys: ``docs/references.md``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.formulas.values import combine, or_zero

ALPHA_COPY_S = 1.2e-6
"""A copy of nothing on the device: the shortest copies in public traces take 0.9 to 2 us."""
PAGEABLE_SHARE = 0.6
"""Pageable copies are staged by the host: above this share of the link's rate the link counts, below it the host."""
FAULT_SPREAD = 1.6
"""Between hosts: square root of the 50 us over 20 us that public studies give for a group of faults."""
SHORTEST_KERNEL_S = 1e-6
"""No kernel takes less, also where all of its recorded time may have been waiting: the shortest in public traces."""
LINK_SPREAD = 1.1
"""Between hosts with the same link: what their copies of large blocks sustain (12 to 13 GB/s of PCIe 3.0 x16)."""

ON_DEMAND_SHARE = 5.4 / 10.9
"""Of the rate of prefetches, what migration on demand reaches [Sakharnykh2017]."""


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
    with quietly():
        reached = bytes_ / np.maximum(time_s - ALPHA_COPY_S, 1e-12)
    share = np.nan_to_num(reached / here_per_s, nan=1.0, posinf=1.0)
    # What the host limits stays, unless the target's link is slower still than what was reached.
    return np.where(staged & (share < PAGEABLE_SHARE), np.maximum(1.0, or_zero(share) * ratio), ratio)


def find_move_factors(
    source: Processor | None, target: Processor, bytes_: float = math.nan, time_s: float = math.nan
) -> MoveFactors:
    r"""The bounds of :math:`\sigma`, and what lies between them.

    That is their geometric mean; where one memory is shared, so that nothing may move, the arithmetic one. bytes_,
    time_s : what moved on the source, and for how long, which tell the link's part.
    """
    if source is None or source.key == target.key:
        return UNMOVED
    here_per_s = link_rate(source)
    ratio = known_ratio(here_per_s / link_rate(target))
    share = bytes_ / time_s / here_per_s if time_s > 0 else math.nan
    if share > 0 and not target.shares_host_memory:
        return split_moves(min(share, 1.0), ratio)
    low, high = min(1.0, ratio) / FAULT_SPREAD, max(1.0, ratio) * FAULT_SPREAD
    if target.shares_host_memory:
        low = 0.0
    middle = (low + high) / 2 if target.shares_host_memory else math.sqrt(low * high)
    return MoveFactors(low, middle, high)


def find_handling_factors(source: Processor | None, target: Processor) -> MoveFactors:
    r"""The bounds of :math:`\delta`: handling of faults, of which no part is the link's.

    Where one memory is shared faults may vanish, and the middle is the arithmetic one.
    """
    if source is None or source.key == target.key:
        return UNMOVED
    apart = split_moves(0.0, 1.0)
    return MoveFactors(0.0, apart.high / 2, apart.high) if target.shares_host_memory else apart


def bound_evictions(
    resident_bytes: FloatArray, capacity_bytes: FloatArray, touched_bytes: FloatArray, s_per_byte: FloatArray
) -> FloatArray:
    r"""(n, m) seconds that launches take longer at most where pages do not fit, and are evicted and move again.

    .. math:: t = 2 \min(P, B) \, c \quad \text{where } P > K, \text{ else } 0

    resident_bytes : (n, 1) B. P. capacity_bytes : (m,) B. K, the target's memory; NaN and 0 hold everything.
    touched_bytes : (n, 1) B. what a launch can touch: seconds by the source's DRAM rate. s_per_byte : (n, m) s/B. c, of
    a move on demand. Reason: the least used pages go first, so that launches in turn over more than fits find none of
    theirs [Ganguly2019]; each comes in and drives another out. Of dense access: a launch that comes back to a page
    after it was evicted, or takes little of each page, takes longer still.

    >>> one = lambda x: np.array([[x]])
    >>> float(bound_evictions(one(20e9), np.array([16e9]), one(5e9), one(1e-10))[0, 0])
    1.0
    """
    moved = np.fmin(resident_bytes, touched_bytes)
    return np.where((capacity_bytes > 0) & (resident_bytes > capacity_bytes), 2.0 * moved * s_per_byte, 0.0)


def access_s(bytes_: float, target: Processor) -> float:
    r"""Seconds in which a GPU beside a coherent link reads host memory without moving it; NaN beside another link.

    .. math:: t = D / R'

    bytes_ : B. D, what moved on the source: each line of it is read at least once. R' : bytes/s of the link. Reason:
    the GPU addresses the host's memory line by line. A lower bound: a line that is used again may cross again.
    """
    coherent = target.is_host_coherent and not target.shares_host_memory
    return bytes_ / link_rate(target) if coherent and bytes_ > 0 else math.nan


def split_moves(link_share: float, ratio: float) -> MoveFactors:
    r"""The bounds of :math:`\sigma` where the link's part of the moves is known.

    link_share : l. ratio : R / R'.

    >>> found = split_moves(0.25, 0.5)     # a quarter is the link, which is twice as fast there
    >>> round(found.low, 3), round(found.middle, 3), round(found.high, 3)
    (0.582, 0.875, 1.338)
    """
    driver, link = 1.0 - link_share, link_share * ratio
    return MoveFactors(
        driver / FAULT_SPREAD + link / LINK_SPREAD, driver + link, driver * FAULT_SPREAD + link * LINK_SPREAD
    )


class Waits(NamedTuple):
    r"""What is known of how long kernels waited for pages, (n, 1) each; NaN is not known.

    s. least : of S. handled : H. untimed, untimed_least : X and :math:`X_{least}`.
    """

    stall: FloatArray
    least: FloatArray | None = None
    handled: FloatArray | None = None
    untimed: FloatArray | None = None
    untimed_least: FloatArray | None = None

    def within(self, recorded_s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """O, least of S, H, X and its least, each within what holds it; 0 where nothing is known."""
        stall = np.minimum(self.stall, recorded_s)
        zero = np.zeros_like(stall)
        least, handled, untimed = (
            zero if a is None else np.clip(np.nan_to_num(a), 0.0, stall)
            for a in (self.least, self.handled, self.untimed)
        )  # fmt: skip
        at_least = zero if self.untimed_least is None else np.clip(np.nan_to_num(self.untimed_least), 0.0, untimed)
        return stall, least, handled, untimed, at_least


Bounds = tuple[FloatArray, FloatArray, FloatArray]
"""Middle, low and high."""


def bound_stalled_times(
    recorded_s: FloatArray, waits: Waits, times_s: Bounds, factors: Bounds, handling: Bounds | None = None
) -> Bounds:
    r"""Middle, low and high seconds of kernels whose recorded time holds waits for pages.

    recorded_s : (n, 1) T. times_s : (n, m) of the model, :math:`\rho T`. factors : (n, m) :math:`\sigma`. handling :
    (n, m) :math:`\delta` (default: :math:`\sigma`).

    >>> one = lambda x: np.array([[x]])
    >>> bounds = bound_stalled_times(
    ...     one(4.0), Waits(one(3.0)), (one(2.0), one(2.0), one(2.0)), (one(1.0), one(0.5), one(2.0)))
    >>> [float(b[0, 0]) for b in bounds]   # half the time for 1 s, and 3 s of moves; low 1.5 + 0.5, high 6 + 0.5
    [3.5, 2.0, 6.5]
    """
    stall, least, handled, untimed, at_least = waits.within(recorded_s)
    moved = stall - untimed
    deltas = factors if handling is None else handling

    def at(k: int, waited_x: FloatArray, waited_m: FloatArray) -> FloatArray:
        computed = times_s[k] * (1.0 - (waited_x + waited_m) / recorded_s)
        return computed + deltas[k] * waited_x + factors[k] * waited_m

    # Corners of the waits that are possible: least and most handling, each with least and most moves beside it.
    beside_all = np.clip(least - moved, at_least, untimed)
    beside_none = np.clip(least, at_least, untimed)
    corners = [(beside_all, moved), (untimed, moved)]
    corners += [(x, np.clip(least - x, 0.0, moved)) for x in (beside_all, untimed, beside_none)]
    usual = np.clip(np.clip(moved / ON_DEMAND_SHARE, least, stall) - moved, at_least, untimed)
    ends = (
        at(0, usual, moved),
        combine(np.minimum, (at(1, *c) for c in corners)),
        combine(np.maximum, (at(2, *c) for c in corners)),
    )
    middle, low, high = (np.maximum(seconds, factor * handled) for seconds, factor in zip(ends, factors, strict=True))
    low = np.maximum(low, np.minimum(times_s[1], SHORTEST_KERNEL_S))
    return middle, np.minimum(low, middle), np.maximum(high, middle)
