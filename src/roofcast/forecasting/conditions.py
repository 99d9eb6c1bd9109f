"""Conditions of the target run: which make sense, and what a reader is told of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.results import Conditions
from roofcast.models.physics.kernel_inputs import bytes_counted


def check_conditions(conditions: Conditions) -> Conditions:
    """The conditions as they are.

    Raises
    ------
    RoofcastError : conditions that make no sense.
    """
    share: object = conditions.coverage
    if not isinstance(share, (int, float)) or not 0 < share < 1:
        raise RoofcastError(f"coverage {share!r}: give a share between 0 and 1, e.g. 0.9")
    if conditions.cache not in ("auto", "cold", "warm"):
        raise RoofcastError(f"cache {conditions.cache!r}: use auto, cold or warm")
    floor: object = conditions.launch_floor_s
    two = isinstance(floor, (tuple, list)) and len(floor) == 2
    if floor is not None and not (two and all(0 <= float(f) < float("inf") for f in conditions.launch_floor_s or ())):
        raise RoofcastError("launch floor: give two times in seconds, source then target, e.g. (4e-6, 6e-6)")
    return conditions


SERVED = {"warm": "what fits into the last cache is not read from DRAM again", "cold": "all bytes come from DRAM"}


def set_caches(kernels: KernelTable, cache: str) -> KernelTable:
    """The kernels in the cache state that was asked for, whatever was recorded; as they are for ``auto``."""
    if cache == "auto":
        return kernels
    return replace(kernels, text={**kernels.text, "cache_state": np.full(len(kernels), cache, np.object_)})


def describe_caches(kernels: KernelTable, cache: str) -> str:
    """Names the cache state of the target run; '' where the profile says nothing and nothing was asked for.

    kernels : with the states that were recorded.
    """
    recorded = {str(s).strip().lower() for s in kernels.strings("cache_state")} - {""}
    if cache == "auto":
        if len(recorded) == 1:
            return f"caches: {recorded.pop()}, as the profile's"
        return "caches: as each launch was profiled" if recorded else ""
    if recorded == {cache}:
        return f"caches: {cache}, as asked for and as the profile's"
    counted = bytes_counted(kernels)
    if not counted.any():
        return f"caches: {cache}, as asked for: {SERVED[cache]}"
    stay = f"counted DRAM bytes stay the profile's (caches {' or '.join(sorted(recorded)) or 'unknown'})"
    served = "" if counted.all() else f", {SERVED[cache]}"
    return f"caches: {cache} was asked for{served}; {stay}"
