"""`roofcast compare`: what changed between two profiles, or between a forecast and what was measured later."""

from __future__ import annotations

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command

EPILOG = """\b
Examples:
  roofcast compare before.ncu-rep after.ncu-rep
  roofcast compare main.csv branch.csv --fail-above 5% --format markdown -o comment.md
  roofcast compare forecast.json measured.ncu-rep --report comparison.html

\b
Exit code 3: something takes more time than --fail-above allows, beyond its noise."""
EXIT_SLOWER = 3


@click.command("compare", epilog=EPILOG)
@click.argument("before", type=click.Path(allow_dash=True))
@click.argument("after", type=click.Path(allow_dash=True))
@click.option(
    "--fail-above", "share", metavar="SHARE",
    help="Exit with 3 where the run, the devices, the total or a kernel with all its launches takes more time by more "
    "than this, beyond noise, e.g. 5%.",
)  # fmt: skip
@click.option(
    "--target", metavar="GPU", shell_complete=completing.complete_gpu,
    help="Of a saved forecast for several GPUs, the one that was measured (default: as AFTER says).",
)  # fmt: skip
@options.notes_option
@options.kernel_option
@options.output_options("table", "json", "csv", "parquet", "markdown", "html")
@options.report_option
@options.input_format_option
def command(
    before: str, after: str, share: str | None, target: str | None, notes: bool, pattern: str | None, form: str | None,
    output: str | None, report: str | None, input_format: str | None,
) -> int:  # fmt: skip
    """Match the kernels of BEFORE and AFTER and say what changed, beyond noise, and what moved with it.

    BEFORE, or both, may be a forecast saved by `roofcast forecast ... -o FILE.json`.
    """
    from functools import partial

    from roofcast import questions
    from roofcast.analyses.comparing.show import build_page, list_records, render_comparison
    from roofcast.commands.showing import progress_bar
    from roofcast.kit.output import chosen_format, deliver, text_width
    from roofcast.kit.page import name_command, render_page, write_page
    from roofcast.kit.table import Table

    if output and output.lower().endswith(".md") and form is None:
        form = "markdown"
    above = questions.parse_limit(share)
    with progress_bar() as progress:
        result = questions.compare(
            before, after, target=target, kernel=pattern, input_format=input_format, progress=progress
        ).found
    if report:
        click.echo(write_page(build_page(result, above), report, typed_command()), err=True)
    chosen = chosen_format(form, output)
    text = partial(render_comparison, result, chosen, above, text_width(output), notes)
    texts = dict.fromkeys(("table", "json", "markdown"), text)
    page = partial(name_command, build_page(result, above), typed_command())
    deliver(
        chosen,
        output,
        {**texts, "html": lambda: render_page(page())},
        rows=lambda: Table.of_records(list_records(result)),
    )
    return EXIT_SLOWER if above is not None and result.failures(above) else 0
