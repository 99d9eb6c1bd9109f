"""The roofline as CSV: one row per kernel and GPU, names of the vocabulary, SI units, empty where absent."""

from __future__ import annotations

import csv
import io
import math

from roofcast.analyses.rooflines.view import Mark, Panel, RooflineView
from roofcast.core.resource import Resource
from roofcast.kit.table import escape_formula

LEVELS = {Resource.BYTES_L1: "l1", Resource.BYTES_L2: "l2", Resource.BYTES_DRAM: "dram"}
PER_LEVEL = ("flops_per_byte", "bytes_per_s", "bytes_per_s_ceiling", "bytes_per_s_roof", "share_of_ceiling_fraction")
HEADER = (
    *("kernel", "row", "name", "file", "version", "role", "gpu", "clock_hz", "time_s", "time_low_s", "time_high_s"),
    *("time_fraction", "precision", "flops_per_s", "flops_per_s_peak", "flops_per_s_mix", "flops_per_s_ceiling"),
    *(f"{column}_{where}" for where in LEVELS.values() for column in PER_LEVEL),
    *("limit", "reason"),
)


def render_roofline_csv(view: RooflineView) -> str:
    """All kernels of all panels, in file order within each GPU."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    for panel in view.panels:
        for mark in sorted(panel.marks, key=lambda m: m.index):
            writer.writerow(row_of(panel, mark))
    return out.getvalue()


def row_of(panel: Panel, mark: Mark) -> list[str]:
    """One row."""
    points = {p.level: p for p in mark.points}
    roofs = {r.resource: r.per_s for r in panel.memory}
    levels: list[str] = []
    for level in LEVELS:
        point = points.get(level)
        values = (point.flops_per_byte, point.bytes_per_s, point.bytes_per_s_ceiling) if point else (math.nan,) * 3
        levels += [
            *map(cell, values),
            cell(roofs.get(level, math.nan)),
            cell(point.share_of_roof if point else math.nan),
        ]
    numbers = (mark.flops_per_s, mark.flops_per_s_peak, mark.flops_per_s_mix, mark.flops_per_s_ceiling)
    times = (panel.clock_hz, mark.time_s, mark.time_low_s, mark.time_high_s, mark.time_fraction)
    head = [
        escape_formula(mark.full_name),
        str(mark.index),
        escape_formula(mark.name),
        escape_formula(mark.file),
        escape_formula(mark.version),
        panel.role,
        escape_formula(panel.processor),
    ]
    return [
        *head,
        *map(cell, times),
        mark.precision,
        *map(cell, numbers),
        *levels,
        mark.limit,
        escape_formula(mark.reason),
    ]


def cell(value: float) -> str:
    """A number that reads back as the same float; empty where absent."""
    return repr(float(value)) if math.isfinite(value) else ""
