r"""Atomics by kind: units of the SMs for distinct addresses, the clock of L2 for one address.

.. math:: \tau = \frac{16 \, a}{S F f}, \qquad
    s' = s^{1 - u} \left(\frac{f_s}{f_t} \frac{L'_t}{L'_s}\right)^{u}, \qquad
    u = \mathrm{clip}\left(\frac{x - 0.4}{0.4}\right) \mathrm{clip}\left(\frac{1.6 - x}{0.2}\right), \;
    x = \frac{a / (T_s f_s)}{0.75}

tau : s, joins the roofs as that of L2's atomics where the source was slow enough for it. a : atomic warp instructions,
T_s : s. S F : SMs that the grid fills. f : Hz, SM clock. s, s' : 1, factor on the unexplained seconds. L' : SM cycles
that L2 takes for what takes it one at boost. Three more signs that all wait for one address give a share u: all bytes
go to one sector, a named histogram counts one element per clock, atomics of counted kernels hit in L2.

Reason: on distinct addresses, in global or shared memory, an SM starts an atomic of a full warp every 16 clocks (two
lanes a clock): scatterAdd of HeCBench takes 4.6, 4.3, 7.5 and 8.6 per clock on A10, RTX 3080, A100 and H100, 0.063 to
0.069 per SM. On one address L2 serves one per clock, however many SMs ask; fewer are not what limits the kernel, more
cannot meet on one address. Loops of compare-and-swap count their retries, whose number is another on another GPU:
contended atomics widen the interval and a note says so, as do counted swaps that warps wait for.

Where `roofcast measure ceilings` ran on a GPU, what it measured there stands in place of these: warps of additions on
neighbouring words for the 16 clocks, and for what waits at one address the rates of both GPUs, of additions or of
compare-and-swap, for the clocks of their L2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.properties import Property
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, finite_or, or_zero
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.kernel_inputs import CONSISTENT, WARP_LANES, Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import FOLLOWING, ROOFS, Factor, Pair, Roofs, Scale, Unexplained, follow

SERIAL_PER_CYCLE = 0.75
"""Atomic warp instructions per SM clock on one address: 0.61 to 0.89 over four GPUs and three HeCBench kernels that do
nothing else."""

COUNTER_BYTES = 4.0
"""Of each element that is counted."""
ONE_PER_CLOCK = (0.7, 0.85, 1.2, 1.4)
"""Elements counted per clock of the whole GPU: between the inner two surely one counter after another."""

SECTOR_BYTES, TIMES_TOUCHED = 32.0, 1e4
"""A working set of one sector that is touched so often is one address that everybody waits for."""

ATOMIC_HITS = (0.4, 0.6)
"""Atomics on the same addresses hit in L2: below the first hit rate none are taken for such, above the second all."""


CYCLES_PER_WARP = 16.0
"""SM clocks from one atomic of a full warp to the next, each lane on an address of its own."""


def serial_fraction(per_cycle: Values) -> FloatArray:
    """Estimate how surely atomics wait for each other on one address: u of the equation above, fitted on hecbench_ncu.

    per_cycle : (...) 1, atomic warp instructions per SM clock; NaN gives 0.

    >>> serial_fraction(np.array([0.1, 0.7, 5.0, np.nan])).round(2).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    x = finite_or(np.asarray(per_cycle, dtype=np.float64), 0.0) / SERIAL_PER_CYCLE
    return np.asarray(np.clip((x - 0.4) / 0.4, 0.0, 1.0) * np.clip((1.6 - x) / 0.2, 0.0, 1.0))


def measured_rate(machines: Machines, kind: str) -> FloatArray:
    """Atomics of a kind per second on each machine; NaN where nobody measured them there."""
    supply = machines.columns.supply(Resource.ATOMICS_L2, kind)
    if not (measured := supply.own & ~supply.estimated).any():
        return np.full((1, 1), np.nan)
    return np.where(machines.spread(measured, absent=False), machines.rate(Resource.ATOMICS_L2, kind), np.nan)


def warps_per_s(side: Side) -> FloatArray:
    """Atomics of full warps, each lane on an address of its own, that all SMs start per second."""
    measured = measured_rate(side.machines, "coalesced") / WARP_LANES
    return np.where(np.isnan(measured), side.sm_count * side.machines.clock_hz / CYCLES_PER_WARP, measured)


def add_roof_of_atomics(roofs: Roofs, pair: Pair) -> Roofs:
    """Roofs with the seconds of atomics on distinct addresses, where the source leaves time for them."""
    k = pair.k
    if not (k.atomics > 0).any():
        return roofs
    per_s = [warps_per_s(side) for side in (pair.source, pair.target)]
    key, seconds = Resource.ATOMICS_L2, k.atomics / (per_s[0] * pair.source.fill)
    with quietly():
        possible = (k.atomics > 0) & (seconds <= CONSISTENT * pair.execution_s)
        possible = possible & np.isnan(roofs.source.get(key, np.full((1, 1), np.nan)))
    return roofs.carry(key, possible, seconds, per_s[0] / per_s[1], of_sms=True)


