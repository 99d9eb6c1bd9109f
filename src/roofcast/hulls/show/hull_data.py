"""Boat hull forecasts for machines: JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast.hulls.bounds import Bounds
from roofcast.hulls.hull import HullForecast
from roofcast.hulls.selection import Candidate
from roofcast.hulls.source.classify import Found

CURVE_POINTS = 61


def forecast_record(forecast: HullForecast) -> dict[str, Any]:
    """One forecast with the keys of the JSON output."""
    return {
        "processor": forecast.processor,
        "form": forecast.form,
        "stages": [
            {
                "name": s.name,
                "class": s.text,
                "complexity": list(s.complexity),
                "low_s": s.low_s,
                "high_s": s.high_s,
                "limit": s.limit,
            }
            for s in forecast.stages
        ],
        "kernels_low_s": forecast.kernels_low_s,
        "kernels_high_s": forecast.kernels_high_s,
        "transfers_s": forecast.transfers_s,
        "total_low_s": forecast.total_low_s,
        "total_high_s": forecast.total_high_s,
        "notes": list(forecast.notes),
    }


def render_hull_json(forecasts: Sequence[HullForecast], extra: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """A list, one object per processor.

    extra : processor name -> further keys of its object.
    """
    records = [forecast_record(f) | dict((extra or {}).get(f.processor, {})) for f in forecasts]
    return json.dumps(records, indent=2, ensure_ascii=False)


def render_hull_csv(forecasts: Sequence[HullForecast]) -> str:
    """One row per processor and stage, then the totals of each processor."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["processor", "form", "stage", "complexity_low", "complexity_high", "low_s", "high_s", "limit"])
    for f in forecasts:
        for s in f.stages:
            writer.writerow([f.processor, f.form, s.name, *s.complexity, s.low_s, s.high_s, s.limit])
        writer.writerow([f.processor, f.form, "transfers", "", "", f.transfers_s, f.transfers_s, ""])
        writer.writerow([f.processor, f.form, "total", "", "", f.total_low_s, f.total_high_s, ""])
    return out.getvalue().rstrip("\n")


def render_curves_csv(bounds: Sequence[Bounds], complexity: tuple[float, float], transfers: bool) -> str:
    """The graph as numbers: complexity against hull and highest floor, one row per processor and point."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["processor", "form", "complexity", "low_s", "high_s", "limit", "transfers_s"])
    for b in bounds:
        for f in sampled(complexity):
            moved = b.transfer_s if transfers else 0.0
            writer.writerow([b.processor, b.form, f"{f:.6g}", b.low(f), b.high(f), b.limit(f).limit.value, moved])
    return out.getvalue().rstrip("\n")


def sampled(complexity: tuple[float, float], points: int = CURVE_POINTS) -> list[float]:
    """Complexities between both ends, evenly spaced on a logarithmic axis."""
    low, high = max(complexity[0], 1e-3), max(complexity[1], 1e-3)
    if high <= low:
        return [low]
    return [low * (high / low) ** (i / (points - 1)) for i in range(points)]


def candidate_rows(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Processors against a budget, one row each."""
    return [
        {
            "processor": c.processor.name,
            "launch_date": c.processor.launch_date or None,
            "low_s": c.low_s,
            "high_s": c.high_s,
            "meets": c.meets,
            "tdp_w": c.processor.tdp_w,
            "launch_price_usd": c.processor.launch_price_usd,
        }
        for c in candidates
    ]


def render_candidates_json(candidates: Sequence[Candidate]) -> str:
    """Processors against a budget, in the order in which they were tried."""
    return json.dumps(candidate_rows(candidates), indent=2, ensure_ascii=False)


def render_candidates_csv(candidates: Sequence[Candidate]) -> str:
    """The same as a table."""
    rows = candidate_rows(candidates)
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().rstrip("\n")


def found_rows(found: Sequence[Found]) -> list[dict[str, Any]]:
    """Classes of a source, one row each."""
    return [
        {
            "name": f.name,
            "line": f.line,
            "class": str(f.found),
            "complexity": f.complexity,
            "operations": f.operations,
            "repetitions": f.repetitions,
            "element": f.element,
            "notes": list(f.notes),
        }
        for f in found
    ]


def render_found_json(found: Sequence[Found]) -> str:
    """Classes of a source as a list of objects."""
    return json.dumps(found_rows(found), indent=2, ensure_ascii=False)


def render_found_csv(found: Sequence[Found]) -> str:
    """The same as a table."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    rows = found_rows(found)
    writer.writerow(rows[0])
    writer.writerows([*list(row.values())[:-1], "; ".join(row["notes"])] for row in rows)
    return out.getvalue().rstrip("\n")
