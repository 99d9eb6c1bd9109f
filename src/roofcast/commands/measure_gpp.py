"""`roofcast measure gpp`: the plasmon-pole kernel through its eight steps, here or as published."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  roofcast measure gpp -o gpp.csv
  ncu -k regex:gpp_v -o gpp roofcast measure gpp --once
  roofcast measure gpp --published -o published.csv
  roofcast roofline gpp.ncu-rep -o steps.svg"""
PROFILE = "ncu --set full -k regex:gpp_v -o gpp roofcast measure gpp --once"


@click.command("gpp", epilog=EPILOG)
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Kernel table: .csv or .parquet.")
@click.option("--published", "cited", is_flag=True, help="The paper's table (V100) instead; needs no GPU.")
@click.option("--system", default="Si-214", show_default=True, type=click.Choice(["Si-214", "Si-510"]),
              help="With --published: the paper's benchmark system.")  # fmt: skip
@click.option("--quick", is_flag=True, help="A twentieth of the work.")
@click.option(
    "--once", is_flag=True, help="One run of each version and nothing else, not even the check: for a profiler."
)
@click.option("--device", default=0, show_default=True, type=click.IntRange(min=0), help="Number of the GPU.")
def command(output: str | None, cited: bool, system: str, quick: bool, once: bool, device: int) -> None:
    """Run nine versions of the General Plasmon Pole kernel: same results, step by step faster.

    Every version is compared with a complex128 reference first; sizes are the paper's, scaled to the GPU.
    """
    from roofcast.commands.measuring import progress, reserved
    from roofcast.measure import cuda_driver, gpp
    from roofcast.measure.tables import write_table
    from roofcast.report.measured_text import render_published, render_steps
    from roofcast.report.output import text_width

    with reserved(output) as path:
        if cited:
            table, text = gpp.published_table(system), render_published(gpp.published(), system, text_width(None))
        else:
            driver = cuda_driver.open_driver(device)
            try:
                with progress(len(gpp.VERSIONS)) as (watch, advance):
                    table = gpp.run_gpp(driver, quick=quick, once=once, watch=watch, advance=advance).table
            finally:
                driver.close()
            text = render_steps(table, text_width(None))
        if path is None:
            click.echo(text)
        else:
            write_table(table, path)
    if not cited and not once:
        click.echo(f"counters of every version: {PROFILE}", err=True)
