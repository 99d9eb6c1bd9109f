"""Where results go: standard output or a file, in the format that was asked for or that the file name shows."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line
from roofcast.kit.files import write_text

Render = Callable[[], str]
Write = Callable[[Path], None]

SUFFIXES = {".json": "json", ".csv": "csv", ".parquet": "parquet", ".txt": "table", ".md": "table"}


PLAIN = ("", ".txt", ".md", ".log", ".out", ".text")
"""Suffixes of plain text; what has another one is taken for a format that is not made."""

PICTURES = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".html": "html", ".htm": "html"}
"""Suffixes of what only some commands draw; the others say so."""


def chosen_format(asked: str | None, output: str | None, default: str = "table") -> str:
    """The format asked for, else the one that the output's suffix shows, else the default."""
    suffix = Path(output).suffix.lower() if output else ""
    return asked or PICTURES.get(suffix) or SUFFIXES.get(suffix) or (default if suffix in PLAIN else suffix[1:])


def deliver(
    form: str, output: str | None, texts: Mapping[str, Render], files: Mapping[str, Write] | None = None
) -> None:
    """Render one format and print it, or write it to ``output`` in one step.

    texts : format -> function that renders it as text.
    files : format -> function that writes it to a path (binary formats; they need ``output``).

    Raises
    ------
    RoofcastError : a format that this command does not make, a binary one without ``output``, or a file that cannot
        be written.
    """
    from roofcast.kit.files import write_with

    known = [*texts, *(files or ())]
    if form not in known:
        raise RoofcastError(f"-o {one_line(output or '-', 200)}: no {form} here; formats: {', '.join(known)}")
    if files and form in files:
        if output is None or output == "-":
            raise RoofcastError(f"{form} is a binary format: name a file with -o FILE.{form}")
        write_with(output, files[form])
    elif output and output != "-":
        write_text(output, texts[form]().rstrip("\n") + "\n")
    else:
        sys.stdout.write(texts[form]().rstrip("\n") + "\n")


def text_width(output: str | None) -> int:
    """Columns to fill: the terminal's, or enough for a file."""
    return 160 if output else shutil.get_terminal_size((120, 24)).columns


def written(path: str) -> str:
    """The line that says where a file went."""
    size = Path(path).stat().st_size
    shown = f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB" if size >= 1e3 else f"{size} B"
    return f"wrote {one_line(path)} ({shown})"
