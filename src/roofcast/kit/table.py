"""A table: columns that know their names, values and looks; as text, JSON rows, CSV, Parquet and HTML.

Text fits a width, with wide characters counted as the terminal counts them.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, datetime
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter, methodcaller
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast.core.extras import require_polars
from roofcast.core.markup import escape
from roofcast.core.records import dataclass
from roofcast.kit.names import clipped
from roofcast.kit.quantities import ABSENT
from roofcast.kit.words import explain_limit, find_meaning

if TYPE_CHECKING:
    import polars

GAP = "  "
FLEXIBLE_LEAST = 12
"""Characters that the column with names keeps on a narrow terminal."""
FLEXIBLE_ENOUGH = 28
"""Columns of names for which groups go below each other rather than side by side."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""
TAILS = (1 / 3, 1 / 2, 2 / 3, 5 / 6, 0.0)
"""Shares of a cut text that its end may keep, the usual one first."""


def show_text(value: Any) -> str:
    """A text or count on one line; an en dash where absent."""
    return ABSENT if value is None else one_line(str(value))


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name for people and for machines, what a row holds in it, and how that looks."""

    head: str
    """Heading for people; '' where only machines see the column."""
    value: Callable[[Any], Any]
    """Row -> value: a number in SI units, a text, a pair of numbers for an interval; None or NaN where absent."""
    show: Callable[[Any], str] = show_text
    """Value -> what people see."""
    key: str = ""
    """Name in JSON, CSV and Parquet; '' where only people see the column."""
    right: bool | None = None
    """Aligned to the right; None: everything but texts."""
    optional: bool = False
    """Left out for people where no row has a value."""
    flexible: bool = False
    """Gives way where the width is not enough; without one the first column does."""
    fold: bool = False
    """Gives way by going on below, not by losing its middle."""
    group: str = ""
    """A heading above this column and its neighbours of the same group; groups that do not fit follow below."""
    narrow: Callable[[Any], str] | None = None
    """Value -> what people see where not even one group fits."""
    spare: bool = False
    """Left out where not even one group fits."""

    @property
    def is_right(self) -> bool:
        """Whether cells stand at the right."""
        return self.show is not show_text if self.right is None else self.right


@dataclass(frozen=True)
class Table:
    """Columns over rows of any kind; every output of a command that has rows is made from one."""

    columns: Sequence[Column]
    rows: Sequence[Any]
    hover: Callable[[Any], str] | None = None
    """What a page says of a row when it is pointed at."""
    pick: Callable[[Any], int] | None = None
    """A number by which the scripts of a page know a row; its first cell is a button then."""
    foot: Sequence[Any] = ()
    """Sums, below a second rule; for people alone."""

    @classmethod
    def of_cells(cls, heads: Sequence[str], rows: Sequence[Sequence[Any]], right: Collection[int] = ()) -> Table:
        """A table for people alone, its rows made before. right : columns at the right."""
        return cls([Column(head, itemgetter(k), right=k in right) for k, head in enumerate(heads)], rows)

    @classmethod
    def of_records(cls, records: Iterable[Mapping[str, Any]]) -> Table:
        """A table for machines alone, of the objects that JSON has: what is nested in them has columns of its own.

        >>> print(Table.of_records([{"a": 1, "b": {"c": 2.5, "d": ["x", "y"]}}, {"a": 3}]).csv())
        a,b.c,b.d
        1,2.5,x; y
        3,,
        <BLANKLINE>
        """
        rows = [flatten(record) for record in records]
        keys = dict.fromkeys(key for row in rows for key in row)
        return cls([Column("", methodcaller("get", key), key=key) for key in keys], rows)

    def list_shown(self) -> list[Column]:
        """The columns for people."""
        return [
            c for c in self.columns
            if c.head and not (c.optional and all(c.show(c.value(r)) in ("", ABSENT) for r in self.rows))
        ]  # fmt: skip

    def render_cells(self, columns: Sequence[Column] | None = None) -> list[list[str]]:
        """Headings, then what each row shows, sums at last."""
        columns = self.list_shown() if columns is None else columns
        return [[c.head for c in columns], *([c.show(c.value(r)) for c in columns] for r in (*self.rows, *self.foot))]

    def lines(self, width: int, *, stacked: bool = True) -> list[str]:
        """Aligned text of at most ``width`` columns. stacked : see :func:`aligned`."""
        columns = self.list_shown()
        groups = list(dict.fromkeys(c.group for c in columns if c.group))
        if not groups:
            return self.render_lines(columns, width, stacked=stacked)
        sizes = [max(map(cells, texts)) for texts in zip(*self.render_cells(columns), strict=True)]
        gives = next((k for k, c in enumerate(columns) if c.flexible), 0)
        sizes[gives] = min(sizes[gives], FLEXIBLE_ENOUGH)
        side = next((n for n in range(len(groups), 0, -1) if fits_groups(columns, sizes, groups, n, width)), 0)
        if not side:
            columns = [replace(c, show=c.narrow or c.show) for c in columns if not c.spare]
        lines: list[str] = []
        for start in range(0, len(groups), side or 1):
            chosen = ("", *groups[start : start + (side or 1)])
            lines += [*([""] if lines else []), *self.render_lines([c for c in columns if c.group in chosen], width)]
        return lines

    def render_lines(self, columns: Sequence[Column], width: int, *, stacked: bool = True) -> list[str]:
        """Some of the columns below each other."""
        header, *rows = self.render_cells(columns)
        rows[len(self.rows) : len(self.rows)] = [[]] if self.foot else []
        gives = next((k for k, c in enumerate(columns) if c.flexible or c.fold), 0)
        return aligned(
            header, rows, [c.is_right for c in columns], width, gives, stacked=stacked, fold=columns[gives].fold,
            over=[c.group for c in columns],
        )  # fmt: skip

    def records(self) -> Iterator[dict[str, Any]]:
        """One dict per row for JSON; absent values are None."""
        keyed = [c for c in self.columns if c.key]
        return ({c.key: make_plain(c.value(r)) for c in keyed} for r in self.rows)

    def csv(self) -> str:
        """The same as CSV; lists are joined with '; ', objects are JSON."""
        rows = ([join_list(v) for v in record.values()] for record in self.records())
        return render_csv([escape_formula(c.key) for c in self.columns if c.key], rows)

    def write_parquet(self, path: Path) -> None:
        """The same as a Parquet file."""
        require_polars("Parquet")
        import polars as pl

        rows = list(self.records())
        keys = [c.key for c in self.columns if c.key]
        pl.DataFrame({k: pl.Series(k, [r[k] for r in rows], strict=False) for k in keys}).write_parquet(path)

    def html(self, name: str = "", caption: str = "", kind: str = "") -> str:
        """The ``<table>`` element, every text in it escaped.

        name : its id. kind : its style class; ``sortable`` tables have buttons for headings.
        """
        columns = self.list_shown()
        heading = '<button type="button">{}</button>' if "sortable" in kind else "{}"
        attributes = "".join(f' {k}="{escape(v)}"' for k, v in (("id", name), ("class", kind)) if v)
        title = f"<caption>{escape(caption)}</caption>" if caption else ""
        head = "".join(
            f'<th scope="col"{mark_right(c)}{tell(find_meaning(c.head))}>{heading.format(escape(c.head))}</th>'
            for c in columns
        )
        over = "".join(
            f'<th scope="colgroup" colspan="{len(list(part))}">{escape(name)}</th>'
            if name
            else f'<td colspan="{len(list(part))}"></td>'
            for name, part in groupby(columns, lambda c: c.group)
        )
        over = f"<tr>{over}</tr>" if any(c.group for c in columns) else ""
        body = "\n".join(self.render_html_row(r, columns, self.pick) for r in self.rows)
        sums = "\n".join(self.render_html_row(r, columns) for r in self.foot)
        sums = f"<tfoot>{sums}</tfoot>" if sums else ""
        named = f' id="{escape(name)}-rows"' if self.pick else ""
        thead = f"<thead>{over}<tr>{head}</tr></thead>"
        return f"<table{attributes}>{title}{thead}<tbody{named}>{body}</tbody>{sums}</table>"

    def render_html_row(self, row: Any, columns: Sequence[Column], pick: Callable[[Any], int] | None = None) -> str:
        """One row, its cells with what they sort by."""
        cells = []
        for k, column in enumerate(columns):
            value = column.value(row)
            key = find_sort_key(value)
            sort = "" if key is None else f' data-v="{key}"'
            hover = tell(self.hover(row)) if k == 0 and self.hover is not None else ""
            hover = hover or (tell(explain_limit(column.show(value))) if column.head.startswith("limit") else "")
            text = escape(column.show(value))
            if k == 0 and pick is not None:
                cells.append(f'<th scope="row"><button type="button" class="name">{text}</button></th>')
            else:
                cells.append(f"<td{mark_right(column)}{sort}{hover}>{text}</td>")
        number = "" if pick is None else f' data-k="{pick(row)}"'
        return f"<tr{number}>{''.join(cells)}</tr>"


def tell(text: str) -> str:
    """The attribute that shows a text where a cell is pointed at."""
    return f' title="{escape(text)}"' if text else ""


def list_fields(kind: type, *left_out: str) -> list[Column]:
    """Columns for machines: every field of a dataclass under its own name."""
    return [Column("", attrgetter(f.name), key=f.name) for f in fields(kind) if f.name not in left_out]


def mark_right(column: Column) -> str:
    """The class of cells at the right."""
    return ' class="num"' if column.is_right else ""


def find_sort_key(value: Any) -> str | None:
    """What a cell of a page sorts by where not by its text; '' for an absent number.

    >>> find_sort_key(2.5), find_sort_key((1.0, 2.0)), find_sort_key(float("nan")), find_sort_key("a")
    ('2.5', '1', '', None)
    """
    first = value[0] if isinstance(value, tuple) and value else value
    if first is None:
        return ""
    if isinstance(first, bool) or not isinstance(first, (int, float)):
        return None
    return f"{float(first):.6g}" if math.isfinite(first) else ""


def make_plain(value: Any) -> Any:
    """A value that JSON has; None for numbers that it cannot hold."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): make_plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [make_plain(v) for v in value]
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    # Of words with a type of their own (a resource) the word.
    return value if isinstance(value, (int, bool, type(None))) else str(value)


