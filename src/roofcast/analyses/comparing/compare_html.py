"""A comparison as a self-contained page."""

from __future__ import annotations

import math

from roofcast.analyses.comparing.matched import Change, Comparison
from roofcast.analyses.comparing.show import cells, columns, moved_text, saved_s, summary
from roofcast.core.units import format_quantity
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section, provenance_section


def compare_page(comparison: Comparison, above: float | None = None) -> Page:
    """Totals, every kernel with what moved, and what a reader must know."""
    first, *notes = summary(comparison, above)
    change = f"{100 * (comparison.ratio - 1):+.1f} %" if math.isfinite(comparison.ratio) else "–"
    names = ("forecast", "measured") if comparison.forecast_of else ("before", "after")
    cards = (
        Card(f"{names[0]}: {comparison.before}", format_quantity(comparison.total_before_s, "s"), plain=True),
        Card(f"{names[1]}: {comparison.after}", format_quantity(comparison.total_after_s, "s"), change),
    )
    header = ("kernel", *columns(comparison), "what moved")
    right = (False, True, True, *[False] * (len(header) - 3))
    order = sorted(comparison.changes, key=lambda c: -abs(saved_s(c)))
    rows = tuple(row(comparison, c) for c in order)
    table = Section("Kernels", header=header, right=right, rows=rows)
    return Page("What changed", cards, (first,), (table, *notes_section(notes), provenance_section(comparison.origins)))


def row(comparison: Comparison, change: Change) -> PageRow:
    """One kernel."""
    shown = cells(comparison, change)
    moved = moved_text(change.moved) if change.verdict != "same" else ""
    times = (sortable(change.before_s), sortable(change.after_s))
    # The third column is the change, or, for a forecast, the interval with the error behind it.
    ratio = (None, sortable(change.ratio)) if comparison.forecast_of else (sortable(change.ratio), None)
    return PageRow((change.name, *shown, moved), (None, *times, *ratio), change.full_name[:300])


def sortable(value: float) -> float | None:
    """A sort key; None where absent, so that the text decides."""
    return value if math.isfinite(value) else None
