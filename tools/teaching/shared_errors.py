"""How much of their error forecasts share.

``python tools/teach.py shared_errors`` prints what :data:`roofcast.core.launch_totals.SHARED_ERROR` rests on
(kernels on one GPU), and what intervals of totals then hold; with ``--targets`` what
:data:`roofcast.core.launch_totals.SHARED_BETWEEN` rests on (one kernel on two GPUs), each family of public data
forecast by a model that was taught without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import click
import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import SHARED_ERROR, Kinship, find_ends, number_kernels
from roofcast.core.normal import deviations_below
from roofcast.kit.quantities import format_percent
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.cases import Cases, cases_of, program_of
from roofcast_evaluate.datasets import DATASETS, families, load
from roofcast_evaluate.families import Models, read_parts
from roofcast_evaluate.scores import Outcome
from roofcast_evaluate.screening import sound_rows
from roofcast_evaluate.teaching import Teacher, lessons

DATASET = "hecbench_ncu"
MOST = 2.0
"""Log errors beyond this count as this: a handful of kernels that are off by a factor of 8 would decide alone."""
KERNELS_LEAST = 3
"""A total of fewer kernels is a kernel."""
TRIED = (0.0, 0.25, SHARED_ERROR, 0.75, 1.0)


@dataclass(frozen=True)
class Shared:
    """What one model's errors have in common."""

    within_program: float
    """Correlation between kernels of one program, for one pair of GPUs."""
    programs: int
    """Programs and pairs that it rests on."""
    between_programs: float
    """The same between kernels of different programs."""
    kernel_coverage: float
    total_coverage: dict[float, float]
    """Shared part -> share of measured totals of programs inside the interval."""
    totals: int


def correlate(error: FloatArray, group: NDArray[np.intp], apart: NDArray[np.intp] | None = None) -> tuple[float, int]:
    r"""Correlation of errors within groups about zero, and the number of groups with two kernels or more.

    .. math:: \rho = \frac{\sum_g \overline{e_i e_j}_{i \ne j}}{\sum_g \overline{e_i^2}}

    error : (n,) log of measured over forecast. group : (n,). apart : (n,) only kernels that differ in it form pairs.
    The mean is not taken out: an error that all kernels make alike is what is asked for.

    >>> correlate(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0, 0, 1, 1]))
    (1.0, 2)
    """
    products, squares, count = 0.0, 0.0, 0
    own = np.arange(len(error)) if apart is None else apart
    for g in np.unique(group).tolist():
        rows = group == g
        e, key = error[rows], own[rows]
        _, code = np.unique(key, return_inverse=True)
        sums, sizes = np.bincount(code, weights=e), np.bincount(code)
        pairs = float(len(e) ** 2 - (sizes**2).sum())
        if pairs > 0:
            products += (float(e.sum() ** 2) - float((sums**2).sum())) / pairs
            squares += float((e**2).mean())
            count += 1
    return (products / squares if squares > 0 else float("nan")), count


def measure(found: Outcome) -> Shared:
    """What the errors of a model have in common."""
    kernel = np.asarray(found.kernel, np.object_)
    program = np.array([program_of(str(k)) for k in kernel], np.object_)
    pair = found.source_gpu + "\x00" + found.target_gpu
    time, low, high = (np.ravel(v) for v in (found.time_s, found.time_low_s, found.time_high_s))
    good = np.isfinite(time) & (found.time_s_measured > 0)
    error = np.clip(np.log(found.time_s_measured[good] / time[good]), -MOST, MOST)
    together = number_kernels(program[good], pair[good])
    within, programs = correlate(error, together)
    between, _ = correlate(error, number_kernels(pair[good]), number_kernels(program[good]))
    measured, time, low, high = (v[good] for v in (found.time_s_measured, time, low, high))
    inside: dict[float, list[bool]] = {shared: [] for shared in TRIED}
    for g in np.unique(together).tolist():
        rows = together == g
        if rows.sum() >= KERNELS_LEAST:
            for shared, hits in inside.items():
                ends = find_ends(time[rows], low[rows], high[rows], shared=shared)
                hits.append(ends[0] <= measured[rows].sum() <= ends[1])
    held = (low <= measured) & (measured <= high)
    return Shared(
        within, programs, between, float(held.mean()), {s: float(np.mean(h)) for s, h in inside.items()},
        len(inside[SHARED_ERROR]),
    )  # fmt: skip


ERRORS_MOST = 3.0
"""Errors beyond so many standard deviations, as the interval claims them, count as this."""
WORKS_LEAST = 20
"""Works measured on two targets, below which a family says nothing of that kind of pair."""


@dataclass(frozen=True)
class Common:
    """What errors for two targets of one family have in common, by how the targets are related."""

    family: str
    shared: dict[Kinship, float]
    """Correlation; absent where fewer than :data:`WORKS_LEAST` works say it."""
    works: dict[Kinship, int]
    other_kernels: float
    """The same between different kernels on one target."""


