"""`roofcast advise`: what to change, ranked by the time that it would save."""

from __future__ import annotations

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.commands.worded import WordedCommand
from roofcast.core.errors import RoofcastError

EPILOG = """\b
Examples:
  roofcast advise run.ncu-rep
  roofcast advise run.ncu-rep --on "H100 SXM5 80GB" --top 5
  roofcast advise trace.json.gz
  roofcast advise table.csv --from V100 --format json -o advice.json
  roofcast advise run.ncu-rep --report advice.html"""


@click.command("advise", epilog=EPILOG, cls=WordedCommand)
@options.files_argument
@click.option(
    "--on", metavar="GPU", shell_complete=completing.complete_gpu,
    help="GPU that the advice is for (default: the one that the kernels were measured on).",
)  # fmt: skip
@options.source_option
@options.together_option
@click.option("--model", metavar="NAME", shell_complete=completing.complete_model, help="Model of the gains.")
@options.clock_options
@options.output_options(*options.TABLE_FORMATS)
@options.report_option
@options.kernel_option
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N findings that save most.")
@options.input_format_option
def command(
    files: tuple[str, ...], on: str | None, source: str | None, together: bool, model: str | None,
    conditions: str, clock: str | float, cache: str,
    form: str | None, output: str | None, report: str | None, pattern: str | None, top: int | None,
    input_format: str | None,
) -> None:  # fmt: skip
    """Say what to change in the kernels or the run of FILE: evidence, what to try, and the time if it were fixed."""
    from roofcast import questions
    from roofcast.analyses.advice.show import advice_page, list_records, render_advice, render_advice_json
    from roofcast.commands.showing import progress_bar
    from roofcast.kit.output import chosen_format, deliver, text_width
    from roofcast.kit.page import name_command, render_page, write_page
    from roofcast.kit.table import Table

    with progress_bar() as progress:
        advice = questions.advise(
            files, on, source=source, model=model, conditions=conditions, clock=clock, cache=cache, together=together,
            kernel=pattern, input_format=input_format, progress=progress,
        ).found  # fmt: skip
    texts = {
        "table": lambda: render_advice(advice, text_width(output), top),
        "json": lambda: render_advice_json(advice, top),
        "html": lambda: render_page(name_command(advice_page(advice, top), typed_command())),
    }
    if report:
        click.echo(write_page(advice_page(advice, top), report, typed_command()), err=True)
    deliver(chosen_format(form, output), output, texts, rows=lambda: Table.of_records(list_records(advice, top)))
    if advice.is_unknown:
        raise RoofcastError("source GPU unknown: give --from GPU; nothing can be said of these kernels")
