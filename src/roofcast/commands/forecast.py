"""`roofcast forecast`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands import options
from roofcast.commands.recorded_model import deliver_recorded, find_recorded, forecast_recorded, refuse_options
from roofcast.commands.showing import warn_implausible
from roofcast.commands.typed import typed_command
from roofcast.commands.worded import WordedCommand
from roofcast.core.errors import RoofcastError, one_line
from roofcast.reports.ask import ASK, ask_forecast

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable
    from roofcast.forecasting.forecast import Question
    from roofcast.forecasting.forecasts import Forecast

NO_PAIRS = "none"
PICTURES = ("svg", "png", "pdf")
"""What ``--explain`` draws: a waterfall per kernel and target."""


@click.command("forecast", epilog=ASK.epilog, cls=WordedCommand)
@options.files_argument
@options.target_option
@options.source_option
@options.together_option
@options.model_options
@options.condition_options
@options.code_options
@click.option("--size", metavar="NAME=N,...", multiple=True, callback=options.join_lists,
              help='Another problem size, e.g. "N=8192": needs at least two measured ones.')  # fmt: skip
@click.option("--pairs", metavar="OWN.csv|store:NAME|none",
              help="Own kernels timed on both GPUs correct these forecasts; stored ones do unless: none.")  # fmt: skip
@click.option("--host-us", type=float, metavar="US",
              help="Of a model that never ran: microseconds of the host per operator.")  # fmt: skip
@click.option("--mode", type=click.Choice(["eager", "compile", "graph"]), default="eager",
              help="Of a model that never ran: how its step is launched.")  # fmt: skip
@click.option("--explain", is_flag=True,
              help="Why: seconds per resource, and per cause from source to target; -o F.svg draws it.")  # fmt: skip
@options.notes_option
@click.option("--full-names", is_flag=True, help="Full kernel names instead of short ones.")
@options.output_options("table", "json", "csv", "parquet", "html", "svg", "png", "pdf")
@options.report_option
@click.option("--save", "kept", metavar="NAME", help="Keep the forecast in the store too, under NAME.")
@options.selection_options
@options.input_format_option
def command(
    files: tuple[str, ...], targets: str, source: str | None, together: bool, model: str | None, coverage: float,
    conditions: str, clock: str | float, cache: str, load: str,
    launch_floor: tuple[float, float] | None, target_sass: str | None,
    no_sass: bool, size: str | None, pairs: str | None, host_us: float | None, mode: str,
    explain: bool, notes: bool, full_names: bool,
    form: str | None, output: str | None, report: str | None, kept: str | None, top: int | None, pattern: str | None,
    input_format: str | None,
) -> None:  # fmt: skip
    """Forecast every kernel of FILE on other GPUs: seconds, interval, limit, speed-up.

    FILE may also be a model that never ran: a list of roofcast.torch.record as JSON.
    """
    record = find_recorded(files, input_format)
    refuse_options(record is not None)
    if record is not None:
        deliver_recorded(forecast_recorded(record, targets, host_us, mode), form, output, report)
        return
    from roofcast.applications.asked_runs import with_runs
    from roofcast.commands.reading import read_profiles
    from roofcast.kit.output import chosen_format, deliver
    from roofcast.reports.data import PART_CELLS, write_parquet

    question = ask_forecast(
        read_profiles(files, input_format), targets, source=source, model=model, sass="off" if no_sass else "auto",
        target_sass=target_sass, size=size, coverage=coverage, conditions=conditions, clock=clock, cache=cache, load=
        load,
        launch_floor=launch_floor, together=together, pairs=read_pairs(pairs, files, targets), kernel=pattern,
    )  # fmt: skip
    if pattern is None:
        question = with_runs(question, files, input_format, source)
    if chosen_format(form, output) == "parquet" and top is None and not (report or kept):
        deliver("parquet", output, {}, {"parquet": lambda path: write_parquet(question.parts(PART_CELLS), path)})
        warn_implausible(question.kernels)
        refuse_unknown(question)
        return
    result = question.answer()
    if report:
        from roofcast.kit.output import written
        from roofcast.reports.forecast_page import write_forecast_html

        write_forecast_html(result, report, typed_command())
        click.echo(written(report), err=True)
    if kept:
        from roofcast.commands.store import keep_forecast

        click.echo(keep_forecast(result, kept), err=True)
    deliver_forecast(result, form, output, top=top, explain=explain, full_names=full_names, notes=notes)
    warn_implausible(result.kernels)
    refuse_unknown(result)


def refuse_unknown(forecast: Forecast | Question) -> None:
    """Ends the command where no kernel's GPU is known: its rows are written, and hold no time.

    Kernels of source code ran nowhere, and are forecast from their amounts.
    """
    from roofcast.models.kernel_amounts import is_from_code

    if not len(forecast.kernels) or any(s is not None for s in forecast.sources):
        return
    if is_from_code(forecast.kernels).any():
        return
    names = list(dict.fromkeys(one_line(str(g), 60) for g in forecast.kernels.strings("gpu") if str(g).strip()))
    said = f" ({', '.join(names[:3])}{', …' if len(names) > 3 else ''} not in the catalog)" if names else ""
    raise RoofcastError(f"source GPU unknown{said}: give --from GPU; the rows are written without a time")


def read_pairs(pairs: str | None, files: tuple[str, ...], targets: str) -> KernelTable | None:
    """The user's own pairs: those named, else those that the sets of the store among the files hold of a target."""
    from roofcast.commands.reading import read_profiles

    if pairs == NO_PAIRS:
        return None
    if pairs:
        return read_profiles((pairs,), None)
    from roofcast.store.sets import is_stored

    stored = [f for f in files if is_stored(f)]
    if not stored:
        return None
    from roofcast.catalog import split_targets
    from roofcast.forecasting.own_pairs import base_key, measured_between
    from roofcast.forecasting.sources import resolve_target

    found = read_profiles(stored, None)
    wanted = {base_key(resolve_target(t).processor) for t in split_targets(targets)}
    return found if any(target in wanted for _, target in measured_between(found)) else None