def standardise(found: Outcome) -> FloatArray:
    """(p,) log of measured over forecast, in standard deviations as the interval claims them; NaN without either."""
    coverage = deviations_below(0.95)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.log(found.time_s_measured / found.time_s)
        end = np.where(error > 0, np.log(found.time_high_s / found.time_s), np.log(found.time_s / found.time_low_s))
        return np.clip(np.where(end > 0, error / end * coverage, np.nan), -ERRORS_MOST, ERRORS_MOST)


def correlate_targets(cases: Cases, found: Outcome) -> Iterator[tuple[Kinship, float, float, int]]:
    r"""Per pair of targets: how they are related, sums of products and of squares, works.

    .. math:: \rho = \frac{\sum_w e_{wa} e_{wb}}{\sum_w (e_{wa}^2 + e_{wb}^2) / 2}

    e : error of work w, forecast from one measurement, on targets a and b. The mean is not taken out, as in
    :func:`correlate`.
    """
    error, targets = standardise(found), cases.targets.index[:, 0]
    names = cases.kernels.strings("kernel")
    time = cases.kernels.column("time_s")
    work = number_kernels(names, found.source_gpu, time)
    present = np.unique(targets).tolist()
    grid = np.full((work.max(initial=-1) + 1, len(present)), np.nan)
    grid[work, np.searchsorted(present, targets)] = error
    processors = cases.targets.processors
    for i, a in enumerate(present):
        for j in range(i):
            both = grid[:, [i, j]]
            both = both[np.isfinite(both).all(axis=1)]
            kin = Kinship.of(processors[a], processors[present[j]])
            yield kin, float(both.prod(axis=1).sum()), float((both**2).sum() / 2), len(both)


def measure_family(family: str, models: Models) -> Common:
    """What one family says, by a model that was taught without it."""
    model = models.without_family(family)
    products, squares, works = (dict.fromkeys(Kinship, 0.0) for _ in range(3))
    apart, whole = 0.0, 0.0
    for part in read_parts(family):
        if DATASETS[part.dataset].within_gpu:
            continue
        found = part.cases.forecast(model)
        for kin, product, square, count in correlate_targets(part.cases, found):
            products[kin] += product
            squares[kin] += square
            works[kin] += count
        error = standardise(found)
        good = np.isfinite(error)
        kernel = number_kernels(found.kernel[good])
        pair = number_kernels(found.source_gpu[good], found.target_gpu[good])
        share, groups = correlate(error[good], pair, kernel)
        if groups and math.isfinite(share):
            apart, whole = apart + share * groups, whole + groups
    enough = [k for k in Kinship if works[k] >= WORKS_LEAST and squares[k] > 0]
    return Common(
        family, {k: products[k] / squares[k] for k in enough}, {k: int(works[k]) for k in enough},
        apart / whole if whole else float("nan"),
    )  # fmt: skip


def print_targets() -> None:
    """Every family, then the mean over families."""
    models = Models(Teacher.of(lessons()))
    found = []
    for family in families():
        one = measure_family(family, models)
        found.append(one)
        told = ", ".join(f"{k.value} {v:.2f} ({one.works[k]})" for k, v in one.shared.items())
        click.echo(f"{family}: {told or 'no two targets'}; other kernels {one.other_kernels:.2f}")
    for kin in [*Kinship][1:]:
        own = [c.shared[kin] for c in found if kin in c.shared] or [math.nan]
        click.echo(f"{kin.value}: mean {np.mean(own):.3f}, median {np.median(own):.3f} of {len(own)} families")
    own = [c.other_kernels for c in found if math.isfinite(c.other_kernels)]
    click.echo(f"other kernels: mean {np.mean(own):.3f}, median {np.median(own):.3f} of {len(own)} families")


@click.command()
@click.option("--targets", is_flag=True, help="Of one kernel on two GPUs, every family left out (some minutes).")
def main(targets: bool) -> None:
    """Print what forecasts' errors have in common."""
    if targets:
        print_targets()
        return
    kernels = load(DATASET)[1]
    cases = cases_of(DATASET, kernels, accepted=sound_rows(kernels))
    found = measure(cases.forecast(Mechanistic()))
    lines = [
        f"{DATASET}, model mechanistic, {len(cases)} pairs",
        f"kernels of one program share {found.within_program:.2f} ({found.programs} programs and pairs)",
        f"kernels of different programs share {found.between_programs:.2f}",
        f"intervals of kernels hold {format_percent(found.kernel_coverage, 1)}",
    ]
    lines += [
        f"shared {s:g}: intervals of {found.totals} totals hold {format_percent(c, 1)}"
        for s, c in found.total_coverage.items()
    ]
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
