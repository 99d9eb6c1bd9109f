r"""What each cause is worth on programs: ``python tools/teach.py worth [CAUSE...]`` writes docs/causes.md's.

.. math:: D = 100 \sum_i w_i \left(|\ln(\hat T'_i / T_i)| - |\ln(\hat T_i / T_i)|\right)

T, T-hat, T-hat' : s, measured, forecast, and forecast without the cause. w : directed pairs of GPUs weigh the same, and
so do the programs in each. The interval is of 1,000 samples of programs with replacement: both forecasts of a program
go together, so that what they share cancels. Where a cause has constants, they are fitted once more to the programs of
four folds for those of the fifth, in families of ten programs or more: what it is worth where nothing taught it.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Collection, Iterator

import numpy as np

from roofcast.core.kernel_table import FloatArray, as_text
from roofcast.kit.output import write_text
from roofcast.models.physics.causes.registry import CAUSES, FRESH, WORTH_FILE, Worth, read_worth
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.cases import Cases, folds_of, program_of
from roofcast_evaluate.datasets import families
from roofcast_evaluate.families import read_part
from roofcast_evaluate.fitting import fit
from roofcast_evaluate.ladder import drop_columns
from roofcast_evaluate.scores import pair_weights

WITHOUT_STALLS = "hecbench without stall reasons"
PAIRS_MOST = 20_000
FOLDED = 10
"""Programs from which a family's other folds can teach constants."""
SAMPLES = 1000
FELT = 0.003
"""Log units from which a program counts as worse or better."""
MISSING = np.log(2.0)
LEAST = 0.04
"""Points below which an effect that may be none is not listed."""


def read_families() -> Iterator[tuple[str, Cases]]:
    """The families, paired as a user's files are."""
    for family, names in families().items():
        for name in names:
            cases = read_part(name).cases.thin(PAIRS_MOST)
            yield family if len(names) == 1 else name, cases
            if family == "hecbench":
                yield WITHOUT_STALLS, dataclasses.replace(cases, kernels=drop_columns(cases.kernels, "no stalls"))
                yield FRESH, read_part(FRESH).cases


def forecast_folds(cases: Cases, names: frozenset[str]) -> FloatArray:
    """(p,) s, with some constants fitted to the programs of the other folds."""
    time, fold = np.full(len(cases), np.nan), folds_of(cases.kernels.strings("kernel"))
    for k in np.unique(fold):
        mine, others = np.flatnonzero(fold == k), np.flatnonzero(fold != k)
        time[mine] = cases.select(mine).forecast(Mechanistic(fit(cases.select(others), names=names))).time_s
    return time


def errors_by_program(cases: Cases, time: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(programs,) weighted sums of |log error| and of weights. time : (p,) s, forecast."""
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


def measure_worth(names: Collection[str] = ()) -> dict[str, list[Worth]]:
    """Cause -> its worth in each family in which it does something; of the causes named, or of all."""
    causes = [c for c in CAUSES if not names or c.name in names]
    found: dict[str, list[Worth]] = {c.name: [] for c in causes}
    for family, cases in read_families():
        whole, weight = errors_by_program(cases, cases.forecast(Mechanistic()).time_s)
        for cause in causes:
            without, _ = errors_by_program(cases, cases.forecast(Mechanistic(without=(cause.name,))).time_s)
            one = compare(family, without, whole, weight)
            if not (one.worse or one.better or abs(one.points) >= LEAST or one.low > 0 or one.high < 0):
                continue
            if cause.constants and len(weight) >= FOLDED:
                taught, _ = errors_by_program(cases, forecast_folds(cases, frozenset(c.name for c in cause.constants)))
                one = dataclasses.replace(one, untaught=compare(family, without, taught, weight).points)
            found[cause.name].append(one)
    return found


def main() -> None:
    """Write what docs/causes.md shows."""
    measured = read_worth() | measure_worth(sys.argv[1:])
    content = {c.name: [dataclasses.asdict(w) for w in measured[c.name]] for c in CAUSES}
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(worth)}" for name, worth in content.items())
    write_text(WORTH_FILE, f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
