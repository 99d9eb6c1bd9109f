"""SM clocks: at which one each launch was measured, and at which one its source and each target are to run.

Under the conditions of production a GPU runs at the clock that it takes by itself. Only a profiler's lock is lifted:
what ran unlocked ran as the application had it, at the clock that its board sustained under that load, and the targets
take the same share of theirs. What the profile says of a lock is believed. Where it is silent, a lock is the known base
clock, shared by most launches of the file; an unknown base clock equals nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.remarks import Remarks
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.core.units import format_quantity

NEAR = 0.04
"""A recorded clock within this share of base or boost is that clock: profilers average over a jittering counter."""
AT_LOCK = 0.005
"""1; a clock that most launches share is the base clock within this share of it."""
PLAUSIBLE = (0.02, 2.0)
"""Recorded clocks outside these shares of boost are no SM clocks (wrong unit, damaged counter)."""
BASE, BOOST, OTHER = 0, 1, 2
"""Kinds of clocks: locked at base; what the GPU takes by itself, near boost; any other."""


@dataclass(frozen=True)
class SourceClocks:
    """The clocks of n launches."""

    clock_hz: FloatArray
    """(n,) Hz; NaN where the source is unknown."""
    over_boost: FloatArray
    """(n,) that clock over the source's boost clock."""
    kind: NDArray[np.intp]
    """(n,) BASE, BOOST or OTHER."""
    locked: NDArray[np.bool_]
    """(n,) whether a profiler held the clock below the one that the GPU takes by itself."""
    remarks: Remarks
    """What was assumed."""

    def select(self, rows: NDArray[np.intp]) -> SourceClocks:
        """The clocks of some launches."""
        remarks = Remarks(len(rows), [(mask[rows], text) for mask, text in self.remarks.entries if mask[rows].any()])
        return SourceClocks(
            self.clock_hz[rows], self.over_boost[rows], self.kind[rows], self.locked[rows], remarks
        )  # fmt: skip


def base_of(p: Processor) -> float:
    """Base clock, Hz; NaN where the catalog has none."""
    return p.clock_hz_base or float("nan")


BY_ITSELF_AT_BASE = frozenset({"sm_30", "sm_35"})
"""Datacentre cards of these architectures run at their base clock until somebody sets another application clock
(NVIDIA, GPU Boost for Tesla K40, application note BD-06767)."""


def by_itself(p: Processor) -> float:
    """SM clock that a GPU takes under load when nobody sets one, Hz."""
    set_by_hand = p.segment == "datacentre" and p.architecture in BY_ITSELF_AT_BASE
    return (p.clock_hz_base if set_by_hand else None) or p.clock_hz_boost


def source_clocks(kernels: KernelTable, processors: tuple[Processor, ...], index: NDArray[np.intp]) -> SourceClocks:
    """Clock of each launch: as recorded, else what its profiler sets.

    Nsight Compute locks the base clock unless it is told otherwise; other tools leave the clock to the GPU. Where the
    clock was recorded, it says itself whether it was locked.
    """
    machines = Machines.of(processors, index)
    boost = machines.gather("clock_hz_boost")
    base, free = (machines.spread(np.array([of(p) for p in processors])) for of in (base_of, by_itself))
    recorded = kernels.column("clock_hz")
    known = (recorded > PLAUSIBLE[0] * boost) & (recorded < PLAUSIBLE[1] * boost)
    control = kernels.strings("clock_control")
    held, stated = np.isin(control, [c for c in set(control.tolist()) if is_locked(c)]), control != ""
    # What no reader made has no file: each row is one of its own.
    common = kernels.numeric.get("clock_hz_common", recorded)
    with quietly():
        at_lock = known & (np.abs(common / base - 1) <= AT_LOCK)
    locked = held | (~stated & (at_lock | (~known & from_ncu(kernels))))
    clock = np.where(known, recorded, np.where(locked & ~np.isnan(base), base, free))
    with quietly():
        at_base, at_boost = np.abs(clock / base - 1) <= NEAR, np.abs(clock / boost - 1) <= NEAR
    # Where base and boost nearly coincide, the profiler's habit decides.
    kind = np.where(at_base & locked & ~(at_boost & ~held & known), BASE, np.where(at_boost, BOOST, OTHER))
    kind = np.where(~known & (~locked | np.isnan(base)) & (index >= 0), BOOST, kind)
    remarks = Remarks(len(kernels))
    missing = ~known & (index >= 0)
    for position, p in enumerate(processors):
        rows = missing & (index == position)
        at = rows & locked & (p.clock_hz_base is not None)
        remarks.add(at, f"source clock: base {hertz(base_of(p))} (none recorded; the profiler locks it)")
        remarks.add(rows & ~at, f"source clock: {named_clock(p)} (none recorded)")
    with quietly():
        lock = locked & (clock < (1 - NEAR) * free)
    return SourceClocks(clock, clock / boost, kind, lock, remarks)


