r"""What a user's own kernels, timed on both GPUs, say of the forecasts between these GPUs.

Each pair is forecast as any kernel is; its error, over the width that the forecast claimed, is one observation. Errors
share a level of the two GPUs, one of the class of kernels (short kernels are classes of their own: the host decides
there), and one of the kernel itself (:mod:`roofcast.formulas.shrinkage`). Forecasts move by the level that their class
and kernel are believed to have, and intervals become as wide as what is left:

.. math::
    \hat T' = \hat T e^{\sigma m}, \quad \sigma' = \sigma \sqrt{v}

sigma : half of the claimed interval in logarithms. m, v : mean and variance of the next error, in units of sigma. What
is believed without pairs (:data:`BELIEFS`) is what the errors of public measurements share; ``python
tools/teach.py learning`` prints it. A GPU that was not measured, or the other direction, stays as it is.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.normal import NINE_OF_TEN
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import PROFILED, Conditions, Estimate, largest
from roofcast.forecasting.measured_pairs import pair_rows
from roofcast.forecasting.prepared import Prepared, prepare
from roofcast.forecasting.sources import resolve_sources
from roofcast.formulas.shrinkage import Index, Mixture, Shares, mix_beliefs
from roofcast.kit.quantities import format_percent
from roofcast.models.base import Model
from roofcast.models.promises import catalogued
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import CODES, NONE, find_operators

HELD = (
    *(0.012, 0.013, 0.009, 0.011, 0.009, 0.015),
    *(0.010, 0.014, 0.009, 0.015, 0.009, 0.026),
    *(0.011, 0.032, 0.013, 0.115, 0.375, 0.302),
)  # fmt: skip
SHARED = itertools.product((0.02, 0.1, 0.35), (0.02, 0.1, 0.3), (0.05, 0.3))
BELIEFS: dict[Shares, float] = {Shares(*shared, 8.0): held for shared, held in zip(SHARED, HELD, strict=True)}
"""What errors may share (the GPUs, the class of kernels, the kernel), and how far each is believed before: what 16
families of measurements hold on average, each the same (``python tools/teach.py learning``)."""

SHORT_S = 20e-6
"""Kernels below this are classes of their own: launches and the host are a good part of their time."""

ERROR_MOST = 3.0
"""In half widths of the claimed interval: what is further off is another kernel, and says no more than this."""

FAR, FAR_LEAST = 4.0, 0.1
"""Errors further from the middle than so many median deviations (2.7 standard deviations) count as being there."""

SAID_LEAST = 0.03
"""Levels and widths that move less than this are not worth a line."""

STRANGE, STRANGE_CLASS = 2.0, 16.0
"""n_0: kernels of a class, or classes, from which half of a level is believed of one that was never measured: few
programs say less of the next one than nested normal levels would have it, and matrix products little of softmax. With
these no family gets worse by more than 1.1 points (llmcompass by 5 where both were 2 and labels were no class)."""

WORDS = {
    Operation.GEMM: "matrix products", Operation.GEMV: "matrix-vector products",
    Operation.CONVOLUTION: "convolutions", Operation.ATTENTION: "attention",
    Operation.MIXTURE_OF_EXPERTS: "mixtures of experts", Operation.SOFTMAX: "softmax",
    Operation.NORMALISATION: "norms", Operation.REDUCTION: "reductions", Operation.ELEMENTWISE: "element-wise kernels",
    Operation.COPY: "copies", Operation.GATHER: "gathers", Operation.POOLING: "pooling", Operation.FFT: "FFTs",
    Operation.SORT: "sorts", Operation.RECURRENT: "recurrent layers", Operation.COMMUNICATION: "collectives",
}  # fmt: skip


@dataclass(frozen=True)
class Observed:
    """p pairs between two GPUs; arrays are (p,)."""

    error: FloatArray
    """ln(measured / forecast) in half widths of the claimed interval."""
    kinds: NDArray[np.object_]
    """Class of each (:func:`name_classes`)."""
    kernel: NDArray[np.object_]


@dataclass(frozen=True)
class Learned:
    """What the pairs between two GPUs say."""

    observed: Observed
    posterior: Mixture
    kind_code: dict[str, int]
    member_code: dict[tuple[str, str], int]

    def predict(
        self, kinds: NDArray[np.object_], kernel: NDArray[np.object_]
    ) -> tuple[FloatArray, FloatArray]:  # fmt: skip
        """(m,) mean and standard deviation of the errors of kernels, in usual ones.

        Of a strange kernel's level n / (n + n_0) is believed, n : kernels of its class; of a strange class's, classes.
        """
        group = np.array([self.kind_code.get(k, -1) for k in kinds], np.intp)
        pairs = zip(kinds, kernel, strict=True)
        member = np.array([self.member_code.get(key, -1) for key in pairs], np.intp)
        mean, deviation = self.posterior.predict(group, member)
        kernels = np.bincount([self.kind_code[kind] for kind, _ in self.member_code], minlength=1).astype(np.float64)
        count, classes = np.append(kernels, 0.0)[group], float(len(self.kind_code))
        believed = np.where(group >= 0, count / (count + STRANGE), classes / (classes + STRANGE_CLASS))
        return np.where(member >= 0, mean, mean * believed), deviation


def learn(observed: Observed, beliefs: dict[Shares, float] = BELIEFS) -> Learned:
    """The levels of pairs between two GPUs."""
    kinds: dict[str, int] = {}
    members: dict[tuple[str, str], int] = {}
    group = np.array([kinds.setdefault(k, len(kinds)) for k in observed.kinds], np.intp)
    keys = zip(observed.kinds, observed.kernel, strict=True)
    member = np.array([members.setdefault(key, len(members)) for key in keys], np.intp)
    return Learned(observed, mix_beliefs(usual_errors(observed.error), group, member, beliefs), kinds, members)


def usual_errors(error: FloatArray) -> FloatArray:
    """Errors in usual standard deviations; those far from the middle of all count as less far.

    error : (p,) in half widths of 90 % intervals, of which a normal distribution has :data:`NINE_OF_TEN` deviations.
    """
    middle = np.median(error) if len(error) else 0.0
    reach = max(FAR * float(np.median(np.abs(error - middle))) if len(error) else 0.0, FAR_LEAST)
    return np.asarray(NINE_OF_TEN * np.clip(error, max(middle - reach, -ERROR_MOST), min(middle + reach, ERROR_MOST)))


def name_classes(kernels: KernelTable, limit: NDArray[np.object_]) -> NDArray[np.object_]:
    """(n,) class of each kernel: its operation where it is a library's, else what limits it on the target.

    limit : (n,) resource, or None or '' where none is known.
    """
    rows = find_operators(kernels)
    code = np.full(len(kernels), NONE, np.int8) if rows is None else rows.code
    limits = {known: name_limit(str(known or "")) for known in set(limit.tolist())}
    names = [WORDS[CODES[c]] if c != NONE else limits[r] for c, r in zip(code.tolist(), limit.tolist(), strict=True)]
    classes = np.array(names, np.object_)
    return np.where(kernels.column("time_s") < SHORT_S, classes + f" below {SHORT_S * 1e6:.0f} us", classes)


def name_limit(limit: str) -> str:
    """Kernels of one limit, in words."""
    return f"{Resource(limit).label}-bound kernels" if limit else "kernels with nothing but a time"


def measured_between(pairs: KernelTable) -> set[tuple[str, str]]:
    """(source key, target key) of the GPUs that kernels of a table were timed on."""
    resolved = resolve_sources(pairs, None)
    rows = pair_rows(pairs, resolved.index + 1, (resolved.index >= 0) & (pairs.column("time_s") > 0))
    keys = [base_key(p) for p in resolved.processors]
    between = {*zip(resolved.index[rows.source].tolist(), resolved.index[rows.target].tolist(), strict=True)}
    return {(keys[i], keys[j]) for i, j in between}


def observe(pairs: KernelTable, model: Model, given: Conditions) -> dict[tuple[str, str], Observed]:
    """(source key, target key) -> how far forecasts between two GPUs of a table are off."""
    conditions = dataclasses.replace(given, clock="auto", named=PROFILED)
    members = resolve_sources(pairs, None).processors
    ready = prepare(pairs, members, conditions=conditions, alone=True)
    pairs_of_rows = pair_rows(ready.kernels, ready.index + 1, (ready.index >= 0) & (ready.kernels.column("time_s") > 0))
    if not len(pairs_of_rows):
        raise RoofcastError(
            "--pairs: no kernel in it was timed on two GPUs: give rows of the same kernel and config on both, with gpu "
            "and time_s"
        )
    observed: dict[tuple[str, str], Observed] = {}
    between = ready.index[pairs_of_rows.source] * len(members) + ready.index[pairs_of_rows.target]
    for code in np.unique(between).tolist():
        chosen = pairs_of_rows.select(between == code)
        source, target = (ready.sources[i] for i in divmod(code, len(members)))
        error = observe_pairs(ready, chosen.source, chosen.target, target, model)
        if len(error.error):
            observed[base_key(source), base_key(target)] = error
    return observed


def observe_pairs(ready: Prepared, source: Index, target: Index, to: Processor, model: Model) -> Observed:
    """Errors of pairs of rows whose targets are on one GPU."""
    part = ready.select(source)
    there = part.machines_there([to], noted=False)[0]
    estimate = model.estimate(part.kernels, part.machines_here(), there, part.conditions)
    return compare(part.kernels, estimate, ready.kernels.column("time_s")[target])


def compare(kernels: KernelTable, estimate: Estimate, measured_s: FloatArray) -> Observed:
    """How far forecasts of kernels on one GPU are off."""
    kernel, limit = kernels.strings("kernel"), limits_of(estimate)[:, 0]
    return errors_of_forecasts(
        measured_s, (estimate.time_low_s[:, 0], estimate.time_s[:, 0], estimate.time_high_s[:, 0]),
        name_classes(kernels, limit), kernel,
    )  # fmt: skip


def limits_of(estimate: Estimate) -> NDArray[np.object_]:
    """(n, m) resource that needs most seconds on each target."""
    return np.asarray(largest(estimate.time_s_by_resource_target, estimate.time_s.shape))


def errors_of_forecasts(
    measured_s: FloatArray, ends: tuple[FloatArray, FloatArray, FloatArray], kinds: NDArray[np.object_],
    kernel: NDArray[np.object_],
) -> Observed:  # fmt: skip
    """Errors of forecasts beside what was measured; those that claim no interval say nothing.

    ends : low, middle and high of each forecast.
    """
    low, time, high = ends
    with quietly():
        error, below, above = np.log(measured_s / time), np.log(time / low), np.log(high / time)
    use = np.isfinite(error) & (below > 0) & (above > 0) & np.isfinite(below) & np.isfinite(above)
    side = np.where(error > 0, above, below)
    return Observed(error[use] / side[use], kinds[use], kernel[use])


def base_key(p: Processor) -> str:
    """Key of a GPU; of a variation, of the GPU that it varies."""
    return p.key.rstrip("*")


@dataclass(frozen=True)
class Recalibrated:
    """An estimate with what pairs say, and that in words."""

    estimate: Estimate
    notes: tuple[tuple[str, ...], ...]
    """Per target."""


def recalibrate(
    estimate: Estimate, ready: Prepared, targets: Sequence[Processor], observed: dict[tuple[str, str], Observed]
) -> Recalibrated:
    """Move the forecasts of kernels between GPUs that pairs were measured on."""
    kernel, limit = ready.kernels.strings("kernel"), limits_of(estimate)
    low, time, high = (np.array(v) for v in (estimate.time_low_s, estimate.time_s, estimate.time_high_s))
    notes: list[tuple[str, ...]] = []
    any_learned = False
    for j, target in enumerate(targets):
        lines: list[str] = []
        kinds = name_classes(ready.kernels, limit[:, j])
        for position, source in enumerate(ready.sources):
            of_pair = observed.get((base_key(source), base_key(target)))
            rows = np.flatnonzero((ready.index == position) & np.isfinite(time[:, j]))
            if of_pair is None or not len(rows):
                continue
            learned, any_learned = learn(of_pair), True
            moved = move_rows(learned, kinds[rows], kernel[rows], low[rows, j], time[rows, j], high[rows, j])
            lines += describe(learned, target, kinds[rows], (low, time, high), moved, rows, j)
            low[rows, j], time[rows, j], high[rows, j] = moved
        notes.append(tuple(lines))
    if not any_learned:
        names = {key: p.name if (p := catalogued(key)) else key for pair in observed for key in pair}
        known = "; ".join(sorted({f"{names[s]} to {names[t]}" for s, t in observed}))
        raise InputError(f"--pairs: its kernels were timed on other GPUs than these ({known})")
    return Recalibrated(dataclasses.replace(estimate, time_low_s=low, time_s=time, time_high_s=high), tuple(notes))


def move_rows(
    learned: Learned, kinds: NDArray[np.object_], kernel: NDArray[np.object_], low: FloatArray, time: FloatArray,
    high: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:  # fmt: skip
    """(m,) ends and middle of forecasts after what was learned."""
    mean, deviation = learned.predict(kinds, kernel)
    with quietly():
        below, above = np.log(time / low), np.log(high / time)
    claims = np.isfinite(below) & np.isfinite(above)
    side = np.where(mean > 0, above, below)
    moved = np.where(claims, time * np.exp(np.nan_to_num(side) * mean / NINE_OF_TEN), time)
    return (
        np.where(claims, moved * np.exp(-below * deviation), low),
        moved,
        np.where(claims, moved * np.exp(above * deviation), high),
    )


def describe(
    learned: Learned, target: Processor, kinds: NDArray[np.object_],
    before: tuple[FloatArray, FloatArray, FloatArray], after: tuple[FloatArray, FloatArray, FloatArray], rows: Index,
    j: int,
) -> list[str]:  # fmt: skip
    """What was learned, a line per class of kernels that the forecasts have, those with most pairs first."""
    count = {k: int(np.sum(learned.observed.kinds == k)) for k in dict.fromkeys(kinds.tolist())}
    lines = []
    for kind in sorted(count, key=lambda k: -count[k]):
        of_kind = kinds == kind
        with quietly():
            shift = float(np.nanmedian(np.log(after[1][of_kind] / before[1][rows[of_kind], j])))
            widths = [
                float(np.exp(np.nanmedian(np.log(h / low))))
                for low, h in (
                    (before[0][rows[of_kind], j], before[2][rows[of_kind], j]),
                    (after[0][of_kind], after[2][of_kind]),
                )
            ]
        if abs(shift) < SAID_LEAST and abs(np.log(widths[1] / widths[0])) < SAID_LEAST:
            continue
        slower = f"{format_percent(float(np.expm1(abs(shift))), 0)} {'slower' if shift > 0 else 'faster'} than usual"
        level = slower if abs(shift) >= SAID_LEAST else "as fast as usual"
        pairs = f"{count[kind]} pairs" if count[kind] else f"{len(learned.observed.error)} pairs of other kinds"
        lines.append(
            f"your {target.name} runs {level} for {kind}; intervals from {widths[0]:.2g} to {widths[1]:.2g}, "
            f"from {pairs}"
        )
    return lines
