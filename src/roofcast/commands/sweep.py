"""`roofcast sweep`: hypothetical GPUs."""

from __future__ import annotations

import click

from roofcast.commands import options
from roofcast.commands.typed import typed_command

EPILOG = """\b
Examples:
  roofcast sweep run.ncu-rep --space space.toml
  roofcast sweep run.ncu-rep --space space.toml -o heat.svg
  roofcast sweep run.ncu-rep --space space.toml --pictures figures --report sweep.html
  roofcast sweep run.ncu-rep --space space.toml --out sweep/        every forecast as Parquet; resumes
  roofcast sweep run.ncu-rep --space space.toml --cluster tcp://scheduler:8786"""


@click.command("sweep", epilog=EPILOG)
@options.files_argument
@click.option("--space", "space_file", required=True, metavar="FILE.toml", type=click.Path(),
              help="Axes, constraints, cost and goal (docs/sweep.md).")  # fmt: skip
@click.option("--weights", metavar="NAME=N[,...]", help="How often kernels run (default: once each launch).")
@click.option("--out", metavar="FOLDER", type=click.Path(), help="Stream every forecast to Parquet; resumes there.")
@click.option("--cluster", metavar="tcp://...|local", help="Compute on Dask.")
@click.option("--pictures", metavar="FOLDER", type=click.Path(), help="Draw heat map, fronts, elasticities.")
@click.option("--picture-format", type=click.Choice(["svg", "png", "pdf"]), default="svg", show_default=True)
@options.source_option
@options.together_option
@click.option("--model", type=click.Choice(["hybrid", "mechanistic"]),
              help="Model of the base (default: forecast's); its variations follow the physics.")  # fmt: skip
@options.coverage_option
@options.condition_options
@options.output_options(*options.TABLE_FORMATS, "svg", "png", "pdf")
@options.report_option
@options.notes_option
@options.kernel_option
@options.input_format_option
def command(
    files: tuple[str, ...], space_file: str, weights: str | None, out: str | None,
    cluster: str | None, pictures: str | None, picture_format: str, source: str | None, together: bool,
    model: str | None, coverage: float, conditions: str, clock: str | float, cache: str,
    launch_floor: tuple[float, float] | None, form: str | None, output: str | None, report: str | None,
    notes: bool, pattern: str | None, input_format: str | None,
) -> None:  # fmt: skip
    """Forecast the kernels of FILE on every processor of a design space around a GPU."""
    from roofcast import questions
    from roofcast.analyses.sweeps.figures import SweepPicture, bind_pictures
    from roofcast.analyses.sweeps.show import render_sweep, sweep_json, sweep_page, tabulate_sets
    from roofcast.commands.reading import read_profiles
    from roofcast.commands.showing import progress_bar
    from roofcast.kit.output import chosen_format, deliver, text_width, write_pictures
    from roofcast.kit.page import name_command, render_page, write_page

    kernels = read_profiles(files, input_format)
    with progress_bar() as progress:
        found = questions.sweep(
            kernels, space_file, weights=weights, out=out, cluster=cluster, source=source,
            together=together, model=model, coverage=coverage, conditions=conditions, clock=clock, cache=cache,
            launch_floor=launch_floor, kernel=pattern, progress=progress,
        ).found  # fmt: skip
    if pictures:
        for path in write_pictures(bind_pictures(found), pictures, picture_format):
            click.echo(f"wrote {path}", err=True)
    if report:
        click.echo(write_page(sweep_page(found), report, typed_command()), err=True)
    deliver(
        chosen_format(form, output), output,
        {"table": lambda: render_sweep(found, text_width(output), notes), "json": lambda: sweep_json(found),
         "html": lambda: render_page(name_command(sweep_page(found), typed_command()))},
        dict.fromkeys(("svg", "png", "pdf"), lambda path: SweepPicture(found).save(str(path))),
        rows=lambda: tabulate_sets(found),
    )  # fmt: skip
