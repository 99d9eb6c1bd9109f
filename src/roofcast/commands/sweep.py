"""`roofcast sweep`: hypothetical GPUs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from roofcast.commands import options
from roofcast.commands.typed import typed_command
from roofcast.core.errors import one_line

if TYPE_CHECKING:
    from roofcast.analyses.sweeps.chunks import Progress
    from roofcast.analyses.sweeps.reductions import Summary
    from roofcast.analyses.sweeps.space import Space
    from roofcast.analyses.sweeps.workload import Workload

EPILOG = """\b
Examples:
  roofcast sweep run.ncu-rep --space space.toml
  roofcast sweep run.ncu-rep --space space.toml --pictures figures --report sweep.html --sensitivity
  roofcast sweep run.ncu-rep --space space.toml --out sweep/        every forecast as Parquet; resumes
  roofcast sweep run.ncu-rep --space space.toml --cluster tcp://scheduler:8786"""


@click.command("sweep", epilog=EPILOG)
@options.files_argument
@click.option("--space", "space_file", required=True, metavar="FILE.toml", type=click.Path(),
              help="Axes, constraints, cost and goal (docs/sweep.md).")  # fmt: skip
@click.option("--weights", metavar="NAME=N[,...]", help="How often kernels run (default: once each launch).")
@click.option("--out", metavar="FOLDER", type=click.Path(), help="Stream every forecast to Parquet; resumes there.")
@click.option("--sensitivity", is_flag=True, help="Sobol indices: which axes matter, alone and together.")
@click.option("--cluster", metavar="tcp://...|local", help="Compute on Dask.")
@click.option("--pictures", metavar="FOLDER", type=click.Path(), help="Draw heat map, fronts, elasticities.")
@click.option("--picture-format", type=click.Choice(["svg", "png", "pdf"]), default="svg", show_default=True)
@options.source_option
@options.together_option
@click.option("--model", type=click.Choice(["hybrid", "mechanistic"]),
              help="Model of the base (default: forecast's); its variations follow the physics.")  # fmt: skip
@click.option("--coverage", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.9, show_default=True,
              help="Share of measured times that the interval is to hold.")  # fmt: skip
@options.condition_options
@options.output_options("table", "json", "csv", "html")
@options.report_option
@options.kernel_option
@options.input_format_option
def command(
    files: tuple[str, ...], space_file: str, weights: str | None, out: str | None, sensitivity: bool,
    cluster: str | None, pictures: str | None, picture_format: str, source: str | None, together: bool,
    model: str | None, coverage: float, conditions: str, clock: str | float, cache: str,
    launch_floor: tuple[float, float] | None, form: str | None, output: str | None, report: str | None,
    pattern: str | None, input_format: str | None,
) -> None:  # fmt: skip
    """Forecast the kernels of FILE on every processor of a design space around a GPU."""
    from roofcast.analyses.sweeps.figures import write_pictures
    from roofcast.analyses.sweeps.sensitivity import moving_axes
    from roofcast.analyses.sweeps.show import render_sweep, sweep_csv, sweep_json, sweep_page
    from roofcast.analyses.sweeps.space import read_space
    from roofcast.analyses.sweeps.study import study
    from roofcast.analyses.sweeps.workload import prepare
    from roofcast.commands.options import parse_weights
    from roofcast.commands.reading import read_profiles
    from roofcast.core.results import Conditions
    from roofcast.kit.output import chosen_format, deliver, text_width
    from roofcast.kit.page import name_command, render_page, write_page

    space, given = read_space(space_file), parse_weights(weights)
    if sensitivity:
        moving_axes(space)
    kernels = options.matching(read_profiles(files, input_format), pattern)
    asked = Conditions(coverage, clock, cache, launch_floor, conditions)
    work = prepare(kernels, space.base, source=source, model=model, conditions=asked, weights=given, together=together)
    found = study(work, space, run_sweep(work, space, out, cluster), sensitivity=sensitivity)
    if pictures:
        for path in write_pictures(found, pictures, picture_format):
            click.echo(f"wrote {path}", err=True)
    if report:
        click.echo(write_page(sweep_page(found), report, typed_command()), err=True)
    deliver(
        chosen_format(form, output), output,
        {"table": lambda: render_sweep(found, text_width(output)), "json": lambda: sweep_json(found),
         "csv": lambda: sweep_csv(found),
         "html": lambda: render_page(name_command(sweep_page(found), typed_command()))},
    )  # fmt: skip


def run_sweep(work: Workload, space: Space, out: str | None, cluster: str | None) -> Summary:
    """The reductions of a sweep: in this process, into a folder, or on a cluster, with a bar on a terminal.

    Raises
    ------
    RoofcastError : whatever the sweep raises; no scheduler answers.
    """
    try:
        return somewhere(work, space, out, cluster)
    except KeyboardInterrupt as error:
        if out is None:
            raise
        shown = one_line(out, 120)
        raise KeyboardInterrupt(
            f"interrupted: run the same command again, and {shown} goes on where it ended"
        ) from error


def somewhere(work: Workload, space: Space, out: str | None, cluster: str | None) -> Summary:
    """On the cluster, or here."""
    if cluster is not None:
        from roofcast.analyses.sweeps.cluster import connected, stream_on, sweep_on

        with connected(cluster) as client:
            return sweep_on(client, work, space) if out is None else stream_on(client, work, space, out)
    if not sys.stderr.isatty():
        return run(work, space, out, None)
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("sweeping", total=space.size)
        return run(work, space, out, lambda done, _: bar.update(task, completed=done))


def run(work: Workload, space: Space, out: str | None, progress: Progress | None) -> Summary:
    """Reduced in memory, or streamed into a folder."""
    from roofcast.analyses.sweeps import chunks

    if out is None:
        return chunks.sweep(work, space, progress=progress)
    return chunks.stream(work, space, out, progress=progress)
