"""What a sweep keeps of each run of processors: small, mergeable in any order, the same however it was split."""

from __future__ import annotations

from typing import Any

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.sweeps.pareto import pareto_front
from roofcast.sweeps.space import IntArray, Space

KEPT = 200
"""Fastest processors that are kept."""
FIELDS = ("number", "time_s", "low_s", "high_s", "cost")


@dataclass(frozen=True)
class Points:
    """Processors with what was found for each; arrays are (m,)."""

    number: IntArray
    time_s: FloatArray
    low_s: FloatArray
    high_s: FloatArray
    cost: FloatArray

    def take(self, index: IntArray) -> Points:
        """Some of them."""
        return Points(*(getattr(self, name)[index] for name in FIELDS))

    @staticmethod
    def join(parts: list[Points]) -> Points:
        """All of several, by number."""
        joined = Points(*(np.concatenate([getattr(p, name) for p in parts]) for name in FIELDS))
        return joined.take(np.unique(joined.number, return_index=True)[1])


def no_points() -> Points:
    """None."""
    return Points(np.zeros(0, np.intp), *(np.zeros(0) for _ in FIELDS[1:]))


@dataclass(frozen=True)
class Summary:
    """Reductions over some processors."""

    processors: int
    feasible: int
    fastest: Points
    front: Points
    nearest: tuple[float, int] | None
    """Least change that reaches the goal: sum of |log(level / base)| (or the cost), and the processor's number."""
    best_s: FloatArray
    """(n,) least seconds of each kernel; infinite where there is none."""
    best_number: IntArray
    heat_s: FloatArray
    """Least total seconds over the levels of the first two axes; NaN where no processor is feasible."""

    def merge(self, other: Summary) -> Summary:
        """Both together."""
        better = (other.best_s < self.best_s) | (
            (other.best_s == self.best_s) & (other.best_number < self.best_number) & (other.best_number >= 0)
        )
        nearest = min((x for x in (self.nearest, other.nearest) if x is not None), default=None)
        return Summary(
            self.processors + other.processors,
            self.feasible + other.feasible,
            fastest_of(Points.join([self.fastest, other.fastest])),
            front_of(Points.join([self.front, other.front])),
            nearest,
            np.where(better, other.best_s, self.best_s),
            np.where(better, other.best_number, self.best_number),
            np.fmin(self.heat_s, other.heat_s),
        )

    def to_json(self) -> dict[str, Any]:
        """Write plain numbers, exactly: Python's JSON has NaN and infinity."""

        def dump(value: Any) -> Any:
            if isinstance(value, Points):
                return {name: column.tolist() for name, column in vars(value).items()}
            return value.tolist() if isinstance(value, np.ndarray) else value

        return {name: dump(value) for name, value in vars(self).items()}

    @staticmethod
    def from_json(content: dict[str, Any]) -> Summary:
        """What :meth:`to_json` wrote."""

        def column(name: str, values: Any) -> Any:
            return np.array(values, np.intp if name.endswith("number") else np.float64)

        fastest, front = (Points(*(column(n, content[k][n]) for n in FIELDS)) for k in ("fastest", "front"))
        nearest = content["nearest"] and tuple(content["nearest"])
        best_s, best, heat_s = (column(k, content[k]) for k in ("best_s", "best_number", "heat_s"))
        return Summary(content["processors"], content["feasible"], fastest, front, nearest, best_s, best, heat_s)


def fastest_of(points: Points) -> Points:
    """The fastest, by time then number."""
    usable = np.flatnonzero(np.isfinite(points.time_s))
    if len(usable) > KEPT:
        # Ties at the edge all stay in the running.
        edge = np.partition(points.time_s[usable], KEPT - 1)[KEPT - 1]
        usable = usable[points.time_s[usable] <= edge]
    return points.take(usable[np.lexsort((points.number[usable], points.time_s[usable]))][:KEPT])


def front_of(points: Points) -> Points:
    """The Pareto front of time and cost."""
    return points.take(pareto_front(points.time_s, points.cost))


def heat_shape(space: Space) -> tuple[int, int]:
    """Levels of the first two axes that have several."""
    a, b = heat_axes(space)
    return (space.shape[a], space.shape[b] if b is not None else 1)


def heat_axes(space: Space) -> tuple[int, int | None]:
    """The two axes of the heat map: the first two that have several levels."""
    several = [i for i, n in enumerate(space.shape) if n > 1] or [0]
    return several[0], several[1] if len(several) > 1 else None


def nothing_yet(space: Space, kernels: int) -> Summary:
    """The summary of no processor."""
    return Summary(
        0, 0, no_points(), no_points(), None, np.full(kernels, np.inf), np.full(kernels, -1, dtype=np.intp),
        np.full(heat_shape(space), np.nan),
    )  # fmt: skip
