"""`roofcast measure gpp`: the plasmon-pole kernel through its eight steps, here or as published."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable
    from roofcast_measure.profile_plan import Plan

EPILOG = """\b
Examples:
  roofcast measure gpp -o gpp.csv
  roofcast roofline gpp.counters.csv -o steps.svg
  roofcast measure gpp --code
  roofcast measure gpp --published -o published.csv
  roofcast measure gpp --measured "H100 SXM5 80GB" -o h100.csv
  roofcast measure gpp --dry-run"""


@click.command("gpp", epilog=EPILOG)
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Kernel table: .csv or .parquet.")
@click.option("--published", "cited", is_flag=True, help="The paper's table (V100) instead; needs no GPU.")
@click.option("--derived", is_flag=True, help="With --published: and counters derived from it, each with its reason.")
@click.option("--system", default="Si-214", show_default=True, type=click.Choice(["Si-214", "Si-510"]),
              help="With --published: the paper's benchmark system.")  # fmt: skip
@click.option("--measured", metavar="GPU", help="Our versions as measured on an H100 or H200 instead; needs no GPU.")
@click.option("--code", "as_code", is_flag=True, help="What each version is in machine code instead; needs no GPU.")
@click.option("--sm", default="70,80,90", show_default=True, help="With --code: architectures.")
@click.option("--plain", is_flag=True, help="Let the compiler take v2 and undo v6 to v8 by itself.")
@click.option("--quick", is_flag=True, help="A twentieth of the work.")
@click.option(
    "--once", is_flag=True, help="One run of each version and nothing else, not even the check: for a profiler."
)
@click.option("--report", metavar="NAME", default="gpp", show_default=True, help="Counters: NAME.ncu-rep and a table.")
@click.option("--no-counters", is_flag=True, help="Times only.")
@click.option("--clock", default="none", show_default=True, type=click.Choice(["none", "base"]), help="base: lock it.")
@click.option("--ncu", "told", metavar="PATH", help="Nsight Compute, where it is not found.")
@click.option("-f", "--force", is_flag=True, help="Overwrite an old report.")
@click.option("--dry-run", is_flag=True, help="Print the profiler's command and stop.")
@click.option("--device", default=0, show_default=True, type=click.IntRange(min=0), help="Number of the GPU.")
def command(
    output: str | None, cited: bool, derived: bool, system: str, measured: str | None, as_code: bool, sm: str,
    plain: bool, quick: bool, once: bool, report: str, no_counters: bool, clock: str, told: str | None, force: bool,
    dry_run: bool, device: int,
) -> None:  # fmt: skip
    """Run and profile nine versions of the General Plasmon Pole kernel: same results, step by step faster.

    Every version is compared with a complex128 reference first; sizes are the paper's, scaled to the GPU. Where Nsight
    Compute may count, each version runs once under it, and `roofcast roofline` draws what it counted.
    """
    from roofcast_measure import gpp
    from roofcast_measure.commands.measuring import reserved
    from roofcast_measure.gpp_counters import plan_counters, request_of
    from roofcast_measure.profile_plan import plan_ncu
    from roofcast_measure.show import render_published

    request = request_of(report, device, force, plain=plain, clock=clock)
    if dry_run:
        click.echo(plan_ncu(request, told or "ncu").text)
        return
    if as_code:
        click.echo(code_table(architectures_of(sm), plain=plain))
        return
    if measured is not None:
        from roofcast.catalog import find
        from roofcast.kit.output import text_width
        from roofcast_measure.show import render_steps

        table = gpp.measured_table(find(measured).processor.name)
        with reserved(output) as path:
            shown(table, render_steps(table, text_width(None)), path)
        return
    if cited:
        from roofcast.kit.output import text_width

        with reserved(output) as path:
            table = gpp.derived_table() if derived else gpp.published_table(system)
            shown(table, render_published(gpp.published(), system, text_width(None)), path)
        return
    plan = "" if once or no_counters else plan_counters(request, told)
    timed(output, quick=quick, once=once, plain=plain, device=device)
    if plan:
        counted(plan, Path(f"{request.base}.counters.csv"))


def architectures_of(text: str) -> list[int]:
    """``70,80,90`` as numbers."""
    from roofcast.core.errors import InputError, one_line

    try:
        return [int(part.strip().removeprefix("sm_")) for part in text.split(",")]
    except ValueError as error:
        raise InputError(f"--sm {one_line(text, 60)}: want architectures such as 70,80,90") from error


def code_table(architectures: list[int], *, plain: bool) -> str:
    """What each version is in machine code, and what that says of the compiler."""
    from roofcast.kit.output import text_width
    from roofcast_measure.gpp_code import describe_compiler, read_code
    from roofcast_measure.show import render_code

    width = text_width(None)
    lines = [line for text in describe_compiler(architectures) for line in textwrap.wrap(text, width)]
    return "\n".join([render_code(read_code(architectures, plain=plain), width), "", *lines])


def shown(table: KernelTable, text: str, path: Path | None) -> None:
    """The table as text, or in a file."""
    from roofcast_measure.tables import write_table

    if path is None:
        click.echo(text)
    else:
        write_table(table, path)


def timed(output: str | None, *, quick: bool, once: bool, plain: bool, device: int) -> None:
    """Times of every version on the GPU."""
    from roofcast.core.errors import RoofcastError
    from roofcast.kit.output import text_width
    from roofcast_measure import devices, gpp
    from roofcast_measure.commands.measuring import progress, reserved
    from roofcast_measure.show import render_steps

    with reserved(output) as path:
        driver = devices.open_device(device)
        try:
            with progress(len(gpp.VERSIONS)) as (watch, advance):
                table = gpp.run_gpp(driver, quick=quick, once=once, plain=plain, watch=watch, advance=advance).table
        finally:
            driver.close()
        steps = render_steps(table, text_width(None))
        try:
            code = code_table([driver.info.sm], plain=plain) if driver.info.sm and path is None else ""
        except RoofcastError:  # no compiler here, or code before sm_70, which nothing reads: the times stand
            code = ""
        shown(table, f"{steps}\n\n{code}".strip(), path)


def counted(plan: Plan | str, file: Path) -> None:
    """Counters of every version, as a report and as a table; one line where there are none: the times stand."""
    import shlex

    from roofcast.commands.reading import read_inspected
    from roofcast.core.errors import RoofcastError
    from roofcast.kit.output import replacing
    from roofcast_measure.gpp_counters import KERNELS, by_version
    from roofcast_measure.profile_plan import Request
    from roofcast_measure.profile_run import explained, run_plan
    from roofcast_measure.profile_tools import REMEDY
    from roofcast_measure.tables import write_table

    if isinstance(plan, str):
        click.echo(f"no counters: {plan}", err=True)
        return
    click.echo(plan.text, err=True)
    try:
        ended = run_plan(plan, lambda line: click.echo(line, nl=False, err=True))
        if ended.forbidden or not ended.reports:
            raise RoofcastError(REMEDY if ended.forbidden else explained(ended, Request((), kernel=KERNELS)))
        kernels, _ = read_inspected(tuple(str(p) for p in ended.reports), None)
        with replacing(str(file)) as path:
            write_table(by_version(kernels), path)
    except RoofcastError as error:
        click.echo(f"no counters: {error}", err=True)
        return
    click.echo(f"next: roofcast roofline {shlex.quote(str(file))} -o steps.svg", err=True)
