"""`roofcast roofline`: the hierarchical roofline with kernel-specific ceilings."""

from __future__ import annotations

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.commands.worded import WordedCommand
from roofcast.core.errors import RoofcastError

EPILOG = """\b
Examples:
  roofcast roofline run.ncu-rep
  roofcast roofline run.ncu-rep --to "H100 SXM5 80GB" -o roofline.html
  roofcast roofline before.ncu-rep after.ncu-rep --kernel stencil -o versions.svg"""


@click.command("roofline", epilog=EPILOG, cls=WordedCommand)
@options.files_argument
@click.option(
    "--to", "targets", metavar="GPU[,GPU...]", shell_complete=completing.complete_gpu, multiple=True,
    callback=options.join_targets, help="Also draw these GPUs, with the forecast performance and its interval.",
)  # fmt: skip
@options.source_option
@options.together_option
@click.option(
    "--model", metavar="NAME", shell_complete=completing.complete_model, help="Model of the forecasts for --to GPUs."
)
@options.clock_options
@click.option(
    "-o", "--output", metavar="FILE", type=click.Path(),
    help="Picture or page: .svg, .pdf, .png, .html, or the numbers: .csv, .txt (default: a table on the screen).",
)  # fmt: skip
@options.code_options
@options.report_option
@options.notes_option
@options.selection_options
@options.input_format_option
def command(
    files: tuple[str, ...], targets: str | None, source: str | None, together: bool, model: str | None,
    conditions: str, clock: str | float, cache: str, target_sass: str | None, no_sass: bool, output: str | None,
    report: str | None, notes: bool, top: int | None, pattern: str | None, input_format: str | None,
) -> None:  # fmt: skip
    """Draw where each kernel of FILE stands under the roofs of its GPU; several files are versions in order."""
    from roofcast import questions
    from roofcast.analyses.rooflines.show import check_suffix, render_roofline_text, write_roofline
    from roofcast.commands.reading import read_profiles
    from roofcast.kit.output import text_width, written

    if output:
        check_suffix(output)
    view = questions.roofline(
        read_profiles(files, input_format), targets or (), source=source, model=model, conditions=conditions,
        clock=clock, cache=cache, sass="off" if no_sass else "auto", target_sass=target_sass, together=together,
        kernel=pattern,
    ).found  # fmt: skip
    if report:
        from roofcast.analyses.rooflines.interactive import write_html

        write_html(view, report, typed_command())
        click.echo(written(report), err=True)
    if output:
        write_roofline(view, output, top, typed_command())
        click.echo(written(output), err=True)
    else:
        click.echo(render_roofline_text(view, text_width(None), top, notes))
    if targets and not any(p.clock_hz > 0 for p in view.panels if p.role == "source"):
        raise RoofcastError("source GPU unknown: give --from GPU; the rows are written without a forecast")
