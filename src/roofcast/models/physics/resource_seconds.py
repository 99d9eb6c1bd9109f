r"""Seconds per resource: what either side supplies to a kernel, and what its amounts then take.

.. math:: \tau_r = \frac{V_r}{P_r \, h_r \, F}, \qquad C = \Big(\sum_r \tau_r^p + \sum_b \tau_b^p\Big)^{1/p}

tau_r : s that a resource alone would need. V_r : amount. P_r : supply per second. h_r : headroom, what the amount's
count misses or has too much. F : share of the SMs that the grid uses, 1 beside the SMs. tau_b : s of the blocks. C : s
of all together. p : ``overlap``, 1 one after the other, infinite the slowest hides all.

What was counted says more where the source's time is short of its roofs:

.. math:: \tau_r' = \tau_r \min(1, E / \tau_{r,s}), \qquad C' = C \big(1 - h \sqrt{x \min(x, x_s)}\big),
    \quad x = 1 - \frac{S}{C}, \quad h = \frac{1}{x_s} \Big(1 - \frac{E}{C_s}\Big) \in [0, 1]

E : s, execution on the source (index s). S : s of the slowest roof. x : 1, share that the others add to it by the
norm. h : 1, how much of that is hidden on the source. Reason: no resource is busy for longer than the kernel runs, so
that a higher rate than the catalog's was drawn; and what adds less than the norm says runs beneath the slowest.
Elsewhere it does so for sure as far as it did on the source, and perhaps wholly: the geometric mean of both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import EllipsisType

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import has_variant, rate
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, combine, or_zero
from roofcast.models.physics.carried import BESIDE_THE_SMS, Carried, SecondsByResource
from roofcast.models.physics.cause import Constant, Constants
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import (
    AMOUNTS,
    BESIDE,
    BLOCKS,
    MANY,
    Beside,
    OneSide,
    Pair,
    Roofs,
    rows_of,
)

CONSTANTS = (
    Constant("overlap", 3.3, 1.5, 8.0, "p of the roofs' norm: 2 to 8 all come close; fitted"),
    Constant("fp64_mix", 0.66, 0.45, 1.0, "mean of 2a + (1 - a) over 2 for FMA shares a of real FP64 code"),
    Constant("fp32_mix", 0.75, 0.45, 1.0, "the same for FP32"),
    Constant("issue_replays", 1.12, 0.8, 2.0, "issue slots per warp instruction: replays, dual-issue hazards"),
    Constant("insts_per_fma", 1.3, 0.5, 3.0, "instructions per FP32 FMA where none were counted"),
    Constant("integer_headroom", 1.0, 0.5, 3.0, "integer rate over the add rate: moves and logic run elsewhere"),
    Constant("l2_headroom", 1.39, 0.7, 3.0, "estimated L2 bytes miss what L1 merges; counted ones have none"),
    Constant("l2_cached", 0.7, 0.3, 1.5, "share of L2's rate that kernels reach whose data stay in it"),
    Constant("shared_headroom", 0.9, 0.3, 3.0, "shared-memory wavefront rate over the peak"),
)

NEXT_TO_NOTHING = 1e-30
"""Stands for no part of the slowest: its powers vanish beside 1, and those of 0 and NaN take four times as long."""

SHORTEST_S = 1e-300
"""Stands for 0 s in a denominator."""

WITH_CACHES = frozenset({Resource.BYTES_DRAM, Resource.BYTES_L2})
"""Resources whose seconds are no product: caches serve a part of the first, ports of SMs limit the second."""
L2_PORT_BYTES_PER_CYCLE = 64.0
"""What one SM can take from L2 per clock (NVIDIA's A100 white paper: 5120 B/clk over 80 ports of 64 B)."""


def port_rate(side: Side) -> FloatArray:
    """L2 bytes per second that all SMs together can take; a few of them share less than L2 can give."""
    return np.asarray(L2_PORT_BYTES_PER_CYCLE * side.sm_count * side.machines.clock_hz)


def mixed_rate(rate_full: Values, rate_half: Values, full_fraction: Values) -> FloatArray:
    r"""Passes per second of a mix of full and half passes.

    .. math:: P = \left(\frac{f}{P_{full}} + \frac{1 - f}{P_{half}}\right)^{-1}

    >>> float(mixed_rate(1.0, 2.0, 0.5).round(6))
    1.333333
    """
    f = np.asarray(full_fraction, dtype=np.float64)
    return np.asarray(1.0 / (f / np.asarray(rate_full) + (1.0 - f) / np.asarray(rate_half)))


def load_store_rate(k: Kernels, side: Side) -> FloatArray:
    """Load/store passes per second of each kernel's mix of full and half-width passes.

    The plain rate for both where the catalog has no other for half-width ones.
    """
    half = side.machines.rate(Resource.INSTS_LSU, "narrow")
    return mixed_rate(rate(side.machines, Resource.INSTS_LSU), np.where(half > 0, half, np.nan), k.full_fraction)


SHARED_BYTES_PER_CYCLE = 128.0
"""A pass counts as 128 bytes. Kepler's banks give 256, but only to accesses of eight bytes a lane."""


def supply(k: Kernels, side: Side, resource: Resource, c: Constants) -> FloatArray:
    """Amount per second that a side gives each kernel, headroom included."""
    factor = headrooms(c).get(resource, 1.0)
    if resource is Resource.INSTS_LSU:
        return load_store_rate(k, side)
    per_s = rate(side.machines, resource) * factor
    if resource is Resource.FLOPS_TENSOR_FP32:
        return np.where(np.isnan(per_s), rate(side.machines, Resource.FLOPS_FP32), per_s)
    if resource is Resource.BYTES_SHARED:
        return np.fmin(per_s, factor * SHARED_BYTES_PER_CYCLE * side.sm_count * side.machines.clock_hz)
    if resource is Resource.BYTES_L2:
        per_s = np.where(k.l2_counted > 0, per_s / factor, per_s)
        return np.where(k.bytes_counted > 0, per_s, rate(side.machines, resource) * c.l2_cached)
    return per_s


def supplies(
    k: Kernels, sides: tuple[Side, Side], resource: Resource, amount: FloatArray, c: Constants
) -> list[FloatArray]:
    """Amount per second that either side gives each kernel; in FP32 with packed instructions where it uses them.

    Compilers pack two operations into one instruction (MI200) only where the code asks for it, and no counter tells.
    A kernel that exceeded what single ones can do on the source does tell.
    """
    rates = [supply(k, side, resource, c) for side in sides]
    if resource in PER_WARP:
        return [rates[0], rates[1] * wider_warps(*sides)]
    if resource is not Resource.FLOPS_FP32:
        return rates
    has = [~np.isnan(has_variant(side.machines, resource, "packed")) for side in sides]
    uses = has[0] & (amount > k.time_s * rate(sides[0].machines, resource))
    if not uses.any():
        return rates
    more = [side.machines.rate(resource, "packed") / side.machines.rate(resource) for side in sides]
    return [np.where(uses & h, r * m, r) for r, m, h in zip(rates, more, has, strict=True)]


PER_WARP = frozenset({Resource.INSTS_ISSUED, Resource.INSTS_LSU, Resource.INSTS_SPECIAL})
"""Amounts and supplies that count instructions of whole warps."""


def wider_warps(source: Side, target: Side) -> FloatArray:
    """Lanes of the target's warps over the source's: one wave of 64 does what two warps of 32 were counted for."""
    source_lanes, target_lanes = (side.machines.gather("warp_size") for side in (source, target))
    return np.asarray(target_lanes / source_lanes)


@lru_cache(maxsize=64)
def headrooms(c: Constants) -> dict[Resource, float]:
    """Factor on each supply."""
    return {
        Resource.FLOPS_FP64: c.fp64_mix,
        Resource.FLOPS_FP32: c.fp32_mix,
        Resource.OPS_INT32: c.integer_headroom,
        Resource.INSTS_ISSUED: 1.0 / c.issue_replays,
        Resource.BYTES_L2: c.l2_headroom,
        Resource.BYTES_SHARED: c.shared_headroom,
    }


def roof_seconds(pair: Pair) -> tuple[SecondsByResource, SecondsByResource]:
    """Seconds per resource on both sides, those of the target's DRAM as if no cache served any of its bytes.

    A resource counts only where both supplies are known.
    """
    k, source, target = pair.k, pair.source, pair.target
    amounts = pair.walk.through(AMOUNTS, {r: v[:, None] for r, v in k.amounts.by_resource.items()}, pair)
    here: dict[Resource, FloatArray] = {}
    there: dict[Resource, FloatArray | Carried] = {}
    # One order for all tables: sums must not round by which kernel of a block counted what first.
    for resource in Resource:
        amount = amounts.get(resource)
        if amount is None:
            continue
        rates = supplies(k, (source, target), resource, amount, pair.c)
        if np.isnan(rates[0]).all() or np.isnan(rates[1]).all():
            continue
        missing = combine(np.logical_or, [lacks_rate(per_s) for per_s in rates])
        some = bool(missing.any())
        seconds = amount_s(resource, amount, rates[0], source)
        here[resource] = np.where(missing, np.nan, seconds) if some else seconds
        if resource in WITH_CACHES:
            seconds = amount_s(resource, amount, rates[1], target)
            there[resource] = np.where(missing, np.nan, seconds) if some else seconds
        else:
            there[resource] = Carried(seconds, rates[0] / rates[1], resource not in BESIDE_THE_SMS)
    if Resource.BYTES_DRAM in here:
        here[Resource.BYTES_DRAM] = served_s(here[Resource.BYTES_DRAM], source)
    roofs = SecondsByResource(here), SecondsByResource(there, source.fill / target.fill)
    return with_cached_bytes(k, roofs, source, target, pair.c)


def lacks_rate(per_s: FloatArray) -> NDArray[np.bool_]:
    """Where no rate is known: (n, 1) where that is a matter of the kernels, (1, 1) where all are."""
    unknown = np.isnan(per_s)
    if not unknown.any():
        return np.zeros((1, 1), np.bool_)
    return unknown[:, :1] if (unknown == unknown[:, :1]).all() else unknown


def amount_s(resource: Resource, amount: FloatArray, per_s: FloatArray, side: Side) -> FloatArray:
    """tau_r: seconds of an amount at a supply; of DRAM's bytes as if no cache served any."""
    if resource is Resource.BYTES_L2:
        return np.asarray(amount / np.minimum(per_s, port_rate(side) * side.fill))
    return np.asarray(amount / (per_s if resource in BESIDE_THE_SMS else per_s * side.fill))


def served_s(seconds: FloatArray, side: Side) -> FloatArray:
    """tau_DRAM: of its seconds those that caches leave, and of bytes behind L2 the same way, only faster.

    seconds : s if no cache served any of its bytes.
    """
    share = side.dram_share
    if (side.llc_share > 0).any():
        faster = rate(side.machines, Resource.BYTES_DRAM) / rate(side.machines, Resource.BYTES_LLC)
        share = share + or_zero(side.llc_share * faster)
    return seconds if (share == 1.0).all() else seconds * share


def with_cached_bytes(
    k: Kernels,
    roofs: tuple[SecondsByResource, SecondsByResource],
    source: Side,
    target: Side,
    c: Constants,
) -> tuple[SecondsByResource, SecondsByResource]:
    """Bytes that only the algorithm names go through L2 as well, whoever serves them."""
    key = Resource.BYTES_L2
    named = (k.bytes_counted == 0) & np.isnan(k.amounts.get(key))[:, None]
    dram = k.amounts.by_resource.get(Resource.BYTES_DRAM)
    if dram is None or not named.any():
        return roofs

    def with_named(found: SecondsByResource, side: Side) -> SecondsByResource:
        moved = dram[:, None] / (rate(side.machines, key) * c.l2_cached)
        return found | {key: np.where(named, moved, found.get(key, np.nan))}

    return with_named(roofs[0], source), with_named(roofs[1], target)


def together_s(pair: Pair, roofs: SecondsByResource, beside_dram_s: FloatArray) -> FloatArray:
    """C: seconds of all resources of one side. beside_dram_s : see :func:`beside_dram`."""
    dram = roofs.get(Resource.BYTES_DRAM)
    return beside_dram_s if dram is None else overlapped_s([beside_dram_s, dram], pair.c.overlap)


def beside_dram(pair: Pair, roofs: Roofs) -> Beside:
    """Seconds of all resources but DRAM, of starting blocks and of what they wait for as a whole."""
    p, dram = pair.c.overlap, Resource.BYTES_DRAM
    others_s = [seconds for resource, seconds in roofs.source.items() if resource is not dram]
    here = np.atleast_2d(overlapped_s([*others_s, *blocks_s(pair, pair.source)], p))
    there = overlap_carried(
        {resource: seconds for resource, seconds in roofs.target.found.items() if resource is not dram},
        roofs.target.fill_ratio, blocks_s(pair, pair.target), np.where(here > 0, here, 1.0), p,
    )  # fmt: skip
    both = zip((here, there), (pair.source, pair.target), strict=True)
    return Beside(*(pair.walk.through(BESIDE, beside_s, OneSide(pair, side)) for beside_s, side in both))


def overlap_carried(
    resources: Mapping[Resource, FloatArray | Carried], fill_ratio: FloatArray, blocks: Sequence[FloatArray],
    unit_s: FloatArray, p: float,
) -> FloatArray:  # fmt: skip
    r"""Seconds of resources that overlap, of which most are a column times a row: their powers are as well.

    .. math:: C_t = C_s \Big(F^p \sum_r (\tau_{r,s} / C_s)^p \rho_r^p + \sum_i (\tau_i / C_s)^p\Big)^{1/p}

    resources : tau_s and rho of those that are carried, (n, m) s tau_i of the others; NaN counts as unused.
    fill_ratio : (n, m) 1, F. blocks : (n, m) s, further tau_i. unit_s : (n, 1) s, C_s > 0, of the source. Returns C_t.
    """
    carried = [seconds for seconds in resources.values() if isinstance(seconds, Carried)]
    terms = [*(seconds for seconds in resources.values() if not isinstance(seconds, Carried)), *blocks]
    arrays = (unit_s, fill_ratio, *(c.rate_ratio for c in carried), *terms)
    shape = np.broadcast_shapes(*(a.shape for a in (*arrays, *(c.source_s for c in carried))))
    total, more = np.zeros(shape), np.empty(shape)
    for of_sms in (True, False):
        for part in carried:
            if part.of_sms != of_sms:
                continue
            relative, ratio = part.source_s / unit_s, part.rate_ratio
            rows = np.flatnonzero((relative > 0).any(axis=1))
            # Of those that use it alone: powers of 0 and NaN take four times as long.
            powers = np.power(or_zero(relative[rows]), p)
            if len(rows) > MANY * len(relative):
                column = np.zeros(relative.shape)
                column[rows] = powers
                total += np.multiply(column, np.power(or_zero(ratio), p), out=more)
            elif len(rows):
                total[rows] += powers * np.power(or_zero(ratio[rows] if len(ratio) > 1 else ratio), p)
        if of_sms:
            total *= np.power(fill_ratio, p)
    for term in terms:
        power, used = power_of(term, unit_s, p, shape)
        total[used] += power
    np.power(total, 1.0 / p, out=total)
    return np.multiply(unit_s, total, out=total)


def power_of(
    term: FloatArray, unit_s: FloatArray, p: float, shape: tuple[int, int]
) -> tuple[FloatArray, NDArray[np.intp] | EllipsisType]:
    """(tau / C_s)^p of the kernels that use a resource, and which these are."""
    used = find_used(term, shape)
    powers = np.array(np.broadcast_to(term / unit_s, shape)[used])
    np.fmax(powers, 0.0, out=powers)
    return np.power(powers, p, out=powers), used


def within_execution(pair: Pair, roofs: Roofs) -> Roofs:
    """Roofs of either side with the supplies that counted amounts drew on the source, where the catalog has less."""
    counted = pair.k.bytes_counted > 0
    for resource, seconds in roofs.source.items():
        beyond = counted & (seconds > pair.execution_s)
        if beyond.any():
            roofs = roofs.changed(resource, np.where(beyond, pair.execution_s / seconds, 1.0))
    return roofs


@dataclass(frozen=True)
class Hiding:
    """Kernels whose source was faster than all of its roofs one by one: what they add runs beneath the slowest."""

    rows: NDArray[np.intp]
    """(r,) these kernels; most sources take longer than all of their roofs."""
    share: FloatArray
    """(r, 1) 1, h."""
    added: FloatArray
    """(r, 1) 1, x_s."""
    slowest_target_s: FloatArray
    """(r, m) s, the slowest of the target's resources but DRAM; 0 where none is used."""


def find_hiding(pair: Pair, roofs: Roofs, all_s: FloatArray) -> Hiding | None:
    """Return h and x_s; None where nothing is hidden. all_s : (n, 1) s, C of the source."""
    if not roofs.source:
        return None
    added = added_by_others(combine(np.fmax, [*roofs.source.values()]), all_s)
    hidden = np.clip((1.0 - pair.execution_s / all_s) / added, 0.0, 1.0)
    hidden = np.where((pair.k.bytes_counted > 0) & (added > 0) & (added < 1), hidden, 0.0)
    n, rows = len(hidden), np.flatnonzero((hidden > 0).any(axis=1))
    if not len(rows):
        return None
    beside = dict(roofs.target.found)
    beside.pop(Resource.BYTES_DRAM, None)
    slowest = slowest_carried(rows_of(SecondsByResource(beside, roofs.target.fill_ratio), rows, n))
    return Hiding(rows, rows_of(hidden, rows, n), rows_of(added, rows, n), slowest)


def slowest_carried(resources: SecondsByResource) -> FloatArray:
    r"""(r, m) s of the slowest resource; what is carried is compared before the SMs' share, which is the same for all.

    .. math:: \max\Big(F \max_r \tau_{r,s} \rho_r, \; \max_i \tau_i\Big)
    """
    of_sms, others = [np.zeros((1, 1))], [np.zeros((1, 1))]
    for resource, seconds in resources.found.items():
        if not isinstance(seconds, Carried):
            others.append(resources[resource])
        elif (seconds.source_s > 0).any():
            (of_sms if seconds.of_sms else others).append(seconds.source_s * seconds.rate_ratio)
    return combine(np.fmax, [combine(np.fmax, of_sms) * resources.fill_ratio, *others])


def hide_beneath_slowest(hiding: Hiding | None, all_s: FloatArray, slowest_s: FloatArray) -> FloatArray:
    """C' of one side. all_s : s, C, (n, 1) or (n, m). slowest_s : of the slowest roof of the kernels concerned."""
    if hiding is None:
        return all_s
    n = len(all_s)
    c = rows_of(all_s, hiding.rows, n)
    a = added_by_others(slowest_s, c)
    # 0 hidden leaves every bit.
    lower = c * (1.0 - hiding.share * np.sqrt(a * np.minimum(a, hiding.added)))
    result = np.array(np.broadcast_to(all_s, (n, max(all_s.shape[1], lower.shape[1]))))
    result[hiding.rows] = lower
    return result


def hide_on_target(hiding: Hiding | None, roofs: SecondsByResource, all_t: FloatArray) -> FloatArray:
    """C' of the target, whose caches decide whether DRAM is the slowest."""
    if hiding is None:
        return all_t
    dram, slowest_s = roofs.get(Resource.BYTES_DRAM), hiding.slowest_target_s
    return hide_beneath_slowest(
        hiding, all_t, slowest_s if dram is None else np.fmax(slowest_s, rows_of(dram, hiding.rows, len(all_t)))
    )


def added_by_others(slowest_s: FloatArray, together_s: FloatArray) -> FloatArray:
    """x: what all roofs take beyond the slowest, over what they take."""
    return np.clip(1.0 - or_zero(slowest_s) / together_s, 0.0, 1.0)


def blocks_s(pair: Pair, side: Side) -> list[FloatArray]:
    """tau_b: seconds of the blocks that no amount names; (n, m) or (n, 1) each."""
    if np.isnan(pair.k.grid_blocks).all():
        return []
    return pair.walk.through(BLOCKS, [], OneSide(pair, side))


def overlapped_s(terms: Sequence[Values], p: float) -> FloatArray:
    r"""Seconds of resources that overlap, but not perfectly.

    .. math:: C = \Big(\sum_i \tau_i^p\Big)^{1/p}

    terms : (...) s each, tau_i; NaN counts as unused. p : 1 = one after the other, infinite = the slowest hides all.
    Source: p-norm roofline; [Choi2013] has the two ends.

    >>> round(float(overlapped_s([3.0, 4.0], 2.0)), 9)
    5.0
    """
    slowest = np.asarray(combine(np.fmax, terms) if terms else 0.0, dtype=np.float64)
    unit = slowest
    if not slowest.min(initial=np.inf) >= SHORTEST_S:
        slowest = np.fmax(slowest, 0.0)
        unit = np.maximum(slowest, SHORTEST_S)
    if len(terms) < 2:
        return slowest
    # Relative to the slowest, so that no power leaves the range of floats.
    least = np.full(unit.shape[-1:], NEXT_TO_NOTHING)
    if len(terms) == 2:
        total = np.asarray(np.minimum(terms[0], terms[1]) / unit)
        np.fmax(total, least, out=total)
        np.power(total, p, out=total)
        total += 1.0
    else:
        total = np.zeros_like(unit)
        for term in terms:
            rows = find_used(term, unit.shape)
            part = np.asarray(term)[rows] / unit[rows]
            np.fmax(part, least, out=part)
            total[rows] += np.power(part, p, out=part)
    np.power(total, 1.0 / p, out=total)
    return np.asarray(np.multiply(slowest, total, out=total))


def find_used(seconds: Values, shape: tuple[int, ...]) -> NDArray[np.intp] | EllipsisType:
    """Kernels that use a resource, where that is few of them; else all. seconds : (n, m) s, of the shape of all."""
    if not isinstance(seconds, np.ndarray) or seconds.shape != shape or seconds.ndim != 2:
        return ...
    if np.count_nonzero(seconds[:, 0] > 0) > shape[0] / 2:
        return ...
    return np.flatnonzero((seconds > 0).any(axis=1))
