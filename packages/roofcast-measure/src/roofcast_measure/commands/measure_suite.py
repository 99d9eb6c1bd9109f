"""`roofcast measure suite`: the kernel suite on the GPU of this machine."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  roofcast measure suite --quick -o suite.csv
  roofcast measure suite --kernel "matmul|conv2d" -o suite.parquet
  roofcast measure suite --list"""


@click.command("suite", epilog=EPILOG)
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Kernel table: .csv or .parquet.")
@click.option("--kernel", "pattern", metavar="REGEX", help="Only programs or kernels whose name matches.")
@click.option("--quick", is_flag=True, help="Two sizes of each program and few repetitions.")
@click.option("--device", default=0, show_default=True, type=click.IntRange(min=0), help="Number of the GPU.")
@click.option("--list", "listing", is_flag=True, help="List the programs and stop; needs no GPU.")
def command(output: str | None, pattern: str | None, quick: bool, device: int, listing: bool) -> None:
    """Check and time every kernel of the suite, and write a table that forecast and evaluate read.

    Each result is compared with a float64 reference first. Times that do not move with the size, and rates above a
    roof, are refused. Every program that fits into the device's memory runs in cold and in warm caches.
    """
    from roofcast.kit.output import text_width
    from roofcast_measure import devices, suite
    from roofcast_measure.commands.measuring import progress, reported, reserved
    from roofcast_measure.running import run_suite
    from roofcast_measure.show import render_programs, render_suite
    from roofcast_measure.tables import write_table
    from roofcast_measure.timing import FULL, QUICK

    programs = suite.selected(pattern)
    if listing:
        click.echo(render_programs(programs, text_width(None)))
        return
    driver = devices.open_device(device)
    try:
        with reserved(output) as path:
            processor = reported(driver.info)
            with progress(len(programs)) as (watch, advance):
                effort = QUICK if quick else FULL
                result = run_suite(driver, programs, processor, effort=effort, watch=watch, advance=advance)
            for line in (*result.refused, *(f"skipped {s}" for s in result.skipped)):
                click.echo(line, err=True)
            if path is None:
                click.echo(render_suite(result.table, text_width(None)))
            else:
                write_table(result.table, path)
    finally:
        driver.close()
