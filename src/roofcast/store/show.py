"""Answers of the store as a table, JSON or CSV."""

from __future__ import annotations

import math
from functools import partial
from operator import itemgetter
from typing import Any

from roofcast.core.errors import one_line
from roofcast.kit.output import text_width
from roofcast.kit.page import Page, deliver_table
from roofcast.kit.quantities import ABSENT, format_percent, format_seconds
from roofcast.kit.table import Column, Table
from roofcast.store.queries import Answer

SHARES = ("mape", "median_ape", "coverage", "coverage_claimed")
LONGEST = 48
"""Characters of a cell."""


def deliver_answer(
    answer: Answer, form: str | None, output: str | None, command: str = "", *, empty: str = "nothing found"
) -> None:
    """Print or write an answer. command : what asked for it, shown on a page."""
    table = tabulate_answer(answer)
    deliver_table(
        form, output, table, Page("From the store", command=command),
        text=lambda: "\n".join(table.lines(text_width(output))) if answer.rows else empty,
    )  # fmt: skip


def tabulate_answer(answer: Answer) -> Table:
    """Columns as they were asked for; people see those with any value."""

    def column(i: int, name: str) -> Column:
        numbers = any(isinstance(row[i], (int, float)) for row in answer.rows)
        head = name.removesuffix("_s").replace("_", " ")
        return Column(head, itemgetter(i), partial(show_cell, name), name, right=numbers, optional=True)

    return Table([column(i, name) for i, name in enumerate(answer.columns)], answer.rows)


def show_cell(column: str, value: Any) -> str:
    """A cell for people."""
    if value is None or value == "":
        return ABSENT
    if isinstance(value, float):
        if math.isnan(value):
            return ABSENT
        if column in SHARES:
            return format_percent(value, 1)
        return format_seconds(value) if column.endswith("_s") else f"{value:.4g}"
    return one_line(str(value), LONGEST)