def asked_clocks(
    clocks: SourceClocks, processors: tuple[Processor, ...], index: NDArray[np.intp], conditions: Conditions
) -> SourceClocks:
    """The clocks at which the sources run under the conditions asked for; the measured ones where those are alike."""
    machines = Machines.of(processors, index)
    boost = machines.gather("clock_hz_boost")
    base, free = (machines.spread(np.array([of(p) for p in processors])) for of in (base_of, by_itself))
    policy = conditions.clock
    if policy == "auto":
        if conditions.named != PRODUCTION or not clocks.locked.any():
            return clocks
        clock = np.where(clocks.locked, free, clocks.clock_hz)
        kind = np.where(clocks.locked, BOOST, clocks.kind)
    elif policy in ("boost", "base"):
        wanted, fixed = (BOOST, boost) if policy == "boost" else (BASE, base)
        fixed = np.where(np.isnan(fixed), boost, fixed)
        clock, kind = np.where(clocks.kind == wanted, clocks.clock_hz, fixed), np.full(len(index), wanted)
    else:
        clock, kind = np.where(index >= 0, given_clock(policy), np.nan), np.full(len(index), OTHER)
    locked = clocks.locked & (clock == clocks.clock_hz)
    return SourceClocks(clock, clock / boost, kind.astype(np.intp), locked, clocks.remarks)


def is_locked(clock_control: str) -> bool:
    """Return whether a profiler's clock control locks the base clock."""
    return str(clock_control).strip().lower() == "base"


def from_ncu(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) whether the file of each row is one of Nsight Compute's."""
    of_file = np.array([p.format.startswith("ncu") for p in kernels.provenance] + [False], dtype=np.bool_)
    return np.asarray(of_file[kernels.files()])


def target_clocks(
    clocks: SourceClocks,
    sources: tuple[Processor, ...],
    index: NDArray[np.intp],
    targets: Columns,
    policy: str | float,
    *,
    noted: bool = True,
) -> tuple[FloatArray, list[str]]:
    """(n, m) SM clocks of the target runs, Hz, and one note per target that names them.

    clocks : of the sources under the same conditions (:func:`asked_clocks`).
    policy : ``auto`` (the same kind as the source's), ``boost``, ``base`` or a clock in Hz. Where the target is the
        source, it is exactly the source's.
    noted : whether the notes on ``auto`` are wanted: they take long for many targets.
    """
    members, n = targets.members if noted else (), len(index)
    if n > 1 and not noted and (row := common_row(clocks, index)) is not None:
        # One row for all launches, which later steps see at once.
        result, _ = target_clocks(row, sources, index[:1], targets, policy, noted=False)
        return np.broadcast_to(result, (n, len(targets))), []
    same = is_own(sources, index, targets)
    if policy != "auto":
        clocks_hz = np.where(same, clocks.clock_hz[:, None], fixed_clocks(targets, policy))
        return clocks_hz, [fixed_note(p, policy) for p in members]
    result = np.where(same, clocks.clock_hz[:, None], automatic_clocks(clocks, targets))
    if len(result) and (result == result[0]).all():
        # One row for all launches, which later steps see at once.
        result = np.broadcast_to(result[0], result.shape)
    known = index >= 0
    if not known.any():
        return result, [""] * len(members)
    # Most targets are the source of no launch: what their notes say of the launches is looked at once.
    kinds, themselves = set(clocks.kind[known].tolist()), np.flatnonzero(same[known].any(axis=0)).tolist()
    low, high = result[known].min(axis=0).tolist(), result[known].max(axis=0).tolist()
    notes = [
        auto_note(low[j], high[j], set(clocks.kind[known & ~same[:, j]].tolist()) if j in themselves else kinds, target)
        for j, target in enumerate(members)
    ]
    return result, notes


def common_row(clocks: SourceClocks, index: NDArray[np.intp]) -> SourceClocks | None:
    """Return the clocks of one launch where they, and its GPU, are those of all; else None."""
    known = (index, clocks.kind, clocks.clock_hz, clocks.over_boost)
    return clocks.select(np.zeros(1, np.intp)) if all((v == v[0]).all() for v in known) else None


