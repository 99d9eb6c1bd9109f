"""How much of their error kernels share: ``python -m roofcast.evaluation.shared_errors`` prints what
:data:`roofcast.core.launch_totals.SHARED_ERROR` rests on, and what intervals of totals then hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import click
import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import SHARED_ERROR, find_ends, number_kernels
from roofcast.evaluation.cases import cases_of, program_of
from roofcast.evaluation.datasets import load
from roofcast.evaluation.scores import Outcome
from roofcast.evaluation.screening import accepted, screen
from roofcast.models.physics.model import Mechanistic

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


def main() -> None:
    """Print the shared part, and the coverage of totals for some."""
    kernels = load(DATASET)[1]
    cases = cases_of(DATASET, kernels, accepted=accepted(kernels, screen(kernels)))
    found = measure(cases.forecast(Mechanistic()))
    lines = [
        f"{DATASET}, model mechanistic, {len(cases)} pairs",
        f"kernels of one program share {found.within_program:.2f} ({found.programs} programs and pairs)",
        f"kernels of different programs share {found.between_programs:.2f}",
        f"intervals of kernels hold {found.kernel_coverage:.1%}",
    ]
    lines += [f"shared {s:g}: intervals of {found.totals} totals hold {c:.1%}" for s, c in found.total_coverage.items()]
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
