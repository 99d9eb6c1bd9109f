"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roofcast.commands import completing

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable

F = TypeVar("F", bound=Callable[..., Any])


def combine(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Several options as one decorator, in the order of the help."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def parse_clock(_: click.Context, __: click.Parameter, value: str) -> str | float:
    """auto, boost, base, or a frequency in Hz."""
    from roofcast.forecasting.conditions import parse_clock

    return value if value in ("auto", "boost", "base") else parse_clock(value)


def parse_launch_floor(_: click.Context, __: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """Two durations in seconds."""
    if value is None:
        return None
    from roofcast.forecasting.conditions import parse_launch_floor

    return parse_launch_floor(value)


def join_lists(_: click.Context, option: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Lists (GPUs, NAME=N) of an option that is given several times as one; None where none was given or need be."""
    joined = ",".join(values)
    return joined if joined or option.required else None


files_argument = click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...")
"""Profiles, ``-`` for standard input."""
source_option = click.option(
    "--from", "source", metavar="GPU", shell_complete=completing.complete_gpu,
    help="Source GPU where the file does not say; in a table of several GPUs, the one to forecast from alone.",
)  # fmt: skip
together_option = click.option(
    "--together", is_flag=True,
    help="Several FILEs were measured together: one kernel on several GPUs is forecast from all of them (default: "
    "files change nothing in each other's forecasts).",
)  # fmt: skip
target_option = click.option(
    "--to", "targets", required=True, multiple=True, callback=join_lists, metavar="GPU[,GPU...]",
    shell_complete=completing.complete_gpu,
    help='Target GPUs: catalog names, TOML files, or variations such as "H100 SXM5 80GB{dram=4.8TB/s,l2=60MB}"; '
    "several --to add up.",
)  # fmt: skip
coverage_option = click.option(
    "--coverage", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.9, show_default=True,
    help="Share of measured times that the interval is to hold.",
)  # fmt: skip
model_options = combine(
    click.option("--model", metavar="NAME", shell_complete=completing.complete_model,
                 help="Model (default: the most accurate on public data)."),
    coverage_option,
)  # fmt: skip
clock_options = combine(
    click.option("--conditions", type=click.Choice(["production", "profiled"]), default="production", show_default=True,
                 help="Of both sides: production, what an application sees; profiled, what the profiler would print "
                 "there (locked clock, flushed caches)."),
    click.option("--clock", default="auto", show_default=True, metavar="auto|boost|base|HZ", callback=parse_clock,
                 help='SM clock on both sides; auto: as --conditions. HZ e.g. "1.41 GHz".'),
    click.option("--cache", type=click.Choice(["auto", "cold", "warm"]), default="auto", show_default=True,
                 help="Caches on both sides; auto: as --conditions."),
    click.option("--load", type=click.Choice(["auto", "burst", "sustained"]), default="auto", show_default=True,
                 help="Single launches, or a load that lasts, under which boards hold their power; auto: as "
                 "--conditions (production: sustained)."),
)  # fmt: skip
"""What both sides of a forecast are like."""
condition_options = combine(
    clock_options,
    click.option("--launch-floor", metavar="SRC,TGT", callback=parse_launch_floor,
                 help='Time of an empty launch on source and target as the application sees it, e.g. "4us,6us".'),
)  # fmt: skip
input_format_option = click.option(
    "--input-format", metavar="NAME", shell_complete=completing.complete_format,
    help="Format of the input (default: detected).",
)  # fmt: skip
kernel_option = click.option("--kernel", "pattern", metavar="REGEX", help="Only kernels whose name matches.")
selection_options = combine(
    click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N kernels with most time."),
    kernel_option,
)
notes_option = click.option(
    "--notes", is_flag=True, help="All notes below the table (default: the three that matter most)."
)
report_option = click.option(
    "--report", metavar="FILE.html", type=click.Path(), help="Also write a self-contained HTML report."
)
TABLE_FORMATS = ("table", "json", "csv", "parquet", "html")
"""What every command with rows writes (see :func:`roofcast.kit.page.deliver_table`)."""


def output_options(*formats: str) -> Callable[[F], F]:
    """--format and -o FILE."""
    return combine(
        click.option("--format", "form", type=click.Choice(formats),
                     help=f"Output format (default: by the file name, else {formats[0]})."),
        click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write to a file."),
    )  # fmt: skip


def matching(kernels: KernelTable, pattern: str | None) -> KernelTable:
    """Rows whose kernel name matches a regular expression."""
    if pattern is None:
        return kernels
    from roofcast.core.kernel_table import rows_matching

    return kernels.select(rows_matching([str(name) for name in kernels.strings("kernel")], pattern))
