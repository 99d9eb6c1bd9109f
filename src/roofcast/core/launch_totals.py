"""Sums over all launches: what a workload takes as a whole, and how sure that is."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.core.undecided import is_undecided

SHARED_ERROR = 0.5
"""Part of the variance of a kernel's log error that the kernels of one program have in common, for one pair of GPUs.

Measured on hecbench_ncu by ``python tools/teach.py shared_errors``: 0.49 (over 904 programs and pairs; the
errors of different programs of a pair have 0.05 in common). A program is what one report or trace usually holds. With
it the intervals hold 90 % of 608 programs' totals, where those of kernels hold 91 % of the kernels.
"""


def name_board(p: Processor) -> str:
    """What two GPUs of one kind share: their key, and of variations the name as well, which says what is varied."""
    return f"{p.key} {p.name}" if p.key.endswith("*") else p.key


class Kinship(StrEnum):
    """How two GPUs are related that one measurement is forecast for."""

    ONE = "one GPU"
    ARCHITECTURE = "one architecture"
    VENDOR = "one vendor"
    OTHER = "two vendors"

    @classmethod
    def of(cls, a: Processor, b: Processor) -> Kinship:
        """The nearest kinship of two GPUs."""
        if name_board(a) == name_board(b):
            return cls.ONE
        if a.architecture == b.architecture:
            return cls.ARCHITECTURE
        return cls.VENDOR if a.vendor == b.vendor else cls.OTHER


SHARED_BETWEEN = {Kinship.ONE: 1.0, Kinship.ARCHITECTURE: 0.76, Kinship.VENDOR: 0.36, Kinship.OTHER: 0.29}
"""Correlation of the log errors of one measurement's forecasts for two GPUs.