def wait_for_one_address(factor: Factor, s: Scale) -> Factor:
    """s': the factor with the shares that wait for one address."""
    k, source, target = s.pair.k, s.pair.source, s.pair.target
    # Atomics wait for L2, whose clock is not all the SMs'.
    clock = source.machines.clock_hz / target.machines.clock_hz * target.l2_stretch / source.l2_stretch
    share = s.pair.once("one address", lambda: share_of_one_address(s))
    if not share.any():
        return factor
    for kind, rows in (("same_address", k.atomic_swaps <= 0.5), ("compare_and_swap", k.atomic_swaps > 0.5)):
        measured = measured_rate(source.machines, kind) / measured_rate(target.machines, kind)
        factor = follow(factor, np.where(np.isnan(measured), clock, measured), np.where(rows, share, 0.0))
    return factor


def share_of_one_address(s: Scale) -> FloatArray:
    """(n, 1) u: share of the unexplained seconds that waits for one address."""
    # All signs are of the same clock: together 1 - (1 - u)(1 - u')...
    others = (1.0 - serial_share(s)) * (1.0 - counting_share(s)) * (1.0 - contended_share(s))
    return np.where(touches_one_sector(s.pair.k), 1.0, 1.0 - others)


def serial_share(s: Unexplained) -> FloatArray:
    """(n, 1) share of the unexplained seconds in which atomics wait for each other on one address."""
    k, execution = s.pair.k, s.pair.execution_s
    if np.isnan(k.atomics).all():
        return np.zeros_like(execution)
    with quietly():
        return serial_fraction(k.atomics / (execution * s.pair.source.machines.clock_hz))


def counting_share(s: Scale) -> FloatArray:
    r"""(n, 1) how surely a kernel that counts elements in global memory counts one per clock, on the whole GPU.

    .. math:: u = \mathrm{clip}\left(\frac{y - 0.7}{0.15}\right) \mathrm{clip}\left(\frac{1.4 - y}{0.2}\right), \;
        y = \frac{V / 4}{T_s f_s}

    V : B, of elements of four bytes. Counters of a few kilobytes lie in one slice of L2, which serves one request per
    clock: a histogram of 512 bins in PMPP's measurements takes 0.98 to 1.06 clocks per element on GPUs of 14 to 68 SMs.
    """
    k = s.pair.k
    elements = k.amounts.get(Resource.BYTES_DRAM)[:, None] / COUNTER_BYTES
    with quietly():
        per_clock = finite_or(elements / (s.pair.execution_s * s.pair.source.machines.clock_hz), 0.0)
    none, least, most, all_apart = ONE_PER_CLOCK
    up = np.clip((per_clock - none) / (least - none), 0.0, 1.0)
    down = np.clip((all_apart - per_clock) / (all_apart - most), 0.0, 1.0)
    return np.where((k.counting > 0) & (k.bytes_counted == 0), up * down, 0.0)


def touches_one_sector(k: Kernels) -> NDArray[np.bool_]:
    """(n, 1) where all bytes that the algorithm names go to one sector."""
    asked = k.amounts.get(Resource.BYTES_DRAM)[:, None]
    with quietly():
        few = (k.working_set_bytes > 0) & (k.working_set_bytes <= SECTOR_BYTES)
        return np.asarray(few & (asked > TIMES_TOUCHED * k.working_set_bytes) & (k.bytes_counted == 0))


def contended_share(s: Unexplained) -> FloatArray:
    r"""(n, 1) share of the unexplained seconds that is atomics waiting for each other on few addresses.

    .. math:: u = \min(a / a_0, 1) \, \mathrm{clip}((h - 0.4) / 0.2) \, m

    a : 1, atomics per warp instruction, a_0 : ``atomic_least``. h : hit rate of L2. m : share of the warps' time that
    they wait for memory. Only with more blocks than SMs.
    """
    k, (low, high) = s.pair.k, ATOMIC_HITS
    hits = np.clip((or_zero(k.l2_hit_fraction) - low) / (high - low), 0.0, 1.0)
    many = np.clip(k.atomic_fraction / s.pair.c.atomic_least, 0.0, 1.0)
    with quietly():
        return np.where(k.grid_blocks > s.pair.source.sm_count, many * hits * s.memory, 0.0)


def contention(pair: Pair) -> FloatArray:
    """(n, 1) share of the source time in which atomics meet on few addresses, as far as counters tell."""
    k, unexplained = pair.k, Unexplained(pair, {}, np.ones((1, 1)), np.ones((1, 1)), pair.k.memory_share)
    share = np.maximum(serial_share(unexplained), contended_share(unexplained))
    if not k.atomic_swaps.any():
        return share
    with quietly():
        many = np.clip(or_zero(k.atomics / k.insts_warp) / pair.c.atomic_least, 0.0, 1.0)
    return np.maximum(share, k.atomic_swaps * many * k.memory_share)


CAUSE = Cause(
    name="atomics",
    sentence="atomics follow the SMs on distinct addresses, the clock on one",
    when="atomics were counted, or a histogram's name or a working set of one sector shows them",
    corrects="histograms, locks and counters",
    taught_by="scatterAdd, stddev, filter and histograms of HeCBench on four GPUs; a histogram of pmpp_nvbench",
    acts=(at(ROOFS, add_roof_of_atomics), at(FOLLOWING, wait_for_one_address)),
    properties=(Property.CLOCK, Property.SMS),
    constants=(
        Constant("atomic_least", 0.01, 0.002, 0.1, "atomics per instruction from which same-address order rules"),
    ),
)
