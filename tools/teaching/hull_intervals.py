"""Teach the intervals of hulls from public measurements: ``python tools/teach.py hull_intervals``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import roofcast_hull
from roofcast.kit.output import write_text
from roofcast_evaluate.datasets import load
from roofcast_evaluate.scores import weighted_quantile
from roofcast_hull.calibrated import ANY, COVERAGE
from roofcast_hull.public_data import PRIMITIVES, Row, compare_public

FILE = Path(roofcast_hull.__file__).with_name("intervals.json")
FEWEST = 3
"""Primitives on GPUs below which a group has no interval of its own."""


def teach_factors(rows: Sequence[Row]) -> dict[str, tuple[float, float, int]]:
    """Lower and upper factor on the hull and the rows that taught them, per group and for all together.

    Each primitive on each GPU weighs the same; the factors are quantiles of its sizes' measured time over hull.
    """
    found: dict[str, tuple[float, float, int]] = {}
    for group in (*sorted({r.group for r in rows}), ANY):
        members = [r for r in rows if group in (r.group, ANY)]
        if len(members) < FEWEST:
            continue
        values = np.concatenate([r.ratios for r in members])
        weights = np.concatenate([np.full(len(r.ratios), 1 / len(r.ratios)) for r in members])
        ends = [weighted_quantile(values, weights, q) for q in ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2)]
        found[group] = (round(ends[0], 4), round(ends[1], 4), len(members))
    return found


def score_held_out(rows: Sequence[Row]) -> dict[str, float]:
    """Share of the measured sizes inside the interval, per group, taught without the GPU that is scored."""
    inside: dict[str, list[float]] = {}
    for gpu in sorted({r.gpu for r in rows}):
        taught = teach_factors([r for r in rows if r.gpu != gpu])
        for r in (r for r in rows if r.gpu == gpu):
            low, high, _ = taught.get(r.group) or taught[ANY]
            ratios = np.asarray(r.ratios)
            inside.setdefault(r.group, []).append(float(np.mean((ratios >= low) & (ratios <= high))))
    return {group: float(np.mean(shares)) for group, shares in sorted(inside.items())}


def main() -> None:
    """Write the table, with what it rests on."""
    rows = compare_public(lambda dataset: load(dataset)[1])
    content = {
        "provenance": "python tools/teach.py hull_intervals, from " + ", ".join(
            dict.fromkeys(p.dataset for p in PRIMITIVES)
        ),
        "coverage": COVERAGE,
        "factors": teach_factors(rows),
        "held_out": {group: round(share, 3) for group, share in score_held_out(rows).items()},
    }  # fmt: skip
    write_text(FILE, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
