"""What a total counts: each work once, also where a table measured it on several GPUs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.results import Forecast
from roofcast.forecasting.same_work import same_work

Rows = NDArray[np.intp]
COUNTED_ONCE = "Work that was measured on several GPUs counts once."


def repeated(forecast: Forecast) -> list[Rows]:
    """Groups of rows of one work, measured on several GPUs."""
    position = {name: i for i, name in enumerate(dict.fromkeys(s.name for s in forecast.sources if s))}
    if len(position) < 2:
        return []
    index = np.array([position[s.name] if s else -1 for s in forecast.sources], dtype=np.intp)
    found = same_work(forecast.kernels, index)
    return [group for _, groups in found.patterns for group in groups]


def by_gpu(forecast: Forecast) -> list[tuple[str, list[int]]]:
    """(GPU, its rows) where one total would count a work twice; else one entry with all rows and no name."""
    if not repeated(forecast):
        return [("", list(range(len(forecast.kernels))))]
    groups: dict[str, list[int]] = {}
    for i, source in enumerate(forecast.sources):
        groups.setdefault(source.name if source else "GPU not known", []).append(i)
    return list(groups.items())


def each_work_once(forecast: Forecast) -> Forecast:
    """The forecast with each work once: of several GPUs the one that the table names first."""
    groups = repeated(forecast)
    if not groups:
        return forecast
    left_out = {int(i) for group in groups for i in np.sort(group)[1:]}
    return forecast.select([i for i in range(len(forecast.kernels)) if i not in left_out])
