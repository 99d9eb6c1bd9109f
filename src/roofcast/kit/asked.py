"""What a question is: an :class:`Ask` that its room exports once, and the :class:`Found` that it returns.

:mod:`roofcast.asks` lists them; the command line, ``roofcast.<name>()``, the page's tab and the reference are made of
it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from roofcast.core.display import Answer, Row, Statement, View

if TYPE_CHECKING:
    from roofcast.kit.page import Page
    from roofcast.kit.table import Table

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, in [0, 1]."""
SENTENCE = re.compile(r"^([a-z_]+) : (.*?)(?=^[a-z_]+ : |^$|\Z)", re.M | re.S)
"""What a docstring says of a parameter: from the start of a line to the next one's."""
MAX_ROWS = 40
"""Rows of a table in a notebook."""


@dataclass(frozen=True, repr=False)
class Found(Answer):
    """The answer to a question: what the analysis returned, and how it shows itself."""

    found: Any
    """What the analysis returned; each question's answer says of which type."""

    def shown(self) -> View:
        """Make the view."""
        raise NotImplementedError

    def written(self) -> Writing:
        """How its command writes it."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not what was made of it here."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def view(self) -> View:
        """How it shows itself."""
        return self.shown()

    @cached_property
    def all_rows(self) -> list[Row]:
        """The rows, made once."""
        return super().rows()

    def rows(self) -> list[Row]:
        """All rows, in the order of the JSON output."""
        return list(self.all_rows)

    def __repr__(self) -> str:
        return f"<{self.kind}: {len(self)} row{'s' * (len(self) != 1)}>"


@dataclass(frozen=True, slots=True)
class Option:
    """How a parameter of a question is written on the command line; what it means stands in the docstring."""

    metavar: str = ""
    """What stands for the value in the help."""
    flag: str = ""
    """``--from``; else the parameter's name."""
    choices: tuple[str, ...] = ()
    kind: str = ""
    """gpu, model: completed with Tab; path: a file or folder; paths, list, gpus: may be given several times; off: a
    flag; floors: times of an empty launch; number; '' any text."""


@dataclass(frozen=True, slots=True)
class Writing:
    """How the command writes what was found; each takes that, and the options of :attr:`Ask.shows` that it names."""

    text: Callable[..., str]
    """Also with the width to fill."""
    record: Callable[..., Any]
    """What JSON holds."""
    page: Callable[..., Page | str]
    """A page, or its text: that takes ``command``, which makes it again."""
    rows: Callable[..., Table]
    """What CSV and Parquet hold."""
    files: Mapping[str, Callable[[Any, Any], object]] = field(default_factory=dict)
    """Format -> writes it to a path."""
    texts: Mapping[str, Callable[..., str | Iterator[str]]] = field(default_factory=dict)
    """Further formats of text."""
    pictures: Callable[[Any], Any] | None = None
    """The figures of ``--pictures``."""


@dataclass(frozen=True)
class Ask:
    """One question, for Python, the command line, the page and the reference."""

    name: str
    """``roofcast.<name>()`` and ``roofcast <name>``."""
    run: Callable[..., Answer]
    """Answers it; what its signature takes, the command takes as options of the same meaning."""
    view: Callable[..., View]
    """How the answer shows itself: table, JSON, rows, page, picture."""
    examples: tuple[str, ...]
    """Command lines, most usual first."""
    more: str = ""
    """What the command's help says below the examples."""
    options: Mapping[str, Option] = field(default_factory=dict)
    """Parameters that no other question has, or that mean something else here."""
    shows: Mapping[str, str] = field(default_factory=dict)
    """``top`` and ``notes``, where the command has them, with their help; '' as everywhere."""
    formats: tuple[str, ...] = ("table", "json", "csv", "parquet", "html")
    suffixes: Mapping[str, str] = field(default_factory=dict)
    """Ends of file names that stand for another format: ``.md`` is markdown."""
    reads: bool = False
    """Whether the command reads the files itself, with a bar that shows how far it is."""
    limits: bool = False
    """Whether the answer has a column ``limit``: the help explains its words."""
    pictures: str = ""
    """Help of ``--pictures FOLDER``; '' where there is none."""
    ended: Callable[[Any], int | None] | None = None
    """Takes the answer: says with which exit code the command ends, or raises what is still to be said."""

    @property
    def help(self) -> str:
        """What the docstring says before the parameters."""
        text = inspect.getdoc(self.run) or ""
        first = SENTENCE.search(text)
        return text[: first.start() if first else len(text)].strip()

    @property
    def sentences(self) -> dict[str, str]:
        """What the docstring says of each parameter that has a line of its own."""
        found = SENTENCE.findall(inspect.getdoc(self.run) or "")
        return {name: " ".join(text.replace("``", "").split()) for name, text in found}

    @property
    def epilog(self) -> str:
        """What ends the command's help."""
        lines = "\n".join(f"  {e}" for e in self.examples)
        return f"\b\nExamples:\n{lines}" + (f"\n\n\b\n{self.more}" if self.more else "")

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Parameters by name, in the order of the signature."""
        return inspect.signature(self.run).parameters


def show_html(table: Table, note: str) -> str:
    """A table and what must be known of it, for a notebook."""
    return f'{table.html()}<p style="font-size:smaller">{escape(note)}</p>'


def make_view(
    text: Callable[[Any, int], str], record: Callable[[Any], Any], key: str, table: Callable[[Any], Table],
    page: Callable[[Any], Page], picture: Callable[[Any], Any], explain: Callable[[Any, int], str] | None = None,
    state: Callable[[Any], Statement] | None = None,
) -> View:  # fmt: skip
    """A view of what an analysis found, by the functions that its command uses; they take the analysis' own object.

    record : what JSON holds. key : of the rows in it; '' where it is the list, or the only row. state : what is said
    first; the verdict of JSON where nothing else is given.
    """
    from roofcast.kit.output import dump_json
    from roofcast.kit.table import make_plain

    def rows(answer: Found) -> list[dict[str, Any]]:
        made = record(answer.found)
        part = make_plain(made[key] if key else made)
        return part if isinstance(part, list) else [part]

    def html(answer: Found) -> str:
        whole = table(answer.found)
        left = len(whole.rows) - MAX_ROWS
        part = replace(whole, rows=whole.rows[:MAX_ROWS])
        return show_html(part, f"{left} more rows: to_polars() has all" if left > 0 else "")

    def say(answer: Found) -> Statement:
        made = record(answer.found)
        return Statement(verdict=str(made.get("verdict") or "")) if isinstance(made, Mapping) else Statement()

    def report(answer: Found, path: str) -> object:
        from roofcast.kit.page import write_page

        return write_page(page(answer.found), path)

    return View(
        lambda a, width: text(a.found, width), lambda a: dump_json(record(a.found)), rows, html, report,
        lambda a: picture(a.found), None if explain is None else lambda a, i: explain(a.found, i),
        say if state is None else lambda a: state(a.found),
    )  # fmt: skip
