"""What every question to roofcast returns: an :class:`Answer`, which shows itself by its one :class:`View`.

The command line prints and writes the same view, so that a value is said in one place for every door.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, overload

from roofcast.core.extras import require_polars
from roofcast.core.markup import escape
from roofcast.core.records import dataclass
from roofcast.kit.output import dump_json, write_text
from roofcast.kit.table import Table, make_plain

if TYPE_CHECKING:
    import pandas
    import polars

    from roofcast.kit.page import Page

Result = TypeVar("Result")
"""What an analysis returns, which an answer holds and a view shows."""
MAX_ROWS = 40
"""Rows of a table in a notebook."""
WIDTH = 120
"""Columns of the text that ``str`` gives."""
IMAGES = ("svg", "png", "pdf")
"""What a picture can be written as."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What an answer says before any detail: the same words on the command line, in Python, on the page and in JSON."""

    subject: str = ""
    """What the times are of: ``60 launches of 15 kernels measured on ...``, ``one step of the run recorded on ...``."""
    verdict: str = ""
    """The answer in one sentence."""
    promise: str = ""
    """What the intervals claim, in a few words; '' where there are none."""
    target: str = ""
    """GPU that the verdict names first; '' where it names none."""

    def record(self) -> dict[str, str]:
        """Values for JSON."""
        return {"verdict": self.verdict, "subject": self.subject, "promise": self.promise}


class Drawing(Protocol):
    """A picture that shows itself in a notebook."""

    def save(self, path: str) -> None:
        """Write it; the suffix chooses how."""


@dataclass(frozen=True, slots=True)
class View(Generic[Result]):
    """How a kind of answer shows itself; each function takes what the analysis returned.

    Those with ``...`` also take the options of :attr:`roofcast.kit.asked.Ask.shows` that they name.
    """

    text: Callable[..., str]
    """With the columns to fill: what the command prints."""
    record: Callable[..., Any]
    """What JSON holds."""
    table: Callable[[Result], Table]
    """What a notebook shows."""
    page: Callable[..., Page | str]
    """A page, or its text: that takes ``command``, which makes it again."""
    picture: Callable[[Result], Drawing]
    """What ``plot`` returns."""
    key: str = ""
    """Of the rows in the record; '' where it is the list, or the only row."""
    rows: Callable[..., Table] | None = None
    """What CSV and Parquet hold; else the table."""
    explain: Callable[[Result, int], str] | None = None
    """What stands behind one row; else all of the row."""
    state: Callable[[Result], Statement] | None = None
    """What is said first; else the record's verdict."""
    html: Callable[[Result], str] | None = None
    """What a notebook shows in place of the table."""
    texts: Mapping[str, Callable[..., str | Iterator[str]]] = field(default_factory=dict)
    """Formats of text that are made otherwise, JSON and CSV too."""
    files: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    """Format -> writes it to a path."""
    pictures: Callable[[Result], Any] | None = None
    """The figures of ``--pictures``."""

    def list_records(self, found: Result) -> Iterable[Mapping[str, Any]]:
        """The rows, in the order of the JSON output."""
        record = self.record(found)
        part = make_plain(record[self.key] if self.key else record)
        return part if isinstance(part, list) else [part]

    def render_json(self, found: Result) -> str:
        """What the command writes as JSON."""
        if "json" not in self.texts:
            return dump_json(self.record(found))
        text = self.texts["json"](found)
        return text if isinstance(text, str) else "".join(text)

    def render_html(self, found: Result) -> str:
        """What a notebook shows: the first rows of the table."""
        if self.html is not None:
            return self.html(found)
        whole = self.table(found)
        left = len(whole.rows) - MAX_ROWS
        part = replace(whole, rows=whole.rows[:MAX_ROWS])
        return show_html(part, f"{left} more rows: to_polars() has all" if left > 0 else "")

    def say(self, found: Result) -> Statement:
        """What is said first."""
        if self.state is not None:
            return self.state(found)
        record = self.record(found)
        return Statement(verdict=str(record.get("verdict") or "")) if isinstance(record, Mapping) else Statement()


def show_html(table: Table, note: str) -> str:
    """A table and what must be known of it, for a notebook."""
    return f'{table.html()}<p style="font-size:smaller">{escape(note)}</p>'


class Row(dict[str, Any]):
    """One row of an answer: ``row["time_s"]`` or ``row.time_s``."""

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"this row has no {name!r}; it has {', '.join(self)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(k for k in self if k.isidentifier())]

    def __str__(self) -> str:
        return "\n".join(f"{k}: {show_value(v)}" for k, v in self.items())

    def _repr_html_(self) -> str:
        cells = (f"<tr><th>{escape(k)}</th><td>{escape(show_value(v))}</td></tr>" for k, v in self.items())
        return f"<table>{''.join(cells)}</table>"


