"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roofcast.commands import completing
from roofcast.core.errors import RoofcastError, UnitError, one_line

if TYPE_CHECKING:
    from roofcast.analyses.sweeps.choosing import Limits
    from roofcast.core.kernel_table import KernelTable

F = TypeVar("F", bound=Callable[..., Any])
LONGEST_LAUNCH_S = 1.0
"""No empty launch takes longer: a number without its unit is meant."""


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
        shell_complete=completing.words("auto", "boost", "base"),
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
    from roofcast.core.units import parse_quantity

    if value in ("auto", "boost", "base"):
        return value
    try:
        hertz = parse_quantity(value, "Hz")
    except UnitError as error:
        raise RoofcastError(f"--clock: use auto, boost, base or a frequency: {error}") from error
    if not 1e7 <= hertz <= 1e10:
        raise RoofcastError(f"--clock {value}: {hertz:g} Hz is no SM clock; write e.g. 1.41GHz, boost or base")
    return hertz


def parse_launch_floor(_: click.Context, __: click.Parameter, value: str | None) -> tuple[float, float] | None:
    """Two durations in seconds."""
    from roofcast.core.units import parse_quantity

    if value is None:
        return None
    parts = split_list(value)
    if len(parts) != 2:
        raise RoofcastError(f'--launch-floor {value!r}: give two durations, source and target, e.g. "4us,6us"')
    source, target = (parse_quantity(part, "s") for part in parts)
    if source < 0 or target < 0:
        raise RoofcastError(f"--launch-floor {value!r}: durations cannot be negative")
    if max(source, target) > LONGEST_LAUNCH_S:
        raise RoofcastError(f'--launch-floor {value!r}: no empty launch takes so long; give units, e.g. "4us,6us"')
    return source, target


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
        shell_complete=completing.complete_kernel,
        help="Only kernels whose name matches.",
    )(function)


def selection_options(function: F) -> F:
    """--kernel REGEX and --top N."""
    function = kernel_option(function)
    return click.option("--top", type=click.IntRange(min=1), metavar="N", help="Only the N kernels with most time.")(
        function
    )


def matching(kernels: KernelTable, pattern: str | None) -> KernelTable:
    """Rows whose kernel name matches a regular expression.

    Raises
    ------
    RoofcastError : the expression is not valid, or matches no kernel.
    """
    if pattern is None:
        return kernels
    from roofcast.core.kernel_table import rows_matching

    return kernels.select(rows_matching([str(name) for name in kernels.strings("kernel")], pattern))


def split_list(text: str) -> list[str]:
    """Parts of a comma-separated option, without blanks."""
    return [part.strip() for part in text.split(",") if part.strip()]


def report_option(function: F) -> F:
    """--report FILE.html."""
    return click.option(
        "--report", metavar="FILE.html", type=click.Path(), help="Also write a self-contained HTML report."
    )(function)


def quantity(option: str, text: str | None, unit: str) -> float | None:
    """A positive amount; None where the option was not given."""
    from roofcast.core.kernel_table import LARGEST
    from roofcast.core.units import parse_quantity

    if text is None:
        return None
    try:
        value = parse_quantity(text, unit)
    except UnitError as error:
        raise RoofcastError(f"{option}: {error}") from error
    if value < 1 / LARGEST:  # what is smaller stands for nothing, and ratios to it overflow
        raise RoofcastError(f"{option} {one_line(text, 40)}: give an amount above 0")
    return value


def limits_of(
    budget: str | None, power: str | None, rack: str | None, deadline: str | None, memory: str | None
) -> Limits:
    """Limits from their options."""
    from roofcast.analyses.sweeps.choosing import Limits

    return Limits(
        quantity("--budget", budget, "USD"), quantity("--power", power, "W"), quantity("--rack", rack, ""),
        quantity("--deadline", deadline, "s"), quantity("--memory", memory, "B"),
    )  # fmt: skip


def parse_weights(text: str | None) -> dict[str, float] | None:
    """``name=3,other=10``; a comma in a name needs the short name before its parameters."""
    if text is None:
        return None
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not equals or not name.strip() or not 0 <= number < float("inf"):
            raise RoofcastError(f"--weights {one_line(part, 60)!r}: write NAME=NUMBER, e.g. saxpy=1000,reduce=50")
        if name.strip() in found:
            raise RoofcastError(f"--weights: {one_line(name, 60)!r} is given twice")
        found[name.strip()] = number
    return found
