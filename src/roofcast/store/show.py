"""Answers of the store as a table, JSON or CSV."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from typing import Any

from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.kit.output import chosen_format, deliver, text_width
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import aligned, escape_formula, render_csv
from roofcast.store.queries import Answer

SHARES = ("mape", "median_ape", "coverage", "coverage_claimed")
LONGEST = 48


def deliver_answer(answer: Answer, form: str | None, output: str | None, *, empty: str = "nothing found") -> None:
    """Print or write an answer."""
    texts = {
        "table": lambda: as_table(answer, text_width(output), empty),
        "json": lambda: json.dumps([{k: plain(v) for k, v in r.items()} for r in answer.records()], indent=1),
        "csv": lambda: as_csv(answer),
    }
    deliver(chosen_format(form, output), output, texts)


def as_table(answer: Answer, width: int, empty: str) -> str:
    """Aligned columns, with units for people; those without any value are left out."""
    if not answer.rows:
        return empty
    kept = [i for i in range(len(answer.columns)) if any(present(row[i]) for row in answer.rows)]
    names = [answer.columns[i] for i in kept]
    rows = [[shown(n, row[i]) for n, i in zip(names, kept, strict=True)] for row in answer.rows]
    right = [any(isinstance(row[i], (int, float)) for row in answer.rows) for i in kept]
    return "\n".join(aligned([n.removesuffix("_s").replace("_", " ") for n in names], rows, right, width))


def present(value: Any) -> bool:
    """Whether a cell has a value."""
    return value is not None and value != "" and not (isinstance(value, float) and math.isnan(value))


def shown(column: str, value: Any) -> str:
    """A cell for people."""
    if not present(value):
        return "–"
    if isinstance(value, float):
        if column in SHARES:
            return format_percent(value, 1)
        return format_quantity(value, "s") if column.endswith("_s") else f"{value:.4g}"
    return one_line(str(value), LONGEST)


def as_csv(answer: Answer) -> str:
    """Plain cells; absent values are empty."""
    return render_csv(map(escape_formula, answer.columns), (map(plain, row) for row in answer.rows))


def plain(value: Any) -> Any:
    """A value that JSON has; None where absent."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if isinstance(value, (str, int, bool, type(None))) else str(value)
