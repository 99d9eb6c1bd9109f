"""Seconds per resource on both sides, and the way from source to target, in the form that the report's script draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from roofcast.analyses.report.forecast_page import css_of, finite
from roofcast.analyses.report.html_facts import texts_of
from roofcast.core.kernel_table import FloatArray
from roofcast.core.resource import Resource
from roofcast.core.results import Forecast
from roofcast.core.waterfall import CAUSES

LEAST_SHARE = 0.005
"""Resources below this share of the kernel's time on every GPU are not drawn."""
MAX_TEXTS = 12


def causes_of(forecast: Forecast) -> dict[str, Any]:
    """Per kernel: its time and the seconds that each resource alone needs, on the source and on each target."""
    estimate = forecast.estimate
    resources = [
        r for r in Resource if r in estimate.time_s_by_resource_source or r in estimate.time_s_by_resource_target
    ]
    n, m = estimate.time_s.shape
    there = stacked(estimate.time_s_by_resource_source, resources, (n,))
    here = stacked(estimate.time_s_by_resource_target, resources, (n, m))
    # A forecast of which only the result is known has nothing between its ends to draw.
    levels = np.full((n, m, 1), np.nan) if forecast.explainer is None else forecast.explain().levels_s
    texts: dict[str, int] = {}
    return {
        "resources": [{"label": r.label, "css": css_of(r.value)} for r in resources],
        "sources": [s.name if s else "" for s in forecast.sources],
        "targets": [t.name for t in forecast.targets],
        "steps": [c.label for c in CAUSES],
        "kernels": [
            kernel(forecast, i, there[:, i], here[:, i, :], texts) | {"w": [steps_of(at) for at in levels[i]]}
            for i in range(n)
        ],
        "texts": list(texts),
    }


def kernel(forecast: Forecast, i: int, there: FloatArray, here: FloatArray, texts: dict[str, int]) -> dict[str, Any]:
    """One kernel; ``texts`` collects notes, which many kernels share, and gets extended."""
    estimate = forecast.estimate
    time = forecast.kernels.column("time_s")[i]
    targets = []
    longest = np.nan_to_num(there / time if time > 0 else there * 0.0)
    for j in range(here.shape[1]):
        seconds = estimate.time_s[i, j]
        targets.append([finite(v) for v in (seconds, estimate.time_low_s[i, j], estimate.time_high_s[i, j])])
        if seconds > 0:
            longest = np.maximum(longest, np.nan_to_num(here[:, j] / seconds))
    drawn = [int(r) for r in np.argsort(-longest, kind="stable") if longest[r] >= LEAST_SHARE]
    own = [texts.setdefault(t, len(texts)) for t in texts_of(forecast, i)[:MAX_TEXTS]]
    return {
        "t": finite(time),
        "f": targets,
        "r": [[r, finite(there[r]), [finite(v) for v in here[r]]] for r in drawn],
        "n": own,
    }


def stacked(seconds: Mapping[Resource, FloatArray], resources: list[Resource], shape: tuple[int, ...]) -> FloatArray:
    """(r, *shape) seconds; NaN where a resource is absent."""
    if not resources:
        return np.full((0, *shape), np.nan)
    absent = np.full(shape, np.nan)
    return np.stack([np.broadcast_to(seconds.get(r, absent), shape) for r in resources])


STEP_LEAST = 0.002
"""Steps below this share of the longer end join the next one."""
DIGITS = 5


def steps_of(levels: FloatArray) -> list[list[float | int]]:
    """[cause, seconds after it] of the steps worth drawing; the last one ends at the forecast."""
    if not np.isfinite(levels).all():
        return []
    least, at, found = STEP_LEAST * max(levels[0], levels[-1]), levels[0], []
    for k in range(len(CAUSES)):
        if abs(levels[k + 1] - at) >= least:
            at = levels[k + 1]
            found.append([k, float(f"{at:.{DIGITS}g}")])
    return found
