"""The learned residual: what boosted trees add to the physics, where they may, and how sure the sum is.

The shipped one is a text file with its provenance, made by ``python -m roofcast_evaluate.train``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, Machines, has_stacked_memory
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.models.learned.boosted_trees import Features, Trees, trees_of
from roofcast.models.learned.features import ABSENT, OF_KERNEL
from roofcast.models.physics import intervals
from roofcast.models.physics.causes.fp64 import few_fp64
from roofcast.models.physics.intervals import COVERAGES, beyond_the_table
from roofcast.models.promises import Sold, catalogued, sold_of

FILE = Path(__file__).with_name("hybrid.json")

RATIO_RANGE = (0.2, 5.0)
"""No learned factor goes beyond: what is further off is a cause that the physics lacks."""

SCALE_LEAST = 0.02
"""Errors below 2 % are noise of the measurement."""

CLOSE = 0.1
"""GPUs whose supplies differ by this (log units) get 63 % of the residual, closer ones less, the same GPU none."""

SAME_ARCHITECTURE = 0.4
"""Part of the residual that is used within an architecture, where the physics carries nearly everything."""

AT_BASE = 0.04
"""1; a clock within this share of base is base: profilers average over a jittering counter."""

MARGIN = 0.25
"""A feature may leave the training range by this share of it."""
OUTSIDE_MOST = 2
"""Features of a kernel that may lie outside; with more the kernel is unlike anything seen."""

Range = tuple[float, float, bool]
"""Least, largest, and whether it was absent at times."""


@dataclass(frozen=True)
class Residual:
    """Trees that say by which factor the physics is off, and trees that say how far off the sum still is."""

    ratio: Trees
    """Measured over physics, minus 1."""
    scale: Trees
    """Expected |log error| of the corrected forecast."""
    ranges: Mapping[str, Range]
    """Of the features of a kernel."""
    gpus: tuple[str, ...]
    """Keys of the g GPUs that taught it."""
    quantiles: Mapping[str, tuple[float, ...]]
    """``known|new/distance`` -> quantiles of |log error| over scale at :data:`COVERAGES`."""
    shrink: float
    provenance: Mapping[str, Any]

    def log_factor(self, features: Sequence[Features], shape: tuple[int, ...]) -> FloatArray:
        """Log of what to multiply the physics with, between unlike GPUs.

        features : of ``ratio``, broadcastable to the shape of the result.
        """
        predicted = self.ratio.predict_cells(features, shape)
        return np.asarray(self.shrink * np.log(np.clip(1.0 + predicted, *RATIO_RANGE)))

    def scales(self, features: Sequence[Features], shape: tuple[int, ...]) -> FloatArray:
        """Expected |log error| of the corrected forecast; as :meth:`log_factor`."""
        return np.maximum(self.scale.predict_cells(features, shape), SCALE_LEAST)

    def outside(self, features: Sequence[Features]) -> NDArray[np.bool_]:
        """Cells whose kernel is unlike anything in the training data; broadcasts."""
        count: NDArray[np.int16] = np.zeros((), dtype=np.int16)
        for name, values in zip(self.ratio.features, features, strict=True):
            if name not in self.ranges:
                continue
            low, high, may_lack = self.ranges[name]
            margin = MARGIN * (high - low)
            beyond = (values < low - margin) | (values > high + margin)
            if may_lack:
                beyond &= values != ABSENT
            count = count + beyond
        return np.asarray(count > OUTSIDE_MOST)

    def half_width(self, scale: FloatArray, group: NDArray[np.intp], coverage: float) -> FloatArray:
        """Half widths of the interval in log units. group : positions in :data:`GROUPS`; both broadcast."""
        table = np.array([np.interp(coverage, COVERAGES, self.quantiles[name]) for name in GROUPS])
        return np.asarray((table * beyond_the_table(coverage))[group] * scale)

    def content(self) -> dict[str, Any]:
        """What :func:`residual_of` reads back, for JSON."""
        return {
            "provenance": dict(self.provenance),
            "shrink": self.shrink,
            "gpus": list(self.gpus),
            "ranges": {name: list(values) for name, values in self.ranges.items()},
            "quantiles": {name: list(values) for name, values in self.quantiles.items()},
            "ratio": self.ratio.content(),
            "scale": self.scale.content(),
        }


FAMILIARITY = ("known", "new")
"""Both GPUs in the training data, or not."""

DISTANCES = intervals.DISTANCES[1:]
"""No two GPUs that taught it have the same SMs: those count as of one architecture."""

GROUPS = tuple(f"{f}/{d}" for f in FAMILIARITY for d in DISTANCES)


def residual_of(content: Mapping[str, Any]) -> Residual:
    """A residual from what :meth:`Residual.content` gave."""
    try:
        return Residual(
            trees_of(content["ratio"]),
            trees_of(content["scale"]),
            {k: (float(low), float(high), bool(lacks)) for k, (low, high, lacks) in content["ranges"].items()},
            tuple(sorted(content["gpus"])),
            {name: tuple(float(q) for q in content["quantiles"][name]) for name in GROUPS},
            float(content["shrink"]),
            content["provenance"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RoofcastError("the learned model is damaged: reinstall roofcast, or train it again") from error


@lru_cache(maxsize=1)
def shipped() -> Residual:
    """The residual that comes with roofcast."""
    try:
        content = json.loads(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RoofcastError("the learned model cannot be read: reinstall roofcast, or train it again") from error
    return residual_of(content)


def classes_of(p: Columns) -> NDArray[np.str_]:
    """(p,) kind of each GPU: vendor, memory, and whether it has FP64 units for more than compatibility."""
    kinds = zip(p.text("vendor"), has_stacked_memory(p) > 0, few_fp64(p) > 0, strict=True)
    return np.array(
        [
            f"{vendor.lower()}/{'stacked' if stacked else 'board'}/{'few' if few else 'full'}-fp64"
            for vendor, stacked, few in kinds
        ],
        dtype=np.str_,
    )


def find_representatives(residual: Residual, machines: Machines) -> NDArray[np.intp]:
    """Shape of the machines' index: which of the residual's GPUs stands for each, -1 where none of its kind taught it.

    It is the one of the same kind (:func:`classes_of`) at the least distance (:func:`distance_between`), a variation
    standing where the GPU stands that it varies. Reason: four GPUs teach nothing of how the residual moves between
    them. With one of them left out, what trees say of that one's twin errs less between kinds (hecbench_ncu, |log
    error| 0.176, programs left out too; 49 new programs 0.208) than what they say of itself (0.179; 0.213), and where
    only its twin stands on the other side, the physics does (0.068 for 0.069).
    """
    place = machines.columns.once(
        ("representative", residual.gpus),
        lambda: nearest_of_kind(taught_gpus(residual.gpus), sold_of(machines.columns)),
    )
    return np.asarray(machines.spread(place, -1), dtype=np.intp)


def taught_gpus(keys: tuple[str, ...]) -> Machines:
    """The g GPUs of the catalog's keys, at boost."""
    return Machines.of([p for p in map(catalogued, keys) if p is not None])


