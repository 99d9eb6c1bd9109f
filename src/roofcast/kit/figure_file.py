"""What all static figures share: formats, look, logarithmic axes, and files that are the same for the same view."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import RoofcastError, one_line
from roofcast.kit.files import write_with

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "pdf", "png")
INK, FAINT, GRID = "#222222", "#777777", "#e6e6e6"
STYLE: Any = {
    "svg.hashsalt": "roofcast", "svg.fonttype": "path", "pdf.fonttype": 42, "font.size": 8.5, "axes.linewidth": 0.7,
    "font.family": "DejaVu Sans", "text.parse_math": False, "axes.spines.top": False, "axes.spines.right": False,
    "path.simplify": False,
}  # fmt: skip


def write_figure_file(path: str | Path, draw: Callable[[], Figure]) -> None:
    """Draw into a file; the suffix chooses SVG, PDF or PNG. The same figure gives the same bytes.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    form = Path(path).suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise RoofcastError(f"{one_line(str(path))}: a figure is .svg, .pdf or .png")
    import matplotlib as mpl

    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # A name may hold characters that the font lacks: a box is right, a warning is not.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure = draw()
        dates: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[form]
        write_with(path, lambda p: figure.savefig(p, format=form, dpi=150, metadata=dates, facecolor="white"))


def empty_figure(width_in: float, height_in: float) -> Figure:
    """A figure that no window system knows of."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_in, height_in))
    FigureCanvasAgg(figure)
    return figure


def prepare_log_axes(
    axes: Axes, x: tuple[float, float], y: tuple[float, float], value_y: Callable[[float], str]
) -> None:
    """Logarithmic axes with plain numbers and a faint grid.

    value_y : text of a value on the vertical axis.
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(x)
    axes.set_ylim(y)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: value_y(v)))
    axes.grid(True, which="major", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
