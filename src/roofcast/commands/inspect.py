"""`roofcast inspect`: what was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from roofcast.commands import options

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable

EPILOG = """\b
Example:
  roofcast inspect run.ncu-rep --kernel gemm --details
  roofcast inspect trace.json.gz --why
  roofcast inspect run.ncu-rep -o table.csv   # a kernel table, which every command reads
  roofcast inspect kernel.cu                  # amounts of CUDA, HIP, Triton and Numba, from the code alone"""


@click.command("inspect", epilog=EPILOG)
@options.files_argument
@click.option("--details/--overview", default=None, help="Every value of every kernel (default: for up to 3 kernels).")
@click.option("--why", is_flag=True,
              help="Who says each amount that a forecast takes: the file, or a step that prepares it.")  # fmt: skip
@options.output_options(*options.TABLE_FORMATS)
@options.selection_options
@options.input_format_option
@click.option("--size", metavar="NAME=N,...", help="What source code leaves open.")
def command(
    files: tuple[str, ...], details: bool | None, why: bool, form: str | None, output: str | None, top: int | None,
    pattern: str | None, input_format: str | None, size: str | None,
) -> None:  # fmt: skip
    """Show per kernel what was counted, derived, assumed and missing, and how to collect the missing part."""
    from roofcast.commands.reading import read_inspected
    from roofcast.commands.showing import warn_implausible
    from roofcast.commands.typed import typed_command
    from roofcast.forecasting.plausible import mark_stated
    from roofcast.forecasting.problem_size import list_code_sizes
    from roofcast.ingest.readers import at_code_sizes
    from roofcast.kit.answer import ROWS_SHOWN
    from roofcast.kit.output import Render, chosen_format, deliver, text_width
    from roofcast.kit.page import render_page
    from roofcast.kit.table import folded
    from roofcast.reports import inspect as show
    from roofcast.reports.next_measurement import advise_inspection

    with at_code_sizes(list_code_sizes(size) if size else {}):
        kernels_read, runs = read_inspected(files, input_format)
    if why:
        deliver_why(options.matching(kernels_read, pattern), chosen_format(form, output), output, top, details)
        return
    kernels = mark_stated(options.matching(kernels_read, pattern))

    def table() -> str:
        width, most = text_width(output), top or ROWS_SHOWN
        text = show.render_inspection(kernels, width, details=details, top=most, files=not runs)
        advice = advise_inspection(kernels)
        text = f"{text}\n{folded(advice, text_width(output))}" if advice else text
        if not runs:
            return text
        from roofcast.applications.show import render_summary

        return "\n".join([*(render_summary(r, text_width(output), top) for r in runs), text])

    texts: dict[str, Render] = {
        "table": table,
        "json": lambda: show.render_inspection_json(kernels, [r.record() for r in runs]),
        "csv": lambda: show.render_kernel_csv(kernels),
        "html": lambda: render_page(show.build_inspection_page(kernels, typed_command())),
    }
    binary = {"parquet": lambda path: show.build_kernel_frame(kernels).write_parquet(path)}
    deliver(chosen_format(form, output), output, texts, binary)
    warn_implausible(kernels)


def deliver_why(kernels: KernelTable, form: str, output: str | None, top: int | None, details: bool | None) -> None:
    """Deliver who says each amount, in the format asked for."""
    from roofcast.commands.typed import typed_command
    from roofcast.kit.answer import ROWS_SHOWN
    from roofcast.kit.output import Render, deliver, dump_json, text_width
    from roofcast.kit.page import Page, Section, render_page
    from roofcast.kit.table import Table
    from roofcast.reports import said

    def page() -> str:
        table = Section("Amounts", table=said.tabulate_said(kernels, details=details))
        return render_page(Page("Who says what", (), (said.state_said(kernels),), (table,), typed_command()))

    texts: dict[str, Render] = {
        "table": lambda: said.render_said(kernels, text_width(output), top or 2 * ROWS_SHOWN, details=details),
        "json": lambda: dump_json({"amounts": said.record_said(kernels)}), "html": page,
    }  # fmt: skip
    deliver(form, output, texts, rows=lambda: Table.of_records(said.record_said(kernels)))
