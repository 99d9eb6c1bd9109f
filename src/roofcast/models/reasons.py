"""Why a kernel cannot be forecast, in words that say what to do about it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines
from roofcast.core.resource import Resource
from roofcast.models.kernel_amounts import Amounts

NO_SOURCE = "source GPU unknown: give --from GPU"
NO_TIME = "no duration: collect with ncu --metrics gpu__time_duration.sum"
NO_AMOUNTS = "needs bytes or FLOPs: collect with ncu --set full (roofcast inspect names the least set of metrics)"
NO_WORK = "all counted bytes and FLOPs are 0: nothing to project"
NO_SUPPLY = "the catalog knows no supply that both GPUs have for what this kernel uses"
NO_DOUBLES = "no supply of FP64 that both GPUs have, and this kernel computes in FP64"
DOUBLES_LEAST = 0.05
"""Share of a kernel's FLOPs from which it needs FP64 units: a few conversions are emulated unnoticed."""


def double_precision_missing(amounts: Amounts, targets: Machines) -> NDArray[np.bool_]:
    """(n, m) where a kernel computes in FP64 and the target has no units for it (Arc A770, Iris Xe)."""
    none = np.isnan(targets.gather(lambda p: p.rate(Resource.FLOPS_FP64)))
    doubles = np.nan_to_num(amounts.get(Resource.FLOPS_FP64)) + np.nan_to_num(amounts.get(Resource.FLOPS_TENSOR_FP64))
    return np.asarray(none & (doubles > DOUBLES_LEAST * amounts.flops_total)[:, None])


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
    doubles = np.nan_to_num(amounts.get(Resource.FLOPS_FP64)) > DOUBLES_LEAST * amounts.flops_total
    why[doubles] = NO_DOUBLES
    why[~(np.nan_to_num(counted, nan=0.0) > 0).any(axis=0)] = NO_WORK
    why[np.isnan(counted).all(axis=0)] = NO_AMOUNTS
    why[~((time_s > 0) & (time_s < np.inf))] = NO_TIME
    why[sources.index < 0] = NO_SOURCE
    return np.where(absent, why[:, None], result)
