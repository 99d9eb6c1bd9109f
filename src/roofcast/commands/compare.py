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
Exit code 3: something is slower than --fail-above allows, beyond its noise."""
EXIT_SLOWER = 3


def parse_limit(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """A share: ``5%``, ``0.05``."""
    from roofcast.core.errors import RoofcastError
    from roofcast.core.units import parse_quantity

    if value is None:
        return None
    limit = parse_quantity(value, "")
    if not 0 <= limit < 100 or ("%" not in value and limit >= 1):
        raise RoofcastError(f"--fail-above {value}: give a share such as 5%")
    return limit


@click.command("compare", epilog=EPILOG)
@click.argument("before", type=click.Path(allow_dash=True))
@click.argument("after", type=click.Path(allow_dash=True))
@click.option(
    "--fail-above", "above", metavar="SHARE", callback=parse_limit,
    help="Exit with 3 where the total or a kernel is slower by more than this, beyond noise, e.g. 5%.",
)  # fmt: skip
@click.option(
    "--target", metavar="GPU", shell_complete=completing.complete_gpu,
    help="Of a saved forecast for several GPUs, the one that was measured (default: as AFTER says).",
)  # fmt: skip
@click.option(
    "--kernel",
    "pattern",
    metavar="REGEX",
    shell_complete=completing.complete_kernel,
    help="Only kernels whose name matches.",
)
@options.output_options("table", "json", "markdown")
@options.report_option
@options.input_format_option
def command(
    before: str, after: str, above: float | None, target: str | None, pattern: str | None, form: str | None,
    output: str | None, report: str | None, input_format: str | None,
) -> int:  # fmt: skip
    """Match the kernels of BEFORE and AFTER and say what changed, beyond noise, and what moved with it.

    BEFORE may be a forecast saved by `roofcast forecast ... --format json -o FILE`.
    """
    from functools import partial

    from roofcast.analyses.comparing.compare_output import compare_files
    from roofcast.analyses.comparing.show import render_comparison
    from roofcast.kit.output import chosen_format, deliver, text_width

    if output and output.lower().endswith(".md") and form is None:
        form = "markdown"
    result = compare_files(before, after, target, pattern, input_format)
    if report:
        from roofcast.analyses.comparing.compare_html import compare_page
        from roofcast.kit.page import write_page

        click.echo(write_page(compare_page(result, above), report, typed_command()), err=True)
    chosen = chosen_format(form, output)
    text = partial(render_comparison, result, chosen, above, text_width(output))
    texts = dict.fromkeys(("table", "json", "markdown"), text)
    deliver(chosen, output, texts)
    return EXIT_SLOWER if above is not None and result.failures(above) else 0
