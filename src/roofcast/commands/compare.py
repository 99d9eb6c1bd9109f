"""`roofcast compare`: what changed between two profiles, or between a forecast and what was measured later."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.core.errors import RoofcastError, one_line

if TYPE_CHECKING:
    from roofcast.analyses.comparing.before_after import Comparison
    from roofcast.analyses.comparing.saved import SavedForecast
    from roofcast.core.kernel_table import KernelTable

EPILOG = """\b
Examples:
  roofcast compare before.ncu-rep after.ncu-rep
  roofcast compare main.csv branch.csv --fail-above 5% --format markdown -o comment.md
  roofcast compare forecast.json measured.ncu-rep --report comparison.html

\b
Exit code 3: something takes more time than --fail-above allows, beyond its noise."""
EXIT_SLOWER = 3


def parse_limit(_: click.Context, __: click.Parameter, value: str | None) -> float | None:
    """A share: ``5%``, ``0.05``."""
    from roofcast.core.units import parse_quantity

    if value is None:
        return None
    limit = parse_quantity(value, "")
    if not 0 <= limit < 100 or ("%" not in value and limit >= 1):
        raise RoofcastError(f"--fail-above {value}: give a share such as 5%")
    return limit


@click.command("compare", epilog=EPILOG)
@click.argument("before", type=click.Path(allow_dash=True))
@click.argument("after", type=click.Path(allow_dash=True))
@click.option(
    "--fail-above", "above", metavar="SHARE", callback=parse_limit,
    help="Exit with 3 where the run, the devices, the total or a kernel with all its launches takes more time by more "
    "than this, beyond noise, e.g. 5%.",
)  # fmt: skip
@click.option(
    "--target", metavar="GPU", shell_complete=completing.complete_gpu,
    help="Of a saved forecast for several GPUs, the one that was measured (default: as AFTER says).",
)  # fmt: skip
@options.kernel_option
@options.output_options("table", "json", "markdown", "html")
@options.report_option
@options.input_format_option
def command(
    before: str, after: str, above: float | None, target: str | None, pattern: str | None, form: str | None,
    output: str | None, report: str | None, input_format: str | None,
) -> int:  # fmt: skip
    """Match the kernels of BEFORE and AFTER and say what changed, beyond noise, and what moved with it.

    BEFORE may be a forecast saved by `roofcast forecast ... --format json -o FILE`.
    """
    from functools import partial

    from roofcast.analyses.comparing.show import build_page, render_comparison
    from roofcast.kit.output import chosen_format, deliver, text_width
    from roofcast.kit.page import name_command, render_page, write_page

    if output and output.lower().endswith(".md") and form is None:
        form = "markdown"
    result = compare_files(before, after, target, pattern, input_format)
    if report:
        click.echo(write_page(build_page(result, above), report, typed_command()), err=True)
    chosen = chosen_format(form, output)
    text = partial(render_comparison, result, chosen, above, text_width(output))
    texts = dict.fromkeys(("table", "json", "markdown"), text)
    page = partial(name_command, build_page(result, above), typed_command())
    deliver(chosen, output, {**texts, "html": lambda: render_page(page())})
    return EXIT_SLOWER if above is not None and result.failures(above) else 0


def compare_files(
    before: str, after: str, target: str | None = None, pattern: str | None = None, input_format: str | None = None
) -> Comparison:
    """Compare two profiles, or a saved forecast with a profile.

    target : of a saved forecast for several GPUs, the one that was measured.
    pattern : regular expression of kernel names.

    Raises
    ------
    RoofcastError : a file that cannot be read, no kernel left, or a saved forecast on the wrong side.
    """
    from roofcast.analyses.comparing.before_after import compare
    from roofcast.analyses.comparing.saved import is_saved_forecast, read_saved_forecast
    from roofcast.reading import read

    if is_saved_forecast(after):
        raise RoofcastError("AFTER is a saved forecast: give the forecast first, then the measurement")
    if before == after == "-":
        raise RoofcastError("standard input can be only one of the two files")
    if pattern is None and is_two_timelines(before, after, input_format):
        return compare_timelines(before, after, input_format)
    measured = select_matching(read(after, input_format), pattern, after)
    names = name_of(before), name_of(after)
    if target and not is_saved_forecast(before):
        raise RoofcastError(
            "--target says which GPU of a saved forecast was measured; BEFORE is a profile: leave it out"
        )
    if not is_saved_forecast(before):
        return compare(select_matching(read(before, input_format), pattern, before), measured, names)
    gpus = [target] if target else list(dict.fromkeys(str(g) for g in measured.strings("gpu")))
    saved = select_forecasts(read_saved_forecast(before, gpus), pattern, before)
    return compare(saved.kernels, measured, names, saved)


def is_two_timelines(before: str, after: str, input_format: str | None) -> bool:
    """Whether both files are recorded runs."""
    from roofcast.ingest.timelines import is_timeline

    return "-" not in (before, after) and all(is_timeline(f, input_format) for f in (before, after))


def compare_timelines(before: str, after: str, input_format: str | None) -> Comparison:
    """Compare two recorded runs: what they took, and their kernels."""
    from roofcast.analyses.comparing.before_after import Measure, compare
    from roofcast.commands.reading import read_inspected

    old_side, new_side = (read_inspected([f], input_format) for f in (before, after))
    # A folder of several traces: the longest run, as ranks run side by side; counts and work add up.
    sides = [[run.list_measures() for run in found] for _, found in (old_side, new_side)]
    measures = []
    for k, (name, _, unit, gates) in enumerate(sides[0][0]):
        values = [[run[k][1] for run in side] for side in sides]
        old, new = (max(v) if name == "run" else sum(v) for v in values)
        measures.append(Measure(name, old, new, unit, gates))
    return compare(old_side[0], new_side[0], (name_of(before), name_of(after)), runs=tuple(measures))


def name_of(path: str) -> str:
    """A file's name without its folder, for display."""
    return one_line(Path(path).name, 120) if path != "-" else "standard input"


def rows_of(kernels: KernelTable, pattern: str | None, path: str) -> list[int]:
    """Rows whose kernel name matches."""
    from roofcast.core.kernel_table import rows_matching

    return rows_matching([str(name) for name in kernels.strings("kernel")], pattern or "", f" of {name_of(path)}")


def select_matching(kernels: KernelTable, pattern: str | None, path: str) -> KernelTable:
    """Kernels whose name matches."""
    return kernels if pattern is None else kernels.select(rows_of(kernels, pattern, path))


def select_forecasts(saved: SavedForecast, pattern: str | None, path: str) -> SavedForecast:
    """Forecasts of the kernels whose name matches."""
    if pattern is None:
        return saved
    import numpy as np

    rows = np.array(rows_of(saved.kernels, pattern, path), dtype=np.intp)
    return dataclasses.replace(
        saved, kernels=saved.kernels.select(rows), low_s=saved.low_s[rows], high_s=saved.high_s[rows]
    )
