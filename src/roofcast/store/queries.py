"""What the store answers: its sets, launches and forecasts by simple filters, any read-only SQL, and accuracy."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.records import dataclass
from roofcast.store.database import import_duckdb, reading
from roofcast.store.set_names import checked_name
from roofcast.store.sets import gpu_key

SETS = """
SELECT f.name, count(DISTINCT f.id) FILTER (WHERE f.kind = 'measurement') AS files,
       coalesce(sum(n.launches), 0)::BIGINT AS launches, coalesce(sum(n.forecasts), 0)::BIGINT AS forecasts,
       coalesce(string_agg(DISTINCT n.gpus, ', '), '') AS gpus, strftime(max(f.added), '%Y-%m-%d %H:%M') AS last_added
FROM files f LEFT JOIN (
  SELECT file_id, count(*) AS launches, 0 AS forecasts, string_agg(DISTINCT nullif(gpu, ''), ', ') AS gpus
  FROM launches GROUP BY file_id
  UNION ALL SELECT file_id, 0, count(*), NULL FROM forecasts GROUP BY file_id
) n ON n.file_id = f.id GROUP BY f.name ORDER BY f.name
"""
LAUNCHES = """
SELECT f.name AS set, f.file, l.kernel, l.gpu, l.launch, l.time_s, l.grid_blocks, l.block_threads, l.bytes_dram,
       l.flops_fp64, l.flops_fp32, l.flops_fp16, strftime(f.added, '%Y-%m-%d %H:%M') AS added
FROM launches l JOIN files f ON f.id = l.file_id
"""
FORECASTS = """
SELECT f.name AS set, f.file, p.kernel, p.source_gpu, p.target_gpu, p.model, p.roofcast, p.source_time_s, p.time_s,
       p.time_low_s, p.time_high_s, p.coverage, strftime(f.added, '%Y-%m-%d %H:%M') AS added
FROM forecasts p JOIN files f ON f.id = p.file_id
"""
PAIRED = """
WITH measured AS (
  SELECT f.id, f.name, l.kernel, l.gpu_key, l.time_s,
         row_number() OVER (PARTITION BY f.id, l.gpu_key, l.kernel ORDER BY l.position) AS nth
  FROM launches l JOIN files f ON f.id = l.file_id WHERE l.time_s > 0 AND l.gpu_key <> ''
), forecast AS (
  SELECT f.id, f.name, p.kernel, p.target_key, p.target_gpu, p.model, p.roofcast, p.time_s, p.time_low_s, p.time_high_s,
         p.coverage, row_number() OVER (PARTITION BY f.id, p.target_key, p.kernel ORDER BY p.position) AS nth
  FROM forecasts p JOIN files f ON f.id = p.file_id WHERE p.target_key <> '' AND {condition}
), paired AS (
  SELECT p.*, m.time_s AS measured_s, p.time_s / m.time_s AS ratio
  FROM forecast p JOIN measured m
  ON m.kernel = p.kernel AND m.gpu_key = p.target_key AND m.nth = p.nth AND m.id > p.id AND m.name = p.name
)
SELECT name AS set, model, roofcast, target_gpu, count(*) AS pairs, avg(abs(coalesce(ratio, 0) - 1)) AS mape,
       median(abs(coalesce(ratio, 0) - 1)) AS median_ape, median(ratio) AS median_ratio,
       avg((measured_s BETWEEN time_low_s AND time_high_s)::INT) AS coverage, max(coverage) AS coverage_claimed
FROM paired GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True)
class Answer:
    """Columns and rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def records(self) -> list[dict[str, Any]]:
        """One dict per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def ask(sql: str, values: list[Any] | None = None, path: Path | None = None, most: int | None = None) -> Answer:
    """Run SQL on a connection that can neither write nor reach files.

    most : rows to fetch at most.
    """
    duckdb = import_duckdb()

    with reading(path) as connection:
        try:
            cursor = connection.execute(sql, values or [])
            columns = tuple(str(d[0]) for d in cursor.description or ())
            rows = cursor.fetchall() if most is None else cursor.fetchmany(most)
        except duckdb.Error as error:
            raise RoofcastError(f"the store cannot answer this: {one_line(str(error), 300)}") from error
    return Answer(columns, tuple(tuple(r) for r in rows))


def sets(path: Path | None = None) -> Answer:
    """What the store holds, by name."""
    return ask(SETS, path=path)


def query(
    name: str | None = None,
    kernel: str | None = None,
    gpu: str | None = None,
    *,
    forecasts: bool = False,
    limit: int = 50,
    path: Path | None = None,
) -> Answer:
    """Launches, or forecasts, by simple filters.

    name : of a set. kernel : regular expression. gpu : a name of the catalog, or as files print it; of forecasts the
    target's. limit : rows at most.
    """
    alias, column, key = ("p", "target_gpu", "target_key") if forecasts else ("l", "gpu", "gpu_key")
    conditions, values = [], []
    if name:
        conditions.append("f.name = ?")
        values.append(checked_name(name))
    if kernel:
        try:
            re.compile(kernel)
        except re.error as error:
            raise RoofcastError(f"--kernel {one_line(kernel, 80)!r} is not a regular expression: {error}") from error
        conditions.append(f"regexp_matches({alias}.kernel, ?)")
        values.append(kernel)
    if gpu:
        conditions.append(f"({alias}.{column} = ? OR ({alias}.{key} = ? AND {alias}.{key} <> ''))")
        values += [gpu, gpu_key(gpu)]
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    sql = f"{FORECASTS if forecasts else LAUNCHES} {where}ORDER BY f.id, {alias}.position LIMIT {int(limit)}"
    return ask(sql, values, path)


def accuracy(name: str | None = None, path: Path | None = None) -> Answer:
    """How good forecasts were: each against what was measured later of the same kernel on the same GPU in its set.

    Launches of a kernel are paired in order. A forecast without a time counts as an error of 100 %.
    """
    condition, values = ("f.name = ?", [checked_name(name)]) if name else ("true", [])
    return ask(PAIRED.format(condition=condition), values, path)
