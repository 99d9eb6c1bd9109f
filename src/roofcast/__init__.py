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

from roofcast.asks import ASKS
from roofcast.core.joined_parts import OFFERED_NAMES, find_parts, refuse_absent

if TYPE_CHECKING:
    from roofcast import torch as torch
    from roofcast.advice.ask import advise as advise
    from roofcast.applications.ask import app as app
    from roofcast.applications.whole_run import forecast_application as forecast_application
    from roofcast.catalog import gpu as gpu
    from roofcast.catalog.ask import gpus as gpus
    from roofcast.choosing.ask import choose as choose
    from roofcast.comparing.ask import compare as compare
    from roofcast.core.errors import RoofcastError as RoofcastError
    from roofcast.forecasting.problem_size import at_size as at_size
    from roofcast.reading import read as read
    from roofcast.reading import read_timelines as read_timelines
    from roofcast.reports.ask import forecast as forecast
    from roofcast.rooflines.ask import roofline as roofline
    from roofcast.scaling.ask import scale as scale
    from roofcast.serving.ask import llm as llm
    from roofcast.sweeps.ask import sweep as sweep

    __version__: str

# name: (module, attribute); imported when first used, so that `import roofcast` costs nothing
PUBLIC: dict[str, tuple[str, str]] = {
    "read": ("roofcast.reading", "read"),
    **{name: (place.module, name) for name, place in ASKS.items()},
    "gpu": ("roofcast.catalog", "gpu"),
    "torch": ("roofcast.torch", ""),
    "__version__": ("roofcast.core.version", "VERSION"),
}
# what people used before, and what they catch
KEPT: dict[str, tuple[str, str]] = {
    "RoofcastError": ("roofcast.core.errors", "RoofcastError"),
    "at_size": ("roofcast.forecasting.problem_size", "at_size"),
    "read_timelines": ("roofcast.reading", "read_timelines"),
    "forecast_application": ("roofcast.applications.whole_run", "forecast_application"),
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
    "llm",
    "read",
    "roofline",
    "scale",
    "sweep",
    "torch",
]


def list_joined() -> dict[str, tuple[str, str]]:
    """Names of the questions of installed parts, as those of :data:`PUBLIC`."""
    return {name: (place.module, name) for part in find_parts().values() for name, place in part.asks.items()}


def list_kept() -> dict[str, tuple[str, str]]:
    """Names that people used before, those of installed parts with them."""
    return {**KEPT, **{name: place for part in find_parts().values() for name, place in part.names.items()}}


def __getattr__(name: str) -> Any:
    place = PUBLIC.get(name) or KEPT.get(name) or list_joined().get(name) or list_kept().get(name)
    if place is None:
        refuse_absent(OFFERED_NAMES.get(name), f"roofcast.{name}")
        raise AttributeError(f"module 'roofcast' has no attribute {name!r}; it has {', '.join(PUBLIC)}")
    module, attribute = place
    imported = importlib.import_module(module)
    return getattr(imported, attribute) if attribute else imported


def __dir__() -> list[str]:
    return sorted(PUBLIC | list_joined())
