"""Options that several commands share, so that they mean the same everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roofcast.errors import RoofcastError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from roofcast.core.table import KernelTable

F = TypeVar("F", bound=Callable[..., Any])


def complete_gpu(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """GPU names for tab completion, after the last comma of a list."""
    from click.shell_completion import CompletionItem

    from roofcast.catalog import names

    done, comma, last = incomplete.rpartition(",")
    return [CompletionItem(done + comma + n) for n in names() if n.lower().startswith(last.strip().lower())]


def complete_format(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Input formats for tab completion."""
    from roofcast.ingest.readers import READERS

    return [name for name in READERS if name.startswith(incomplete)]


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
        shell_complete=complete_gpu,
        help="Source GPU where the file does not say; in a table of several GPUs, the one to forecast from.",
    )(function)


def input_format_option(function: F) -> F:
    """--input-format NAME."""
    return click.option(
        "--input-format",
        metavar="NAME",
        shell_complete=complete_format,
        help="Format of the input (default: detected).",
    )(function)


def selection_options(function: F) -> F:
    """--kernel REGEX and --top N."""
    function = click.option("--kernel", "pattern", metavar="REGEX", help="Only kernels whose name matches.")(function)
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
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise RoofcastError(f"--kernel {pattern!r} is not a regular expression: {error}") from error
    rows = [i for i, name in enumerate(kernels.strings("kernel")) if expression.search(name)]
    if not rows:
        raise RoofcastError(
            f"--kernel {pattern!r} matches none of the {len(kernels)} kernels; `roofcast inspect` lists them"
        )
    return kernels.select(rows)


def split_list(text: str) -> list[str]:
    """Parts of a comma-separated option, without blanks."""
    return [part.strip() for part in text.split(",") if part.strip()]
