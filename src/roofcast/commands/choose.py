"""`roofcast choose`: which GPU for a workload and a budget."""

from __future__ import annotations

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command

EPILOG = """\b
Examples:
  roofcast choose run.ncu-rep --among "H100 SXM5 80GB,A100-SXM4-40GB,L40S"
  roofcast choose jan.csv feb.csv --budget 250000 --prices prices.toml --report choice.html
  roofcast choose run.ncu-rep --power 10kW --memory 40GB --format json"""


@click.command("choose", epilog=EPILOG)
@options.files_argument
@click.option("--budget", metavar="USD", help="Money for GPUs, e.g. 250000 or 250kUSD.")
@click.option("--power", metavar="W", help="Power for GPUs, e.g. 10kW.")
@click.option("--rack", metavar="UNITS", help="Rack units for GPUs.")
@click.option("--deadline", metavar="SECONDS", help="Time in which the whole workload must end, e.g. 20ms.")
@click.option(
    "--memory", metavar="BYTES", help="Memory that a GPU must have, e.g. 40GB (default: as the profile says)."
)
@click.option(
    "--prices",
    metavar="FILE.toml|public",
    type=click.Path(),
    help="Prices, rents, power and rack units of GPUs; public: the shipped example of dated list prices.",
)
@click.option("--weights", metavar="NAME=N[,...]", help="How often kernels run (default: once each launch).")
@click.option("--among", metavar="GPU[,GPU...]", shell_complete=completing.complete_gpu,
              help="GPUs to choose from (default: all of the source's vendor).")  # fmt: skip
@options.source_option
@options.together_option
@options.model_options
@options.condition_options
@options.output_options(*options.TABLE_FORMATS)
@options.report_option
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N fastest GPUs in the table.")
@options.kernel_option
@options.input_format_option
def command(
    files: tuple[str, ...], budget: str | None, power: str | None, rack: str | None, deadline: str | None,
    memory: str | None, prices: str | None, weights: str | None, among: str | None, source: str | None,
    together: bool, model: str | None, coverage: float, conditions: str, clock: str | float, cache: str,
    launch_floor: tuple[float, float] | None, form: str | None, output: str | None, report: str | None,
    top: int | None, pattern: str | None, input_format: str | None,
) -> None:  # fmt: skip
    """Rank GPUs for the kernels of FILE: time, money, power, space, and what is certain about the order."""
    from roofcast import questions
    from roofcast.analyses.sweeps.show_choice import choice_json, choice_page, render_choice, tabulate
    from roofcast.commands.reading import read_profiles
    from roofcast.kit.output import chosen_format, deliver, text_width
    from roofcast.kit.page import name_command, render_page, write_page

    found = questions.choose(
        read_profiles(files, input_format), budget=budget, power=power, rack=rack, deadline=deadline, memory=memory,
        prices=prices, weights=weights, among=among, source=source, together=together, model=model, coverage=coverage,
        conditions=conditions, clock=clock, cache=cache, launch_floor=launch_floor, kernel=pattern,
    ).found  # fmt: skip
    if report:
        click.echo(write_page(choice_page(found), report, typed_command()), err=True)
    deliver(
        chosen_format(form, output), output,
        {"table": lambda: render_choice(found, text_width(output), top), "json": lambda: choice_json(found),
         "csv": tabulate(found).csv, "html": lambda: render_page(name_command(choice_page(found), typed_command()))},
        {"parquet": tabulate(found).write_parquet},
    )  # fmt: skip
