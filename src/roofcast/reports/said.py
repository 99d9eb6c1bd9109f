"""Which step of preparation said which amount, as `inspect --why` prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from roofcast.core.kernel_table import KernelTable
from roofcast.forecasting.preparing.in_order import STEPS
from roofcast.forecasting.said_amounts import FILE, Said, list_said
from roofcast.kit.names import table_names
from roofcast.kit.quantities import count_of
from roofcast.kit.table import Column, Table, folded
from roofcast.reports.inspect import format_value

FEW = 3
"""Kernels of which each is shown by itself."""
ORDER = {name: n for n, name in enumerate((FILE, *(s.name for s in STEPS)))}


def record_said(kernels: KernelTable) -> list[dict[str, Any]]:
    """A record per kernel and amount, for JSON and tables."""
    names = table_names(kernels)
    return [
        {"kernel": names[s.row], "amount": s.amount, "value": s.value, "said_by": s.by, "why": s.why,
         "in_place_of": s.before}
        for s in list_said(kernels)
    ]  # fmt: skip


def tabulate_said(kernels: KernelTable, *, details: bool | None = None) -> Table:
    """Who said what: kernel by kernel of few kernels, else how many kernels."""
    statements = list_said(kernels)
    if details or (details is None and len(kernels) <= FEW):
        names = table_names(kernels)
        return Table(
            (
                Column("kernel", lambda s: names[s.row]), Column("amount", lambda s: s.amount),
                Column("value", show_value, right=True), Column("said by", lambda s: s.by),
                Column("why", lambda s: s.why), Column("in place of", show_before, right=True),
            ),
            sorted(statements, key=lambda s: (s.row, ORDER[s.by])),
        )  # fmt: skip
    counts = Counter((s.by, s.amount, s.why) for s in statements)
    rows = sorted(counts.items(), key=lambda item: (ORDER[item[0][0]], item[0][1]))
    return Table(
        (
            Column("said by", lambda r: r[0][0]), Column("amount", lambda r: r[0][1]),
            Column("kernels", lambda r: r[1], str, right=True), Column("why", lambda r: r[0][2]),
        ),
        rows,
    )  # fmt: skip


def show_value(s: Said) -> str:
    """The value with its unit."""
    return s.value if isinstance(s.value, str) else format_value(s.amount, s.value)


def show_before(s: Said) -> str:
    """What stood there."""
    return "" if s.before is None else s.before if isinstance(s.before, str) else format_value(s.amount, s.before)


def state_said(kernels: KernelTable) -> str:
    """What the steps added, in a sentence."""
    statements = list_said(kernels)
    of_file = sum(s.by == FILE for s in statements)
    by: dict[str, list[str]] = {}
    for s in statements:
        if s.by != FILE and s.amount not in by.setdefault(s.by, []):
            by[s.by].append(s.amount)
    steps = "; ".join(f"{name} said {', '.join(by[name])}" for name in sorted(by, key=ORDER.__getitem__))
    share = f"{of_file} of {len(statements)} amounts of {count_of(len(kernels), 'kernel')} are as the file has them"
    return f"{share}; {steps}." if steps else f"{share}: no step of preparation adds to them."


def render_said(kernels: KernelTable, width: int, top: int, *, details: bool | None = None) -> str:
    """The sentence, the table, and what each step that spoke does."""
    table = tabulate_said(kernels, details=details)
    short = Table(table.columns, shorten(table.rows, top))
    more = len(table.rows) - len(short.rows)
    lines = [folded(state_said(kernels), width), "", *short.lines(width)]
    lines += [f"… and {count_of(more, 'more row')} (--top N, or -o FILE.csv for all)"] if more else []
    return "\n".join(lines)


def shorten(rows: Sequence[Any], top: int) -> list[Any]:
    """What steps said first, then as many of the file's."""
    by = [(r.by if isinstance(r, Said) else r[0][0]) for r in rows]
    of_steps = [r for r, b in zip(rows, by, strict=True) if b != FILE]
    of_file = [r for r, b in zip(rows, by, strict=True) if b == FILE]
    return [*of_steps, *of_file][: max(top, 1)] if len(rows) > top else list(rows)
