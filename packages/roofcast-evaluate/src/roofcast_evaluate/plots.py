"""Pictures of evaluations. Dark on white, readable in print; the same results give the same bytes."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roofcast.core.errors import DatasetError, one_line
from roofcast.core.extras import require_matplotlib
from roofcast.core.resource import LABELS, Resource
from roofcast.core.units import format_quantity
from roofcast.kit.output import write_with
from roofcast.kit.palette import FAINT, INK, PALE, SERIES
from roofcast_evaluate.experiments import Result
from roofcast_evaluate.scores import Outcome, by_gpu_pair, kernel_weights, weighted_quantile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS_MOST = 4000
"""More points than this are thinned evenly: the picture looks the same and stays small."""
PAIRS_MOST, LIMITS_MOST, KERNELS_MOST, TARGETS_NAMED = 40, 12, 60, 12
NOMINAL = 0.9
"""1; coverage that intervals claim by default."""
STYLE: Any = {
    "svg.hashsalt": "roofcast", "svg.fonttype": "path", "pdf.fonttype": 42, "font.size": 8.5, "axes.linewidth": 0.7,
    "font.family": "DejaVu Sans", "text.parse_math": False, "axes.spines.top": False, "axes.spines.right": False,
}  # fmt: skip
FORMATS = ("svg", "png", "pdf")


def draw(results: Sequence[Result], path: Path) -> None:
    """Draw the results into a file.

    path : .svg, .png or .pdf.
    """
    form = path.suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise DatasetError(f"{one_line(str(path))}: a figure is .svg, .png or .pdf")
    write_with(path, lambda p: p.write_bytes(render_picture(results, form)))


def render_picture(results: Sequence[Result], form: str = "svg") -> bytes:
    """The picture: for each model forecasts against measurements, errors by pair of GPUs and by limit, the coverage
    of the intervals, and kernels with their intervals.
    """
    require_matplotlib()
    import matplotlib as mpl

    dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[form]
    into = io.BytesIO()
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # A name may hold characters that the font lacks: a box is right, a warning is not.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure_of(results).savefig(into, format=form, dpi=110, metadata=dates, facecolor="white")
    return into.getvalue()


def figure_of(results: Sequence[Result]) -> Figure:
    """Three rows of panels per model."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawn = [r for r in results if r.outcome is not None and len(r.outcome)]
    figure = Figure(figsize=(12, 12.5 * max(len(drawn), 1)), layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.add_gridspec(3 * max(len(drawn), 1), 2)
    for n, result in enumerate(drawn):
        outcome = result.outcome
        assert outcome is not None
        title = one_line(f"{result.dataset}: {result.model}, {result.experiment}", 90)
        scatter(figure.add_subplot(grid[3 * n, 0]), outcome, title)
        errors_by_pair(figure.add_subplot(grid[3 * n, 1]), outcome, result)
        errors_by_limit(figure.add_subplot(grid[3 * n + 1, 0]), outcome)
        coverage(figure.add_subplot(grid[3 * n + 1, 1]), outcome)
        kernels_with_intervals(figure.add_subplot(grid[3 * n + 2, :]), outcome)
    return figure


def scatter(axis: Any, o: Outcome, title: str) -> None:
    """Forecast against measurement, one colour per target."""
    step = max(1, len(o) // POINTS_MOST)
    targets = sorted(set(o.target_gpu))
    line = np.array([np.nanmin(o.time_s_measured), np.nanmax(o.time_s_measured)])
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.plot(line, line, color=INK, linewidth=0.8)
    for factor in (0.5, 2.0):
        axis.plot(line, factor * line, color=FAINT, linewidth=0.6, linestyle="--")
    for i, target in enumerate(targets):
        rows = np.flatnonzero((o.target_gpu == target) & (o.time_s > 0))[::step]
        axis.plot(
            o.time_s_measured[rows], o.time_s[rows], ".", markersize=3, alpha=0.5, color=SERIES[i % len(SERIES)],
            label=one_line(str(target), 30),
        )  # fmt: skip
    seconds_on(axis.xaxis)
    seconds_on(axis.yaxis)
    axis.set_xlabel("measured")
    axis.set_ylabel("forecast")
    axis.set_title(title, fontsize=10, loc="left")
    if len(targets) <= TARGETS_NAMED:
        axis.legend(fontsize=7, frameon=False, markerscale=3, title="target")


def seconds_on(axis: Any) -> None:
    """Ticks as times."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda v, _: format_quantity(float(v), "s", 1)))
    axis.set_minor_formatter(NullFormatter())


def errors_by_pair(axis: Any, o: Outcome, result: Result) -> None:
    """Mean and median error of every directed pair of GPUs."""
    parts = list(by_gpu_pair(o))[:PAIRS_MOST]
    names = [one_line(f"{p.source_gpu[0]} → {p.target_gpu[0]}", 48) for p in parts]
    # The report's experiments have one score over all pairs: theirs are computed here.
    bars(axis, names, [mean_and_median(p) for p in parts])
    axis.set_title(
        f"error by pair of GPUs{'' if len(parts) < PAIRS_MOST else ' (the first 40)'}", fontsize=9, loc="left"
    )


def errors_by_limit(axis: Any, o: Outcome) -> None:
    """Mean and median error by the resource that limits the target."""
    limit = np.full(len(o), "", np.object_) if o.limit is None else o.limit
    limits = sorted(set(limit), key=lambda name: -int((limit == name).sum()))[:LIMITS_MOST]
    names = [f"{label_of(name)} ({int((limit == name).sum())})" for name in limits]
    bars(axis, names, [mean_and_median(o.select(limit == name)) for name in limits])
    axis.set_title("error by what limits the target (pairs)", fontsize=9, loc="left")


def label_of(name: str) -> str:
    """A resource's short name."""
    return LABELS[Resource(name)] if name else "no limit named"


def mean_and_median(o: Outcome) -> tuple[float, float]:
    """Mean and median error in percent, each kernel weighing the same."""
    weight, error = kernel_weights(o.kernel), o.errors()
    return 100 * float(np.sum(weight * error)), 100 * weighted_quantile(error, weight)


def bars(axis: Any, names: Sequence[str], values: Sequence[tuple[float, float]]) -> None:
    """Horizontal bars for the means, marks for the medians."""
    position = np.arange(len(names))
    axis.barh(position, [mean for mean, _ in values], color=PALE, label="mean")
    axis.plot([median for _, median in values], position, "|", color=SERIES[0], markersize=9, label="median")
    axis.set_yticks(position, names, fontsize=7)
    axis.invert_yaxis()
    axis.set_xlabel("absolute percentage error")
    axis.legend(fontsize=7, frameon=False)


def coverage(axis: Any, o: Outcome) -> None:
    """Share of measured times inside the interval, per target, and how wide the intervals are."""
    claimed = np.isfinite(o.time_low_s) & np.isfinite(o.time_high_s)
    axis.set_title("measured times inside the interval, by target", fontsize=9, loc="left")
    if not claimed.any():
        axis.text(0.5, 0.5, "this model claims no intervals", ha="center", color=FAINT, transform=axis.transAxes)
        axis.set_axis_off()
        return
    targets = sorted(set(o.target_gpu[claimed]))[:PAIRS_MOST]
    shares, names = [], []
    for target in targets:
        part = o.select((o.target_gpu == target) & claimed)
        inside = (part.time_low_s <= part.time_s_measured) & (part.time_s_measured <= part.time_high_s)
        shares.append(100 * float(np.sum(kernel_weights(part.kernel) * inside)))
        width = float(np.median(part.time_high_s / part.time_low_s))
        names.append(f"{one_line(str(target), 30)} (high / low {width:.2f})")
    position = np.arange(len(targets))
    axis.barh(position, shares, color=PALE)
    axis.axvline(100 * NOMINAL, color=SERIES[1], linewidth=1.2, label="claimed, 90 % by default")
    axis.set_yticks(position, names, fontsize=7)
    axis.invert_yaxis()
    axis.set_xlim(0, 100)
    axis.set_xlabel("inside / %")
    axis.legend(fontsize=7, frameon=False, loc="lower left")


def kernels_with_intervals(axis: Any, o: Outcome) -> None:
    """Kernels of one pair of GPUs: time on the source, forecast interval with its midpoint, time on the target.

    The form of Van Lanker et al., Euro-Par 2024, Fig. 3 to 6, for the pair with most kernels.
    """
    parts = list(by_gpu_pair(o))
    part = max(parts, key=lambda p: len(set(p.kernel)))
    order = np.argsort(part.time_s_measured, kind="stable")
    first = np.sort(np.unique(part.kernel[order].astype(str), return_index=True)[1])
    rows = order[first]
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), KERNELS_MOST)).astype(np.intp))]
    position = np.arange(len(rows))
    low, high = part.time_low_s[rows], part.time_high_s[rows]
    axis.set_yscale("log")
    if part.time_s_source is not None:
        axis.plot(position, part.time_s_source[rows], "_", color=SERIES[1], markersize=8, label="measured, source")
    if np.isfinite(low).any():
        axis.vlines(position, low, high, color=PALE, linewidth=4, label="forecast interval")
    axis.plot(position, part.time_s[rows], "o", color=SERIES[0], markersize=3, label="forecast")
    axis.plot(position, part.time_s_measured[rows], "x", color=INK, markersize=5, label="measured, target")
    names = [one_line(str(name), 28) for name in part.kernel[rows]]
    axis.set_xticks(position, names, rotation=90, fontsize=6)
    seconds_on(axis.yaxis)
    pair = one_line(f"{part.source_gpu[0]} → {part.target_gpu[0]}", 80)
    axis.set_title(f"{pair}: {len(rows)} of {len(first)} kernels, by measured time", fontsize=9, loc="left")
    axis.legend(fontsize=7, frameon=False, ncols=4)
