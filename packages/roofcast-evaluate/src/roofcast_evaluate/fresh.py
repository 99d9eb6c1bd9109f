"""Scores of programs that nobody tuned on: ``make fresh``, or ``python -m roofcast_evaluate.fresh [LOG]``.

Those to learn from are scored by `evaluate hecbench_fresh`, row by row. Those that are held back are scored here alone,
as a whole: no row, program or pair of GPUs is told, and each look is written to the log, for each look spends a little
of what they are worth. A look is at what `forecast` prints, both sides under the profile's conditions.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from roofcast.core.errors import DatasetError
from roofcast.kit.output import write_text
from roofcast.models.registry import DEFAULT_MODEL, load_model
from roofcast.reading import read
from roofcast_evaluate.cases import cases_of, program_of
from roofcast_evaluate.datasets import HELD_BACK, paths_of
from roofcast_evaluate.scores import Outcome, pair_weights, scores_of, summary, weighted_quantile

LOG = Path("docs") / "looks.csv"
"""Looks at what is held back, in the checkout."""


@dataclass(frozen=True)
class Look:
    """One score of a data set as a whole; errors and shares in %."""

    date: str
    commit: str
    dataset: str
    model: str
    programs: int
    mean_of_programs: float
    median_of_programs: float
    mean_of_kernels: float
    median_of_kernels: float
    covered: float
    width: float
    """Median of high over low, 1."""


def score_held_back(name: str, model: str = DEFAULT_MODEL) -> Look:
    """The score of a data set that is held back.

    Raises
    ------
    DatasetError : no such data set, or its file is absent or another.
    """
    if name not in HELD_BACK:
        raise DatasetError(f"{name!r} is not held back: use `roofcast evaluate`")
    outcome = cases_of(name, read(paths_of(name)[0])).forecast(load_model(model))
    programs, mean, median = score_programs(outcome)
    whole, weights = summary(scores_of(outcome)), pair_weights(outcome.kernel, outcome.source_gpu, outcome.target_gpu)
    width = weighted_quantile(outcome.time_high_s / outcome.time_low_s, weights)
    mean, median, of_kernels, median_of_kernels, covered = (
        round(100 * v, 1) for v in (mean, median, whole.mape, whole.median_ape, whole.coverage)
    )
    return Look(
        today(), commit(), name, model, programs, mean, median, of_kernels, median_of_kernels, covered, round(width, 2)
    )  # fmt: skip


def score_programs(outcome: Outcome) -> tuple[int, float, float]:
    """Programs, and mean and median over them of their mean errors, over all pairs of GPUs."""
    _, which = np.unique([program_of(k) for k in outcome.kernel.tolist()], return_inverse=True)
    errors = np.bincount(which, outcome.errors()) / np.bincount(which)
    return len(errors), float(np.mean(errors)), float(np.median(errors))


def today() -> str:
    """The date in UTC."""
    return datetime.now(UTC).date().isoformat()


def commit() -> str:
    """The commit of the checkout, with + where it was changed since; empty outside of one."""
    git = shutil.which("git")
    if git is None:
        return ""
    asked = [git, "describe", "--always", "--dirty=+", "--exclude=*"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)  # noqa: S603 - of this checkout
    return answer.stdout.strip()


def main() -> int:
    """Score all that is held back, print it, and add it to the log."""
    log = Path(sys.argv[1]) if len(sys.argv) > 1 else LOG
    names = [f.name for f in fields(Look)]
    lines = [",".join(map(str, astuple(score_held_back(name)))) for name in HELD_BACK]
    looks = log.read_text(encoding="utf-8") if log.exists() else ",".join(names) + "\n"
    looks += "".join(f"{line}\n" for line in lines)
    write_text(log, looks)
    sys.stdout.write(looks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