def show_value(value: Any) -> str:
    """A value of a row as text on one line."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


class Text(str):
    """A text that shows itself as it is, line by line."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class Answer(Generic[Result]):
    """What a question to roofcast returns: rows, text, a page and a picture of what the command of that name prints."""

    kind: ClassVar[str] = ""

    def answered(self) -> Result:
        """What the view shows: what the analysis returned."""
        raise NotImplementedError

    def shown(self) -> View[Result]:
        """Make the view."""
        raise NotImplementedError

    @cached_property
    def view(self) -> View[Result]:
        """How it shows itself."""
        return self.shown()

    @property
    def statement(self) -> Statement:
        """Subject, verdict and promise, as the command's text, page and JSON have them."""
        return self.view.say(self.answered())

    @property
    def verdict(self) -> str:
        """The answer in one sentence; '' of a list, which has none."""
        return self.statement.verdict

    def rows(self) -> list[Row]:
        """All rows, in the order of the JSON output."""
        return [Row(r) for r in self.view.list_records(self.answered())]

    def __len__(self) -> int:
        return len(self.rows())

    def __bool__(self) -> bool:
        # An answer without rows is still an answer.
        return True

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows())

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        """One row by its position, or several by a slice."""
        return self.rows()[index]

    def explain(self, index: int = 0) -> Any:
        """What stands behind one row, as text."""
        if self.view.explain is not None:
            return Text(self.view.explain(self.answered(), index))
        return Text(str(self[index]))

    def to_polars(self) -> polars.DataFrame:
        """The rows as a Polars frame; nested values become struct and list columns."""
        require_polars("a Polars frame")
        import polars as pl

        rows = list(map(dict, self.rows()))
        try:
            return pl.DataFrame(rows, infer_schema_length=None, strict=False)
        except (pl.exceptions.PolarsError, TypeError):
            # Rows whose nested values have no common type: those as JSON.
            return pl.DataFrame([{k: flat(v) for k, v in r.items()} for r in rows], infer_schema_length=None)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas frame (needs pandas)."""
        return make_pandas(self.to_polars())

    def to_json(self, path: str | None = None) -> str:
        """The text that the command prints with ``--format json``; also written to a file where one is named.

        Raises
        ------
        RoofcastError : the file cannot be written.
        """
        text = self.view.render_json(self.answered())
        if path is not None:
            write_text(path, f"{text}\n")
        return text

    def report(self, path: str) -> None:
        """Write the page that the command's ``--report`` writes: one HTML file that needs nothing else.

        Raises
        ------
        RoofcastError : the file cannot be written.
        """
        from roofcast.kit.page import render_page

        page = self.view.page(self.answered())
        write_text(path, page if isinstance(page, str) else render_page(page))

    def plot(self, path: str | None = None) -> Drawing:
        """A picture that shows itself in a notebook; also written to a file where one is named (.svg, .png, .pdf).

        Raises
        ------
        RoofcastError : there is nothing to draw, or the file cannot be written.
        """
        picture = self.view.picture(self.answered())
        if path is not None:
            picture.save(str(path))
        return picture

    def __eq__(self, other: object) -> bool:
        """Whether the other answers the same kind of question and says the same (:meth:`to_json`)."""
        if type(other) is not type(self):
            return NotImplemented
        return self is other or self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((type(self), self.to_json()))

    def __str__(self) -> str:
        return self.view.text(self.answered(), WIDTH)

    def _repr_html_(self) -> str:
        return self.view.render_html(self.answered())


@dataclass(frozen=True, repr=False, eq=False)
class Found(Answer[Result]):
    """The answer to a question: what the analysis returned, and how it shows itself."""

    found: Result
    """What the analysis returned; each question's answer says of which type."""

    def answered(self) -> Result:
        """What the analysis returned."""
        return self.found

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not what was made of it here."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @cached_property
    def all_rows(self) -> list[Row]:
        """The rows, made once."""
        return super().rows()

    def rows(self) -> list[Row]:
        """All rows, in the order of the JSON output."""
        return list(self.all_rows)

    def __repr__(self) -> str:
        return f"<{self.kind}: {len(self)} row{'s' * (len(self) != 1)}>"


def flat(value: Any) -> Any:
    """A nested value as JSON; NaN as None."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, (dict, list, tuple)) else value


def make_pandas(frame: polars.DataFrame) -> pandas.DataFrame:
    """A Polars frame as a pandas one, with or without pyarrow.

    Raises
    ------
    MissingExtraError : pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError as error:
        from roofcast.core.errors import MissingExtraError

        raise MissingExtraError("to_pandas needs pandas: pip install pandas; to_polars needs nothing more") from error
    try:
        return frame.to_pandas()
    except ImportError:  # polars asks for pyarrow
        pass
    return pd.DataFrame({s.name: s.to_numpy() if s.dtype.is_numeric() else s.to_list() for s in frame})
