"""Why a kernel cannot be forecast, in words that say what to do about it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.machines import Machines
from roofcast.core.table import FloatArray
from roofcast.models.amounts import Amounts

NO_SOURCE = "source GPU unknown: give --from GPU"
NO_TIME = "no duration: collect with ncu --metrics gpu__time_duration.sum"
NO_AMOUNTS = "needs bytes or FLOPs: collect with ncu --set full (roofcast inspect names the least set of metrics)"
NO_WORK = "all counted bytes and FLOPs are 0: nothing to project"
NO_SUPPLY = "the catalog knows no supply that both GPUs have for what this kernel uses"


def reasons_of(
    amounts: Amounts, time_s: FloatArray, sources: Machines, absent: NDArray[np.bool_]
) -> NDArray[np.object_]:
    """(n, m) reason where there is no forecast, '' where there is one.

    time_s : (n,) measured seconds. absent : (n, m) where there is no forecast.
    """
    result = np.full(absent.shape, "", dtype=np.object_)
    if not absent.any():
        return result
    used = [v for r, v in amounts.by_resource.items() if r.is_memory or r in amounts.flops]
    counted = np.stack(used) if used else np.full((1, len(time_s)), np.nan)
    why = np.full(len(time_s), NO_SUPPLY, dtype=np.object_)
    why[~(np.nan_to_num(counted, nan=0.0) > 0).any(axis=0)] = NO_WORK
    why[np.isnan(counted).all(axis=0)] = NO_AMOUNTS
    why[~((time_s > 0) & (time_s < np.inf))] = NO_TIME
    why[sources.index < 0] = NO_SOURCE
    return np.where(absent, why[:, None], result)
