"""A roofline in the form that the output's name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofcast.analyses.rooflines.roofline_measured import measured_sources
from roofcast.analyses.rooflines.view import RooflineView, build_roofline
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.kit.output import write_text

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".csv", ".txt")


def view_of(
    kernels: KernelTable,
    targets: Sequence[str | Processor] = (),
    source: str | Processor | None = None,
    model: str | None = None,
    clock: str | float = "auto",
    sass: str = "auto",
    target_sass: str | None = None,
) -> RooflineView:
    """The roofline of a table on its own GPU, and on targets where some are given.

    Amounts and limits are those of the forecast, so that both say the same of a kernel. Arguments as those of
    :func:`roofcast.forecasting.forecast.forecast`.

    Raises
    ------
    RoofcastError : as :func:`roofcast.forecasting.forecast.forecast`.
    """
    from roofcast.forecasting.forecast import forecast
    from roofcast.forecasting.sources import resolve_sources

    # Without targets a forecast for the own GPU tells what limits there; none is known to forecast for otherwise.
    asked = targets or resolve_sources(kernels, source).processors[:1]
    if asked:
        result = forecast(
            kernels, asked, source=source, model=model, clock=clock, sass=sass, target_sass=target_sass
        )  # fmt: skip
        kernels = result.kernels
        view = build_roofline(kernels, measured_sources(kernels, result.sources), result, on_targets=bool(targets))
    else:
        view = build_roofline(kernels, [None] * len(kernels))
    if not view.trajectories:
        return view
    from roofcast.analyses.rooflines.trajectory_places import with_places

    return with_places(view, kernels)


def checked_suffix(path: str) -> str:
    """Suffix of an output, refused before any work is done where no renderer has it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise RoofcastError(f"-o {one_line(path, 200)}: a roofline is one of {', '.join(SUFFIXES)}")
    return suffix


def write_roofline(view: RooflineView, path: str, top: int | None = None, command: str = "") -> None:
    """Write a roofline in one step; the suffix chooses the form.

    top : kernels with most time that a figure names, or that a text table lists.
    command : what makes the page again, shown at its end.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    suffix = checked_suffix(path)
    if suffix == ".html":
        from roofcast.analyses.rooflines.roofline_page import write_html

        write_html(view, path, command)
    elif suffix == ".csv":
        from roofcast.analyses.rooflines.roofline_csv import render_roofline_csv

        write_text(path, render_roofline_csv(view))
    elif suffix == ".txt":
        from roofcast.analyses.rooflines.text import render_roofline_text

        write_text(path, render_roofline_text(view, 160, top) + "\n")
    else:
        from roofcast.analyses.rooflines.roofline_figure import TOP_LABELLED, write_figure

        write_figure(view, path, top=TOP_LABELLED if top is None else top)
