"""`roofcast FILE`: what it is, how it would run on three current GPUs, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands import options
from roofcast.commands.recorded_model import find_recorded, look_at_recorded
from roofcast.commands.worded import WordedCommand
from roofcast.core.errors import one_line

if TYPE_CHECKING:
    from roofcast.forecasting.forecasts import Forecast

CODE = (b"\x7fELF", b"\x50\xed\x55\xba")
"""How cubins, executables and fat binaries begin."""


@click.command("FILE", cls=WordedCommand)
@options.files_argument
@options.source_option
@options.input_format_option
def command(files: tuple[str, ...], source: str | None, input_format: str | None) -> None:
    """Say what FILE is, how it would run on three current GPUs, and what to do next."""
    from roofcast.kit.output import text_width

    if (record := find_recorded(files, input_format)) is not None:
        look_at_recorded(record, shlex.quote(files[0]))
        return
    other = name_other_kind(files[0])
    if other:
        click.echo(other)
        return
    from roofcast.catalog.current import choose_current
    from roofcast.commands.reading import read_inspected
    from roofcast.reports.inspect import render_header

    width = text_width(None)
    kernels, runs = read_inspected(files, input_format)
    if runs:
        from roofcast.applications.recorded import forecast_traces
        from roofcast.applications.show import find_best, state_run, summary_lines, tabulate_targets
        from roofcast.kit.table import folded

        # Beyond the first paragraph stand tables, which `inspect` shows.
        for run in runs:
            lines = list(summary_lines(run, width, 3))
            click.echo("\n".join(lines[: lines.index("")]) + "\n")
        targets = choose_current([*(g for run in runs for g in run.record()["gpus"]), source])
        of_targets = forecast_traces(files, input_format, targets, source=source)
        click.echo(folded(state_run(find_best(of_targets)).verdict, width) + "\n")
        click.echo("\n".join(tabulate_targets(of_targets).lines(width)) + "\n")
    else:
        click.echo("\n".join(render_header(kernels, width)))
        from roofcast.forecasting.forecast import forecast
        from roofcast.models.kernel_amounts import is_from_code

        of_kernels = forecast(kernels, choose_current([*kernels.strings("gpu"), source]), source=source)
        show_kernels(of_kernels, width)
        # Source code ran nowhere, and needs no GPU of its own.
        named = any(of_kernels.sources) or is_from_code(of_kernels.kernels).all()
        source = source or (None if named else "GPU")
    show_next(files, source, runs=bool(runs), derived=not runs and bool(is_from_code(kernels).all()))


def name_other_kind(file: str) -> str:
    """What a file is that is no profile, with the command for it; '' of profiles and of what is not known."""
    path = Path(file)
    if not path.is_file():
        return ""
    with path.open("rb") as opened:
        head = opened.read(4096)
    name, word = one_line(path.name, 120), shlex.quote(file)
    if head.startswith(CODE) or path.suffix in (".cubin", ".ptx", ".fatbin"):
        return f"{name}: machine code; here and on another architecture:\n  roofcast sass {word} --against H100"
    if path.suffix == ".toml":
        text = head.decode("utf-8", "replace")
        if "[axes" in text:
            return f"{name}: a design space; with a profile:\n  roofcast sweep PROFILE --space {word}"
        if "stage" in text:
            return f"{name}: an application of algorithm classes:\n  roofcast hull {word}"
        return f"{name}: a GPU of your own, perhaps:\n  roofcast gpus --validate {word}"
    if path.suffix in (".json", ".jsonl", ".hatchet", ".txt"):
        from roofcast.serving.recognised import name_serving_file

        serving = name_serving_file(path)
        if serving:
            return f"{name}: {serving.replace('FILE', word)}"
    if path.suffix == ".json" and b'"roofcast"' in head[:200]:
        return f"{name}: a saved forecast; with a later measurement:\n  roofcast compare {word} MEASURED"
    return ""


def show_kernels(forecast: Forecast, width: int) -> None:
    """The verdict, and a row per GPU."""
    from roofcast.kit.quantities import format_forecast, format_interval, format_total_speedup
    from roofcast.kit.table import Table, folded
    from roofcast.reports.verdict import name_main_limit, state_forecast

    click.echo(folded(state_forecast(forecast).verdict, width) + "\n")
    once = forecast.each_work_once()
    rows = [
        (t.target, format_forecast(t.time_s, t.time_low_s, t.time_high_s),
         format_interval(t.time_low_s, t.time_high_s), format_total_speedup(t), name_main_limit(once, j))
        for j, t in enumerate(once.totals) if t.kernels
    ]  # fmt: skip
    if rows:
        heads = ("GPU", "time", "interval", "speed-up", "limit")
        click.echo("\n".join(Table.of_cells(heads, rows, right=(1, 3)).lines(width)) + "\n")


def show_next(files: Sequence[str], source: str | None, *, runs: bool, derived: bool = False) -> None:
    """The commands that go on from here. derived : from source code, which ran on no GPU."""
    words = shlex.join(files) + (f" --from {shlex.quote(source)}" if source else "")
    best = '"H100 SXM5 80GB,B200"'
    on, place = (" --on H100", " --from H100") if derived and not source else ("", "")
    asked = {
        f"app {words} --to B200 -o run.html": "where the time of the run goes, before and after",
    } if runs else {
        f"forecast {words} --to {best}": "each kernel, and what limits it",
        f"roofline {words}{place} -o roofline.html": "where each kernel stands under the roofs",
    }  # fmt: skip
    asked[f"advise {words}{on}"] = "what to change, and what it would gain"
    asked[f"choose {words}"] = "which GPU, for a budget or a deadline"
    asked[f"inspect {words}"] = "what was counted, and how to collect what is missing"
    asked[f"serve {shlex.join(files)} --open"] = "all of it as a page"
    click.echo("Next:")
    for command_, why in asked.items():
        click.echo(f"  roofcast {command_}\n      {why}")