def nearest_of_kind(taught: Machines, sold: Sold) -> NDArray[np.intp]:
    """(p,) position of the nearest GPU of the same kind among those that taught, -1 where there is none."""
    if not len(taught.columns):
        return np.full(len(sold.place), -1, np.intp)
    every = Machines(sold.columns, np.arange(len(sold.columns), dtype=np.intp)[:, None], np.zeros(()))
    distance = distance_between(every.at(every.gather("clock_hz_boost")), taught)
    distance = np.where(np.isnan(distance), np.finfo(float).max, distance)
    same_kind = classes_of(sold.columns)[:, None] == classes_of(taught.columns)
    nearest = np.where(same_kind, distance, np.inf).argmin(axis=1)
    known = sold.catalogued & same_kind.any(axis=1)[sold.place]
    return np.where(known, nearest[sold.place], -1)


def machines_like(sources: Machines, taught: Machines, place: NDArray[np.intp]) -> Machines:
    """Some of the GPUs that taught at clocks of the same kind as the sources': base, or the same share of boost.

    sources : index (n, 1). place : (1, g) or (n, 1), which of them. The residual was learned between such clocks, so no
    clock that is asked for moves it.
    """
    taught = taught.cells(place, np.zeros(()))
    clock_hz, boost_hz = sources.clock_hz, sources.gather("clock_hz_boost")
    at_base = np.abs(clock_hz / sources.gather("clock_hz_base") - 1.0) <= AT_BASE
    base_there, boost_there = taught.gather("clock_hz_base"), taught.gather("clock_hz_boost")
    share = np.minimum(clock_hz / boost_hz, 1.0)
    there_hz = np.where(at_base & ~np.isnan(base_there), base_there, share * boost_there)
    return taught.at(there_hz)


