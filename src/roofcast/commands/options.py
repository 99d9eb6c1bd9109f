"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roofcast.commands import completing

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable

F = TypeVar("F", bound=Callable[..., Any])


def files_argument(function: F) -> F:
    """FILE...: profiles, ``-`` for standard input."""
    return click.argument("files", nargs=-1, required=True, type=click.Path(allow_dash=True), metavar="FILE...")(
        function
    )


def source_option(function: F) -> F:
    """--from GPU."""
    return click.option(
        "--from",
        "source",
        metavar="GPU",
        shell_complete=completing.complete_gpu,
        help="Source GPU where the file does not say; in a table of several GPUs, the one to forecast from alone.",
    )(function)


def together_option(function: F) -> F:
    """--together."""
    return click.option(
        "--together",
        is_flag=True,
        help="Several FILEs were measured together: one kernel on several GPUs is forecast from all of them "
        "(default: files change nothing in each other's forecasts).",
    )(function)


def target_option(function: F) -> F:
    """--to GPU[,GPU...]; given again it adds up."""
    return click.option(
        "--to",
        "targets",
        required=True,
        multiple=True,
        callback=join_targets,
        metavar="GPU[,GPU...]",
        shell_complete=completing.complete_gpu,
        help='Target GPUs: catalog names, TOML files, or variations such as "H100 SXM5 80GB{dram=4.8TB/s,l2=60MB}"; '
        "several --to add up.",
    )(function)


def model_options(function: F) -> F:
    """--model NAME and --coverage SHARE."""
    function = click.option(
        "--coverage",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        default=0.9,
        show_default=True,
        help="Share of measured times that the interval is to hold.",
    )(function)
    return click.option(
        "--model",
        metavar="NAME",
        shell_complete=completing.complete_model,
        help="Model (default: the most accurate on public data).",
    )(function)


def condition_options(function: F) -> F:
    """--conditions, --clock, --cache and --launch-floor: what both sides of a forecast are like."""
    return clock_options(
        click.option(
            "--launch-floor",
            metavar="SRC,TGT",
            callback=parse_launch_floor,
            help='Time of an empty launch on source and target as the application sees it, e.g. "4us,6us".',
        )(function)
    )


def clock_options(function: F) -> F:
    """--conditions, --clock and --cache."""
    function = click.option(
        "--cache",
        type=click.Choice(["auto", "cold", "warm"]),
        default="auto",
        show_default=True,
        help="Caches on both sides; auto: as --conditions.",
    )(function)
    function = click.option(
        "--clock",
        default="auto",
        show_default=True,
        metavar="auto|boost|base|HZ",
        callback=parse_clock,
        help='SM clock on both sides; auto: as --conditions. HZ e.g. "1.41 GHz".',
    )(function)
    return click.option(
        "--conditions",
        type=click.Choice(["production", "profiled"]),
        default="production",
        show_default=True,
        help="Of both sides: production, what an application sees; profiled, what the profiler would print there "
        "(locked clock, flushed caches).",
    )(function)


def code_options(function: F) -> F:
    """--target-sass and --no-sass: the machine code that a report embeds."""
    function = click.option(
        "--no-sass", is_flag=True, help="Leave aside the machine code in reports (default: it corrects the counts)."
    )(function)
    return click.option(
        "--target-sass",
        metavar="CUBIN",
        type=click.Path(),
        help="Binary that will run on the targets: cubin, executable or PTX (default: the report's PTX, compiled).",
    )(function)


TABLE_FORMATS = ("table", "json", "csv", "parquet", "html")
"""What every command with rows writes (see :func:`roofcast.kit.page.deliver_table`)."""


def output_options(*formats: str) -> Callable[[F], F]:
    """--format and -o FILE."""

    def decorate(function: F) -> F:
        function = click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write to a file.")(function)
        return click.option(
            "--format",
            "form",
            type=click.Choice(formats),
            help=f"Output format (default: by the file name, else {formats[0]}).",
        )(function)

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


def join_targets(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Lists of GPUs as one; None where none was given."""
    return ",".join(values) or None


def split_targets(text: str) -> list[str]:
    """Parts of a list of GPUs; commas inside {} do not separate."""
    from roofcast.catalog import split_targets as split

    return split(text)


def input_format_option(function: F) -> F:
    """--input-format NAME."""
    return click.option(
        "--input-format",
        metavar="NAME",
        shell_complete=completing.complete_format,
        help="Format of the input (default: detected).",
    )(function)


def kernel_option(function: F) -> F:
    """--kernel REGEX."""
    return click.option(
        "--kernel",
        "pattern",
        metavar="REGEX",
        help="Only kernels whose name matches.",
    )(function)


def selection_options(function: F) -> F:
    """--kernel REGEX and --top N."""
    function = kernel_option(function)
    return click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N kernels with most time.")(
        function
    )


def matching(kernels: KernelTable, pattern: str | None) -> KernelTable:
    """Rows whose kernel name matches a regular expression."""
    if pattern is None:
        return kernels
    from roofcast.core.kernel_table import rows_matching

    return kernels.select(rows_matching([str(name) for name in kernels.strings("kernel")], pattern))


def notes_option(function: F) -> F:
    """--notes."""
    return click.option(
        "--notes", is_flag=True, help="All notes below the table (default: the three that matter most)."
    )(function)


def report_option(function: F) -> F:
    """--report FILE.html."""
    return click.option(
        "--report", metavar="FILE.html", type=click.Path(), help="Also write a self-contained HTML report."
    )(function)
