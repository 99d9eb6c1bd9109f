r"""Kernels at another problem size on the GPU that they were measured on: amounts by fit, time by the model's residual.

.. math:: T(x) = a + M(x) \, e^{r(x)}, \quad r(x_i) = \log ((T_i - a) / M_i)

M are the seconds that the mechanistic model's resources need together, floor included; r, what the kernel takes beside
them, is interpolated in the logarithm of the sizes; a, the same at all sizes, is there where left-out sizes show it.
It is the amounts that grow by laws, not the time: T bends where a cache, a floor or a wave ends, and M has these bends.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, concatenate
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.results import Conditions, Estimate
from roofcast.forecasting.clocks import source_clocks
from roofcast.forecasting.sizes import SizeGroup, fitted, parse_sizes, size_groups, sized_table
from roofcast.forecasting.sources import Sources, resolve_sources
from roofcast.formulas.mechanistic_execution import overlapped_s
from roofcast.formulas.mechanistic_intervals import widened
from roofcast.formulas.size_fits import fit_sizes, interpolated, left_out
from roofcast.models.physics.mechanistic import Mechanistic

UNCERTAINTY = "size_uncertainty"
"""Extra column: relative standard deviation that the step to another size adds."""

UNCERTAINTY_MOST = 3.0
"""Beyond this an interval says nothing more."""

STEADY_SHARES = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98)
"""Parts of the shortest time that may be the same at all sizes: the host's launch floor, which no counter shows.
Between measured sizes only: beyond them a steady part found in few sizes did harm."""

STEADY_GAIN = 0.9
"""A steady part must lower the error of left-out sizes by this factor."""

BETWEEN_SHARE = 0.7
"""Part of the left-out error that remains where all sizes are there: neighbours are then nearer."""

FEW_SIZES = 3.0
"""An error that n left-out sizes show is the surer the more they are: times 1 + this / n."""

TIME_FIT_ERROR = 0.05
"""Error of the time that no fit shows: measurements scatter."""


# Amounts and times beyond all reason end in a time that is not finite, and so in none.
@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def at_size(
    kernels: KernelTable, sizes: Mapping[str, float] | str, *, source: str | Processor | None = None
) -> KernelTable:
    """Kernels at other sizes than measured: one row per kernel, GPU and remaining configuration.

    kernels : measured at several sizes, stated in configurations (``N=1024;M=512``) or in columns of that name.
    sizes : name -> size, or text such as ``"N=8192,M=512"``. source : as in :func:`roofcast.forecast`.

    Rows that lack sizes stay without a time, with the reason among their flags. Counts are fitted as sums of
    monomials, rates interpolated; the time follows the mechanistic model, scaled as it errs at the measured sizes.

    Raises
    ------
    RoofcastError : sizes that are none. InputError : no kernel states them, or none at least twice.
    """
    wanted = parse_sizes(sizes) if isinstance(sizes, str) else parse_sizes(as_text(sizes))
    found = resolve_sources(kernels, source)
    kernels = found.kernels
    groups = size_groups(kernels, wanted, found.index)
    capacity = [max(p.capacity_bytes_l2 or 0, p.capacity_bytes_llc or 0) or np.nan for p in (*found.processors,)]
    answers = [fitted(kernels, g, [*capacity, np.nan][found.index[g.rows[0]]]) for g in groups]
    table = sized_table(kernels, groups, answers, list(wanted))
    rough = np.array([np.nan if g.reason else rough_time(kernels, g) for g in groups])
    model_s, new_model_s = model_seconds(found, table.with_columns(time_s=(rough, Origin.ASSUMED)), groups)
    time, error = np.full((2, len(groups)), np.nan)
    for i, group in enumerate(groups):
        if not group.reason:
            time[i], error[i] = time_at(group, kernels.column("time_s")[group.rows], model_s, new_model_s[i])
    amounts = np.array([answer.error for answer in answers])
    time = np.where((time > 0) & np.isfinite(time), time, np.nan)
    error, amounts = np.minimum(error, UNCERTAINTY_MOST), np.minimum(amounts, UNCERTAINTY_MOST)
    extra = {**table.extra, UNCERTAINTY: np.sqrt(np.square(error) + np.square(amounts))}
    table = table.with_columns(time_s=(time, Origin.DERIVED))
    return KernelTable(table.numeric, table.origin, table.text, {}, extra, table.flags, table.provenance)


def as_text(sizes: Mapping[str, float]) -> str:
    """Sizes as users write them, so that one check serves both."""
    numbers = {name: float(value) if isinstance(value, (int, float)) else value for name, value in sizes.items()}
    return ",".join(f"{name}={value!r}" for name, value in numbers.items())


def rough_time(kernels: KernelTable, group: SizeGroup) -> float:
    """A time at the wanted sizes from the times alone: the model asks for one, and its roofs hardly use it."""
    fit = fit_sizes(group.sizes, kernels.column("time_s")[group.rows])
    return float(fit.at(group.wanted[None])[0])


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def model_seconds(found: Sources, table: KernelTable, groups: list[SizeGroup]) -> tuple[FloatArray, FloatArray]:
    """(n,) seconds that resources and floor need on the source for measured rows, and (g,) for the new ones."""
    first = np.array([g.rows[0] for g in groups], dtype=np.intp)
    both = concatenate([found.kernels, table])
    index = np.concatenate([found.index, found.index[first]])
    clocks = source_clocks(both, found.processors, index)
    here = Machines(found.processors, index, clocks.clock_hz)
    if not found.processors:
        return np.full(len(found.kernels), np.nan), np.full(len(groups), np.nan)
    there = Machines(found.processors, np.maximum(index, 0)[:, None], clocks.clock_hz[:, None])
    model = Mechanistic()
    parts = model.parts(both, here, there, Conditions())
    roofs = overlapped_s(list(parts.roofs_source.values()), model.constants.overlap) if parts.roofs_source else 0.0
    total = np.broadcast_to(roofs + parts.floor_source_s, (len(both), 1))[:, 0]
    bare = np.broadcast_to(np.asarray(roofs) > 0, (len(both), 1))[:, 0]
    total = np.where(bare & (total > 0) & np.isfinite(total), total, np.nan)
    return total[: len(found.kernels)], total[len(found.kernels) :]


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def time_at(group: SizeGroup, time_s: FloatArray, model_s: FloatArray, new_model_s: float) -> tuple[float, float]:
    """Seconds at the wanted sizes, and their relative error as points left out show it."""
    measured = model_s[group.rows]
    if not np.isfinite(measured).all() or not np.isfinite(new_model_s):
        # Nothing but times: their own law.
        fit = fit_sizes(group.sizes, time_s)
        error = 0.2 if np.isnan(fit.error) else fit.error
        return float(fit.at(group.wanted[None])[0]), (error + TIME_FIT_ERROR) * (1 + group.extrapolation)
    steady, rest, left = 0.0, np.log(time_s / measured), np.zeros(len(time_s))
    best = np.inf
    for share in STEADY_SHARES if group.extrapolation == 0 else (0.0,):
        constant = share * float(time_s.min())
        remains = np.log((time_s - constant) / measured)
        left_here = constant + measured * np.exp(left_out(group.sizes, remains))
        error = float(np.mean(np.abs(np.log(left_here / time_s))))
        if error < best * STEADY_GAIN:
            best, steady, rest, left = error, constant, remains, np.log(left_here / time_s)
    error = float(np.sqrt(np.mean(np.square(left))))
    result = steady + new_model_s * np.exp(interpolated(group.sizes, rest, group.wanted))
    few = 1.0 + FEW_SIZES / len(time_s)
    error = few * (TIME_FIT_ERROR + error * (BETWEEN_SHARE + group.extrapolation))
    return between_neighbours(float(result), group, time_s), error


def between_neighbours(result: float, group: SizeGroup, time_s: FloatArray) -> float:
    """A time no shorter than that of any smaller problem and no longer than that of any larger one."""
    smaller, larger = (group.sizes <= group.wanted).all(axis=1), (group.sizes >= group.wanted).all(axis=1)
    least = float(time_s[smaller].max(initial=0.0))
    most = float(time_s[larger].min(initial=np.inf))
    # Where measurements contradict this themselves, they cannot bound anything.
    return min(max(result, least), most) if least <= most else result


def widened_by_size(estimate: Estimate, kernels: KernelTable) -> Estimate:
    """The estimate with intervals that hold the step to another size as well."""
    uncertainty = kernels.extra.get(UNCERTAINTY)
    if uncertainty is None or uncertainty.dtype.kind != "f" or estimate.coverage is None:
        return estimate
    with np.errstate(divide="ignore", invalid="ignore"):
        half = 0.5 * np.log(estimate.time_high_s / estimate.time_low_s)
        spread = np.exp(widened(half, uncertainty[:, None]))
    return dataclasses.replace(estimate, time_low_s=estimate.time_s / spread, time_high_s=estimate.time_s * spread)
