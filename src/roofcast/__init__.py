"""roofcast: how long a GPU kernel will take on a GPU that you do not have.

>>> import roofcast
>>> gpu = roofcast.gpu("A100-SXM4-80GB")
>>> faster = gpu.replace(dram="4 TB/s", name="A100 with HBM3e")
>>> kernels = roofcast.read({"kernel": ["axpy"], "gpu": ["V100"], "time_s": [1e-3], "bytes_dram": [6e8]})
>>> roofcast.forecast(kernels, to="B200").total.time_s < 1e-3
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from roofcast.core.display import provide_views

if TYPE_CHECKING:
    from roofcast import torch as torch
    from roofcast.analyses.applications.whole_run import forecast_application as forecast_application
    from roofcast.catalog import gpu as gpu
    from roofcast.core.errors import RoofcastError as RoofcastError
    from roofcast.forecasting.problem_size import at_size as at_size
    from roofcast.hulls.selection import select as select
    from roofcast.questions import advise as advise
    from roofcast.questions import app as app
    from roofcast.questions import choose as choose
    from roofcast.questions import compare as compare
    from roofcast.questions import forecast as forecast
    from roofcast.questions import gpus as gpus
    from roofcast.questions import hull as hull
    from roofcast.questions import roofline as roofline
    from roofcast.questions import sweep as sweep
    from roofcast.reading import read as read
    from roofcast.reading import read_timelines as read_timelines

    __version__: str

# name: (module, attribute); imported when first used, so that `import roofcast` costs nothing
QUESTIONS = ("forecast", "app", "advise", "compare", "choose", "roofline", "sweep", "gpus", "hull")
PUBLIC: dict[str, tuple[str, str]] = {
    "read": ("roofcast.reading", "read"),
    **{name: ("roofcast.questions", name) for name in QUESTIONS},
    "gpu": ("roofcast.catalog", "gpu"),
    "torch": ("roofcast.torch", ""),
    "__version__": ("roofcast.core.version", "VERSION"),
}
# what people used before, and what they catch
KEPT: dict[str, tuple[str, str]] = {
    "RoofcastError": ("roofcast.core.errors", "RoofcastError"),
    "at_size": ("roofcast.forecasting.problem_size", "at_size"),
    "read_timelines": ("roofcast.reading", "read_timelines"),
    "forecast_application": ("roofcast.analyses.applications.whole_run", "forecast_application"),
    "select": ("roofcast.hulls.selection", "select"),
}
__all__ = [
    "__version__",
    "advise",
    "app",
    "choose",
    "compare",
    "forecast",
    "gpu",
    "gpus",
    "hull",
    "read",
    "roofline",
    "sweep",
    "torch",
]


def _load_view(how: str) -> Any:
    """How answers, kernel tables and waterfalls show themselves, and processors change; imported when one does."""
    if how == "varied":
        from roofcast.catalog.targets import vary

        return vary
    from roofcast.analyses.report.notebook import VIEWS

    return VIEWS[how]


provide_views(_load_view)


def __getattr__(name: str) -> Any:
    found = PUBLIC.get(name) or KEPT.get(name)
    if found is None:
        raise AttributeError(f"module 'roofcast' has no attribute {name!r}; it has {', '.join(PUBLIC)}")
    module, attribute = found
    made = importlib.import_module(module)
    return getattr(made, attribute) if attribute else made


def __dir__() -> list[str]:
    return sorted(PUBLIC)
