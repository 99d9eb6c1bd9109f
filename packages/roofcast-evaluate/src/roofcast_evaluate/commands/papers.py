"""`roofcast papers`: what the papers print, and what roofcast computes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands import options

if TYPE_CHECKING:
    from roofcast_evaluate.on_gpu import Here

EPILOG = """\b
Examples:
  roofcast papers
  roofcast papers yang nugteren -o papers.html
  roofcast papers -o docs/papers.md
  roofcast papers --on-gpu gpu -o papers.html"""


@click.command("papers", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--on-gpu", "folder", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path),
              help="Also run the suite, the eight steps and their counters on this machine's GPU: tables in FOLDER, a "
                   "further column. What FOLDER holds is not measured again.")  # fmt: skip
@click.option("--beside", metavar="FILE", multiple=True, type=click.Path(exists=True, dir_okay=False),
              help="With --on-gpu: the suite of another GPU, forecast for this one.")  # fmt: skip
@click.option("--quick", is_flag=True, help="With --on-gpu: two sizes of each program, a twentieth of the steps' work.")
@click.option("--device", default=0, show_default=True, type=click.IntRange(min=0), help="Number of the GPU.")
@options.output_options(*options.TABLE_FORMATS, "md")
def command(
    names: tuple[str, ...], folder: Path | None, beside: tuple[str, ...], quick: bool, device: int, form: str | None,
    output: str | None,
) -> None:  # fmt: skip
    """Compute what the four papers print (van_lanker, yang, srivastava, nugteren), item by item, without a GPU.

    Each row has the command that prints it. What needs files of the authors or a GPU says so.
    """
    from roofcast.core.version import VERSION
    from roofcast.kit.output import chosen_format, deliver, dump_json, text_width
    from roofcast.kit.page import render_page
    from roofcast.kit.table import Table
    from roofcast_evaluate import papers

    shows = sys.stderr.isatty()
    if folder is None and (beside or quick):
        raise click.UsageError("--beside and --quick belong to --on-gpu FOLDER")
    here = measured_here(folder, beside, quick=quick, device=device) if folder is not None else None
    compared = papers.compare_papers(names, (lambda name: click.echo(f"{name} ...", err=True)) if shows else None)
    if here is not None:
        compared = papers.add_here(compared, here)
    records = [papers.record(c) for c in compared]
    texts = {
        "table": lambda: papers.render_papers(compared, text_width(output)),
        "json": lambda: dump_json({"roofcast": VERSION, "papers": records}),
        "md": lambda: papers.render_document(compared),
        "html": lambda: render_page(papers.make_page(compared, here)),
    }
    chosen = "md" if output and output.endswith(".md") and not form else chosen_format(form, output)
    deliver(chosen, output, texts, rows=lambda: Table.of_records(records))


def measure_ceilings(path: Path, *, quick: bool, device: int) -> None:
    """Write what micro-benchmarks reach; where this GPU has none of them a line says so."""
    from roofcast.core.errors import RoofcastError, one_line
    from roofcast.kit.output import write_text
    from roofcast_measure.commands.measure_ceilings import gpu

    try:
        text, _ = gpu(str(path), quick, device)
    except RoofcastError as error:
        click.echo(f"no ceilings: {one_line(str(error), 160)}", err=True)
        return
    write_text(path, text)


def measured_here(folder: Path, beside: tuple[str, ...], *, quick: bool, device: int) -> Here:
    """What was measured in a folder; what is missing there is measured first, and counted where that is allowed."""
    from roofcast_evaluate import on_gpu
    from roofcast_measure import devices
    from roofcast_measure.commands.measure_gpp import counted
    from roofcast_measure.commands.measuring import progress
    from roofcast_measure.gpp_counters import plan_counters, request_of

    with progress(1) as (watch, _):
        lines = on_gpu.measure_missing(folder, lambda: devices.open_device(device), quick=quick, tell=watch)
    for line in lines or ():
        click.echo(line, err=True)
    if lines is not None and not (folder / on_gpu.CEILINGS).is_file():
        measure_ceilings(folder / on_gpu.CEILINGS, quick=quick, device=device)
    counters = folder / on_gpu.COUNTERS
    # Tables of another machine have no GPU here that could be counted.
    if lines is not None and not counters.is_file():
        request = request_of(str(folder / "gpp"), device, force=True)
        counted(plan_counters(request, None), counters)
    return on_gpu.read_here(folder, beside)
