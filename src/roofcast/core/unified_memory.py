"""What unified memory did during a run: pages that moved, and faults."""

from __future__ import annotations

import math

import numpy as np

from roofcast.core.kernel_table import LARGEST, FloatArray
from roofcast.core.records import dataclass
from roofcast.core.timeline import Way
from roofcast.core.units import format_quantity

PLACES = {
    Way.HOST_TO_DEVICE: "to the device", Way.DEVICE_TO_HOST: "to the host", Way.DEVICE_TO_DEVICE: "between devices",
    Way.UNKNOWN: "somewhere",
}  # fmt: skip
HEAD = "unified memory"
"""How the note of a file begins."""
FAULTS_PER_GROUP = 256
"""The driver takes no more faults at once: its default `uvm_perf_fault_batch_count`, NVIDIA's open kernel modules."""
LEAST_GROUP_S = 20e-6
"""Handling one group takes 20 to 50 us beside the moves of its pages [Zheng2016, Kim2020] (see `host_link`)."""


@dataclass(slots=True)
class Moves:
    """Pages that moved one way."""

    count: int = 0
    bytes: float = 0.0
    time_s: float = 0.0

    def add(self, count: int, bytes_: float, time_s: float) -> None:
        """Take more of them."""
        self.count, self.bytes, self.time_s = self.count + count, self.bytes + bytes_, self.time_s + time_s


class PageTraffic:
    """Sums over a run, as a profiler recorded them."""

    def __init__(self) -> None:
        """Nothing so far."""
        self.moves: dict[Way, Moves] = {}
        self.fault_groups = 0
        """Groups of faults that the driver handled at once."""
        self.gpu_faults = 0
        """Faults in them, where recorded."""
        self.time_s_faults = 0.0
        self.cpu_faults = 0

    def __bool__(self) -> bool:
        return bool(self.moves or self.fault_groups or self.gpu_faults or self.cpu_faults)

    def move(self, way: Way, count: int, bytes_: float, time_s: float) -> None:
        """Take pages that moved. What nothing can be is damage, and not added."""
        if count and bytes_ <= LARGEST and time_s <= LARGEST:
            self.moves.setdefault(way if way in PLACES else Way.UNKNOWN, Moves()).add(count, bytes_, time_s)

    def fault(self, groups: int, faults: int, time_s: float) -> None:
        """Take faults of the GPU."""
        if time_s > LARGEST:
            return
        self.fault_groups += groups
        self.gpu_faults += faults
        self.time_s_faults += time_s

    def seconds_of(self, way: Way) -> float:
        """Seconds of all moves one way."""
        return self.moves[way].time_s if way in self.moves else 0.0

    def bound_stalls(self, kernels_s: float) -> float:
        """Seconds that kernels of so many seconds may have waited; all, where faults were counted and not timed.

        A group of faults is handled until its pages are there.
        """
        if self.fault_groups:
            return min(kernels_s, max(self.time_s_faults, self.seconds_of(Way.HOST_TO_DEVICE)))
        return kernels_s if self.gpu_faults else 0.0

    def bound_handling(self) -> float:
        r"""Seconds that handling the GPU's faults took at least, where they were counted and not timed.

        .. math:: t = \lceil F / 256 \rceil \cdot 20\,\mathrm{us}

        F : faults. Reason: groups are handled one after the other, whatever the number of faults in one.
        T. Allen, R. Ge, In-Depth Analyses of Unified Virtual Memory System for GPU Accelerated Computing, SC 2021.

        >>> traffic = PageTraffic()
        >>> traffic.fault(0, 257, 0.0)
        >>> traffic.bound_handling()
        4e-05
        """
        return 0.0 if self.fault_groups else math.ceil(self.gpu_faults / FAULTS_PER_GROUP) * LEAST_GROUP_S

    @property
    def resident_bytes(self) -> float:
        """Bytes that had moved to the device and not back when the run ended: so much was there at once at least."""
        here, back = (self.moves.get(way, Moves()).bytes for way in (Way.HOST_TO_DEVICE, Way.DEVICE_TO_HOST))
        return max(here - back, 0.0)

    @property
    def bytes(self) -> float:
        """Bytes of all moves."""
        return sum(m.bytes for m in self.moves.values())

    @property
    def time_s(self) -> float:
        """Seconds of moves and faults, those to the device counted once."""
        back = sum(m.time_s for way, m in self.moves.items() if way != Way.HOST_TO_DEVICE)
        return max(self.time_s_faults, self.seconds_of(Way.HOST_TO_DEVICE)) + back

    def describe(self) -> str:
        """One line for a reader.

        >>> traffic = PageTraffic()
        >>> traffic.move(Way.HOST_TO_DEVICE, 48, 8388608.0, 843.866e-6)
        >>> traffic.fault(12, 0, 4.243755e-3)
        >>> traffic.describe()
        'unified memory: 8.39 MB to the device in 48 moves (844 us), 12 groups of GPU page faults (4.24 ms)'
        """
        parts = [
            f"{format_quantity(m.bytes, 'B')} {PLACES[way]} in {m.count} move{'s' * (m.count != 1)}"
            f" ({format_quantity(m.time_s, 's')})"
            for way, m in sorted(self.moves.items())
        ]
        if self.fault_groups:
            faults = f" with {self.gpu_faults} faults" if self.gpu_faults else ""
            parts.append(
                f"{self.fault_groups} group{'s' * (self.fault_groups != 1)} of GPU page faults{faults}"
                f" ({format_quantity(self.time_s_faults, 's')})"
            )
        elif self.gpu_faults:
            parts.append(f"{self.gpu_faults} GPU page fault{'s' * (self.gpu_faults != 1)}")
        if self.cpu_faults:
            parts.append(f"{self.cpu_faults} CPU page fault{'s' * (self.cpu_faults != 1)}")
        return f"{HEAD}: {', '.join(parts)}"


