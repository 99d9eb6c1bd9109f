r"""What each cause is worth on programs: ``python -m roofcast.evaluation.worth`` writes it for docs/causes.md.

.. math:: D = 100 \sum_i w_i \left(|\ln(\hat T'_i / T_i)| - |\ln(\hat T_i / T_i)|\right)

T, T-hat, T-hat' : s, measured, forecast, and forecast without the cause. w : directed pairs of GPUs weigh the same, and
so do the programs in each. The interval is of 1,000 samples of programs with replacement: both forecasts of a program
go together, so that what they share cancels.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

import numpy as np

from roofcast.core.kernel_table import FloatArray, as_text
from roofcast.evaluation.cases import Cases, program_of
from roofcast.evaluation.families import read_part
from roofcast.evaluation.ladder import drop_columns
from roofcast.evaluation.scores import pair_weights
from roofcast.models.physics.cause import Subject
from roofcast.models.physics.causes.registry import CAUSES, WORTH_FILE, Worth
from roofcast.models.physics.model import Mechanistic

FAMILIES = {
    "hecbench": "hecbench_ncu", "hecbench without stall reasons": "hecbench_ncu", "nca": "nca_nvprof",
    "dvfs": "dvfs_hkbu", "kernel_tuner": "kernel_tuner", "bat": "bat", "micro16": "micro16", "pmpp": "pmpp_nvbench",
}  # fmt: skip
"""Families whose kernels have counters or launch geometry, which the causes forecast."""

PAIRS_MOST = 80_000
SAMPLES = 1000
FELT = 0.003
"""Log units from which a program counts as worse or better."""
MISSING = np.log(2.0)
LEAST = 0.04
"""Points below which an effect that may be none is not listed."""


def read_families() -> Iterator[tuple[str, Cases]]:
    """The families, paired as a user's files are."""
    for family, name in FAMILIES.items():
        cases = read_part(name).cases.thin(PAIRS_MOST)
        if "without" in family:
            cases = dataclasses.replace(cases, kernels=drop_columns(cases.kernels, "no stalls"))
        yield family, cases


def errors_by_program(cases: Cases, without: tuple[str, ...]) -> tuple[FloatArray, FloatArray]:
    """(programs,) weighted sums of |log error| and of weights."""
    time = cases.forecast(Mechanistic(without=without)).time_s
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.abs(np.log(time / cases.time_s_measured))
    programs = as_text(program_of(str(k)) for k in cases.kernels.strings("kernel"))
    _, program = np.unique(programs.astype(str), return_inverse=True)
    weight = pair_weights(programs, cases.source_gpu, cases.target_gpu)
    error = weight * np.where(np.isfinite(error), error, MISSING)
    return np.asarray(np.bincount(program, error), np.float64), np.asarray(np.bincount(program, weight), np.float64)


def compare(family: str, without: FloatArray, whole: FloatArray, weight: FloatArray) -> Worth:
    """Points of error that a cause saves, with the interval over programs."""
    drawn = np.random.default_rng(0).integers(0, len(weight), (SAMPLES, len(weight)))
    more = without - whole
    sampled = 100 * more[drawn].sum(axis=1) / weight[drawn].sum(axis=1)
    low, high = np.quantile(sampled, (0.05, 0.95))
    each = more / weight
    points = 100 * more.sum() / weight.sum()
    worse, better = int((each > FELT).sum()), int((each < -FELT).sum())
    return Worth(family, round(points, 2), round(low, 2), round(high, 2), worse, better, len(weight))


def measure_worth() -> dict[str, list[Worth]]:
    """Cause of any kernel -> its worth in each family in which it does something."""
    found: dict[str, list[Worth]] = {c.name: [] for c in CAUSES if c.subject is Subject.KERNEL}
    for family, cases in read_families():
        whole, weight = errors_by_program(cases, ())
        for name, worth in found.items():
            without, _ = errors_by_program(cases, (name,))
            one = compare(family, without, whole, weight)
            if one.worse or one.better or abs(one.points) >= LEAST or one.low > 0 or one.high < 0:
                worth.append(one)
    return found


def main() -> None:
    """Write what docs/causes.md shows."""
    content = {name: [dataclasses.asdict(w) for w in worth] for name, worth in measure_worth().items()}
    WORTH_FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
