r"""What the roofs do not explain scales with waves, latency and clock.

.. math:: s = \left(\frac{W_t}{W_s}\right)^{w} \left(m \left(\frac{L_t}{L_s}\right)^{e} + (1 - m) \frac{f_s}{f_t}\right)

s : 1, factor on the unexplained seconds. W : waves of blocks one after the other, w : ``wave_exponent``, below 1 as
later waves overlap. m : share of the warps' time that they wait for memory, 0.5 where nobody counted it. e :
``latency_exponent``. f : Hz, SM clock. L : s, mean latency of a request to memory,

.. math:: L = \big(h_1 L_{L1} + (1 - h_1) (L_{L2} + (1 - h) L_{beyond})\big) / f

h_1, h : share of the requests that L1 and L2 answer. L_L1, L_L2 : SM cycles of their answers, L2's over both halves
where there are two. L_beyond : SM cycles from L2 to DRAM and back.

Reason: expectation over where a request is answered. Warps that wait for memory wait that long, all others wait for
the clock; requests that miss have crossed to the far half of L2 as often as those that hit. Where the cause is switched
off the unexplained seconds follow the roofs.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns
from roofcast.core.properties import Property
from roofcast.core.records import dataclass
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import FOLLOWING, WAITING, Factor, Follows, Scale

FAR_L2 = 1.38
"""Mean latency over the near half's where L2 has two halves and the far one was not measured: 1.46 on an A100 (213 and
410 cycles), 1.36 on Hopper (270 and 464; the catalog's pointer chases)."""

HIT_UNKNOWN = 0.5
"""1; L2 hits over requests where no counter says them: even odds."""
L1_LATENCY_CYCLES = 33.0
"""Of GPUs whose own is not in the catalog: 28 to 39 cycles on all since 2014."""


def mean_latency(hit_fraction: Values, hit: Values, miss: Values) -> FloatArray:
    r"""Mean latency over requests that a cache answers and those that it does not.

    .. math:: L = h L_{hit} + (1 - h) L_{miss}

    hit_fraction : (...) 1. h. hit, miss : (...) SM cycles or s. Expectation over the two outcomes.

    >>> float(mean_latency(0.5, 200.0, 600.0))
    400.0
    """
    h = np.asarray(hit_fraction, dtype=np.float64)
    return np.asarray(miss + h * np.subtract(hit, miss))


def l2_latency(p: Columns) -> FloatArray:
    """Mean L2 latency in cycles, over both halves where there are two."""
    near, far = p.number("latency_cycles_l2"), p.number("latency_cycles_l2_far")
    halves = np.where(np.isnan(far), near * FAR_L2, (near + far) / 2)
    return np.where(p.number("l2_partitions") > 1, halves, near)


def l1_latency(p: Columns) -> FloatArray:
    """L1 latency in cycles."""
    known = p.number("latency_cycles_l1")
    return np.where(known > 0, known, L1_LATENCY_CYCLES)


@dataclass(frozen=True)
class Latency:
    r"""L of the requests of kernels on one side, but for those that its caches keep from DRAM.

    .. math:: L = L_0 + L_1 \, \mathrm{clip}(q M, 0, 1)

    M : 1, L2 misses over those that were counted.
    """

    hit_s: FloatArray
    """L_0: mean s of a request if all hit in L2."""
    beyond_s: FloatArray
    """L_1: s more if all miss."""
    counted_misses: FloatArray
    """q: share of the requests at L2 that miss, as counted, but for the capacity of the cache."""

    def mean_s(self, missed: FloatArray) -> FloatArray:
        """L. missed : M; NaN where the catalog has no latencies."""
        as_counted = missed.size == 1 and missed[0, 0] == 1.0
        misses = self.counted_misses if as_counted else np.clip(self.counted_misses * missed, 0.0, 1.0)
        return self.hit_s + self.beyond_s * misses


def read_latency(k: Kernels, side: Side) -> Latency:
    """L_0, L_1 and q of one side."""
    hit = np.where(np.isnan(k.l2_hit_fraction), HIT_UNKNOWN, np.clip(k.l2_hit_fraction, 0.0, 1.0)) * side.l2_hits
    clock = side.machines.clock_hz
    l2_s = side.machines.gather(l2_latency) * side.l2_stretch / clock
    l1_s = side.machines.gather(l1_latency) / clock
    past_l1 = 1.0 - side.l1_share
    return Latency(
        mean_latency(side.l1_share, l1_s, l2_s), past_l1 * (side.beyond_l2_cycles / clock), np.clip(1.0 - hit, 0.0, 1.0)
    )


def latency_s(k: Kernels, side: Side) -> FloatArray:
    """L: mean seconds of a request to memory; NaN where the catalog has no latencies."""
    return read_latency(k, side).mean_s(side.missed)


def wait_for_memory(_: Factor, s: Scale) -> Factor:
    """s: the factor of waves, latency and clock; the clock alone where the catalog has no latencies."""
    pair, c, source, target = s.pair, s.pair.c, s.pair.source, s.pair.target
    ones = np.ones_like(pair.time_s)
    waves = pair.once("waves", lambda: Follows(c.wave_exponent * ones, target.waves_waiting / source.waves_waiting))
    mean_s = pair.once("latency", lambda: read_latency(pair.k, target)).mean_s(target.missed)
    ratio = mean_s / pair.once("latency of the source", lambda: latency_s(pair.k, source))
    unknown = np.isnan(ratio)
    ratio = np.where(unknown, s.clock, ratio) if unknown.any() else ratio
    ratio = ratio if c.latency_exponent == 1.0 else np.power(ratio, c.latency_exponent)
    beside = pair.once("beside latency", lambda: (1.0 - s.memory) * s.clock)
    return [waves, Follows(ones, s.memory * ratio + beside)]


def follow_the_roofs(_: Factor, s: Scale) -> Factor:
    """The factor without the cause: the ratio of the roofs, of the clocks where it is unknown."""
    return [Follows(np.ones_like(s.pair.time_s), np.where(np.isnan(s.roof_ratio), s.clock, s.roof_ratio))]


CAUSE = Cause(
    name="latency",
    sentence="what the roofs do not explain scales with waves, latency and clock",
    when="the roofs leave source time open",
    corrects="kernels that wait",
    taught_by="hecbench_ncu 29.4 / 12.2 to 13.4 / 7.7 %, pmpp_nvbench 19.9 to 13.3 %; pointer chases of the catalog",
    acts=(at(WAITING, wait_for_memory), at(FOLLOWING, follow_the_roofs, without=True)),
    properties=(Property.LATENCY, Property.CLOCK, Property.SMS),
    constants=(
        Constant("wave_exponent", 0.78, 0.2, 1.1, "latency over waves; below 1 as later waves overlap"),
        Constant("latency_exponent", 1.0, 0.3, 2.0, "stall time over memory latency"),
        Constant("drain_cycles", 8.0, 1.0, 30.0, "cycles per instruction that any code waits unnamed"),
    ),
)
