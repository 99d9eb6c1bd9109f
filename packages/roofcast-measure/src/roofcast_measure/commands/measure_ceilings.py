"""`roofcast measure ceilings`: what the GPU (or CPU) of this machine can do, as a catalog entry."""

from __future__ import annotations

import click

EPILOG = """\b
Examples:
  roofcast measure ceilings -o my-gpu.toml
  roofcast measure ceilings --quick
  roofcast measure ceilings --cpu -o my-cpu.toml
  roofcast forecast run.ncu-rep --to my-gpu.toml"""


@click.command("ceilings", epilog=EPILOG)
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Catalog entry (TOML) to write.")
@click.option("--quick", is_flag=True, help="Seconds: small arrays, few repetitions, bursts alone.")
@click.option("--cpu", is_flag=True, help="The CPU instead; needs a C compiler, no GPU.")
@click.option("--device", default=0, show_default=True, type=click.IntRange(min=0), help="Number of the GPU.")
def command(output: str | None, quick: bool, cpu: bool, device: int) -> None:
    """Run micro-benchmarks, compare them with the catalog and write an entry that every command takes as a GPU.

    Arithmetic per precision, matrix units, matrix products, DRAM, L2, L1, shared memory, atomics, latencies, launches
    and the host link, each with repetitions, spread, clocks and power. What may draw all the power that the card is
    allowed is measured in bursts and held for seconds.
    """
    from roofcast_measure.commands.measuring import progress, reserved

    with reserved(output) as path:
        if cpu:
            from roofcast_measure.ceilings.cpu_ceilings import entry_text, measure, render

            with progress(1) as (watch, advance):
                watch("CPU")
                measured = measure(quick=quick)
                advance()
            text, table = entry_text(measured, output), render(measured)
        else:
            text, table = gpu(output, quick, device)
        click.echo(table)
        if path is not None:
            path.write_text(text, encoding="utf-8")


def gpu(output: str | None, quick: bool, device: int) -> tuple[str, str]:
    """(entry, table) of a GPU."""
    from roofcast.kit.output import text_width
    from roofcast_measure import devices
    from roofcast_measure.ceilings import entry, host, run
    from roofcast_measure.commands.measuring import progress, reported
    from roofcast_measure.show import render_ceilings
    from roofcast_measure.timing import CEILINGS, CEILINGS_QUICK

    driver = devices.open_nvidia(device)
    side = host.host_of(driver)
    try:
        known = reported(driver.info, "nothing to compare with")
        effort = CEILINGS_QUICK if quick else CEILINGS
        minutes = run.expected_s(driver.info.sm, effort) / 60
        click.echo(f"about {minutes:.0f} minutes: bursts, and loads held for {effort.hold_s:.0f} s"
                   if effort.hold_s else "seconds: bursts alone", err=True)  # fmt: skip
        with progress(len(run.plan(driver.info.sm))) as (watch, advance):
            measured = run.run_ceilings(driver, side, effort=effort, watch=watch, advance=advance)
    finally:
        side.close()
        driver.close()
    return entry.text_of(measured, output, known), render_ceilings(measured, known, text_width(None))