@quietly()
def apartness(sources: Machines, targets: Machines) -> FloatArray:
    r"""Part d of the residual that is used: 0 for a GPU and itself (or a variation), towards 1 the more they part.

    .. math:: d = x \left(1 - e^{-\bar{r} / 0.1}\right)

    r : log units (:func:`distance_between`). x : 1, within an architecture :data:`SAME_ARCHITECTURE`. Broadcasts.
    """
    here, there = as_sold_at_boost(sources), as_sold_at_boost(targets)
    most = np.where(here.codes("architecture") == there.codes("architecture"), SAME_ARCHITECTURE, 1.0)
    distance = most * (1.0 - np.exp(-distance_between(here, there) / CLOSE))
    same = here.codes("key") == there.codes("key")
    return np.where(same | np.isnan(distance) | (here.index < 0) | (there.index < 0), 0.0, distance)


@quietly()
def distance_between(here: Machines, there: Machines) -> FloatArray:
    r"""How far the supplies of two GPUs part, in log units; NaN where none is known. Broadcasts.

    .. math:: \bar{r} = \sqrt{\overline{\ln^2 (P_s / P_t)}}

    P : 1/s, the supplies of DRAM and L2, and SMs x clock, of both GPUs as they are sold.
    """
    ratios = [here.rate(r) / there.rate(r) for r in (Resource.BYTES_DRAM, Resource.BYTES_L2)]
    cores = [m.gather("sm_count") * m.gather("clock_hz_boost") for m in (here, there)]
    ratios.append(cores[0] / cores[1])
    squares = [np.square(np.log(r)) for r in ratios]
    known = [np.isfinite(s) for s in squares]
    count = sum(k.astype(np.float64) for k in known)
    return np.asarray(np.sqrt(sum(np.where(k, s, 0.0) for k, s in zip(known, squares, strict=True)) / count))


def as_sold_at_boost(machines: Machines) -> Machines:
    """The catalog's GPUs behind machines, at boost; unknown where the catalog has none."""
    sold = sold_of(machines.columns)
    catalogued = Machines(sold.columns, machines.spread(np.where(sold.catalogued, sold.place, -1), -1), np.zeros(()))
    return catalogued.at(catalogued.gather("clock_hz_boost"))


def groups_of(residual: Residual, sources: Machines, targets: Machines) -> NDArray[np.intp]:
    """Position in :data:`GROUPS`; broadcasts."""

    def seen(machines: Machines) -> NDArray[np.bool_]:
        known = machines.columns.told("key", lambda key: key.rstrip("*") in residual.gpus) > 0
        return np.asarray(machines.spread(known, absent=False), dtype=np.bool_)

    familiar = np.where(seen(sources) & seen(targets), 0, 1)
    return np.asarray(familiar * len(DISTANCES) + distances(sources, targets), dtype=np.intp)


def distances(sources: Machines, targets: Machines) -> NDArray[np.intp]:
    """Position in :data:`DISTANCES` of each pair; broadcasts."""
    return np.maximum(intervals.distances(sources, targets) - 1, 0)


def ranges_of(names: tuple[str, ...], rows: Features) -> dict[str, Range]:
    """Ranges of the features of a kernel in training rows."""
    ranges: dict[str, Range] = {}
    for name, row in zip(names, rows, strict=True):
        known = row[row != ABSENT]
        if name in OF_KERNEL and len(known):
            ranges[name] = (float(known.min()), float(known.max()), bool(len(known) < len(row)))
    return ranges
