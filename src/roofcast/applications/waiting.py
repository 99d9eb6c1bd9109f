r"""What of the time of collectives is no transfer: ranks that came early wait within it for the last one.

.. math:: w_i = \max_j s_j - s_i, \qquad 0 \le w \le T - T(V, n, B, f) / \sigma

w_i : s that rank i waits. s_i : when its part of the collective starts, on clocks that end collectives together. j :
the ranks of the same collective, joined by communicator and number where the trace says both (PyTorch), else the k-th
of its kind. Of one rank alone the wait is bounded: T : its time. T(V, n, B, f) : the law of
:mod:`roofcast.models.physics.link_times`. sigma : the spread of that law.

Reason: no rank's part ends before every rank has come, and a library's kernel spins until then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.core.timeline import Collective, IntArray, Timeline
from roofcast.kit.quantities import count_of, format_percent, format_seconds
from roofcast.models.physics.causes.collectives import links_of, spread_of_links
from roofcast.models.physics.link_times import NODE_GPUS

SMALL = 0.01
"""Share of the collectives' time that is not worth a word."""


@dataclass(frozen=True)
class Waiting:
    """Seconds over all collectives of the run, on the source; both ends are the same where ranks were joined."""

    collectives_s: float
    """Of their time as recorded."""
    low_s: float
    high_s: float
    target_s: float = float("nan")
    """On the target, as played again; NaN where no ranks were joined."""
    joined: int = 0
    """Parts of collectives that were joined with those of other ranks."""

    def plus(self, other: Waiting) -> Waiting:
        """Add the waiting of another part of the run."""
        return Waiting(
            self.collectives_s + other.collectives_s, self.low_s + other.low_s, self.high_s + other.high_s,
            float(np.nansum([self.target_s, other.target_s])) if self.joined + other.joined else float("nan"),
            self.joined + other.joined,
        )  # fmt: skip

    def record(self) -> dict[str, float | int | str | None]:
        """Values for JSON."""
        return {
            "collectives_s": self.collectives_s, "low_s": self.low_s, "high_s": self.high_s,
            "target_s": or_none(self.target_s), "joined": self.joined,
            "by": "ranks" if self.joined else "bound",
        }  # fmt: skip

    def tell(self) -> str:
        """In one sentence; '' where it is not worth one."""
        if self.high_s <= SMALL * self.collectives_s:
            return ""
        whole = format_seconds(self.collectives_s)
        if self.joined:
            share = format_percent(self.low_s / self.collectives_s, 0)
            return (f"collectives: {format_seconds(self.low_s)} of {whole} ({share}) waited for other ranks, "
                    f"{format_seconds(self.target_s)} on the target; {count_of(self.joined, 'part')} "
                    "joined")  # fmt: skip
        return (f"collectives: up to {format_seconds(self.high_s)} of {whole} may be waits for other ranks, taken to "
                "change as transfers do: give the traces of all ranks")  # fmt: skip


def wait_in_groups(group: IntArray, start_s: FloatArray) -> FloatArray:
    """(n,) s that each part of a collective waits for the last of its group; 0 outside groups.

    >>> wait_in_groups(np.array([0, -1, 0]), np.array([1.0, 2.0, 4.0])).tolist()
    [3.0, 0.0, 0.0]
    """
    rows = np.flatnonzero(group >= 0)
    seconds = np.zeros(len(group))
    if len(rows):
        last = np.full(int(group[rows].max()) + 1, -np.inf)
        np.maximum.at(last, group[rows], start_s[rows])
        seconds[rows] = last[group[rows]] - start_s[rows]
    return seconds


def find_waiting(
    timeline: Timeline, rows: NDArray[np.bool_], group: IntArray, start_s: FloatArray, target_start_s: FloatArray,
    sources: Sequence[Processor | None],
) -> Waiting | None:  # fmt: skip
    """Waits within collectives; None where there are none, or nothing of them is known.

    rows : (n,) what counts. group : (n,) collectives that belong together; -1 alone. start_s, target_start_s : (n,) as
    played on the source and on the target. sources : GPU of each device.
    """
    work = timeline.activities
    together = rows & (work.collective != Collective.NONE)
    if not together.any():
        return None
    recorded = work.duration_s
    whole = float(recorded[together].sum())
    joined = together & (group >= 0)
    if joined.any():
        # No part waits longer than it lasted: clocks are aligned by the ends of all collectives, not by each.
        here = np.minimum(wait_in_groups(group, start_s), recorded)[joined].sum()
        there = wait_in_groups(group, target_start_s)[joined].sum()
        return Waiting(whole, float(here), float(here), float(there), int(joined.sum()))
    # A stated size within a node is what the law tells; beyond it a network is in the way that nobody states.
    bounded = together & (work.group_size > 1) & (work.group_size <= NODE_GPUS) & ~np.isnan(work.bytes)
    most = 0.0
    for device, gpu in enumerate(sources):
        mine = np.flatnonzero(bounded & (work.device == device))
        if gpu is None or not len(mine):
            continue
        links = links_of(gpu)
        least, wire = links.time_s(work.collective[mine].astype(np.float64), work.bytes[mine], work.group_size[mine])
        most += float(np.maximum(recorded[mine] - least / spread_of_links(wire, slots=links.slots), 0.0).sum())
    unknown = float(recorded[together & ~bounded & ~(work.group_size == 1)].sum())
    return Waiting(whole, 0.0, most + unknown) if bounded.any() else None
