"""Measured launches as kernel tables, and as files that ``forecast`` and ``evaluate`` read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, Provenance, as_text
from roofcast_measure.driver import Conditions, DeviceInfo, LoadedKernel
from roofcast_measure.programs import Kernel, Program, Sizes, configuration_name

if TYPE_CHECKING:
    import polars

IN_DRAM = ("bytes_dram_read", "bytes_dram_write")


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel in one configuration and cache state."""

    program: Program
    kernel: Kernel
    loaded: LoadedKernel
    configuration: Sizes
    sizes: Sizes
    cache_state: str
    """cold or warm; part of the configuration where a kernel has both."""
    time_s: float
    time_std_s: float
    conditions: Conditions


def kernel_table(
    rows: Sequence[Row],
    info: DeviceInfo,
    amounts: Mapping[str, FloatArray],
    extra: Mapping[str, NDArray[Any]],
    dataset: str,
    tool: str,
) -> KernelTable:
    """Rows as a kernel table: what was measured is counted, ``amounts`` (closed forms) are derived.

    Columns without a value stay, so that tables of two machines have the same ones.
    """
    n = len(rows)
    both = len({r.cache_state for r in rows}) > 1
    dims = [r.kernel.launch(r.sizes) for r in rows]
    text = {
        "kernel": [r.kernel.name for r in rows],
        "config": [name_of(r, both) for r in rows],
        "gpu": [info.name] * n,
        "compute_capability": [info.compute_capability] * n,
        "cache_state": [r.cache_state for r in rows],
        "clock_control": ["none"] * n,
        "precision": [r.program.precision for r in rows],
        "grid": [shown(g) for g, _ in dims],
        "block": [shown(b) for _, b in dims],
        "dataset": [dataset] * n,
    }
    counted: dict[str, Sequence[float]] = {
        "launch": range(n),
        "time_s": [r.time_s for r in rows],
        "time_std_s": [r.time_std_s for r in rows],
        "clock_hz": [r.conditions.clock_hz for r in rows],
        "clock_hz_dram": [r.conditions.clock_hz_dram for r in rows],
        "power_w": [r.conditions.power_w for r in rows],
        "sm_count": [info.sm_count] * n,
        "capacity_bytes_dram": [info.capacity_bytes_dram] * n,
        "grid_blocks": [float(np.prod(g)) for g, _ in dims],
        "block_threads": [float(np.prod(b)) for _, b in dims],
        "regs_per_thread": [r.loaded.regs_per_thread for r in rows],
        "smem_bytes_per_block": [r.loaded.smem_bytes_per_block for r in rows],
    }
    numeric = {k: (np.asarray(v, dtype=np.float64), Origin.COUNTED) for k, v in counted.items()}
    numeric |= {k: (np.asarray(v, dtype=np.float64), Origin.DERIVED) for k, v in amounts.items()}
    further = {
        "source_of_counts": as_text(["closed form"] * n),
        "driver_version": as_text([info.driver] * n),
        **extra,
    }
    return KernelTable.from_columns(text, numeric, extra=further, provenance=Provenance(tool=tool))


def name_of(row: Row, both: bool) -> str:
    """The configuration as text; with the cache state where a table has two: data sets pair rows by it."""
    return configuration_name({**row.configuration, "cache": row.cache_state} if both else row.configuration)


def shown(size: tuple[int, ...]) -> str:
    """Launch dimensions as text, always three.

    >>> shown((4, 2))
    '(4, 2, 1)'
    """
    return str((*size, 1, 1)[:3])


def amounts_of(rows: Sequence[Row], capacity_bytes_l2: int) -> dict[str, FloatArray]:
    """Amounts of every row by the closed forms.

    DRAM traffic is the least that any implementation needs; where caches are warm and hold the data it is not known.
    """
    names = dict.fromkeys(n for r in rows for n in r.kernel.amounts)
    amounts = {n: np.array([r.kernel.amount(n, r.sizes) for r in rows]) for n in names}
    read, write = (amounts.get(n, np.full(len(rows), np.nan)) for n in IN_DRAM)
    amounts["bytes_compulsory"] = read + write
    amounts["bytes_dram"] = read + write
    amounts["working_set_bytes"] = np.array([float(r.program.working_set(r.kernel, r.sizes)) for r in rows])
    warm = np.array([r.cache_state == "warm" for r in rows], dtype=np.bool_)
    held = warm & (amounts["working_set_bytes"] <= capacity_bytes_l2)
    for name in ("bytes_dram", *IN_DRAM):
        if name in amounts:
            amounts[name] = np.where(held, np.nan, amounts[name])
    return amounts


def frame_of(table: KernelTable) -> polars.DataFrame:
    """A Polars frame with the further columns too; absent values are null."""
    import polars as pl

    further = []
    for name, values in table.extra.items():
        if values.dtype == np.object_:
            further.append(pl.Series(name, [str(v) for v in values], dtype=pl.String))
        else:
            further.append(pl.Series(name, values).fill_nan(None))
    return table.to_polars().with_columns(further)


def write_table(table: KernelTable, path: Path) -> None:
    """Write a kernel table: Parquet where the name ends so, else CSV."""
    frame = frame_of(table)
    if path.suffix.lower() in (".parquet", ".pq"):
        frame.write_parquet(path)
    else:
        frame.write_csv(path)
