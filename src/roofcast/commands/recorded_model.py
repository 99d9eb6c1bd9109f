"""Models that never ran, as the commands take them: a list of ``roofcast.torch.record`` in a file of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from roofcast.core.errors import RoofcastError


def find_recorded(files: Sequence[str], input_format: str | None) -> Mapping[str, Any] | None:
    """The list of operators that a file holds; None where files are something else.

    Raises
    ------
    RoofcastError : a list beside other files.
    """
    if input_format is not None or not any(f.endswith((".json", ".et")) for f in files):
        return None
    from roofcast.scaling.training_model import find_record

    records = [r for r in map(find_record, files) if r is not None]
    if records and len(files) > 1:
        raise RoofcastError("a model that never ran is forecast alone: give one list of roofcast.torch.record")
    return records[0] if records else None


def refuse_options(names: Collection[str | None], why: str) -> None:
    """Refuse options of these names that were given on the command line."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is click.core.ParameterSource.COMMANDLINE
        if given and parameter.name in names:
            raise RoofcastError(f"{parameter.opts[-1]} {why}")


def look_at_recorded(record: Mapping[str, Any], word: str) -> None:
    """The step on three current GPUs, and what to do next. word : the file, as a shell takes it."""
    from roofcast.catalog.current import choose_current
    from roofcast.kit.output import text_width
    from roofcast.kit.table import folded
    from roofcast.reports.unmeasured_models import forecast_recorded, tabulate_totals, tell_step

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
