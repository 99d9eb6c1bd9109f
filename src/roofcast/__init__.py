"""roofcast: how long a GPU kernel will take on a GPU that you do not have.

>>> import roofcast
>>> gpu = roofcast.gpu("A100-SXM4-80GB")
>>> faster = gpu.replace(bytes_per_s_dram=4e12, name="A100 with HBM3e")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from roofcast.core.display import Views, provide_views

if TYPE_CHECKING:
    from roofcast.analyses.applications.whole_run import forecast_application as forecast_application
    from roofcast.catalog import gpu as gpu
    from roofcast.forecasting.forecast import forecast as forecast
    from roofcast.forecasting.problem_size import at_size as at_size
    from roofcast.hulls.selection import select as select
    from roofcast.reading import read as read
    from roofcast.reading import read_timelines as read_timelines

    __version__: str

__all__ = ["__version__", "at_size", "forecast", "forecast_application", "gpu", "read", "read_timelines", "select"]

# name: (module, attribute); imported when first used, so that `import roofcast` costs nothing
PUBLIC: dict[str, tuple[str, str]] = {
    "read": ("roofcast.reading", "read"),
    "forecast": ("roofcast.forecasting.forecast", "forecast"),
    "at_size": ("roofcast.forecasting.problem_size", "at_size"),
    "gpu": ("roofcast.catalog", "gpu"),
    "read_timelines": ("roofcast.reading", "read_timelines"),
    "forecast_application": ("roofcast.analyses.applications.whole_run", "forecast_application"),
    "select": ("roofcast.hulls.selection", "select"),
    "__version__": ("roofcast.core.version", "VERSION"),
}


def _load_views() -> Views:
    """How forecasts, kernel tables and waterfalls show themselves; imported when one of them does."""
    from roofcast.analyses.report.notebook import VIEWS

    return VIEWS


provide_views(_load_views)


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module 'roofcast' has no attribute {name!r}")
    module, attribute = PUBLIC[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC})
