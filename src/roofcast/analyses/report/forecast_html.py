"""The forecast as one self-contained page: no request leaves it, and names in it are only ever text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roofcast.analyses.report.forecast_page import headline, limit_bars, listed_rows, table_rows
from roofcast.analyses.report.html_causes import causes_of
from roofcast.analyses.report.html_facts import (
    command_line,
    file_rows,
    model_rows,
    notes_of,
    origin_rows,
    processors_of,
)
from roofcast.analyses.rooflines.interactive import page_data
from roofcast.analyses.rooflines.placement import build_roofline
from roofcast.core.results import Forecast
from roofcast.kit.names import clipped
from roofcast.kit.output import write_text
from roofcast.kit.page import OWN, REPORT_STYLE, compile_template, embed_json, read_assets, render_document
from roofcast.kit.quantities import Rates


@dataclass(frozen=True, slots=True)
class Assets:
    """The page's own style and scripts; the roofline's come first, so that the report can build on them."""

    style: str
    scripts: tuple[str, ...]
    template: str


def write_forecast_html(forecast: Forecast, path: str, rates: Rates | None = None, command: str = "") -> None:
    """Write the report of a forecast in one step.

    Raises
    ------
    RoofcastError : the file cannot be written.
    """
    write_text(path, render_forecast_html(forecast, rates, command))


def render_forecast_html(forecast: Forecast, rates: Rates | None = None, command: str = "") -> str:
    """The report as text; the same forecast gives the same text.

    rates : USD per hour by GPU; the headline then says what the runs cost.
    command : what was typed; without it the command that makes this forecast again is put together.
    """
    assets = load_assets()
    rows = listed_rows(forecast)
    shown = forecast if len(rows) == len(forecast.kernels) else forecast.select(rows)
    roofline = build_roofline(shown.kernels, shown.sources, shown)
    context: dict[str, Any] = {
        "scripts": assets.scripts,
        "roofline": embed_json(page_data(roofline)),
        "causes": embed_json(causes_of(shown)),
        "head": headline(forecast, rates),
        "rows": table_rows(shown),
        "several_sources": len({s.name if s else "" for s in shown.sources}) > 1,
        "left_out": len(forecast.kernels) - len(rows),
        "limits": limit_bars(forecast),
        "notes": notes_of(forecast),
        "origins": origin_rows(forecast.kernels),
        "model_rows": model_rows(forecast),
        "file_rows": file_rows(forecast.kernels),
        "processors": processors_of(forecast),
        "command": command or command_line(forecast, rates),
        "roofline_notes": list(dict.fromkeys(f"{p.processor}: {n}" for p in roofline.panels for n in p.notes)),
    }
    names = ", ".join(t.name for t in context["head"].totals)
    title = f"Forecast: {context['head'].source} → {clipped(names, 120)}"
    return render_document(title, compile_template(assets.template).render(context), assets.style, assets.scripts)


def load_assets() -> Assets:
    """Style, scripts and template of this page."""
    own, rooflines = "roofcast.analyses.report", "roofcast.analyses.rooflines"
    return Assets(
        read_assets(OWN, *REPORT_STYLE),
        (read_assets(own, "forecast.js"), read_assets(rooflines, "roofline.js")),
        read_assets(own, "forecast.html.j2"),
    )
