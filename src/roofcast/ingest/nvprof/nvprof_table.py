"""Rows of nvprof output to a kernel table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray, Provenance
from roofcast.ingest.nvprof.names import amounts_from_nvprof


@dataclass
class Row:
    """One launch, or the mean over the launches of a kernel."""

    kernel: str
    gpu: str = ""
    config: str = ""
    time_s: float = math.nan
    calls: float = math.nan
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    regs: float = math.nan
    smem: float = math.nan
    metrics: dict[str, float] = field(default_factory=dict)


def table_of(rows: list[Row], copies: int) -> KernelTable:
    """The kernel table of all rows."""
    time_s = np.array([r.time_s for r in rows], dtype=np.float64)
    flags: list[list[str]] = [[f"mean of {r.calls:.0f} launches (nvprof summary)"] if r.calls > 1 else [] for r in rows]
    for i in np.flatnonzero(time_s <= 0):
        flags[i].append("recorded time is not positive: taken as absent")
    time_s = np.where(time_s > 0, time_s, np.nan)
    names = list(dict.fromkeys(name for r in rows for name in r.metrics))
    metrics = {n: np.array([r.metrics.get(n, math.nan) for r in rows], dtype=np.float64) for n in names}
    metrics = {n: v for n, v in metrics.items() if not np.isnan(v).all()}
    launch: dict[str, FloatArray] = {
        "launch": np.arange(len(rows), dtype=np.float64),
        "time_s": time_s,
        "grid_blocks": np.array([math.prod(r.grid) if r.grid else math.nan for r in rows], dtype=np.float64),
        "block_threads": np.array([math.prod(r.block) if r.block else math.nan for r in rows], dtype=np.float64),
        "regs_per_thread": np.array([r.regs for r in rows], dtype=np.float64),
        "smem_bytes_per_block": np.array([r.smem for r in rows], dtype=np.float64),
    }
    columns: dict[str, tuple[FloatArray, Origin | OriginArray]] = {
        name: (values, Origin.COUNTED) for name, values in launch.items() if not np.isnan(values).all()
    }
    columns |= amounts_from_nvprof(metrics, time_s)
    text = {
        "kernel": [r.kernel for r in rows],
        "gpu": [r.gpu for r in rows],
        "config": [r.config for r in rows],
        "grid": [str(r.grid) if r.grid else "" for r in rows],
        "block": [str(r.block) if r.block else "" for r in rows],
    }
    left_out = (f"{copies} copies and fills left out",) if copies else ()
    return KernelTable.from_columns(
        {k: v for k, v in text.items() if k == "kernel" or any(v)},
        columns,
        counters=metrics,
        flags=flags,
        provenance=Provenance(tool="nvprof", notes=left_out),
    )
