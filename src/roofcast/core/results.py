"""What models are asked for and what they return: conditions, estimates and energies of n kernels on m targets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.undecided import is_undecided, tell_undecided

PRODUCTION, PROFILED = "production", "profiled"


@dataclass(frozen=True)
class Conditions:
    """Under which conditions both sides of a forecast run, as the user asked for it."""

    coverage: float = 0.9
    clock: str | float = "auto"
    """auto (as ``named`` has it), boost, base, or an SM clock in Hz."""
    cache: str = "auto"
    """auto (as ``named`` has it), cold or warm."""
    launch_floor_s: tuple[float, float] | None = None
    """Seconds of an empty launch on source and target as the application sees it."""
    named: str = PRODUCTION
    """production (the clock that a GPU takes by itself, caches as the application leaves them) or profiled (as the
    profile was taken)."""
    load: str = "auto"
    """auto (as ``named`` has it: production sustained, profiled burst), burst (single launches) or sustained (a load
    that lasts, under which boards hold their power)."""

    @property
    def sustained(self) -> bool:
        """Return whether the load lasts."""
        return self.load == "sustained" or (self.load == "auto" and self.named == PRODUCTION)


class SecondsLater(Mapping[Resource, FloatArray]):
    """Seconds per resource, each made when somebody reads it: most callers ask for times alone."""

    def __init__(self, resources: Iterable[Resource], make: Callable[[Resource], FloatArray]) -> None:
        """Seconds that ``make`` will say of each of some resources."""
        self.resources = tuple(resources)
        self.make = make
        self.made: dict[Resource, FloatArray] = {}

    def __getitem__(self, resource: Resource) -> FloatArray:
        """S of a resource."""
        if resource not in self.made:
            if resource not in self.resources:
                raise KeyError(resource)
            self.made[resource] = self.make(resource)
        return self.made[resource]

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    def __len__(self) -> int:
        return len(self.resources)


@dataclass(frozen=True)
class OnSource:
    """Seconds of n kernels on their own GPUs under the conditions asked for, each (n,)."""

    time_s: FloatArray
    """The measured time where it was taken under them, else a forecast by the same model."""
    time_low_s: FloatArray
    time_high_s: FloatArray
    moved: NDArray[np.bool_]
    """Where the profile was taken under other conditions."""
    time_s_by_resource: Mapping[Resource, FloatArray]
    """resource -> (n,) seconds that it alone would need there, where moved; NaN elsewhere."""

    def select(self, rows: NDArray[np.intp]) -> OnSource:
        """Some kernels, in the given order."""
        return OnSource(
            self.time_s[rows], self.time_low_s[rows], self.time_high_s[rows], self.moved[rows],
            {r: v[rows] for r, v in self.time_s_by_resource.items()},
        )  # fmt: skip


@dataclass(frozen=True)
class PagesBeside:
    """What pages of unified memory took beside the kernels, each launch with its share of the run's."""

    source_s: FloatArray
    """(n,) recorded."""
    low_s: FloatArray
    """(n, m) on the targets, at least."""
    high_s: FloatArray

    def sums(self, weight: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(m,) seconds of all rows, (n,) times each: halfway between the bounds, least and most."""
        low, high = (np.nansum(weight[:, None] * v, axis=0) for v in (self.low_s, self.high_s))
        return (low + high) / 2, low, high

    def select(self, index: NDArray[np.intp]) -> PagesBeside:
        """The pages beside some of the kernels."""
        return PagesBeside(self.source_s[index], self.low_s[index], self.high_s[index])


@dataclass(frozen=True)
class Estimate:
    """What a model returns for n kernels on m targets.

    Seconds are NaN where the model cannot forecast, and ``reasons`` then says why.
    """

    time_s: FloatArray
    """(n, m)"""
    time_low_s: FloatArray
    time_high_s: FloatArray
    coverage: float | None
    """Share of measured times that the interval claims to hold; None where the model claims none."""
    time_s_by_resource_source: Mapping[Resource, FloatArray]
    """resource -> (n,) seconds that each resource alone would need on the source."""
    time_s_by_resource_target: Mapping[Resource, FloatArray]
    """resource -> (n, m) the same on the targets."""
    reasons: NDArray[np.object_]
    """(n, m) str: why there is no forecast; '' where there is one."""
    assumed: Sequence[tuple[str, ...]] = ()
    """Per kernel, what the model assumed because the input does not say."""
    notes: Sequence[tuple[str, ...]] = ()
    """Per kernel, what a reader must know."""
    pages: PagesBeside | None = None
    """Where unified memory moved pages during the recording. Then no speed-up of the kernels alone is an answer."""
    unclaimed: NDArray[np.bool_] | None = None
    """(n, m) where the interval claims nothing though ``coverage`` is claimed elsewhere; None where it is nowhere."""
    physics_s: FloatArray | None = None
    """(n, m) s by the physics alone, before bounds and what was learned; None where they are not at hand."""
    clock_hz: FloatArray | None = None
    """(n, m) Hz that the boards hold, where the model was asked to decide them; None: those that it was given."""

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """(n, m) forecasts whose interval spans more than a factor of 50 (:mod:`roofcast.core.undecided`)."""
        return np.asarray(is_undecided(self.time_low_s, self.time_high_s))

    def columns(self, chosen: Sequence[int]) -> Estimate:
        """The same on some of the targets, in the given order; of all of them, itself."""
        if len(chosen) == self.time_s.shape[1] and all(i == j for i, j in enumerate(chosen)):
            return self
        places, there = np.asarray(chosen, np.intp), self.time_s_by_resource_target

        def of(values: NDArray[Any] | None) -> Any:
            return None if values is None else np.broadcast_to(values, self.time_s.shape)[:, places]

        seconds = SecondsLater(there, partial(take_columns, there, self.time_s.shape, places))
        # What none of these targets has says nothing of the source.
        here = {
            resource: values
            for resource, values in self.time_s_by_resource_source.items()
            if not np.isnan(values).all() or not np.isnan(seconds.get(resource, np.nan)).all()
        }
        return replace(
            self, time_s=of(self.time_s), time_low_s=of(self.time_low_s), time_high_s=of(self.time_high_s),
            time_s_by_resource_source=here, time_s_by_resource_target=seconds, reasons=of(self.reasons),
            unclaimed=of(self.unclaimed), physics_s=of(self.physics_s), clock_hz=of(self.clock_hz),
        )  # fmt: skip

    def first_note(self, i: int, j: int) -> str:
        """Why one cell has no forecast, or one that decides nothing; '' where it has one that does."""
        if self.reasons[i, j]:
            return str(self.reasons[i, j])
        return tell_undecided(float(self.time_low_s[i, j]), float(self.time_high_s[i, j]))


def take_columns(
    seconds: Mapping[Resource, FloatArray], shape: tuple[int, ...], places: NDArray[np.intp], resource: Resource
) -> FloatArray:
    """(n, r) s of a resource on some of the targets. shape : (n, m) of all."""
    return np.broadcast_to(seconds[resource], shape)[:, places]


@dataclass(frozen=True)
class Energy:
    """Joules of one launch of n kernels on m targets, (n, m) each; NaN without a model of the target's power."""

    energy_j: FloatArray
    low_j: FloatArray
    high_j: FloatArray


ROUNDED = 1.0 + 1e-12
"""What numbers that are equal may be apart: several resources of a kernel may take all of its source time."""


def largest(seconds_by_resource: Mapping[Resource, FloatArray], shape: tuple[int, ...]) -> NDArray[np.object_]:
    """Name of the resource with the most seconds in each cell, the first of equal ones; None where none has any."""
    result = np.full(shape, None, dtype=np.object_)
    if not seconds_by_resource:
        return result
    names = np.array([r.value for r in seconds_by_resource], dtype=np.object_)
    stack = np.stack([np.broadcast_to(v, shape) for v in seconds_by_resource.values()])
    filled = np.where(np.isnan(stack), -1.0, stack)
    most = filled.max(axis=0)
    best, known = (filled >= most / ROUNDED).argmax(axis=0), most > 0
    result[known] = names[best[known]]
    return result


def or_none(value: float | None) -> float | None:
    """A JSON number; None where absent.

    >>> or_none(2), or_none(float("nan")), or_none(None)
    (2.0, None, None)
    """
    return float(value) if value is not None and math.isfinite(value) else None
