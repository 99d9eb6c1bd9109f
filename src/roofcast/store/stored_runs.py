"""Whole timelines in the store, packed as Parquet, so that a recorded run can be forecast again without its file."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.kernel_table import Provenance, as_text
from roofcast.core.timeline import Activities, Calls, Device, Process, Ranges, Timeline, Waits
from roofcast.store.database import reading
from roofcast.store.packing import PackedTimeline, operator_of
from roofcast.store.sets import checked_name

MOST_EVENTS = 1_000_000
"""Kernels, copies, calls and ranges of the longest run that is kept; of longer ones only their kernels are."""
GROUPS = {"activities": Activities, "calls": Calls, "ranges": Ranges, "waits": Waits}
AXES = "xyz"


def pack(timeline: Timeline) -> PackedTimeline:
    """A timeline as bytes."""
    about = {
        "names": [str(n) for n in timeline.names], "operators": [dataclasses.asdict(o) for o in timeline.operators],
        "devices": [dataclasses.asdict(d) for d in timeline.devices],
        "processes": [dataclasses.asdict(p) for p in timeline.processes], "origin_s": timeline.origin_s,
        "provenance": [{"file": p.file, "format": p.format, "tool": p.tool, "sha256": p.sha256, "notes": list(p.notes)}
                       for p in timeline.provenance],
    }  # fmt: skip
    return PackedTimeline(json.dumps(about), {name: pack_columns(getattr(timeline, name)) for name in GROUPS})


def pack_columns(group: Any) -> bytes:
    """The columns of one kind of event."""
    import polars as pl

    columns: dict[str, NDArray[Any]] = {}
    for field in dataclasses.fields(group):
        values = getattr(group, field.name)
        if values.ndim == 2:
            columns |= {f"{field.name}_{axis}": np.ascontiguousarray(values[:, i]) for i, axis in enumerate(AXES)}
        else:
            columns[field.name] = np.asarray(values)
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out, compression="zstd")
    return out.getvalue()


def unpack(packed: PackedTimeline) -> Timeline:
    """The timeline again."""
    try:
        about = json.loads(packed.about)
        groups = {name: unpack_columns(kind, packed.groups[name]) for name, kind in GROUPS.items()}
        operators = [operator_of(json.dumps(o)) for o in about["operators"]]
        return Timeline(
            **groups, names=as_text(about["names"]), operators=tuple(o for o in operators if o is not None),
            devices=tuple(Device(**d) for d in about["devices"]),
            processes=tuple(Process(**p) for p in about["processes"]), origin_s=float(about["origin_s"]),
            provenance=tuple(
                Provenance(p["file"], p["format"], p["tool"], p["sha256"], tuple(p["notes"]))
                for p in about["provenance"]
            ),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise RoofcastError(f"a stored timeline is damaged: {one_line(str(error), 120)}") from error


def unpack_columns(kind: Any, data: bytes) -> Any:
    """One kind of event again."""
    import polars as pl

    frame = pl.read_parquet(io.BytesIO(data))
    columns: dict[str, NDArray[Any]] = {}
    for field in dataclasses.fields(kind):
        if f"{field.name}_{AXES[0]}" in frame.columns:
            columns[field.name] = np.stack([frame[f"{field.name}_{axis}"].to_numpy() for axis in AXES], axis=1)
        else:
            columns[field.name] = frame[field.name].to_numpy()
    return kind(**columns)


def read_timelines_of(name: str, path: Path | None = None) -> list[Timeline]:
    """The run that a set holds: one timeline, or one per rank."""
    plain = checked_name(name)
    with reading(path) as connection:
        known = connection.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'timelines'").fetchone()
        listed = ", ".join(GROUPS)
        rows = connection.execute(
            f"SELECT about, {listed} FROM timelines WHERE file_id IN (SELECT id FROM files WHERE name = ?) "  # noqa: S608 - ours
            "ORDER BY file_id",
            [plain],
        ).fetchall() if known else []  # fmt: skip
    shown = one_line(f"store:{plain}", 80)
    if not rows:
        raise InputError(
            f"{shown}: holds no recorded run (a trace of up to {MOST_EVENTS:,} events): give the trace itself"
        )
    found = [unpack(PackedTimeline(about, dict(zip(GROUPS, blobs, strict=True)))) for about, *blobs in rows]
    ranks = [p.rank for t in found for p in t.processes]
    if len(found) > 1 and (min(ranks) < 0 or len(set(ranks)) < len(ranks)):
        raise InputError(
            f"{shown}: holds {len(found)} recorded runs: store each under a name of its own, or give the trace"
        )
    return found
