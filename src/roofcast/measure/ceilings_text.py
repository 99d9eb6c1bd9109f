"""Measured ceilings as text, beside the catalog's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from roofcast.catalog.vocabulary import measured_unit
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import aligned
from roofcast.measure.ceilings.comparison import Compared, compare, explanations
from roofcast.measure.ceilings.entry import during, scaled

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.measure.ceilings.run import Measured


def render_ceilings(measured: Measured, processor: Processor | None, width: int) -> str:
    """One line per ceiling, what is off, and what that usually means."""
    rows = compare(measured, processor) if processor is not None else [
        Compared(c, math.nan, 0.0) for c in measured.ceilings
    ]  # fmt: skip
    info = measured.info
    lines = [f"{info.name}: {info.sm_count} SMs, {info.driver}", "", *table(rows, width)]
    if processor is not None:
        off, known = sum(r.is_off for r in rows), sum(not math.isnan(r.expected) for r in rows)
        entry = f"the catalog's entry of {processor.name}"
        lines += ["", f"{off} of {known} values differ from {entry} by more than the uncertainty of both (marked *)"]
        lines += [f"- {line}" for line in explanations(rows, measured, processor)]
    lines += [f"not measured: {line}" for line in measured.failed]
    return "\n".join(lines)


def table(rows: Sequence[Compared], width: int) -> list[str]:
    """The aligned lines."""
    cells = []
    for r in rows:
        unit = measured_unit(r.ceiling.quantity) or ""
        integer = r.ceiling.quantity.startswith("ops_")
        expected = "–" if math.isnan(r.expected) else shown(r.expected, unit, integer)
        share = "–" if math.isnan(r.expected) else f"{format_percent(r.ratio, 0)}{'*' if r.is_off else ' '}"
        cells.append(
            [r.ceiling.quantity, shown(r.ceiling.value, unit, integer), format_percent(r.ceiling.spread, 1),
             expected, share, during(r.ceiling).removeprefix("at "), r.ceiling.method]
        )  # fmt: skip
    header = ["quantity", "measured", "spread", "catalog", "share", "clocks, power", "method"]
    return aligned(header, cells, (False, True, True, True, True, False, False), width, flexible=6)


def shown(value: float, unit: str, integer: bool) -> str:
    """A value with four digits."""
    return scaled(float(f"{value:.4g}"), unit, integer=integer)
