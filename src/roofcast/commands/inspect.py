"""`roofcast inspect`: what was read."""

from __future__ import annotations

import click

from roofcast.commands import options

EPILOG = """\b
Example:
  roofcast inspect run.ncu-rep --kernel gemm --details"""


@click.command("inspect", epilog=EPILOG)
@options.files_argument
@click.option("--details/--overview", default=None, help="Every value of every kernel (default: for up to 3 kernels).")
@options.output_options("table", "json")
@options.selection_options
@options.input_format_option
def command(
    files: tuple[str, ...], details: bool | None, form: str | None, output: str | None, top: int | None,
    pattern: str | None, input_format: str | None,
) -> None:  # fmt: skip
    """Show per kernel what was counted, derived, assumed and missing, and how to collect the missing part."""
    from roofcast.analyses.report.inspect import render_inspection, render_inspection_json
    from roofcast.commands.reading import read_inspected
    from roofcast.kit.output import chosen_format, deliver, text_width

    found, runs = read_inspected(files, input_format)
    kernels = options.matching(found, pattern)

    def table() -> str:
        text = render_inspection(kernels, text_width(output), details=details, top=top, files=not runs)
        if not runs:
            return text
        from roofcast.analyses.applications.show import render_summary

        return "\n".join([*(render_summary(r, text_width(output), top) for r in runs), text])

    texts = {"table": table, "json": lambda: render_inspection_json(kernels, [r.record() for r in runs])}
    deliver(chosen_format(form, output), output, texts)
