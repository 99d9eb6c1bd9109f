"""The files of the gate, and less of each: without GPU, counters, shapes, geometry; time alone; one kernel; none.

A profile is stripped as the kernel table that ``roofcast inspect FILE -o table.csv`` writes; traces in JSON and SQLite
stay traces.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

import amd_samples
import roofcast
from contracts.doors import CHECKOUT, SOURCE_OF, folder, is_profile
from damage import SEEDS, SQLITE, content_of
from roofcast.core.columns import TEXT_COLUMNS

WHOLE = "whole"
STRIPPED = ("no gpu", "no counters", "no shapes", "no geometry", "time only", "one kernel", "no kernel")
VARIANTS = (WHOLE, *STRIPPED)
DATA_ROWS = 60
"""Rows that stay of a data set: whole configurations, evenly drawn."""
LARGEST = 3_000_000
"""Bytes of the largest real file that is asked about."""

TIME = {"kernel", "gpu", "launch", "launches", "time_s", "time_total_s"}
GPU = {"gpu", "compute_capability", "sm_count", "capacity_bytes_dram"}
GEOMETRY = {
    *("grid", "block", "grid_blocks", "block_threads", "block_threads_x", "regs_per_thread", "smem_bytes_per_block"),
    *("smem_bytes_per_block_driver", "smem_bytes_per_sm", "waves_per_sm", "occupancy_theoretical_fraction"),
}
SHAPES = {"config", "shape_m", "shape_n", "shape_k", "shape_batch", "shape_rows"}
UNCOUNTED = TIME | GPU | GEOMETRY | SHAPES | set(TEXT_COLUMNS)

KINETO: dict[str, tuple[str, ...]] = {
    "no shapes": ("Input Dims", "Input type", "Input Strides", "Concrete Inputs"),
    "no geometry": ("grid", "block", "registers per thread", "shared memory", "blocks per SM", "warps per SM"),
}
NSYS = "CUPTI_ACTIVITY_KIND_KERNEL"
NSYS_ZERO = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread", "dynamicSharedMemory")


def real_files() -> list[Path]:
    """Every fixture with kernels, the examples and the data sets, where they are."""
    fixtures, data = folder("ROOFCAST_FIXTURES", "fixtures"), folder("ROOFCAST_DATA", "data")
    found = sorted((CHECKOUT / "examples").glob("*.csv"))
    found += [p for p in sorted(fixtures.glob("*/*")) if is_profile(p)] if fixtures else []
    # Rows that are kept for a last check are looked at by nobody, not even by a machine.
    found += [p for p in sorted(data.glob("*/*.csv.gz")) if not p.name.startswith("check")] if data else []
    return [p for p in found if p.stat().st_size <= LARGEST or p.parent.parent == data]


def samples() -> dict[str, bytes]:
    """Small files of every format, made by the tests: they are there in every checkout."""
    parts = {b"{": "json", b"[": "json", b"S": "sqlite"}
    skipped = {amd_samples.SYSINFO, amd_samples.ROOFLINE}
    return {
        f"sample{i:02}.{parts.get(data[:1], 'csv') if data[:1] != b'S' or data.startswith(SQLITE) else 'csv'}": data
        for i, data in enumerate(SEEDS) if data not in skipped
    }  # fmt: skip


def source_of(path: Path) -> str:
    """GPU that a user would name where a file names none."""
    return SOURCE_OF.get(path.name.partition("__")[0], "A100-SXM4-40GB")


def write_variants(path: Path, into: Path, wanted: tuple[str, ...] = VARIANTS) -> Iterator[tuple[str, Path]]:
    """Write the variants of a file that differ from it and from each other; the whole first."""
    whole = into / path.name
    data = content_of(path) if path.parent.parent != folder("ROOFCAST_DATA", "data") else thinned(path)
    whole = whole.with_name(whole.name.removesuffix(".gz"))
    whole.write_bytes(data)
    if WHOLE in wanted:
        yield WHOLE, whole
    seen = {data}
    for variant, suffix, stripped in stripped_of(whole, data):
        if variant not in wanted or stripped in seen:
            continue
        seen.add(stripped)
        made = into / f"{whole.name.partition('.')[0]}-{variant.replace(' ', '-')}{suffix}"
        made.write_bytes(stripped)
        yield variant, made


def thinned(path: Path) -> bytes:
    """Whole configurations of a data set, evenly drawn."""
    frame = pl.read_csv(path, infer_schema=False)
    keys = [c for c in ("kernel", "config") if c in frame.columns] or frame.columns[:1]
    chosen = frame.select(keys).unique(maintain_order=True)
    rows = max(1, frame.height // max(1, chosen.height))
    chosen = chosen.gather_every(max(1, chosen.height * rows // DATA_ROWS))
    return frame.join(chosen, on=keys, how="semi", nulls_equal=True, maintain_order="left").write_csv().encode()


def stripped_of(path: Path, data: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Variant, suffix and content of what is left of a file."""
    try:
        frame = roofcast.read(path).to_polars()
    except roofcast.RoofcastError:
        return
    if data[:1] == b"{":
        for variant in STRIPPED:
            yield variant, ".json", json.dumps(strip_json(json.loads(data), variant)).encode()
    elif data.startswith(SQLITE) and NSYS.encode() in data:
        for variant in STRIPPED:
            yield variant, ".sqlite", strip_sqlite(data, variant)
    else:
        for variant in STRIPPED:
            yield variant, ".csv", strip_table(frame, variant).write_csv().encode()


