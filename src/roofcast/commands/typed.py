"""The command as it was typed, for the pages that it makes; no folder of the user and no host is told."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

import click

from roofcast.core.errors import one_line

KEY = "roofcast.words"
MAX_WORDS = 200
"""Words of a command line that a page repeats."""
EXPRESSIONS = ("--kernel",)
"""Options whose value is a text to find: a slash in it is no folder."""
FOLDER = re.compile(r"(^-[a-z]|^|[,=:{])(?:~|[A-Za-z]:[/\\]|[/\\])(?:[^,=:{}/\\]*[/\\])*")
ADDRESS = re.compile(r"\b([a-z][a-z0-9+.]*)://[^\s,]+")


def remember(context: click.Context, words: Sequence[str]) -> None:
    """Keep the words after ``roofcast`` for :func:`typed_command`."""
    context.meta[KEY] = tuple(words)


def typed_command() -> str:
    """The command of this run as a shell takes it; '' outside a command.

    Relative paths stay as typed, of absolute ones only the name, of addresses only the scheme.
    """
    context = click.get_current_context(silent=True)
    words = context.meta.get(KEY, ()) if context else ()
    if not words:
        return ""
    listed = list(said(words[:MAX_WORDS]))
    left = f" … and {len(words) - MAX_WORDS} more words" if len(words) > MAX_WORDS else ""
    return f"roofcast {shlex.join(listed)}{left}"


def said(words: Sequence[str]) -> Iterator[str]:
    """Each word without what it tells of this machine."""
    before = ""
    for word in words:
        is_expression = before in EXPRESSIONS or word.startswith(tuple(f"{e}=" for e in EXPRESSIONS))
        yield one_line(word if is_expression else without_places(word), 500)
        before = word


def without_places(word: str) -> str:
    """A word without folders from the root or the home on, and without hosts.

    >>> without_places("/home/me/run.ncu-rep"), without_places("runs/a.csv"), without_places("tcp://me:pw@host:8786")
    ('run.ncu-rep', 'runs/a.csv', 'tcp://…')
    >>> without_places("H100{dram=4.8TB/s},~/my/gpu.toml"), without_places("--report=/tmp/r.html")
    ('H100{dram=4.8TB/s},gpu.toml', '--report=r.html')
    """
    return ADDRESS.sub(r"\1://…", word) if ADDRESS.search(word) else FOLDER.sub(r"\1", word)
