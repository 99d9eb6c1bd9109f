"""Intervals of the mechanistic model: how far off forecasts of like kernels between like GPUs were on public data.

Groups are made of what is known before the target run: the evidence that the input holds, how far the GPUs are from
each other, and how much the causes disagree. Where the default model corrects the physics by what it learned, its own
widths apply (:mod:`roofcast.models.learned.residual`). The table is made by ``python
tools/teach.py calibrate``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, Machines, has_stacked_memory, rate
from roofcast.core.normal import NINE_OF_TEN
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.formulas.values import Values, combine, finite_or, or_zero
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.law import LawConstants, LawInputs
from roofcast.models.physics.widths import LawWidths, law_half_widths

EVIDENCE = ("stalls", "counters")
"""What was counted: stall reasons as well, or not. Where nothing was, the law's widths apply."""

DISTANCES = ("sms", "architecture", "memory", "other")
"""What source and target have in common: the architecture and the number of SMs (clocks and memory differ), else the
architecture, else the kind of memory, else neither."""

DOUBT_EDGES = (0.05, 0.15, 0.35)
DOUBT_CENTRES = (0.025, 0.1, 0.25, 0.5)
"""Doubts that the groups between the edges stand for; between them widths pass from one to the next."""
ROOF_DOUBT = 0.3
"""Weight of the farthest ratio in the doubt: even agreeing limits err more the further they carry."""
LIMITS = (Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.FLOPS_FP32)
"""What, beside the clock, time that no amount explains may follow."""

COVERAGES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98)
GROUP_LEAST = 60
"""Pairs that a group needs to have widths of its own."""

FILE = Path(__file__).with_name("intervals.json")


@dataclass(frozen=True)
class Intervals:
    """Quantiles of |log(T / T_hat)| per group, at :data:`COVERAGES`."""

    quantiles: Mapping[str, tuple[float, ...]]
    provenance: Mapping[str, Any]
    law: LawWidths = field(default_factory=LawWidths)
    """Half widths of kernels without counters."""
    made: dict[float, FloatArray] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Half widths of all groups at the coverages that were asked for."""

    def half_width(self, group: NDArray[np.intp], coverage: float) -> FloatArray:
        """Half widths in log units for group numbers (see :func:`groups_of`)."""
        widths = self.made.get(coverage)
        if widths is None:
            table = np.array([np.interp(coverage, COVERAGES, self.of(name)) for name in GROUPS])
            widths = self.made[coverage] = table * beyond_the_table(coverage)
        return np.asarray(widths[group])

    def half_width_of(self, wider: str, coverage: float) -> float:
        """Half width of an evidence and a distance, whatever the doubt: before anything was counted none is known."""
        return float(np.interp(coverage, COVERAGES, self.of(wider)) * beyond_the_table(coverage))

    def between(self, group: NDArray[np.intp], doubt: FloatArray, coverage: float) -> FloatArray:
        """Half widths of groups of the least doubt, from there to the others without a step.

        group : numbers of the groups of doubt 0. doubt : (see :func:`doubt_between`).
        """
        shape = np.broadcast_shapes(group.shape, doubt.shape)
        widths = [self.half_width(group + i, coverage) for i in range(len(DOUBT_CENTRES))]
        slopes = [(w[1] - w[0]) / (c[1] - c[0]) for w, c in zip(pairwise(widths), pairwise(DOUBT_CENTRES), strict=True)]
        within = np.clip(doubt, DOUBT_CENTRES[0], DOUBT_CENTRES[-1])
        # One line, bent at each centre between the ends.
        width, more = np.empty(shape), np.empty(shape)
        np.multiply(within, slopes[0], out=width)
        width += widths[0] - DOUBT_CENTRES[0] * slopes[0]
        for centre, (before, after) in zip(DOUBT_CENTRES[1:-1], pairwise(slopes), strict=True):
            np.subtract(within, centre, out=more)
            np.clip(more, 0.0, None, out=more)
            more *= after - before
            width += more
        return width

    def law_half_width(self, x: LawInputs, c: LawConstants, coverage: float) -> FloatArray:
        """(n, m) half widths in log units of forecasts without counters."""
        share = float(np.interp(coverage, COVERAGES, self.law.shape)) * beyond_the_table(coverage)
        return law_half_widths(x, c, self.law) * share

    def of(self, group: str) -> tuple[float, ...]:
        """Quantiles of a group, or of an evidence and a distance whatever the doubt."""
        if group not in self.quantiles:
            raise RoofcastError("the table of intervals is damaged: reinstall roofcast")
        return self.quantiles[group]


def beyond_the_table(coverage: float) -> float:
    """Factor on the widest quantiles for a larger coverage than the table has.

    The tails go on as they end: doubling per halving of what is left out, as 1 / (1 - c).
    """
    return float(np.log((1 - COVERAGES[-1]) / (1 - coverage)) * 0.5 + 1) if coverage > COVERAGES[-1] else 1.0


GROUPS = tuple(f"{e}/{d}/{b}" for e in EVIDENCE for d in DISTANCES for b in range(len(DOUBT_EDGES) + 1))


@lru_cache(maxsize=1)
def shipped() -> Intervals:
    """The table that comes with roofcast."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    law = {**content["law"], "shape": tuple(content["law"]["shape"])}
    return Intervals({k: tuple(v) for k, v in content["quantiles"].items()}, content["provenance"], LawWidths(**law))