def strip_table(frame: pl.DataFrame, variant: str) -> pl.DataFrame:
    """Fewer columns, or rows, of a kernel table."""
    if variant in ("one kernel", "no kernel"):
        return frame.head(variant == "one kernel")
    gone = {
        "no gpu": GPU, "no shapes": SHAPES, "no geometry": GEOMETRY,
        "no counters": set(frame.columns) - UNCOUNTED, "time only": set(frame.columns) - TIME,
    }[variant]  # fmt: skip
    return frame.drop([c for c in frame.columns if c in gone])


def strip_json(trace: dict[str, Any], variant: str) -> dict[str, Any]:
    """The same of a PyTorch trace."""
    events = [e for e in trace.get("traceEvents", []) if isinstance(e, dict)]
    if variant in ("no gpu", "time only"):
        trace.pop("deviceProperties", None)
    for event in events:
        given = event.get("args", {})
        for name in KINETO.get(variant, ()):
            given.pop(name, None)
        if variant == "time only":
            event["args"] = {k: v for k, v in given.items() if k in ("device", "stream", "correlation")}
    if variant in ("one kernel", "no kernel"):
        kernels = [i for i, e in enumerate(events) if e.get("cat") == "kernel"][variant == "one kernel" :]
        events = [e for i, e in enumerate(events) if i not in set(kernels)]
    return trace | {"traceEvents": events}


def strip_sqlite(data: bytes, variant: str) -> bytes:
    """The same of an export of Nsight Systems."""
    base = sqlite3.connect(":memory:")
    base.deserialize(data)
    names = {n for (n,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if variant in ("no gpu", "time only") and "TARGET_INFO_GPU" in names:
        base.execute("DELETE FROM TARGET_INFO_GPU")
    if variant in ("no geometry", "time only"):
        known = {row[1] for row in base.execute(f"PRAGMA table_info({NSYS})")}
        base.execute(f"UPDATE {NSYS} SET {', '.join(f'{c} = 0' for c in NSYS_ZERO if c in known)}")
    if variant in ("one kernel", "no kernel"):
        kept = f"rowid > (SELECT min(rowid) FROM {NSYS})" if variant == "one kernel" else "1"
        base.execute(f"DELETE FROM {NSYS} WHERE {kept}")
    base.commit()
    stripped = bytes(base.serialize())
    base.close()
    return stripped
