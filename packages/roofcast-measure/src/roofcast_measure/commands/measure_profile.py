"""`roofcast measure profile`: a program under the profiler, with the counters that a forecast needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from roofcast_measure.profile_plan import Plan, Request

EPILOG = """\b
Examples:
  roofcast measure profile -- ./app --size 4096
  roofcast measure profile --kernel gemm --launch-count 20 -o gemm -- python train.py
  roofcast measure profile --full --clock base -- ./app
  roofcast measure profile --dry-run -- mpirun -n 4 ./app"""
PASS_ON = {"ignore_unknown_options": False, "allow_interspersed_args": False}


@click.command("profile", epilog=EPILOG, context_settings=PASS_ON)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="-- PROGRAM [ARGUMENTS]")
@click.option("-o", "--output", default="profile", show_default=True, metavar="NAME", help="Report, without suffix.")
@click.option("--full", is_flag=True, help="All that the reader knows, with source counters: many passes.")
@click.option("--kernel", metavar="REGEX", help="Only kernels whose name matches.")
@click.option("--launch-count", metavar="N", type=click.IntRange(min=1), help="Only so many launches.")
@click.option("--launch-skip", metavar="N", type=click.IntRange(min=0), help="Not the first N launches.")
@click.option("--sample", metavar="N", type=click.IntRange(min=1), help="N launches of each kernel and launch size.")
@click.option("--clock", default="none", show_default=True, type=click.Choice(["none", "base"]), help="base: lock it.")
@click.option("--cache", default="all", show_default=True, type=click.Choice(["all", "none"]), help="Flush the caches?")
@click.option("--ncu", "told", metavar="PATH", help="Nsight Compute, where it is not found.")
@click.option("--vendor", default="auto", type=click.Choice(["auto", "nvidia", "amd"]), help="Whose profiler.")
@click.option("--to-csv", metavar="FILE", type=click.Path(), help="Also write a kernel table: .csv or .parquet.")
@click.option("-f", "--force", is_flag=True, help="Overwrite an old report.")
@click.option("--dry-run", is_flag=True, help="Print the command and stop.")
def command(
    program: tuple[str, ...], output: str, full: bool, kernel: str | None, launch_count: int | None,
    launch_skip: int | None, sample: int | None, clock: str, cache: str, told: str | None, vendor: str,
    to_csv: str | None, force: bool, dry_run: bool,
) -> None:  # fmt: skip
    """Profile a program: three replay passes unless --full, and show what was counted.

    Where counters are forbidden it says how to allow them and takes a trace of times instead.
    """
    from roofcast_measure import profile_tools as tools
    from roofcast_measure.profile_plan import Request

    request = Request(program, output, full, kernel, launch_count, launch_skip, sample, clock, cache, force)
    if vendor == "amd" or (vendor == "auto" and tools.has_amd()):
        run(plan_for_amd(request, dry_run), request, dry_run, to_csv)
        return
    plan = plan_for_nvidia(request, told, dry_run)
    if not dry_run and tools.counters_forbidden():
        click.echo(f"note: {tools.REMEDY}", err=True)
        without_counters(request, to_csv)
        return
    run(plan, request, dry_run, to_csv)


def plan_for_nvidia(request: Request, told: str | None, dry_run: bool) -> Plan:
    """The ncu command, after the checks that can be made beforehand."""
    from pathlib import Path

    from roofcast.core.errors import RoofcastError, one_line
    from roofcast_measure import profile_tools as tools
    from roofcast_measure.profile_plan import check, plan_ncu
    from roofcast_measure.profile_python import plan_nsight
    from roofcast_measure.profile_run import reports

    check(request)
    ncu = tools.find_tool("ncu", told)
    if ncu is None:
        if not dry_run:
            elsewhere = "--dry-run prints the command for elsewhere"
            raise RoofcastError(f"Nsight Compute (ncu) is not here: install it or give --ncu PATH; {elsewhere}")
        ncu = "ncu"
    elif not dry_run:
        tools.ncu_version(ncu)
    capability = tools.compute_capability()
    plan = plan_nsight(request, ncu, capability) or plan_ncu(request, ncu, capability)
    if not dry_run:
        old = reports(plan)
        if old and not request.force:
            raise RoofcastError(f"{one_line(str(old[0]), 120)} is there already: -f overwrites it, -o names another")
        if warning := tools.check_room(Path(request.base).parent, request.full):
            click.echo(f"note: {warning}", err=True)
    return plan


def plan_for_amd(request: Request, dry_run: bool) -> Plan:
    """The rocprofv3 command."""
    from roofcast.core.errors import RoofcastError
    from roofcast_measure.profile_plan import plan_amd
    from roofcast_measure.profile_tools import find_tool

    tool = find_tool("rocprofv3") or find_tool("rocprof-compute")
    if tool is None and not dry_run:
        missing = "neither rocprofv3 nor rocprof-compute is here"
        raise RoofcastError(f"{missing}: install rocprofiler-sdk; --dry-run prints the command for elsewhere")
    return plan_amd(request, tool or "rocprofv3")


def run(plan: Plan, request: Request, dry_run: bool, to_csv: str | None) -> None:
    """Print the command; run it; show what it found."""
    from roofcast.core.errors import RoofcastError
    from roofcast_measure.profile_run import explained, run_plan
    from roofcast_measure.profile_tools import REMEDY

    for note in plan.notes:
        click.echo(f"note: {note}", err=True)
    click.echo(plan.text, err=not dry_run)
    if dry_run:
        return
    ended = run_plan(plan, lambda line: click.echo(line, nl=False))
    if ended.forbidden:
        click.echo(f"note: {REMEDY}", err=True)
        without_counters(request, to_csv)
        return
    if not ended.reports:
        raise RoofcastError(explained(ended, request))
    if ended.status:
        click.echo(f"note: the program ended with code {ended.status}", err=True)
    show([str(p) for p in ended.reports], to_csv, "forecast")


def without_counters(request: Request, to_csv: str | None) -> None:
    """Times instead of counters."""
    from roofcast.core.errors import RoofcastError
    from roofcast_measure.profile_run import explained, fallback, run_plan, static_hint

    plan = fallback(request)
    if plan is None:
        raise RoofcastError("counters are forbidden, and nsys, which takes times without them, is not here: install it")
    click.echo(plan.text, err=True)
    ended = run_plan(plan, lambda line: click.echo(line, nl=False))
    if not ended.reports:
        raise RoofcastError(explained(ended, request))
    show([str(p) for p in ended.reports], to_csv, "app")
    click.echo(static_hint(request), err=True)


def show(files: list[str], to_csv: str | None, following: str) -> None:
    """What the reports hold, and what to do with them."""
    import shlex

    from roofcast.commands.reading import read_inspected
    from roofcast.kit.output import replacing, text_width, written
    from roofcast.reports.inspect import render_inspection
    from roofcast_measure.tables import write_table

    kernels, _ = read_inspected(tuple(files), None)
    click.echo(render_inspection(kernels, text_width(None), details=None, top=20))
    if to_csv is not None:
        with replacing(to_csv) as path:
            write_table(kernels, path)
        click.echo(written(to_csv), err=True)
    click.echo(f"next: roofcast {following} {shlex.join(files)} --to GPU", err=True)
