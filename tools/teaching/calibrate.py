"""Fit the law without counters and calibrate the intervals: ``make calibrate`` writes the shipped tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from roofcast.kit.output import write_text
from roofcast.models.physics.intervals import COVERAGES, FILE
from roofcast.models.physics.law import FILE as LAW_FILE
from roofcast.models.physics.law import LawConstants, shipped_law
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.datasets import DATASETS, families
from roofcast_evaluate.teach_intervals import errors_of, join_errors, table_of
from roofcast_evaluate.teach_law import LawPairs, fit_law, join_pairs
from roofcast_evaluate.teach_widths import fit_widths
from roofcast_evaluate.teaching import everything, law_pairs_from, lessons

ROWS_MOST = 40000
"""Pairs per data set: more of the same data set would not make other programs."""


def write_law(found: Mapping[str, LawPairs]) -> LawConstants:
    """Write the constants of the law that roofcast ships."""
    constants = fit_law(join_pairs(found.values()))
    sets = {f: {"pairs": len(p), "sha256": [DATASETS[n].sha256 for n in families()[f]]} for f, p in found.items()}
    content = {
        "provenance": {"made by": "make calibrate", "families": sets},
        "constants": {name: float(f"{value:.4g}") for name, value in asdict(constants).items()},
    }
    write_text(LAW_FILE, json.dumps(content, indent=1) + "\n")
    shipped_law.cache_clear()
    return constants


def main() -> None:
    """Write the constants of the law and the table of intervals that roofcast ships."""
    taught = list(lessons(ROWS_MOST))
    found = law_pairs_from([(lesson, everything(lesson)) for lesson in taught])
    law = fit_widths(found, write_law(found))
    counted = [lesson for lesson in taught if not lesson.weight]
    table = table_of(join_errors([errors_of(lesson.cases, Mechanistic()) for lesson in counted]))
    sets = {
        lesson.dataset if lesson.is_whole else f"{lesson.dataset} ({lesson.step})": {
            "pairs": len(lesson.cases), "sha256": DATASETS[lesson.dataset].sha256,
        }
        for lesson in counted
    }  # fmt: skip
    provenance = {"made by": "python tools/teach.py calibrate", "data sets": sets}
    content = {"provenance": provenance, "coverages": COVERAGES, "law": asdict(law), "quantiles": table.quantiles}
    write_text(FILE, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