def doubt_between(share: FloatArray, sources: Machines, targets: Machines) -> FloatArray:
    r"""(n, m) how far apart source and target may be for all that is known, in log units.

    .. math:: (1 - u) \, (\max_r \rho_r - \min_r \rho_r) + 0.3 \max_r |\rho_r|

    share : (n, 1) 1. u, of the source time that the slowest stated amount explains. rho : ln of the source's supply
    over the target's, of the :data:`LIMITS` and the clock. What one amount more tells raises u alone:
    knowing less is never narrower.
    """
    with quietly():
        known = [np.log(rate(sources, r) / rate(targets, r)) for r in LIMITS]
        known.append(np.log(sources.clock_hz / targets.clock_hz))
        ratios = finite_or(np.stack(np.broadcast_arrays(*known)), 0.0)
    apart = ratios.max(axis=0) - ratios.min(axis=0)
    doubt = (1.0 - np.clip(share, 0.0, 1.0)) * apart
    doubt += ROOF_DOUBT * np.abs(ratios).max(axis=0)
    return np.asarray(doubt)


def evidence_of(k: Kernels) -> NDArray[np.intp]:
    """(n, 1) position in :data:`EVIDENCE`."""
    return np.where(k.stalls_counted > 0, 0, 1).astype(np.intp)


def distances(sources: Machines, targets: Machines) -> NDArray[np.intp]:
    """Position in :data:`DISTANCES` of each pair; broadcasts."""
    same_code = sources.codes("architecture") == targets.codes("architecture")
    same_sms = same_code & (sources.gather("sm_count") == targets.gather("sm_count"))
    same_memory = sources.gather(has_stacked_memory) == targets.gather(has_stacked_memory)
    known = (sources.index >= 0) & (targets.index >= 0)
    return np.select([known & same_sms, known & same_code, known & same_memory], [0, 1, 2], 3)


def groups_of(evidence: NDArray[np.intp], sources: Machines, targets: Machines, doubt: FloatArray) -> NDArray[np.intp]:
    """(n, m) position in :data:`GROUPS`. sources : index (n, 1)."""
    bins = np.searchsorted(DOUBT_EDGES, doubt, side="right")
    return np.asarray(first_groups(evidence, sources, targets) + bins, dtype=np.intp)


def first_groups(evidence: NDArray[np.intp], sources: Machines, targets: Machines) -> NDArray[np.intp]:
    """(n, m) position in :data:`GROUPS` of the group of the least doubt."""
    per_distance = len(DOUBT_EDGES) + 1
    return np.asarray((evidence * len(DISTANCES) + distances(sources, targets)) * per_distance, dtype=np.intp)


def half_widths(
    evidence: NDArray[np.intp],
    sources: Machines,
    targets: Machines,
    doubt: FloatArray,
    coverage: float,
    table: Intervals,
) -> FloatArray:
    """(n, m) half widths of kernels with counters, log units, widened where the target's ceilings are estimates."""
    # Most tables have one kind of evidence: widths are a row then.
    alike = evidence[:1] if (evidence == evidence[:1]).all() else evidence
    width = table.between(first_groups(alike, sources, targets), doubt, coverage)
    return widened(width, targets.gather(estimate_uncertainty), between_vendors(sources, targets))


def between_vendors(sources: Machines, targets: Machines) -> FloatArray:
    """Relative uncertainty that another vendor's compiler, libraries and caches add; broadcasts.

    The calibration pairs GPUs of one vendor, but for a few products of matrices.
    """
    here, there = sources.codes("vendor"), targets.codes("vendor")
    return np.where((here == there) | (here < 0) | (there < 0), 0.0, VENDOR_UNCERTAINTY)


VENDOR_UNCERTAINTY = 0.35
"""Products of matrices on MI250X against A100 and V100, and operators on MI210 against A100: what the errors exceed
those between NVIDIA's GPUs by (docs/reading.md)."""


def estimate_uncertainty(p: Columns) -> FloatArray:
    """Relative uncertainty that estimated ceilings add; those of the calibration's GPUs are in its errors already."""
    supplies = [p.supply(r) for r in (Resource.BYTES_DRAM, Resource.FLOPS_FP32, Resource.BYTES_L2)]
    most = combine(np.maximum, [np.where(s.estimated, s.relative_uncertainty, 0.0) for s in supplies])
    return np.asarray(np.maximum(most - USUAL_UNCERTAINTY, 0.0))


USUAL_UNCERTAINTY = 0.15
"""Uncertainty of estimated ceilings that the calibration's GPUs have as well."""


def widened(score: Values, *uncertainties: Values) -> FloatArray:
    r"""A score with further, independent uncertainties.

    .. math:: q' = \sqrt{q^2 + \sum_i (1.645 u_i)^2}

    score : (...) log units, at 90 %. uncertainties : (...) relative standard deviations u_i; NaN counts as 0.
    Source: sum of independent variances; 1.645 standard deviations hold 90 % of a normal distribution.

    >>> round(float(widened(0.3, 0.4 / 1.645)), 9)
    0.5
    """
    further = [np.square(NINE_OF_TEN * u) for u in map(or_zero, uncertainties) if u.any()]
    if not further:
        return np.asarray(score)
    # Rows and columns join before they meet cells.
    return np.asarray(np.sqrt(np.square(score) + combine(np.add, further)))
