"""Plain aligned text: tables that fit a width, with wide characters counted as the terminal counts them."""

from __future__ import annotations

import csv
import io
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.kit.names import clipped

if TYPE_CHECKING:
    import polars

GAP = "  "
FLEXIBLE_LEAST = 12
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""
TAILS = (1 / 3, 1 / 2, 2 / 3, 5 / 6, 0.0)
"""Shares of a cut text that its end may keep, the usual one first."""


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
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


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
    shown = fitted(text, width)
    space = " " * (width - cells(shown))
    return space + shown if right else shown + space


def aligned(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    width: int,
    flexible: int = 0,
    *,
    stacked: bool = True,
) -> list[str]:
    """Header, rule and rows; the flexible column shrinks until everything fits in ``width`` columns.

    Where that is not enough the gaps do, then the columns that are too many follow below, in a table of their own.

    right : per column, whether it is aligned to the right.
    stacked : False leaves the table as wide as it then is.
    """
    sizes = [max([cells(h), *(cells(r[k]) for r in rows)]) for k, h in enumerate(header)]
    others = sum(sizes) - sizes[flexible]
    least = max(cells(header[flexible]), FLEXIBLE_LEAST)
    gap = GAP if others + min(least, sizes[flexible]) + len(GAP) * (len(sizes) - 1) <= width or not stacked else " "
    if stacked and others + min(least, sizes[flexible]) + len(gap) * (len(sizes) - 1) > width and len(sizes) > 2:
        return in_parts(header, rows, right, width, flexible)
    fixed = others + len(gap) * (len(sizes) - 1)
    sizes[flexible] = min(sizes[flexible], max(width - fixed, least))
    names = fitted_apart([row[flexible] for row in rows], sizes[flexible])
    rows = [[*row[:flexible], name, *row[flexible + 1 :]] for row, name in zip(rows, names, strict=True)]
    lines = [gap.join(padded(h, s, r) for h, s, r in zip(header, sizes, right, strict=True)).rstrip()]
    lines.append("─" * (sum(sizes) + len(gap) * (len(sizes) - 1)))
    lines += [gap.join(padded(t, s, r) for t, s, r in zip(row, sizes, right, strict=True)).rstrip() for row in rows]
    return lines


def in_parts(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], width: int, flexible: int
) -> list[str]:
    """The table in several ones below each other, each with the first column, or the first two, in front."""
    sizes = [max([cells(h), *(cells(r[k]) for r in rows)]) for k, h in enumerate(header)]
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
            [header[k] for k in chosen], [[row[k] for k in chosen] for row in rows], [right[k] for k in chosen], width,
            chosen.index(flexible) if flexible in chosen else 0, stacked=False,
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


def escape_formula(text: str) -> str:
    """Text that no spreadsheet takes for a formula; tables are read back without the apostrophe."""
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def escape_formulas(frame: polars.DataFrame) -> polars.DataFrame:
    """The same for all texts of a frame."""
    import polars as pl

    begins = pl.col(pl.String).str.contains(f"^[{re.escape(''.join(FORMULA_STARTS))}]")
    return frame.with_columns(pl.when(begins).then("'" + pl.col(pl.String)).otherwise(pl.col(pl.String)).name.keep())


def rank_longest(time_s: NDArray[np.float64], most: int | None = None) -> list[int]:
    """Rows in the order that people read them, longest first: all, or at most so many; rows without a time come last.

    >>> rank_longest(np.array([1.0, 3.0, np.nan, 2.0])), rank_longest(np.array([1.0, 2.0]), 1)
    ([1, 3, 0, 2], [1])
    """
    order = np.argsort(-np.where(np.isnan(time_s), -1.0, time_s), kind="stable")
    return [int(i) for i in order[:most]]


def pick_longest(time_s: NDArray[np.float64], most: int | None) -> list[int]:
    """Rows that a machine reads, in file order: all, or those with most time where that is too many.

    >>> pick_longest(np.array([1.0, 3.0, np.nan, 2.0]), 2), pick_longest(np.array([1.0, 2.0]), None)
    ([1, 3], [0, 1])
    """
    return sorted(rank_longest(time_s, most))