def automatic_clocks(clocks: SourceClocks, targets: Columns) -> FloatArray:
    """(n, m) SM clocks that ``auto`` takes where a target is not the source itself, Hz.

    A free clock is a share of boost that the kernel's load left: targets take the same share of theirs, but datacentre
    cards no more than the whole, as their boost clock is the highest that they have.
    """
    # Many launches have one clock: each is looked at once.
    alike = np.stack((clocks.over_boost, clocks.kind), axis=1)
    _, first, place = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    if len(first) < len(alike):
        return automatic_clocks(clocks.select(first), targets)[place.ravel()]
    boost, base = targets.number("clock_hz_boost"), targets.number("clock_hz_base")
    at_base = targets.told("architecture", BY_ITSELF_AT_BASE.__contains__) > 0
    at_base = at_base & (targets.told("segment", "datacentre".__eq__) > 0) & ~np.isnan(base)
    usual = np.where(at_base, base, boost)
    share = np.where(np.isnan(clocks.over_boost), 1.0, clocks.over_boost)[:, None]
    share = np.where(targets.told("segment", "datacentre".__eq__) > 0, np.minimum(share, 1.0), share)
    kind = clocks.kind[:, None]
    # What runs at base by itself is no share of boost.
    by_itself = usual * np.where(np.abs(share - 1) <= NEAR, share, 1.0)
    return np.where(
        kind == BASE, np.where(np.isnan(base), share * boost, base), np.where(kind == BOOST, by_itself, share * boost)
    )


def is_own(sources: tuple[Processor, ...], index: NDArray[np.intp], targets: Columns) -> NDArray[np.bool_]:
    """(n, m) where a target is the GPU that a launch was measured on, or a variation of it that keeps its clocks."""
    boost, base = targets.number("clock_hz_boost"), targets.number("clock_hz_base")
    same_gpu = np.zeros((len(sources) + 1, len(targets)), np.bool_)
    for i, source in enumerate(sources):
        key = source.key.rstrip("*")
        named = targets.told("key", lambda k, key=key: k.rstrip("*") == key) > 0  # type: ignore[misc]  # bound now
        same_base = np.isnan(base) if source.clock_hz_base is None else base == source.clock_hz_base
        same_gpu[i] = named & (boost == source.clock_hz_boost) & same_base
    return same_gpu[index]


def auto_note(low_hz: float, high_hz: float, kinds: set[int], target: Processor) -> str:
    """Names the clock that ``auto`` took for one target.

    kinds : of the source clocks of the launches that were not measured on it.
    """
    clock = hertz(low_hz) if high_hz - low_hz <= 0.005 * high_hz else f"{hertz(low_hz)} to {hertz(high_hz)}"
    if not kinds:
        return f"target clock: {clock}, the source's own"
    if kinds == {BASE} and target.clock_hz_base is not None:
        return f"target clock: base {clock}, as the profile's"
    if kinds == {BOOST}:
        if by_itself(target) < target.clock_hz_boost:
            return f"target clock: base {clock}, at which this card runs by itself"
        if low_hz > (1 - AT_LOCK) * target.clock_hz_boost:
            return f"target clock: boost {clock}, as the source's"
    if kinds <= {BOOST, OTHER}:
        return f"target clock: {clock}, the profile's share of its boost clock"
    return f"target clock: {clock}, of the same kind as each launch's"


def fixed_clocks(targets: Columns, policy: str | float) -> FloatArray:
    """(m,) clocks as asked for, Hz."""
    if policy not in ("boost", "base"):
        return np.full(len(targets), given_clock(policy))
    boost, base = targets.number("clock_hz_boost"), targets.number("clock_hz_base")
    return boost if policy == "boost" else np.where(np.isnan(base), boost, base)


def fixed_note(target: Processor, policy: str | float) -> str:
    """Names the clock of one target that was asked for."""
    if policy == "base" and target.clock_hz_base is None:
        return f"target clock: boost {hertz(target.clock_hz_boost)} (no base clock known)"
    if policy == "base":
        return f"target clock: base {hertz(base_of(target))}, as asked for"
    if policy == "boost":
        return f"target clock: boost {hertz(target.clock_hz_boost)}, as asked for"
    return f"target clock: {hertz(given_clock(policy))}, as asked for"


def given_clock(policy: str | float) -> float:
    """A clock in Hz as a user gives it."""
    if isinstance(policy, (int, float)) and not isinstance(policy, bool) and 0 < policy < float("inf"):
        return float(policy)
    raise RoofcastError(f"clock {one_line(str(policy), 40)!r}: use auto, boost, base or a clock in Hz")


def named_clock(p: Processor) -> str:
    """The clock that a GPU takes by itself, for notes."""
    kind = "boost" if by_itself(p) == p.clock_hz_boost else "base"
    return f"{kind} {hertz(by_itself(p))}"


@lru_cache(maxsize=4096)
def hertz(clock_hz: float) -> str:
    """A clock for notes."""
    return format_quantity(clock_hz, "Hz")


def clocks_by_themselves(processors: Sequence[Processor], index: NDArray[np.intp]) -> FloatArray:
    """(n,) Hz that each row's GPU takes by itself; NaN where it is unknown."""
    clocks = np.array([*(by_itself(p) for p in processors), np.nan])
    return clocks[np.where(index < 0, len(processors), index)]
