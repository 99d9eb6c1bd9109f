"""A class beside the kernels of a profile: how far an implementation is from its class, and both forecasts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_VECTOR, Resource
from roofcast_hull.bounds import Settings
from roofcast_hull.classes import find_family
from roofcast_hull.hull import find_bounds, fit_elements
from roofcast_hull.notation import AlgorithmClass, Pattern

BLOCK_THREADS = 256
"""Threads of a block where the class says none."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """One kernel on another processor: by its class, and by models of profiles."""

    processor: str
    hull_low_s: float
    hull_high_s: float
    from_profile_s: float | None
    from_class_s: float | None
    """The class's amounts, by the model of profiles."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One kernel of a profile beside its class; None where the profile does not say."""

    kernel: str
    gpu: str
    measured_s: float | None
    hull_low_s: float
    hull_high_s: float
    times_hull: float | None
    bytes_dram: float | None
    bytes_class: float
    flops: float | None
    operations_class: float
    on: tuple[Elsewhere, ...]


def count_operations(found: AlgorithmClass, complexity: float) -> float:
    """Operations of the class's function over all units of work."""
    variables = find_family(found).variables(found)
    first = found.inputs[0].pattern if found.inputs else None
    if any(p.pattern is Pattern.TILE for p in found.outputs) and first is Pattern.ELEMENT:
        return complexity * found.elements_out
    return complexity * variables.work_units * variables.applications_per_unit


def count_bytes(found: AlgorithmClass, settings: Settings) -> float:
    """Compulsory bytes: every element once."""
    return float(found.elements_in + found.elements_out) * fit_elements(found, settings).element_bytes


def kernel_table(
    found: AlgorithmClass, sources: Sequence[Processor], complexity: float = 1.0, settings: Settings | None = None
) -> KernelTable:
    """One row per source processor, as :func:`roofcast.read` makes them; the time is that of the hull.

    The second way from a class into the models that forecast from profiles. Amounts are those of the class:
    operations, compulsory bytes, units of work as threads. All are marked as derived, the launch geometry (blocks of
    256 threads) as assumed.
    """
    chosen = settings or Settings()
    resource = Resource.FLOPS_FP32 if chosen.resource is Resource.OPS_INT32 else chosen.resource
    moved = count_bytes(found, chosen)
    units = find_family(found).variables(found).work_units
    n = len(sources)
    derived = {
        "time_s": [find_bounds(found, p, chosen).low(complexity) for p in sources],
        chosen.resource.value: [count_operations(found, complexity)] * n,
        "bytes_dram": [moved] * n,
        "bytes_l2": [moved] * n,
        "bytes_compulsory": [moved] * n,
        "working_set_bytes": [moved] * n,
    }
    if chosen.resource is not resource:
        derived[resource.value] = [0.0] * n
    assumed = {"grid_blocks": [float(-(-units // BLOCK_THREADS))] * n, "block_threads": [float(BLOCK_THREADS)] * n}
    return KernelTable.from_columns(
        {"kernel": [str(found)] * n, "gpu": [p.name for p in sources], "cache_state": ["warm"] * n},
        {k: (v, Origin.DERIVED) for k, v in derived.items()} | {k: (v, Origin.ASSUMED) for k, v in assumed.items()},
        provenance=Provenance(format="class"),
    )


def compare_profile(
    found: AlgorithmClass,
    kernels: KernelTable,
    targets: Sequence[Processor],
    complexity: tuple[float, float],
    settings: Settings,
    *,
    source: str | None = None,
    origin: str = "profile",
) -> list[Comparison]:
    """One row per kernel: class against measurement on its GPU, and the forecasts on the targets.

    source : the GPU of kernels that do not name theirs.
    origin : what an error calls the profile.
    """
    from roofcast.forecasting.forecast import forecast

    low, high = complexity
    forecasts = forecast(kernels, list(targets), source=source) if targets else None
    sources = forecasts.sources if forecasts else forecast(kernels, "A100", source=source).sources
    if not any(sources):
        raise RoofcastError(
            f"{one_line(origin)}: no kernel names a GPU of the catalog; say which it was with --from GPU"
        )
    time, dram = kernels.column("time_s"), kernels.column("bytes_dram")
    counted = np.stack([kernels.column(r.value) for r in FLOPS_VECTOR])
    flops = np.where(np.isnan(counted).all(axis=0), np.nan, np.nansum(counted, axis=0))
    rows = []
    for i, measured_on in enumerate(sources):
        if measured_on is None:
            continue
        bounds = find_bounds(found, measured_on, settings)
        elsewhere: list[Elsewhere] = []
        if forecasts is not None:
            from_class = forecast(kernel_table(found, [measured_on], low, settings), list(targets))
            for j, target in enumerate(targets):
                there = find_bounds(found, target, settings)
                times = forecasts.estimate.time_s[i, j], from_class.estimate.time_s[0, j]
                elsewhere.append(Elsewhere(target.name, there.low(low), there.high(high), *map(number_or_none, times)))
        rows.append(
            Comparison(
                kernel=kernels.strings("kernel")[i],
                gpu=measured_on.name,
                measured_s=number_or_none(time[i]),
                hull_low_s=bounds.low(low),
                hull_high_s=bounds.high(high),
                times_hull=number_or_none(time[i] / bounds.low(low)),
                bytes_dram=number_or_none(dram[i]),
                bytes_class=count_bytes(found, settings),
                flops=number_or_none(flops[i]),
                operations_class=count_operations(found, low),
                on=tuple(elsewhere),
            )
        )
    return rows


def number_or_none(value: Any) -> float | None:
    """A JSON number; None where absent."""
    return float(value) if math.isfinite(float(value)) else None
