"""The learned residual: what boosted trees add to the physics, where they may, and how sure the sum is.

The shipped one is a text file with its provenance, made by ``python -m roofcast.evaluation.train``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.models.learned.boosted_trees import Features, Trees, trees_of
from roofcast.models.learned.features import ABSENT, OF_KERNEL, stacked_memory
from roofcast.models.physics.causes.fp64 import few_fp64
from roofcast.models.physics.intervals import COVERAGES, DISTANCES, distance
from roofcast.models.promises import catalogued

FILE = Path(__file__).with_name("hybrid.json")

RATIO_RANGE = (0.2, 5.0)
"""No learned factor goes beyond: what is further off is a cause that the physics lacks."""

SCALE_LEAST = 0.02
"""Errors below 2 % are noise of the measurement."""

CLOSE = 0.1
"""GPUs whose supplies differ by this (log units) get 63 % of the residual, closer ones less, the same GPU none."""

SAME_ARCHITECTURE = 0.4
"""Part of the residual that is used within an architecture, where the physics carries nearly everything."""

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
    classes: frozenset[str]
    """Kinds of GPUs that it has seen (:func:`class_of`)."""
    gpus: frozenset[str]
    """Keys of the GPUs that it has seen."""
    quantiles: Mapping[str, tuple[float, ...]]
    """``known|new/distance`` -> quantiles of |log error| over scale at :data:`COVERAGES`."""
    shrink: float
    provenance: Mapping[str, Any]

    def log_factor(self, rows: Features) -> FloatArray:
        """(n,) log of what to multiply the physics with, between unlike GPUs. rows : features of ``ratio``."""
        return np.asarray(self.shrink * np.log(np.clip(1.0 + self.ratio.predict(rows), *RATIO_RANGE)))

    def outside(self, rows: Features) -> NDArray[np.bool_]:
        """(n,) kernels unlike anything in the training data."""
        count = np.zeros(rows.shape[1], dtype=np.int16)
        for name, row in zip(self.ratio.features, rows, strict=True):
            if name not in self.ranges:
                continue
            low, high, may_lack = self.ranges[name]
            margin = MARGIN * (high - low)
            beyond = (row < low - margin) | (row > high + margin)
            if may_lack:
                beyond &= row != ABSENT
            count += beyond
        return np.asarray(count > OUTSIDE_MOST)

    def knows(self, p: Processor | None) -> bool:
        """Whether it has seen GPUs of this kind; a variation of a GPU is of that GPU's kind."""
        found = None if p is None else catalogued(p.key)
        return found is not None and class_of(found) in self.classes

    def half_width(self, rows: Features, group: NDArray[np.intp], coverage: float) -> FloatArray:
        """(n,) half widths of the interval in log units. group : positions in :data:`GROUPS`."""
        table = np.array([np.interp(coverage, COVERAGES, self.quantiles[name]) for name in GROUPS])
        beyond = coverage > COVERAGES[-1]
        # Beyond the table the tails go on as they end: doubling per halving of what is left out, as 1 / (1 - c).
        factor = np.log((1 - COVERAGES[-1]) / (1 - coverage)) * 0.5 + 1 if beyond else 1.0
        return np.asarray(table[group] * np.maximum(self.scale.predict(rows), SCALE_LEAST) * factor)

    def content(self) -> dict[str, Any]:
        """What :func:`residual_of` reads back, for JSON."""
        return {
            "provenance": dict(self.provenance),
            "shrink": self.shrink,
            "classes": sorted(self.classes),
            "gpus": sorted(self.gpus),
            "ranges": {name: list(found) for name, found in self.ranges.items()},
            "quantiles": {name: list(found) for name, found in self.quantiles.items()},
            "ratio": self.ratio.content(),
            "scale": self.scale.content(),
        }


FAMILIARITY = ("known", "new")
"""Both GPUs in the training data, or not."""

GROUPS = tuple(f"{f}/{d}" for f in FAMILIARITY for d in DISTANCES)


def residual_of(content: Mapping[str, Any]) -> Residual:
    """A residual from what :meth:`Residual.content` gave.

    Raises
    ------
    RoofcastError : it is damaged.
    """
    try:
        return Residual(
            trees_of(content["ratio"]),
            trees_of(content["scale"]),
            {k: (float(low), float(high), bool(lacks)) for k, (low, high, lacks) in content["ranges"].items()},
            frozenset(content["classes"]),
            frozenset(content["gpus"]),
            {name: tuple(float(q) for q in content["quantiles"][name]) for name in GROUPS},
            float(content["shrink"]),
            content["provenance"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RoofcastError("the learned model is damaged: reinstall roofcast, or train it again") from error


@lru_cache(maxsize=1)
def shipped() -> Residual:
    """The residual that comes with roofcast.

    Raises
    ------
    RoofcastError : it is absent or damaged.
    """
    try:
        content = json.loads(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RoofcastError("the learned model cannot be read: reinstall roofcast, or train it again") from error
    return residual_of(content)


def class_of(p: Processor) -> str:
    """Kind of a GPU: vendor, memory, and whether it has FP64 units for more than compatibility."""
    memory = "stacked" if stacked_memory(p) else "board"
    return f"{p.vendor.lower()}/{memory}/{'few' if few_fp64(p) else 'full'}-fp64"


def apartness(source: Processor | None, target: Processor | None) -> float:
    """0 for a GPU and itself (or a variation of it), towards 1 the more the supplies differ."""
    if source is None or target is None:
        return 0.0
    here, there = catalogued(source.key), catalogued(target.key)
    if here is None or there is None or here.key == there.key:
        return 0.0
    ratios = [here.rate(r) / there.rate(r) for r in (Resource.BYTES_DRAM, Resource.BYTES_L2)]
    ratios.append(here.sm_count * here.clock_hz_boost / (there.sm_count * there.clock_hz_boost))
    logs = np.log([r for r in ratios if np.isfinite(r) and r > 0])
    if not len(logs):
        return 0.0
    most = SAME_ARCHITECTURE if here.architecture == there.architecture else 1.0
    return float(most * (1.0 - np.exp(-np.sqrt(np.mean(logs**2)) / CLOSE)))


def table_over(sources: Machines, targets: Machines, of: Callable[[Processor | None, Processor | None], Any]) -> Any:
    """A quantity of two processors for each cell; index -1 is None."""
    table = np.array([[of(s, t) for t in (*targets.processors, None)] for s in (*sources.processors, None)])
    return table[sources.index, targets.index]


def groups_of(residual: Residual, sources: Machines, targets: Machines) -> NDArray[np.intp]:
    """(n, m) position in :data:`GROUPS`. sources : index (n, 1)."""

    def group(source: Processor | None, target: Processor | None) -> int:
        seen = [p is not None and p.key.rstrip("*") in residual.gpus for p in (source, target)]
        return (0 if all(seen) else 1) * len(DISTANCES) + distance(source, target)

    return np.asarray(table_over(sources, targets, group), dtype=np.intp)


def ranges_of(names: tuple[str, ...], rows: Features) -> dict[str, Range]:
    """Ranges of the features of a kernel in training rows."""
    found: dict[str, Range] = {}
    for name, row in zip(names, rows, strict=True):
        known = row[row != ABSENT]
        if name in OF_KERNEL and len(known):
            found[name] = (float(known.min()), float(known.max()), bool(len(known) < len(row)))
    return found
