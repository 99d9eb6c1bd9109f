"""Models that never ran, as the commands take them: a list of ``roofcast.torch.record`` in a file of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from roofcast.core.errors import RoofcastError

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.torch.without_gpu import UnmeasuredSteps

TAKEN = frozenset({"files", "targets", "host_us", "mode", "form", "output", "report", "input_format"})
"""Parameters of ``forecast`` that say something of a model that never ran."""
OF_MODELS = ("host_us", "mode")
"""Those that say something of nothing else."""


def find_recorded(files: Sequence[str], input_format: str | None) -> Mapping[str, Any] | None:
    """The list of operators that a file holds; None where files are something else.

    Raises
    ------
    RoofcastError : a list beside other files.
    """
    if input_format is not None or not any(f.endswith((".json", ".et")) for f in files):
        return None
    from roofcast.scaling.training_model import find_record

    found = [r for r in map(find_record, files) if r is not None]
    if found and len(files) > 1:
        raise RoofcastError("a model that never ran is forecast alone: give one list of roofcast.torch.record")
    return found[0] if found else None


def forecast_recorded(
    record: Mapping[str, Any], targets: str | Sequence[str | Processor], host_us: float | None = None,
    mode: str = "eager",
) -> UnmeasuredSteps:  # fmt: skip
    """What ``roofcast.torch.forecast`` answers."""
    from roofcast.torch.without_gpu import forecast

    return forecast(record, to=targets, host_us=host_us, mode=mode)


def refuse_options(of_model: bool) -> None:
    """Refuse what was asked on the command line that says nothing here. of_model : of a model that never ran."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and of_model and name not in TAKEN:
            raise RoofcastError(
                f"{parameter.opts[-1]} says nothing of a model that never ran: it takes --to, --host-us and --mode"
            )
        if given and not of_model and name in OF_MODELS:
            raise RoofcastError(f"{parameter.opts[-1]} is of models that never ran (lists of roofcast.torch.record)")


def deliver_recorded(found: UnmeasuredSteps, form: str | None, output: str | None, report: str | None) -> None:
    """Print or write the steps, as ``forecast`` does its kernels."""
    from roofcast.commands.typed import typed_command
    from roofcast.kit.output import chosen_format, deliver, dump_json, text_width, written
    from roofcast.kit.page import render_page, write_page
    from roofcast.kit.table import Table
    from roofcast.torch.without_gpu import list_records, model_page, record_model, render_model

    steps, picture = found.found, found.view.picture(found)
    if report:
        write_page(model_page(steps), report, typed_command())
        click.echo(written(report), err=True)
    deliver(
        chosen_format(form, output), output,
        {"table": lambda: render_model(steps, text_width(output)), "json": lambda: dump_json(record_model(steps)),
         "html": lambda: render_page(model_page(steps))},
        dict.fromkeys(("svg", "png", "pdf"), picture.save), rows=lambda: Table.of_records(list_records(steps)),
    )  # fmt: skip


def look_at_recorded(record: Mapping[str, Any], word: str) -> None:
    """The step on three current GPUs, and what to do next. word : the file, as a shell takes it."""
    from roofcast.catalog.current import choose_current
    from roofcast.kit.output import text_width
    from roofcast.kit.table import folded
    from roofcast.torch.without_gpu import tabulate_totals, tell_step

    width, steps = text_width(None), forecast_recorded(record, choose_current([])).found
    click.echo(folded(f"{Path(steps.what).name}: one step of a model that never ran", width) + "\n")
    click.echo("\n".join(tabulate_totals(steps).lines(width)) + "\n")
    click.echo(folded(tell_step(steps), width) + "\n")
    asked = {
        f"forecast {word} --to H100,B200": "each operator, device and host; --host-us 30 states the host",
        f"choose {word} --jobs-per-day 1e6 --prices public": "which GPUs, for how many steps a day",
        f'scale {word} --to H100 --gpus 8,64 --plan auto --network "DGX H100"': "the step on many GPUs, if it trains",
    }
    click.echo("Next:")
    for command, why in asked.items():
        click.echo(f"  roofcast {command}\n      {why}")
