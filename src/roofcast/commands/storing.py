"""Storing files with a progress bar, bad files listed as they come."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.core.errors import one_line

if TYPE_CHECKING:
    from roofcast.core.results import Forecast
    from roofcast.store.adding import Added


def keep_forecast(result: Forecast, name: str) -> str:
    """Store a forecast under a name; returns one line that says so.

    Raises
    ------
    RoofcastError : the store cannot be written.
    """
    from roofcast.analyses.report.data import render_forecast_json
    from roofcast.store.adding import add_forecast
    from roofcast.store.sets import checked_name

    rows = add_forecast(name, render_forecast_json(result))
    shown = one_line(f"store:{checked_name(name)}", 80)
    return f"kept {rows} forecasts in {shown}" if rows else f"{shown} holds this forecast already"


def add_with_progress(name: str, files: Sequence[str], store: Path | None, input_format: str | None) -> Added:
    """Store files; on a terminal a bar shows how many bytes of them are done.

    Raises
    ------
    RoofcastError : see :func:`roofcast.store.adding.add_files`.
    """
    from roofcast.store.adding import add_files, expanded, size_of

    def left_out(line: str) -> None:
        click.echo(f"left out: {line}", err=True)

    if not sys.stderr.isatty():
        return add_files(name, files, store, input_format=input_format, refused=left_out)
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    listed = list(expanded(files))
    columns = (TextColumn("storing"), BarColumn(), TextColumn("{task.fields[file]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("storing", total=max(sum(map(size_of, listed)), 1), file="")

        before = 0

        def show(file: Path, more: float) -> None:
            progress.update(task, completed=before + more, file=file.name[:40].replace("[", "("))

        def done(file: Path, size: int) -> None:
            nonlocal before
            before += size
            show(file, 0)

        return add_files(
            name, listed, store, input_format=input_format, progress=done,
            reached=lambda file, share: show(file, share * size_of(file)),
            refused=lambda line: progress.console.print(f"left out: {line}", markup=False, highlight=False),
        )  # fmt: skip
