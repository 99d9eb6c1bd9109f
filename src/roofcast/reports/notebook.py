"""How forecasts, kernel tables and rooflines show themselves in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape

import numpy as np

from roofcast.core.display import View, Views
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.properties import PROPERTIES
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.forecasting.forecasts import Forecast
from roofcast.forecasting.waterfall import Waterfall
from roofcast.kit.asked import MAX_ROWS, show_html
from roofcast.kit.names import short_name, table_names
from roofcast.kit.output import write_text
from roofcast.kit.quantities import count_of, format_change, format_number, format_seconds, in_unit
from roofcast.kit.table import Column, Table, rank_longest
from roofcast.reports.data import stream_forecast_json
from roofcast.reports.forecast_page import write_forecast_html
from roofcast.reports.show import render_forecast_table, tabulate_forecast
from roofcast.reports.totals import sum_up
from roofcast.reports.verdict import state_forecast
from roofcast.reports.waterfall_figure import Waterfalls
from roofcast.rooflines.picture import Roofline
from roofcast.rooflines.placement import build_roofline, view_roofline

SHOWN = ("time_s", "flops_fp64", "flops_fp32", "bytes_l1", "bytes_l2", "bytes_dram", "regs_per_thread")
PLAIN = {"time_s": ("time", format_seconds), "regs_per_thread": ("registers", format_number)}
"""Head and text of columns that are no resource."""


def show_forecast_html(forecast: Forecast) -> str:
    """A table of the kernels with most time and the totals; names are only ever text."""
    head = sum_up(forecast)
    rows = rank_longest(forecast.source_total_s, MAX_ROWS)
    table = tabulate_forecast(forecast, rows, dict(enumerate(table_names(forecast.kernels))), {})
    note = f"{head.source}: {head.role}. {head.claim} Model: {head.model}."
    return f"<p>{escape(state_forecast(forecast).verdict)}</p>" + show_html(replace(table, pick=None), note)


def show_waterfall_html(waterfall: Waterfall) -> str:
    """Seconds that each cause adds, a column per cause."""
    header, rows, note = build_waterfall_cells(waterfall)
    return show_html(Table.of_cells(header, rows[:MAX_ROWS], right=range(2, len(header))), note)


def show_waterfall_text(waterfall: Waterfall) -> str:
    """The same as aligned text, a line per cause."""
    header, rows, note = build_waterfall_cells(waterfall)
    blocks = []
    for row in rows[:MAX_ROWS]:
        steps = [[name, cell] for name, cell in zip(header[2:], row[2:], strict=True) if cell]
        blocks.append(
            "\n".join([f"{row[0]} on {row[1]}", *Table.of_cells(("cause", "seconds"), steps, right=(1,)).lines(80)[2:]])
        )
    return "\n\n".join([*blocks, note] if note else blocks)


def build_waterfall_cells(waterfall: Waterfall) -> tuple[list[str], list[list[str]], str]:
    """Header, one row per kernel and target (measured, what each cause adds, forecast), and what is left out."""
    n, m = waterfall.levels_s.shape[:2]
    shown = [(i, j) for i in range(n) for j in range(m)]
    steps = [waterfall.of(i, j) for i, j in shown[:MAX_ROWS]]
    causes = [c for c in PROPERTIES if any(c in s for s in steps)]
    rows = []
    for (i, j), found in zip(shown, steps, strict=False):
        kernel = short_name(waterfall.kernels[i]) if waterfall.kernels else f"kernel {i}"
        target = waterfall.targets[j] if waterfall.targets else f"target {j}"
        ends = [format_quantity(float(waterfall.levels_s[i, j, k]), "s") for k in (0, -1)]
        moved = [format_change(found[c]) if c in found else "" for c in causes]
        rows.append([kernel, target, ends[0], *moved, ends[1]])
    left = len(shown) - len(rows)
    header = ["kernel", "target", "measured", *(c.label for c in causes), "forecast"]
    return header, rows, f"{left} more rows: .to_polars() has all" if left else ""


def show_kernels_html(kernels: KernelTable) -> str:
    """The first kernels with their main amounts."""
    shown = [c for c in SHOWN if np.isfinite(kernels.column(c)).any()]
    part = kernels.select(range(min(len(kernels), MAX_ROWS)))
    names = table_names(part)

    def amount(name: str) -> Column:
        head, show = PLAIN.get(name) or (Resource(name).label, in_unit(Resource(name).unit))
        return Column(head, lambda i: float(part.column(name)[i]), show)

    columns = [Column("kernel", lambda i: names[i]), Column("GPU", lambda i: str(part.strings("gpu")[i]))]
    left = len(kernels) - len(part)
    note = f"{len(kernels)} kernel{'s' * (len(kernels) != 1)}" + (f", {left} not shown" if left else "")
    return show_html(Table([*columns, *map(amount, shown)], range(len(part))), note)


def show_kernels_text(kernels: KernelTable) -> str:
    """One line on what the table holds."""
    gpus = ", ".join(dict.fromkeys(str(g) for g in kernels.strings("gpu") if g)) or "GPU unknown"
    total = format_quantity(float(np.nansum(kernels.column("time_s") * kernels.launches)), "s")
    return f"KernelTable: {count_of(len(kernels), 'row')}, {total}, {gpus}"


def show_forecast_roofline(forecast: Forecast) -> Roofline:
    """The roofline of a forecast: source and targets."""
    return Roofline(build_roofline(forecast.kernels, forecast.sources, forecast))


def show_kernels_roofline(
    kernels: KernelTable, to: Sequence[str | Processor] | str | Processor = (), source: str | Processor | None = None
) -> Roofline:
    """The roofline of kernels on their own GPU, and on targets where some are given."""
    targets = [to] if isinstance(to, (str, Processor)) else list(to)
    return Roofline(view_roofline(kernels, targets, source))


FORECAST = View(
    partial(render_forecast_table, top=MAX_ROWS),
    stream_forecast_json,
    lambda f: f.records(),
    show_forecast_html,
    write_forecast_html,
    Waterfalls,
    state=state_forecast,
)
"""How a forecast shows itself."""
VIEWS: Views = {
    "forecast": FORECAST,
    "text_file": write_text,
    "forecast_roofline": show_forecast_roofline,
    "waterfall_html": show_waterfall_html,
    "waterfall_text": show_waterfall_text,
    "kernels_html": show_kernels_html,
    "kernels_text": show_kernels_text,
    "kernels_roofline": show_kernels_roofline,
}
"""Way of showing -> what does it; see :mod:`roofcast.core.display`."""
