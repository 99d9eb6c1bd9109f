"""Launches with their Nsight Compute metrics, as text files give them, to a kernel table."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance
from roofcast.core.records import dataclass
from roofcast.ingest.ncu.display_names import metric_of_display_name
from roofcast.ingest.ncu.metrics import amounts_from_ncu

DIMENSIONS = re.compile(r"\s*[(\[]?\s*([0-9]{1,10})\s*[,xX;]\s*([0-9]{1,10})\s*(?:[,xX;]\s*([0-9]{1,10}))?\s*[)\]]?\s*")

MAX_DIGITS = 18
"""Decimal digits of a size: so many fit in 64 bits."""


class Launch(NamedTuple):
    """Who a launch is. Nothing of process, host or path."""

    kernel: str
    grid: str = ""
    block: str = ""
    cc: str = ""
    gpu: str = ""
    invocations: float = math.nan
    """Launches that the row stands for, where it is a summary."""


def parse_dimensions(text: str) -> tuple[int, int, int] | None:
    """Grid or block size, ``(64, 64, 1)`` or ``64x64x1``; a single number is the x dimension. None where it is none.

    >>> parse_dimensions("(640, 1280, 1)"), parse_dimensions("(64,64,1)x"), parse_dimensions("256")
    ((640, 1280, 1), None, (256, 1, 1))
    """
    match = DIMENSIONS.fullmatch(text)
    if match:
        x, y, z = (int(part or 1) for part in match.groups())
        return (x, y, z) if x and y and z else None
    bare = text.strip().strip("()[]").strip()
    is_size = bare.isascii() and bare.isdigit() and len(bare) <= MAX_DIGITS
    return (int(bare), 1, 1) if is_size and int(bare) else None


def metric_name(section: str, name: str, unit: str) -> str:
    """Metric behind a printed name: itself, the one that a display name means, else ``section/name``."""
    if "__" in name:
        return name.strip()
    metric = metric_of_display_name(section, name, unit)
    if metric is not None:
        return metric
    return f"{section}/{name}" if section and " " in name else name


def table_of_launches(
    launches: Sequence[Launch],
    metrics: Mapping[str, FloatArray],
    provenance: Provenance,
    note: str = "",
) -> KernelTable:
    """A kernel table of n launches (see :func:`table_of_identities`)."""
    columns = [list(column) for column in zip(*launches, strict=True)]
    return table_of_identities(Identities(*columns), metrics, provenance, note)


@dataclass(frozen=True)
class Identities:
    """Who n launches are, column by column, as :class:`Launch` says of one."""

    kernel: list[str]
    grid: list[str]
    block: list[str]
    cc: list[str]
    gpu: list[str]
    invocations: list[float]
    """Empty where no row is a summary."""


def table_of_identities(
    launches: Identities, metrics: Mapping[str, FloatArray], provenance: Provenance, note: str = ""
) -> KernelTable:
    """A kernel table of n launches.

    metrics : metric name -> (n,) float64 in base units (ns, byte, Hz, %, inst), NaN where a launch lacks it.
    note : a doubt about the whole file; becomes a flag of every row.
    """
    n = len(launches.kernel)
    known = dict(metrics)
    sizes = {printed: parse_dimensions(printed) for printed in {*launches.grid, *launches.block}}
    counts = {printed: math.prod(size) if size else math.nan for printed, size in sizes.items()}
    sizes_text = {printed: str(size) if size else "" for printed, size in sizes.items()}
    for name, texts in (("launch__grid_size", launches.grid), ("launch__block_size", launches.block)):
        printed = np.array([counts[t] for t in texts], dtype=np.float64)
        known[name] = np.where(np.isnan(printed), known.get(name, np.full(n, np.nan)), printed)
    columns = amounts_from_ncu(known)
    flags: list[tuple[str, ...]] = [(note,) if note else ()] * n
    for row, count in enumerate(launches.invocations):
        if count > 1:
            flags[row] = (*flags[row], f"mean of {count:.0f} launches (ncu --print-summary)")
    for row in np.flatnonzero(metrics.get("gpu__time_duration.sum", np.full(n, np.nan)) <= 0).tolist():
        flags[row] = (*flags[row], "recorded time is not positive: taken as absent")
    times, origins = columns.get("time_s", (np.full(n, np.nan), np.zeros(n, np.uint8)))
    columns["time_s"] = np.where(times > 0, times, np.nan), origins
    if any(count > 1 for count in launches.invocations):
        columns["launches"] = np.array(launches.invocations, np.float64), np.full(n, int(Origin.COUNTED), np.uint8)
    columns["launch"] = np.arange(n, dtype=np.float64), np.full(n, int(Origin.COUNTED), np.uint8)
    text = {
        "kernel": launches.kernel,
        "grid": [sizes_text[t] for t in launches.grid],
        "block": [sizes_text[t] for t in launches.block],
        "compute_capability": launches.cc,
        "gpu": launches.gpu,
    }
    present = {name: values for name, values in text.items() if name == "kernel" or any(values)}
    return KernelTable.from_columns(present, columns, counters=dict(metrics), flags=flags, provenance=provenance)