Measured by ``python tools/teach.py shared_errors --targets`` (2026-11-22) on the public families, each forecast
by a model that was taught without it: the mean over 9 families for boards of one architecture (0.34 to 0.95), over 16
for one vendor (-0.28 to 0.58), over 3 for two vendors (0.16 to 0.43); a model of later that day gave 0.77, 0.37 and
0.28. Errors count in standard deviations as their intervals claim them, at most 3.
"""
SHARED_PROGRAMS = 0.24
"""Correlation of the log errors of different programs on one GPU: the same command, the mean over 18 families of the
correlation between kernels of different names (-0.02 to 0.71; 0.04 between the programs of HeCBench)."""

NOWHERE = float("nan")


@dataclass(frozen=True, slots=True)
class Total:
    """All launches of a workload on one target, over the kernels that have a time on both sides."""

    target: str
    time_source_s: float
    """NaN, as the others, where no kernel has both times."""
    time_s: float
    time_low_s: float
    """Errors of kernels partly shared (:func:`find_ends_of_targets`)."""
    time_high_s: float
    time_low_outer_s: float
    """As if every kernel erred the same way: the sum of the lower ends."""
    time_high_outer_s: float
    launches: int
    kernels: int
    """Rows that are summed up."""
    kernels_left_out: int
    """Rows without a time on one side."""
    pages_s: tuple[float, float, float] | None = None
    """Seconds of pages of unified memory beside the kernels: recorded, and least and most on the target."""
    energy_j: float = NOWHERE
    """NaN, as its ends, where the energy of a kernel that is summed up is unknown."""
    energy_low_j: float = NOWHERE
    energy_high_j: float = NOWHERE
    unclaimed_fraction: float = 0.0
    """Share of ``time_s`` that kernels take whose intervals claim nothing."""

    @property
    def is_undecided(self) -> bool:
        """Return whether its interval spans too much to choose by."""
        return bool(is_undecided(self.time_low_s, self.time_high_s))

    def order(self) -> tuple[bool, float]:
        """What puts the greatest speed-up first, those that decide nothing behind, and last what was not forecast."""
        return self.is_undecided, self.time_s / (self.time_source_s or np.inf) if self.kernels else np.inf

    @property
    def speedup(self) -> float:
        """Source over target; NaN where pages moved as well, since the kernels alone are no answer there."""
        return self.time_source_s / self.time_s if self.time_s > 0 and self.pages_s is None else float("nan")

    @property
    def speedup_with_pages(self) -> tuple[float, float] | None:
        """Least and most of kernels and pages together; None without pages."""
        if self.pages_s is None or not self.time_low_s > 0:
            return None
        source = self.time_source_s + self.pages_s[0]
        return source / (self.time_high_s + self.pages_s[2]), source / (self.time_low_s + self.pages_s[1])

    def plus(self, other: Total) -> Total:
        """Both, one after the other; their intervals add up."""
        parts = [t for t in (self, other) if t.kernels]
        if len(parts) < 2:
            return parts[0] if parts else self
        names = [f.name for f in dataclasses.fields(self) if f.name not in ("target", "pages_s", "unclaimed_fraction")]
        unclaimed = sum(t.unclaimed_fraction * t.time_s for t in parts) / sum(t.time_s for t in parts)
        pages = self.pages_s or other.pages_s
        if self.pages_s and other.pages_s:
            recorded, least, most = (a + b for a, b in zip(self.pages_s, other.pages_s, strict=True))
            pages = recorded, least, most
        sums = {n: getattr(self, n) + getattr(other, n) for n in names}
        return Total(self.target, **sums, pages_s=pages, unclaimed_fraction=unclaimed)

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        times = ("time_source_s", "time_s", "time_low_s", "time_high_s", "time_low_outer_s", "time_high_outer_s")
        sums = {name: getattr(self, name) for name in (*times, "energy_j", "energy_low_j", "energy_high_j")}
        return {
            "target": self.target, **{name: or_none(v) for name, v in sums.items()},
            "speedup": or_none(self.speedup),
            "launches": self.launches, "kernels": self.kernels, "kernels_left_out": self.kernels_left_out,
            "pages_s": self.pages_s, "speedup_with_pages": self.speedup_with_pages,
            "unclaimed_fraction": self.unclaimed_fraction if self.kernels else None,
        }  # fmt: skip


def find_ends(
    time_s: FloatArray, low_s: FloatArray, high_s: FloatArray, kernel: NDArray[np.intp] | None = None,
    shared: float = SHARED_ERROR,
) -> tuple[float, float]:  # fmt: skip
    """Ends of the interval of a sum, as :func:`find_ends_of_targets` of one target: (n,) each."""
    low, high = find_ends_of_targets(time_s[:, None], low_s[:, None], high_s[:, None], kernel, shared)
    return float(low[0]), float(high[0])


def find_ends_of_targets(
    time_s: FloatArray, low_s: FloatArray, high_s: FloatArray, kernel: NDArray[np.intp] | None = None,
    shared: float = SHARED_ERROR,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    r"""Ends of the interval of a sum whose parts' errors are partly shared.

    .. math:: T_{low} = T - \sqrt{\rho \left(\sum_k d_k\right)^2 + (1 - \rho) \sum_k d_k^2}

    and :math:`T_{high}` likewise with the ways up. T : the sum. d_k : the way of kernel k to its end, s.
    :math:`\rho` : part of the errors' variance that all kernels share (:data:`SHARED_ERROR`).

    time_s, low_s, high_s : (n, m) s, of all launches of each row on each target. kernel : (n,) which kernel
    each row is of (default: each its own): rows of one kernel err together, so their ways add up.

    Reason: with a correlation rho between any two kernels, the variance of a sum is
    rho (sum of sigma)^2 + (1 - rho) (sum of sigma^2), and the ends of intervals of one coverage lie a number of sigmas
    away that is alike for all. rho = 1 is the outer bound, rho = 0 independence.

    >>> [round(t, 3) for t in find_ends(np.ones(4), np.full(4, 0.5), np.full(4, 2.0), shared=0.0)]
    [3.0, 6.0]
    >>> [round(t, 3) for t in find_ends(np.ones(4), np.full(4, 0.5), np.full(4, 2.0), shared=1.0)]
    [2.0, 8.0]
    """
    total = time_s.sum(axis=0)
    ends = []
    for ways in (time_s - low_s, high_s - time_s):
        errors = np.maximum(np.nan_to_num(ways), 0.0)
        if kernel is not None and len(kernel):
            order = np.argsort(kernel, kind="stable")
            first = np.flatnonzero(np.diff(kernel[order], prepend=-1))
            errors = np.add.reduceat(errors[order], first, axis=0)
        ends.append(np.sqrt(shared * errors.sum(axis=0) ** 2 + (1 - shared) * (errors**2).sum(axis=0)))
    return np.maximum(total - ends[0], 0.0), total + ends[1]


def find_totalled(time_s: FloatArray, source_s: FloatArray) -> NDArray[np.bool_]:
    """(n,) rows that count in a total: timed on both sides; where nothing ran anywhere, those with a forecast."""
    timed = source_s > 0
    return np.asarray((time_s > 0) & (timed if timed.any() else np.isnan(source_s)))


def sum_times(
    target: str, source_s: FloatArray, time_s: FloatArray, low_s: FloatArray, high_s: FloatArray, launches: FloatArray,
    kernel: NDArray[np.intp] | None = None, pages: tuple[FloatArray, FloatArray, FloatArray] | None = None,
) -> Total:  # fmt: skip
    """The total of n rows with seconds per launch, and launches, (n,) each. kernel : as :func:`find_ends` takes it.

    pages : seconds per launch of pages beside the kernels: recorded, least and most on the target.
    """
    both = find_totalled(time_s, source_s)
    left = int(len(both) - both.sum())
    if not both.any():
        return Total(target, *(NOWHERE,) * 6, launches=0, kernels=0, kernels_left_out=left)
    source, time, low, high = ((v * launches)[both] for v in (source_s, time_s, low_s, high_s))
    ends = find_ends(time, low, high, None if kernel is None else kernel[both])
    return Total(
        target, float(source.sum()), float(time.sum()), *ends, float(low.sum()), float(high.sum()),
        round(float(launches[both].sum())), int(both.sum()), left,
        None if pages is None else tuple(float(np.nansum((v * launches)[both])) for v in pages),  # type: ignore[arg-type]
    )  # fmt: skip


def add_energy(total: Total, energy_j: Sequence[FloatArray], launches: FloatArray, kernel: NDArray[np.intp]) -> Total:
    """The total with the energy of the rows that it sums up. energy_j : per launch, low end and high end, (n,) J."""
    parts = [v * launches for v in energy_j]
    if not total.kernels or not np.isfinite(parts[0]).all():
        return total
    low, high = find_ends(parts[0], parts[1], parts[2], kernel)
    return dataclasses.replace(total, energy_j=float(parts[0].sum()), energy_low_j=low, energy_high_j=high)


def number_kernels(*texts: ArrayLike) -> NDArray[np.intp]:
    """(n,) a number per distinct row of texts, in the order of their first appearance.

    >>> number_kernels(["a", "b", "a"]).tolist()
    [0, 1, 0]
    """
    known: dict[tuple[Any, ...], int] = {}
    columns = [np.asarray(t, dtype=np.object_).tolist() for t in texts]
    return np.array([known.setdefault(row, len(known)) for row in zip(*columns, strict=True)], np.intp)
