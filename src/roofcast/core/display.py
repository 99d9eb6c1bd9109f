"""What the core's types show of themselves: their pictures live in a lower layer, named here and imported when used."""

from __future__ import annotations

import importlib
from typing import Any

SHOWN_BY: dict[str, tuple[str, str]] = {
    "forecast_html": ("roofcast.analyses.report.notebook", "forecast_html"),
    "forecast_text": ("roofcast.analyses.report.notebook", "forecast_text"),
    "forecast_report": ("roofcast.analyses.report.forecast_html", "write_forecast_html"),
    "forecast_roofline": ("roofcast.analyses.report.notebook", "roofline_of_forecast"),
    "waterfall_html": ("roofcast.analyses.report.notebook", "waterfall_html"),
    "waterfall_text": ("roofcast.analyses.report.notebook", "waterfall_text"),
    "kernels_html": ("roofcast.analyses.report.notebook", "kernels_html"),
    "kernels_text": ("roofcast.analyses.report.notebook", "kernels_text"),
    "kernels_roofline": ("roofcast.analyses.report.notebook", "roofline_of_kernels"),
}
"""The one place where the core names what is below it; nothing of it is imported before it is asked for."""


def show(how: str, *arguments: Any, **options: Any) -> Any:
    """Call the function that shows a value in one way."""
    module, function = SHOWN_BY[how]
    return getattr(importlib.import_module(module), function)(*arguments, **options)
