"""`roofcast app`: the whole run on another GPU."""

from __future__ import annotations

import click

from roofcast.commands import options
from roofcast.commands.typed import typed_command
from roofcast.commands.worded import WordedCommand

EPILOG = """\b
Examples:
  roofcast app step.pt.trace.json.gz --to B200
  roofcast app report.sqlite --to "H100 SXM5 80GB" --counters kernels.ncu-rep --report run.html
  roofcast app step.pt.trace.json.gz --to B200,MI300X --step --host-speed 1.5x
  roofcast app step.pt.trace.json.gz --to B200 -o b200.trace.json   # before and after, for ui.perfetto.dev
  roofcast app rank0.json rank1.json --ranks --to MI300X --format json"""


@click.command("app", epilog=EPILOG, cls=WordedCommand)
@click.argument("traces", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="TRACE...")
@options.target_option
@options.source_option
@click.option("--counters", multiple=True, metavar="FILE", type=click.Path(), help="Profile of its kernels (ncu ...).")
@options.model_options
@options.clock_options
@click.option(
    "--launch-floor",
    metavar="SRC,TGT",
    callback=options.parse_launch_floor,
    help='Time of an empty launch on source and target, e.g. "4us,6us": the hosts differ by that.',
)
@click.option("--range", "range_name", metavar="NAME",
              help="Only this range of the run (NVTX, ROCTX, record_function), by its name in the trace.")  # fmt: skip
@click.option("--step", is_flag=True, help="Only the steps that repeat, without start-up and warm-up.")
@click.option("--host-speed", metavar="1.5x", default="1x",
              help="How many times as fast the host beside the target is.")  # fmt: skip
@click.option("--ranks", is_flag=True, help="Several traces are ranks of one run (default: as the files say).")
@options.output_options(*options.TABLE_FORMATS, "svg", "perfetto")
@options.report_option
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="Rows of each table.")
@options.notes_option
@options.input_format_option
def command(
    traces: tuple[str, ...], targets: str, source: str | None, counters: tuple[str, ...], model: str | None,
    coverage: float, conditions: str, clock: str | float, cache: str, launch_floor: tuple[float, float] | None,
    range_name: str | None, step: bool, host_speed: str, ranks: bool, form: str | None,
    output: str | None, report: str | None, top: int | None, notes: bool,
    input_format: str | None,
) -> None:  # fmt: skip
    """Forecast a whole application from its timeline: kernels, copies, gaps, overlap.

    TRACE: a PyTorch trace, an Nsight Systems export, rocprof or nvprof traces; several are separate runs unless the
    files say that they are ranks of one (or --ranks does).
    """
    from roofcast import questions
    from roofcast.analyses.applications.show import deliver_app
    from roofcast.commands.reading import read_profiles
    from roofcast.commands.showing import progress_bar

    tables = [read_profiles([file], None) for file in counters]
    with progress_bar() as progress:
        found = questions.app(
            traces, targets, source=source, counters=tables, model=model, coverage=coverage, conditions=conditions,
            clock=clock, cache=cache, launch_floor=launch_floor, range=range_name, step=step, host_speed=host_speed,
            ranks=ranks, input_format=input_format, progress=progress,
        ).found  # fmt: skip
    if report:
        from roofcast.analyses.applications.show import app_page
        from roofcast.kit.page import write_page

        click.echo(write_page(app_page(found), report, typed_command()), err=True)
    deliver_app(found, form, output, top, typed_command(), notes)
