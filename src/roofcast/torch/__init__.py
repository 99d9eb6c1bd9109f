"""PyTorch in one line: profile a step and forecast it, or forecast a model that never ran on any GPU.

>>> import roofcast
>>> sorted(dir(roofcast.torch))
['forecast', 'profile', 'record']

``with roofcast.torch.profile() as run: step()``, then ``run.forecast("B200")``: a measured step elsewhere.
``roofcast.torch.forecast(model, inputs, to="B200")``: operators and shapes alone, no time measured, no GPU needed.
Nothing here makes PyTorch a dependency: it is imported when something is recorded.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofcast.torch.profiling import profile as profile
    from roofcast.torch.recording import record as record
    from roofcast.torch.without_gpu import forecast as forecast

NAMES = {
    "forecast": "roofcast.torch.without_gpu",
    "profile": "roofcast.torch.profiling",
    "record": "roofcast.torch.recording",
}


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module 'roofcast.torch' has no attribute {name!r}; it has {', '.join(NAMES)}")
    return getattr(importlib.import_module(NAMES[name]), name)


def __dir__() -> list[str]:
    return sorted(NAMES)
