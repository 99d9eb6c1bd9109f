"""`roofcast choose`: which GPU for a workload and a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from roofcast.choosing.ask import ASK, choose
from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.core.errors import RoofcastError

if TYPE_CHECKING:
    from pathlib import Path


@click.command("choose", epilog=ASK.epilog)
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True), metavar="FILE...")
@click.option("--budget", metavar="USD", help="Money for GPUs, e.g. 250000 or 250kUSD.")
@click.option("--power", metavar="W", help="Power for GPUs, e.g. 10kW.")
@click.option("--rack", metavar="UNITS", help="Rack units for GPUs.")
@click.option("--deadline", metavar="SECONDS", help="Time in which a whole job must end, e.g. 20ms.")
@click.option(
    "--memory", metavar="BYTES", help="Memory that a GPU must have, e.g. 40GB (default: as the profile says)."
)
@click.option("--candidates", metavar="FILE.toml", type=click.Path(),
              help="GPUs to choose from with their prices, hosts and dates (docs/choose.md).")  # fmt: skip
@click.option(
    "--prices",
    metavar="FILE.toml|public",
    type=click.Path(),
    help="Prices, rents, power and rack units of GPUs; public: the shipped example; or L40S=7500,H100=2.9/h.",
)
@click.option("--weights", metavar="NAME=N[,...]", multiple=True, callback=options.join_lists,
              help="How often kernels run (default: once each launch).")  # fmt: skip
@click.option("--among", metavar="GPU[,GPU...]", shell_complete=completing.complete_gpu,
              help="GPUs to choose from (default: those on sale for data centres that the code runs on).")  # fmt: skip
@click.option("--segment", type=click.Choice(["datacentre", "workstation", "consumer", "mobile", "all"]),
              help="Segment of the default GPUs.")  # fmt: skip
@click.option("--best", type=click.Choice(["cost", "time", "energy", "throughput"]),
              help="What is best (default: cost per job where prices are known).")  # fmt: skip
@click.option("--years", metavar="N", help="Life of what is bought.")
@click.option("--utilisation", metavar="SHARE", help="Share of hours in which GPUs work, e.g. 70%.")
@click.option(
    "--jobs-per-day", metavar="N", help="Jobs that have to be done each day, e.g. 2e6: what fleet costs least?"
)
@click.option("--probability", metavar="SHARE", help="With which the demand is met, e.g. 95% (default: 90%).")
@click.option("--template", metavar="[FOLDER]", is_flag=False, flag_value="", type=click.Path(),
              help="Write workload.toml and candidates.toml, filled in as far as the catalog knows.")  # fmt: skip
@click.option("--pictures", metavar="FOLDER", type=click.Path(), help="Draw cost against time, programs x candidates.")
@click.option("--picture-format", type=click.Choice(["svg", "png", "pdf"]), default="svg", show_default=True)
@options.source_option
@options.together_option
@options.model_options
@options.condition_options
@options.output_options(*options.TABLE_FORMATS, "svg", "png", "pdf")
@options.report_option
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N best GPUs in the table.")
@options.notes_option
@options.kernel_option
@options.input_format_option
def command(
    files: tuple[str, ...], budget: str | None, power: str | None, rack: str | None, deadline: str | None,
    memory: str | None, candidates: str | None, prices: str | None, weights: str | None, among: str | None,
    segment: str | None, best: str | None, years: str | None, utilisation: str | None,
    jobs_per_day: str | None, probability: str | None, template: str | None,
    pictures: str | None, picture_format: str, source: str | None, together: bool, model: str | None, coverage: float,
    conditions: str, clock: str | float, cache: str, load: str,
    launch_floor: tuple[float, float] | None, form: str | None,
    output: str | None, report: str | None, top: int | None, notes: bool, pattern: str | None, input_format: str | None,
) -> None:  # fmt: skip
    """Rank GPUs for a workload: time, money, energy, what is certain about the order, and what would change it.

    FILE: profiles and traces that are one job together, or a workload file (.toml) that names several programs.
    """
    from roofcast.choosing.pictures import bind_pictures, main_figure
    from roofcast.choosing.show import choice_json, choice_page, render_choice, tabulate
    from roofcast.kit.output import chosen_format, deliver, text_width, write_figure_file, write_pictures
    from roofcast.kit.page import name_command, render_page, write_page

    if template is not None:
        write_template(template, files, among, prices, segment, source)
        return
    if not files:
        raise RoofcastError("name profiles, traces or a workload file, or write one: roofcast choose --template")
    told = choose(
        list(files), budget=budget, power=power, rack=rack, deadline=deadline, memory=memory, candidates=candidates,
        prices=prices, weights=weights, among=among, segment=segment, best=best, years=years, utilisation=utilisation,
        jobs_per_day=jobs_per_day, probability=probability,
        source=source, together=together, model=model, coverage=coverage, conditions=conditions, clock=clock,
        cache=cache, load=load, launch_floor=launch_floor, kernel=pattern, input_format=input_format,
    ).found  # fmt: skip
    if pictures:
        for path in write_pictures(bind_pictures(told.decision), pictures, picture_format):
            click.echo(f"wrote {path}", err=True)
    if report:
        click.echo(write_page(choice_page(told), report, typed_command()), err=True)

    def draw(path: Path) -> None:
        write_figure_file(path, lambda: main_figure(told.decision))

    deliver(
        chosen_format(form, output), output,
        {"table": lambda: render_choice(told, text_width(output), top, notes), "json": lambda: choice_json(told),
         "html": lambda: render_page(name_command(choice_page(told), typed_command()))},
        dict.fromkeys(("svg", "png", "pdf"), draw), rows=lambda: tabulate(told),
    )  # fmt: skip


def write_template(
    folder: str, files: tuple[str, ...], among: str | None, prices: str | None, segment: str | None, source: str | None
) -> None:
    """Write both files; the folder may be left out, then what follows is the first of the files."""
    from pathlib import Path

    from roofcast.choosing.template import write_templates

    if folder and (folder.startswith("store:") or Path(folder).is_file()):
        files, folder = (folder, *files), ""
    for path in write_templates(files, folder or ".", among, prices, segment, source):
        click.echo(f"wrote {path}")
