"""Calibrate the mechanistic model's intervals: ``python -m roofcast.evaluation.calibrate`` writes the shipped table.

The errors are those of the shipped constants, which lean on the same data so little that refitting them without a
program or a GPU changes the mean error by less than a point (docs/accuracy.md).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from roofcast.core.kernel_table import KernelTable
from roofcast.evaluation.cases import Cases, cases_of
from roofcast.evaluation.conformal import Errors, errors_of, table_of
from roofcast.evaluation.datasets import DATASETS, load
from roofcast.evaluation.floors import measured_floors
from roofcast.evaluation.screening import accepted, screen
from roofcast.models.physics.intervals import COVERAGES, FILE
from roofcast.models.physics.mechanistic import Mechanistic

FLOORED = frozenset({"neusight", "llm_ops_gemm", "llm_ops_attention", "llm_ops_moe", "vidur_llm_ops"})
"""Data sets timed by the host, whose launch floors a user would give."""

SETS = ("hecbench_ncu", "nca_nvprof", *sorted(FLOORED), "deepbench", "eleuther_gemm")
TIMES_ALONE = frozenset({"hecbench_ncu", "nca_nvprof", "neusight", "llm_ops_attention", "deepbench"})
"""Sets that also calibrate forecasts from nothing but the time."""

ROWS_MOST = 40000
"""Pairs per data set: more of the same data set would not make other programs."""


def calibration_cases() -> Iterator[tuple[str, Cases]]:
    """Every calibration set, screened, and once more with nothing but the time."""
    for name in SETS:
        kernels = load(name)[1]
        keep = accepted(kernels, screen(kernels))
        floors = measured_floors(kernels) if name in FLOORED else None
        yield name, thinned(cases_of(name, kernels, accepted=keep, floors=floors))
        if name in TIMES_ALONE:
            alone = cases_of(name, times_alone(kernels), accepted=keep, floors=floors)
            yield f"{name} (times alone)", thinned(alone)


def thinned(cases: Cases) -> Cases:
    """At most :data:`ROWS_MOST` pairs, evenly spread."""
    step = -(-len(cases) // ROWS_MOST)
    chosen = np.zeros(len(cases), np.bool_)
    chosen[:: max(step, 1)] = True
    return cases.select(chosen)


def times_alone(kernels: KernelTable) -> KernelTable:
    """The table without amounts."""
    names = ("time_s", "clock_hz", "launch")
    return KernelTable(
        {k: kernels.numeric[k] for k in names if k in kernels.numeric},
        {k: kernels.origin[k] for k in names if k in kernels.origin},
        {k: v for k, v in kernels.text.items() if k != "precision"},
        extra=kernels.extra,
    )


def joined(parts: list[Errors]) -> Errors:
    """Errors of several data sets; each data set weighs the same."""
    return Errors(
        np.concatenate([p.score for p in parts]),
        np.concatenate([p.weight / max(p.weight.sum(), 1e-300) for p in parts]),
        np.concatenate([p.group for p in parts]),
    )


def main() -> None:
    """Write the table that roofcast ships."""
    parts, sets = [], {}
    for name, cases in calibration_cases():
        parts.append(errors_of(cases, Mechanistic()))
        sets[name] = {"pairs": len(cases), "sha256": DATASETS[name.split(" ")[0]].sha256}
    table = table_of(joined(parts), {"made by": "python -m roofcast.evaluation.calibrate", "data sets": sets})
    content = {"provenance": table.provenance, "coverages": COVERAGES, "quantiles": table.quantiles}
    FILE.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
