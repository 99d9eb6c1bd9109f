"""Columns without a place in the vocabulary (raw counters, columns of users, traced operators) as Parquet and back."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import KernelTable, as_text
from roofcast.core.timeline import Operator

if TYPE_CHECKING:
    import polars

Packs = Sequence[tuple[int, bytes | None]]
"""Number of a file, its pack."""
OPERATORS = "operator"
"""Extra column of traces: the operator whose work a kernel does, with its shapes."""


def packed(columns: Mapping[str, Any]) -> bytes | None:
    """Columns as Parquet; None where there are none."""
    import polars as pl

    if not columns:
        return None
    out = io.BytesIO()
    pl.DataFrame(dict(columns)).write_parquet(out, compression="zstd")
    return out.getvalue()


def plain_extra(kernels: KernelTable) -> dict[str, Any]:
    """The extra columns of a table that are numbers, texts or operators."""
    columns: dict[str, Any] = {}
    for name, values in kernels.extra.items():
        if values.dtype != np.object_:
            columns[name] = values
        elif all(isinstance(v, str) for v in values):
            columns[name] = list(values)
        elif name == OPERATORS and all(isinstance(v, (Operator, str, type(None))) for v in values):
            # One operator is often launched a thousand times.
            known = {v: json.dumps(dataclasses.asdict(v)) for v in {v for v in values if isinstance(v, Operator)}}
            columns[name] = [known.get(v, "") for v in values]
    return columns


def operator_of(text: str) -> Operator | None:
    """An operator from its JSON; None where there is none."""
    try:
        content = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    return Operator(
        str(content.get("name", "")),
        tuple(tuple(int(n) for n in s) for s in content.get("shapes", ())),
        tuple(str(t) for t in content.get("dtypes", ())),
        tuple(tuple(int(n) for n in s) for s in content.get("strides", ())),
        tuple(str(a) for a in content.get("arguments", ())),
    )


def restored(file_id: Any, packs: Packs) -> dict[str, Any]:
    """Raw counters of all rows; NaN in those of files without them."""
    columns: dict[str, Any] = {}
    for column, rows in unpacked(file_id, packs):
        values = columns.setdefault(column.name, np.full(len(file_id), np.nan))
        values[rows] = column.to_numpy()
    return columns


def restored_extra(file_id: Any, packs: Packs) -> dict[str, Any]:
    """Extra columns; '' (for operators None) in rows of files without them."""
    columns: dict[str, Any] = {}
    for column, rows in unpacked(file_id, packs):
        if len(rows) == len(file_id) and column.dtype.is_numeric():
            columns[column.name] = column.to_numpy()
            continue
        values = columns.setdefault(column.name, as_text([""] * len(file_id))).astype(np.object_)
        values[rows] = column.to_list()
        columns[column.name] = values
    if OPERATORS in columns and columns[OPERATORS].dtype == np.object_:
        columns[OPERATORS] = restore_operators(columns[OPERATORS])
    return columns


def restore_operators(texts: NDArray[np.object_]) -> NDArray[np.object_]:
    """(n,) operators from their JSON; None where there is none."""
    known = {text: operator_of(text) for text in {v for v in texts if isinstance(v, str)}}
    operators = np.empty(len(texts), dtype=np.object_)
    operators[:] = [known.get(v) if isinstance(v, str) else None for v in texts]
    return operators


def unpacked(file_id: Any, packs: Packs) -> Iterator[tuple[polars.Series, NDArray[np.intp]]]:
    """Columns of each file with the rows that they belong to."""
    import polars as pl

    for number, data in packs:
        if data is not None:
            rows = np.flatnonzero(np.asarray(file_id) == number)
            for column in pl.read_parquet(io.BytesIO(data)).iter_columns():
                yield column, rows