@dataclass(frozen=True)
class Residents:
    """Pages on one device, by moves in order of time: bytes that moved there less those that moved back."""

    now_bytes: float = 0.0
    """After the last move."""
    most_bytes: float = 0.0
    """At once, at least: pages that the device touched first never moved there, but may move back."""

    @classmethod
    def of(cls, start_s: FloatArray, change_bytes: FloatArray) -> Residents:
        """From k moves. start_s, change_bytes : (k,) s, and B that are positive to the device.

        >>> Residents.of(np.array([0.0, 2.0, 1.0]), np.array([6.0, -4.0, 2.0]))
        Residents(now_bytes=4.0, most_bytes=8.0)
        """
        sums = np.cumsum(np.nan_to_num(change_bytes)[np.argsort(start_s, kind="stable")])
        return cls(float(sums[-1]), max(float(sums.max()), 0.0)) if len(sums) else cls()

    def plus(self, later: Residents) -> Residents:
        """After the later part of the run.

        >>> Residents(4.0, 8.0).plus(Residents(-1.0, 5.0))
        Residents(now_bytes=3.0, most_bytes=9.0)
        """
        most = max(self.most_bytes, self.now_bytes + later.most_bytes)
        return Residents(self.now_bytes + later.now_bytes, most)


def bound_stalls_by_moves(
    start_s: FloatArray, end_s: FloatArray, move_start_s: FloatArray, move_end_s: FloatArray
) -> FloatArray:
    """(n,) seconds from the start of spans to the end of the last move in them: so long they may have waited.

    For recordings without faults: before and between moves the driver handles them, which takes several times as long.

    >>> starts, ends = np.array([0.0, 9.0]), np.array([4.0, 10.0])
    >>> bound_stalls_by_moves(starts, ends, np.array([1.0, 2.0]), np.array([1.5, 2.5])).tolist()
    [2.5, 0.0]
    """
    if not len(move_start_s):
        return np.zeros(len(start_s))
    order = np.argsort(move_start_s, kind="stable")
    begins, ends = move_start_s[order], np.maximum.accumulate(move_end_s[order])
    place = np.searchsorted(begins, end_s, side="left") - 1
    last = np.where(place >= 0, ends[np.maximum(place, 0)], -np.inf)
    return np.maximum(np.minimum(last, end_s) - start_s, 0.0)


def find_stalls(
    start_s: FloatArray, end_s: FloatArray, page_start_s: FloatArray, page_end_s: FloatArray
) -> tuple[FloatArray, float]:
    """(n,) seconds of spans during which pages moved or faults were handled, and seconds of all of that.

    start_s, end_s : (n,) of kernels. page_start_s, page_end_s : (k,) of moves and faults, which may overlap.

    >>> begins, ends = np.array([1.0, 2.0, 6.0]), np.array([3.0, 5.0, 7.0])
    >>> stalls, whole = find_stalls(np.array([0.0, 9.0]), np.array([4.0, 10.0]), begins, ends)
    >>> stalls.tolist(), float(whole)
    ([3.0, 0.0], 5.0)
    """
    if not len(page_start_s):
        return np.zeros(len(start_s)), 0.0
    order = np.argsort(page_start_s, kind="stable")
    begins, ends = np.asarray(page_start_s, np.float64)[order], np.maximum.accumulate(page_end_s[order])
    first = np.ones(len(begins), np.bool_)
    first[1:] = begins[1:] > ends[:-1]
    begins, ends = begins[first], ends[np.append(np.flatnonzero(first)[1:] - 1, len(ends) - 1)]
    before = np.concatenate([[0.0], np.cumsum(ends - begins)])

    def covered_until(at: FloatArray) -> FloatArray:
        place = np.searchsorted(begins, at, side="right")
        last = np.maximum(place - 1, 0)
        within = np.where(place > 0, np.minimum(at, ends[last]) - begins[last], 0.0)
        return np.asarray(before[last] + within)

    return np.maximum(covered_until(end_s) - covered_until(start_s), 0.0), float(before[-1])