def flatten(record: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """An object without others in it: their names follow its own after a point."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        flat |= flatten(value, f"{before}{key}.") if isinstance(value, Mapping) else {f"{before}{key}": value}
    return flat


def join_list(value: Any) -> Any:
    """A cell of CSV: lists as one text, objects in them as JSON without what is not known.

    >>> join_list([{"path": "slow", "flops": None}, 3])
    '{"path": "slow"}; 3'
    """
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return value
    known = ({k: w for k, w in v.items() if w is not None} if isinstance(v, dict) else v for v in value)
    return "; ".join(json.dumps(v, ensure_ascii=False) if isinstance(v, dict) else str(v) for v in known)


def cells(text: str) -> int:
    """Terminal columns that a text takes.

    >>> cells("abc"), cells("核"), cells("e\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    # Letters and signs of Latin-1 (± and such) take one column each, and a table holds many.
    if text.isprintable() and max(text) < "\u0300":
        return len(text)
    return sum(map(cells_of_sign, text))


@lru_cache(maxsize=4096)
def cells_of_sign(sign: str) -> int:
    """Terminal columns of one character: bars are drawn of few."""
    return 0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def fitted(text: str, width: int, tail: float = 1 / 3) -> str:
    """The text in at most ``width`` columns, its middle cut out where it is longer. tail : share kept of the end."""
    limit = width  # at 0, a sign that is wider than the column becomes an ellipsis
    while cells(text) > width and limit >= 0:
        text = clipped(text, limit, tail) if len(text) > limit else text[:limit]
        limit -= 1
    return text


def fitted_apart(texts: Sequence[str], width: int) -> list[str]:
    """Each text in at most ``width`` columns, cut so that different ones stay different where that is possible.

    >>> fitted_apart(["tendencies_x_279_gpu", "tendencies_x_309_gpu"], 12)
    ['tend…279_gpu', 'tend…309_gpu']
    """
    if all(cells(t) <= width for t in texts):
        return list(texts)
    wanted = len(set(texts))
    best: list[str] = []
    for tail in TAILS:
        cut = [fitted(t, width, tail) for t in texts]
        if len(set(cut)) > len(set(best)):
            best = cut
        if len(set(cut)) == wanted:
            break
    return best


def padded(text: str, width: int, right: bool = False) -> str:
    """The text in exactly ``width`` columns."""
    fitting = fitted(text, width)
    space = " " * (width - cells(fitting))
    return space + fitting if right else fitting + space


def fits_groups(columns: Sequence[Column], sizes: Sequence[int], groups: Sequence[str], side: int, width: int) -> bool:
    """Whether so many groups stand side by side, wherever they begin."""
    for start in range(0, len(groups), side):
        chosen = ("", *groups[start : start + side])
        taken = [size + len(GAP) for size, c in zip(sizes, columns, strict=True) if c.group in chosen]
        if sum(taken) - len(GAP) > width:
            return False
    return True


def aligned(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    width: int,
    flexible: int = 0,
    *,
    stacked: bool = True,
    fold: bool = False,
    over: Sequence[str] = (),
) -> list[str]:
    """Header, rule and rows; the flexible column shrinks until everything fits in ``width`` columns.

    Where that is not enough the gaps do, then the columns that are too many follow below, in a table of their own.

    right : per column, whether it is aligned to the right.
    stacked : False leaves the table as wide as it then is.
    fold : cells of the flexible column go on in the next line where they are too long.
    over : heading above each column; columns with the same one share it.
    rows : one without cells is a rule.
    """
    sizes = [max([cells(h), *(cells(r[k]) for r in rows if r)]) for k, h in enumerate(header)]
    others = sum(sizes) - sizes[flexible]
    least = max(cells(header[flexible]), FLEXIBLE_LEAST)
    needed, gaps = others + min(least, sizes[flexible]), len(sizes) - 1
    gap = GAP if needed + len(GAP) * gaps <= width or not stacked else " "
    grouped = any(over)
    if stacked and not grouped and needed + len(gap) * gaps > width and len(sizes) > 2:
        return in_parts(header, rows, right, width, flexible)
    fixed = others + len(gap) * gaps
    sizes[flexible] = min(sizes[flexible], max(width - fixed, least))
    if fold:
        rows = [part for row in rows for part in fold_cell(row, flexible, sizes[flexible])]
    names = iter(fitted_apart([row[flexible] for row in rows if row], sizes[flexible]))
    rows = [[*row[:flexible], next(names), *row[flexible + 1 :]] if row else row for row in rows]
    lines = [render_over(over, sizes, gap)] if grouped else []
    lines.append(gap.join(padded(h, s, r) for h, s, r in zip(header, sizes, right, strict=True)).rstrip())
    rule = "─" * (sum(sizes) + len(gap) * gaps)
    body = [gap.join(padded(t, s, r) for t, s, r in zip(row, sizes, right, strict=True)).rstrip() if row else rule
            for row in rows]  # fmt: skip
    return [*lines, rule, *body]


def render_over(over: Sequence[str], sizes: Sequence[int], gap: str) -> str:
    """The line of headings that several columns share."""
    parts = []
    for name, group in groupby(zip(over, sizes, strict=True), lambda pair: pair[0]):
        taken = [size for _, size in group]
        parts.append(padded(name, sum(taken) + len(gap) * (len(taken) - 1)))
    return gap.join(parts).rstrip()


def fold_cell(row: Sequence[str], column: int, width: int) -> Iterator[list[str]]:
    """The row with a long cell broken at blanks, the rest of it in rows that are otherwise empty."""
    if not row:
        yield []
        return
    first, *rest = textwrap.wrap(row[column], width, break_on_hyphens=False) or [""]
    yield [*row[:column], first, *row[column + 1 :]]
    for text in rest:
        yield [text if k == column else "" for k in range(len(row))]


def in_parts(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], width: int, flexible: int
) -> list[str]:
    """The table in several ones below each other, each with the first column, or the first two, in front."""
    sizes = [max([cells(h), *(cells(r[k]) for r in rows if r)]) for k, h in enumerate(header)]
    front = list(range(flexible + 1)) if flexible <= 1 else [0]
    sizes[flexible] = min(sizes[flexible], max(FLEXIBLE_LEAST, cells(header[flexible])))
    room = width - sum(sizes[k] for k in front) - len(GAP) * (len(front) - 1)
    parts: list[list[int]] = [[]]
    for k in (k for k in range(len(header)) if k not in front):
        if parts[-1] and sum(sizes[c] + len(GAP) for c in (*parts[-1], k)) > room:
            parts.append([])
        parts[-1].append(k)
    lines: list[str] = []
    for part in parts:
        chosen = [*front, *part]
        lines += [""] if lines else []
        lines += aligned(
            [header[k] for k in chosen], [[row[k] for k in chosen if row] for row in rows], [right[k] for k in chosen],
            width, chosen.index(flexible) if flexible in chosen else 0, stacked=False,
        )  # fmt: skip
    return lines


def folded(text: str, width: int) -> str:
    """The text with every line that is wider than ``width`` columns broken at blanks; tables already fit.

    >>> print(folded("  one two three four", 12))
      one two
        three
        four
    """
    lines: list[str] = []
    for line in text.splitlines():
        if cells(line) <= width:
            lines.append(line)
            continue
        indent = line[: len(line) - len(line.lstrip())]
        lines += textwrap.wrap(
            line.strip(), width, initial_indent=indent, subsequent_indent=f"{indent}  ", break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
    return "\n".join(lines)


def render_csv(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Header and rows as CSV; absent values are empty, and no text is one that a spreadsheet takes for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([escape_formula(c) if isinstance(c, str) else c for c in row] for row in rows)
    return out.getvalue()


def render_columns(columns: Mapping[str, NDArray[Any]]) -> str:
    r"""Columns of one length as CSV; cells of numbers that are absent are empty.

    >>> render_columns({"kernel": np.array(["a", "=b"], object), "time_s": np.array([0.5, np.nan])})
    "kernel,time_s\na,0.5\n'=b,\n"
    """
    cells = [
        ["" if v != v else v for v in values.tolist()] if values.dtype.kind == "f" else values.tolist()  # noqa: PLR0124
        for values in columns.values()
    ]
    return render_csv(map(escape_formula, columns), zip(*cells, strict=True))


def escape_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula; tables are read back without the apostrophe."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def escape_formulas(frame: polars.DataFrame) -> polars.DataFrame:
    """The same for all texts of a frame."""
    import polars as pl

    pattern = f"^[{re.escape(''.join(FORMULA_STARTS))}]"
    # Most columns hold none: they are not made anew.
    starts = frame.select(pl.col(pl.String).str.contains(pattern).any())
    odd = pl.col([c.name for c in starts.get_columns() if c.any()])
    begins = odd.str.contains(pattern)
    return frame.with_columns(pl.when(begins).then("'" + odd).otherwise(odd).name.keep())


def rank_longest(time_s: NDArray[np.float64] | NDArray[np.intp], most: int | None = None) -> list[int]:
    """Rows in the order that people read them, longest first: all, or at most so many; rows without a time come last.

    >>> rank_longest(np.array([1.0, 3.0, np.nan, 2.0])), rank_longest(np.array([1.0, 2.0]), 1)
    ([1, 3, 0, 2], [1])
    """
    order = np.argsort(-np.where(np.isnan(time_s), -1.0, time_s), kind="stable")
    return [int(i) for i in order[:most]]


def pick_longest(time_s: NDArray[np.float64] | NDArray[np.intp], most: int | None) -> list[int]:
    """Rows that a machine reads, in file order: all, or those with most time where that is too many.

    >>> pick_longest(np.array([1.0, 3.0, np.nan, 2.0]), 2), pick_longest(np.array([1.0, 2.0]), None)
    ([1, 3], [0, 1])
    """
    return sorted(rank_longest(time_s, most))
