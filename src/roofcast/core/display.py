"""What every question to roofcast returns, and how the core's types show themselves.

Whoever draws a kind of answer says so here (:func:`provide_views`); the core knows nobody above it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar

from roofcast.core.extras import require_polars

if TYPE_CHECKING:
    import pandas
    import polars


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


@dataclass(frozen=True)
class View:
    """How one kind of answer shows itself; each function takes the answer."""

    text: Callable[[Any, int], str]
    """With the columns to fill: what the command prints."""
    json: Callable[[Any], str | Iterator[str]]
    """What the command prints with ``--format json``, whole or in parts."""
    rows: Callable[[Any], Iterable[Mapping[str, Any]]]
    """What iteration and frames give."""
    html: Callable[[Any], str]
    """For a notebook."""
    report: Callable[[Any, str], object]
    """Writes the page that the command's ``--report`` writes."""
    picture: Callable[[Any], Any]
    """What ``plot`` returns: shows itself in a notebook, ``save(path)`` writes it."""
    explain: Callable[[Any, int], str] | None = None
    """What stands behind one row, as text; else all of the row."""
    state: Callable[[Any], Statement] = lambda _: Statement()
    """What is said first."""


Views = Mapping[str, Any]
"""Kind of answer -> its :class:`View`; way of showing another type (``waterfall_text``) -> function of the value."""

_load: list[Callable[[str], Any]] = []
WIDTH = 120
"""Columns of text where nobody says how wide the terminal is."""


def provide_views(load: Callable[[str], Any]) -> None:
    """Say where the views come from. load : takes the name of one, when a value is to be shown."""
    _load[:] = [load]


def find_view(how: str) -> Any:
    """What shows something in one way.

    Raises
    ------
    LookupError : nobody draws it.
    """
    if not _load:
        raise LookupError(f"nothing shows {how}")
    return _load[0](how)


def show(how: str, *arguments: Any) -> Any:
    """Show a value in one way.

    Raises
    ------
    LookupError : nobody draws it.
    """
    return find_view(how)(*arguments)


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


class Answer:
    """What a question to roofcast returns: rows, text, a page and a picture of what the command of that name prints."""

    __slots__ = ()
    kind: ClassVar[str] = ""

    @property
    def view(self) -> View:
        """How this kind of answer shows itself."""
        found: View = find_view(self.kind)
        return found

    @property
    def statement(self) -> Statement:
        """Subject, verdict and promise, as the command's text, page and JSON have them."""
        return self.view.state(self)

    @property
    def verdict(self) -> str:
        """The answer in one sentence; '' of a list, which has none."""
        return self.statement.verdict

    def rows(self) -> list[Row]:
        """All rows, in the order of the JSON output."""
        return [Row(r) for r in self.view.rows(self)]

    def __len__(self) -> int:
        return len(self.rows())

    def __bool__(self) -> bool:
        # An answer without rows is still an answer.
        return True

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows())

    def __getitem__(self, index: Any) -> Any:
        """One row by its position, or several by a slice."""
        return self.rows()[index]

    def explain(self, index: int = 0) -> Any:
        """What stands behind one row, as text."""
        if self.view.explain is not None:
            return Text(self.view.explain(self, index))
        return Text(str(self[index]))

    def to_polars(self) -> polars.DataFrame:
        """The rows as a Polars frame; nested values become struct and list columns."""
        require_polars("a Polars frame")
        import polars as pl

        rows = list(map(dict, self.view.rows(self)))
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
        found = self.view.json(self)
        text = found if isinstance(found, str) else "".join(found)
        if path is not None:
            show("text_file", path, f"{text}\n")
        return text

    def report(self, path: str) -> None:
        """Write the page that the command's ``--report`` writes: one HTML file that needs nothing else.

        Raises
        ------
        RoofcastError : the file cannot be written.
        """
        self.view.report(self, str(path))

    def plot(self, path: str | None = None) -> Any:
        """A picture that shows itself in a notebook; also written to a file where one is named (.svg, .png, .pdf).

        Raises
        ------
        RoofcastError : there is nothing to draw, or the file cannot be written.
        """
        picture = self.view.picture(self)
        if path is not None:
            picture.save(str(path))
        return picture

    def __str__(self) -> str:
        return self.view.text(self, WIDTH)

    def _repr_html_(self) -> str:
        return self.view.html(self)


class Text(str):
    """A text that shows itself as it is, line by line."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


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