def deliver_forecast(
    forecast: Forecast,
    form: str | None,
    output: str | None,
    *,
    top: int | None = None,
    explain: bool = False,
    full_names: bool = False,
    notes: bool = False,
) -> None:
    """Print or write a forecast (see :func:`roofcast.kit.output.deliver`)."""
    from roofcast.kit.output import Render, chosen_format, deliver, text_width
    from roofcast.kit.table import pick_longest
    from roofcast.reports.data import (
        render_forecast_csv,
        stream_forecast_json,
        write_forecast_csv,
        write_parquet,
    )

    shown = forecast if top is None else forecast.select(pick_longest(forecast.source_total_s, top))

    def table() -> str:
        from roofcast.reports.show import render_explanation, render_forecast_table

        text = render_forecast_table(forecast, width=text_width(output), top=top, full_names=full_names,
                                     notes=notes)  # fmt: skip
        return f"{text}\n\n{render_explanation(shown, text_width(output))}" if explain else text

    def page() -> str:
        from roofcast.reports.forecast_page import render_forecast_html

        return render_forecast_html(shown, command=typed_command())

    def picture(path: Path) -> None:
        from roofcast.reports.waterfall_figure import write_waterfalls

        write_waterfalls(shown, path)

    texts: dict[str, Render] = {
        "table": table,
        "json": lambda: stream_forecast_json(shown, explain=explain, whole=forecast),
        "csv": lambda: render_forecast_csv(shown),
        "html": page,
    }
    files = {"csv": lambda path: write_forecast_csv(shown, path)}
    files |= {"parquet": lambda path: write_parquet([shown], path)} | dict.fromkeys(PICTURES, picture)
    deliver(chosen_format(form, output), output, texts, files)
