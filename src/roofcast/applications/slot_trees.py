r"""Both answers for cards in slots of a host whose tree of PCIe nobody states.

.. math:: T_{fast} = T(V, n, B), \qquad T_{slow} = T\left(V, n, \frac{B}{2 n}\right)

T : s of a collective (:class:`roofcast.models.physics.causes.collectives.Links`). B : B/s of a card's slot. n : GPUs.

Reason: cards that reach each other use all slots at once; through the host's memory the bytes of all n of them cross
one link, there and back. Two hosts of one card give 20 and 2 GB/s, and no fact of the GPU says which it is. A
forecast is halfway between, its interval holds both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.timeline import Activities, Collective
from roofcast.kit.quantities import format_seconds
from roofcast.models.physics.causes.collectives import doubt_sides, links_of

WORTH_A_WORD = 1.02
"""Ratio of both answers below which they are one."""


@dataclass(frozen=True)
class BothTrees:
    """Seconds of the answer with either tree."""

    fast_s: float
    """Cards reach each other at the rate of their slots."""
    slow_s: float
    """All go through the host's memory."""

    def plus(self, other: BothTrees) -> BothTrees:
        """Add the seconds of another part of the run."""
        return BothTrees(self.fast_s + other.fast_s, self.slow_s + other.slow_s)

    def record(self) -> dict[str, float]:
        """Values for JSON."""
        return {"fast_s": self.fast_s, "slow_s": self.slow_s}

    def tell(self, target: str) -> str:
        """In one sentence; '' where both are the same."""
        if self.slow_s <= WORTH_A_WORD * self.fast_s:
            return ""
        fast, slow = format_seconds(self.fast_s), format_seconds(self.slow_s)
        return (f"{target} hangs in slots of a host that nobody describes, so the answer is two: {fast} where cards "
                f"reach each other, {slow} through the host's memory; say which: --network peer or host, or what the "
                "slots give each card, 20GB/s")  # fmt: skip


def find_trees(
    work: Activities, sources: Sequence[Processor | None], target: Processor, duration_s: FloatArray,
    answer: Callable[[FloatArray], float],
) -> BothTrees | None:  # fmt: skip
    """Both answers; None where the tree is stated, or no collective of three GPUs and more meets it.

    sources : GPU of each device. duration_s : (n,) of the work on the target. answer : seconds of what is asked, of
    durations.
    """
    factors = find_tree_factors(work, sources, target)
    if factors is None:
        return None
    fast, slow = (answer(duration_s * factor) for factor in factors)
    return BothTrees(fast, slow)


def find_tree_factors(
    work: Activities, sources: Sequence[Processor | None], target: Processor
) -> tuple[FloatArray, FloatArray] | None:
    """(n,) factors on the time of each activity with either tree; None where none differs."""
    there = links_of(target)
    together: NDArray[np.bool_] = work.collective != Collective.NONE
    if not together.any() or not np.any(np.asarray(there.unknown_tree) > 0):
        return None
    fast, slow = np.ones(len(work)), np.ones(len(work))
    for device, gpu in enumerate(sources):
        rows = np.flatnonzero(together & (work.device == device))
        if gpu is None or not len(rows):
            continue
        kind, volume, gpus = work.collective[rows].astype(np.float64), work.bytes[rows], work.group_size[rows]
        here = links_of(gpu)
        doubt = doubt_sides(here, there, gpus)[1]
        volume = np.where(np.isnan(volume), here.explain_volume(kind, work.duration_s[rows], gpus), volume)
        middle_s, fast_s, slow_s = (
            there._replace(bytes_per_s=np.asarray(there.bytes_per_s) / by).time_s(kind, volume, gpus)[0]
            for by in (doubt, np.ones(len(rows)), doubt**2)
        )
        known = ~np.isnan(middle_s)
        fast[rows[known]], slow[rows[known]] = ((s / middle_s)[known] for s in (fast_s, slow_s))
    return None if np.array_equal(fast, slow) else (fast, slow)
