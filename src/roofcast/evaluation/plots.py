"""Pictures of evaluations. Dark on white, readable in print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roofcast.evaluation.experiments import Result
from roofcast.evaluation.metrics import by_gpu_pair

COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7a4ea3", "#b8860b", "#4a4a4a")
POINTS_MOST = 4000
"""More points than this are thinned evenly: the picture looks the same and stays small."""


def draw(results: Sequence[Result], path: Path) -> None:
    """Predicted against measured seconds for each model, and errors per directed pair of GPUs.

    path : .svg, .png or .pdf.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = [r for r in results if r.outcome is not None and len(r.outcome)]
    figure = Figure(figsize=(11, 4.6 * max(len(shown), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(max(len(shown), 1), 2, squeeze=False)
    for (left, right), result in zip(axes, shown, strict=False):
        scatter(left, result)
        error_bars(right, result)
    figure.savefig(path)


def scatter(axis: Any, result: Result) -> None:
    """Predicted against measured, one colour per target."""
    o = result.outcome
    assert o is not None
    step = max(1, len(o) // POINTS_MOST)
    targets = sorted(set(o.target_gpu))
    low, high = np.nanmin(o.time_s_measured), np.nanmax(o.time_s_measured)
    line = np.array([low, high])
    axis.loglog(line, line, color="#222222", linewidth=0.8)
    for factor in (0.5, 2.0):
        axis.loglog(line, factor * line, color="#999999", linewidth=0.6, linestyle="--")
    for i, target in enumerate(targets):
        rows = np.flatnonzero(o.target_gpu == target)[::step]
        axis.loglog(
            o.time_s_measured[rows], o.time_s[rows], ".", markersize=3, alpha=0.5, color=COLOURS[i % 6], label=target
        )
    axis.set_xlabel("measured / s")
    axis.set_ylabel("forecast / s")
    axis.set_title(f"{result.dataset}: {result.model}, {result.experiment}", fontsize=10)
    if len(targets) <= 12:
        axis.legend(fontsize=7, frameon=False, markerscale=3)


def error_bars(axis: Any, result: Result) -> None:
    """Mean and median error of every directed pair of GPUs."""
    o = result.outcome
    assert o is not None
    parts = list(by_gpu_pair(o))[:40]
    names = [f"{p.source_gpu[0]} → {p.target_gpu[0]}" for p in parts]
    scores = {(s.source_gpu, s.target_gpu): s for s in result.scores}
    found = [scores[str(p.source_gpu[0]), str(p.target_gpu[0])] for p in parts]
    position = np.arange(len(parts))
    axis.barh(position, [100 * s.mape for s in found], color="#c9d7e3", label="mean")
    axis.plot([100 * s.median_ape for s in found], position, "|", color="#1b6ca8", label="median")
    axis.set_yticks(position, names, fontsize=7)
    axis.invert_yaxis()
    axis.set_xlabel("absolute percentage error")
    axis.legend(fontsize=7, frameon=False)
