"""A roofline in the form that the output's name asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roofcast.core.processor import Processor
from roofcast.core.table import KernelTable
from roofcast.errors import RoofcastError, one_line
from roofcast.report.files import write_text
from roofcast.report.roofline_measured import measured_sources
from roofcast.report.roofline_view import RooflineView, build_roofline

SUFFIXES = (".svg", ".png", ".pdf", ".html", ".csv", ".txt")


def view_of(
    kernels: KernelTable,
    targets: Sequence[str | Processor] = (),
    source: str | Processor | None = None,
    model: str | None = None,
    clock: str | float = "auto",
) -> RooflineView:
    """The roofline of a table on its own GPU, and on targets where some are given.

    Raises
    ------
    RoofcastError : as :func:`roofcast.models.forecasting.forecast`.
    """
    from roofcast.models.forecasting import forecast
    from roofcast.models.sources import resolve_sources

    if targets:
        result = forecast(kernels, targets, source=source, model=model, clock=clock)
        kernels = result.kernels
        view = build_roofline(kernels, measured_sources(kernels, result.sources), result)
    else:
        found = resolve_sources(kernels, source)
        kernels = found.kernels
        sources = [found.processors[i] if i >= 0 else None for i in found.index.tolist()]
        view = build_roofline(kernels, measured_sources(kernels, sources))
    if not view.trajectories:
        return view
    from roofcast.report.trajectory_places import with_places

    return with_places(view, kernels)


def checked_suffix(path: str) -> str:
    """Suffix of an output, refused before any work is done where no renderer has it."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise RoofcastError(f"-o {one_line(path, 200)}: a roofline is one of {', '.join(SUFFIXES)}")
    return suffix


def write_roofline(view: RooflineView, path: str, top: int | None = None) -> None:
    """Write a roofline in one step; the suffix chooses the form.

    top : kernels with most time that a figure names, or that a text table lists.

    Raises
    ------
    RoofcastError : another suffix, or a file that cannot be written.
    """
    suffix = checked_suffix(path)
    if suffix == ".html":
        from roofcast.report.roofline_html import write_html

        write_html(view, path)
    elif suffix == ".csv":
        from roofcast.report.roofline_csv import render_roofline_csv

        write_text(path, render_roofline_csv(view))
    elif suffix == ".txt":
        from roofcast.report.roofline_text import render_roofline_text

        write_text(path, render_roofline_text(view, 160, top) + "\n")
    else:
        from roofcast.report.roofline_figure import TOP_LABELLED, write_figure

        write_figure(view, path, top=TOP_LABELLED if top is None else top)
