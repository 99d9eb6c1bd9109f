"""Plain aligned text: tables that fit a width, with wide characters counted as the terminal counts them."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from roofcast.report.names import clipped

GAP = "  "
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
    header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], width: int, flexible: int = 0
) -> list[str]:
    """Header, rule and rows; the flexible column shrinks until everything fits in ``width`` columns.

    right : per column, whether it is aligned to the right.
    """
    sizes = [max([cells(h), *(cells(r[k]) for r in rows)]) for k, h in enumerate(header)]
    fixed = sum(sizes) - sizes[flexible] + len(GAP) * (len(sizes) - 1)
    sizes[flexible] = min(sizes[flexible], max(width - fixed, cells(header[flexible]), 12))
    names = fitted_apart([row[flexible] for row in rows], sizes[flexible])
    rows = [[*row[:flexible], name, *row[flexible + 1 :]] for row, name in zip(rows, names, strict=True)]
    lines = [GAP.join(padded(h, s, r) for h, s, r in zip(header, sizes, right, strict=True)).rstrip()]
    lines.append("─" * (sum(sizes) + len(GAP) * (len(sizes) - 1)))
    lines += [GAP.join(padded(t, s, r) for t, s, r in zip(row, sizes, right, strict=True)).rstrip() for row in rows]
    return lines
