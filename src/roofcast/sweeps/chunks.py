"""Sweeps as runs of chunks: reduced in memory, streamed to Parquet, resumed, here or on a cluster."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from roofcast.core.errors import RoofcastError, one_line, why_not
from roofcast.core.extras import require_polars
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import columns_of
from roofcast.core.records import dataclass
from roofcast.core.version import VERSION
from roofcast.core.workers import make_each, processes_allowed
from roofcast.formulas.values import combine
from roofcast.kit.quantities import format_percent
from roofcast.models.cell_blocks import on_threads
from roofcast.sweeps.reductions import Points, Summary, fastest_of, front_of, heat_axes, nothing_yet
from roofcast.sweeps.space import IntArray, Space, base_values
from roofcast.sweeps.sums import Every, add_up
from roofcast.sweeps.workload import Workload

if TYPE_CHECKING:
    import polars

CHUNK, PAIRS = 1 << 16, 1 << 23
"""Processors that are reduced together, and their forecasts: a second or two."""
POOLED = 10**7
"""Forecasts from which a sweep of the command line takes longer than its processes take to start."""
ROWS_PER_FILE = 4_000_000
"""Forecasts in one Parquet file: 80 MB in memory."""
STREAMED_MOST = 1 << 20
"""Processors of one file, where kernels are few."""
MANIFEST = "manifest.json"
KERNELS = "kernels.parquet"
Progress = Callable[[int, int], None]
Chunk = tuple[float, str | None, int, int, int]
"""Seconds of the base, folder, number, and from which processor up to which."""
Part = tuple[Chunk, Summary]
Run = Callable[[Callable[..., Summary], Workload, Space, Iterable[Chunk]], Iterable[Part]]
"""Computes chunks, in any order."""


def chunk_length(kernels: int, *, streamed: bool) -> int:
    """Processors of one chunk: bounded memory whatever the size of the sweep."""
    most, forecasts = (STREAMED_MOST, ROWS_PER_FILE) if streamed else (CHUNK, PAIRS)
    return min(most, max(1, forecasts // max(kernels, 1)))


@dataclass(frozen=True)
class Rows:
    """Every forecast of a chunk."""

    number: IntArray
    levels: IntArray
    every: Every


def computed(work: Workload, space: Space, start: int, stop: int, base_s: float, *, keep: bool) -> tuple[Summary, Rows]:
    """Reductions over consecutive processors, and with ``keep`` every forecast as float32."""
    levels = space.levels_of(start, stop)
    places = np.flatnonzero(space.feasible(levels))
    empty = nothing_yet(space, len(work))
    levels = np.ascontiguousarray(levels[:, places])
    shape = (len(work), len(places)) if keep else (0, 0)
    every = (np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, np.float32))
    rows = Rows(places + start, levels, every)
    if not len(places):
        return replace(empty, processors=stop - start), rows
    totals = add_up(work, space, levels, every if keep else None)
    points = Points(places + start, totals.time_s, totals.low_s, totals.high_s, space.costs(levels))
    best_number = np.where(totals.best_at >= 0, points.number[totals.best_at], -1)
    summary = Summary(
        stop - start, len(places), fastest_of(points), front_of(points), nearest_of(space, levels, points, base_s),
        totals.best_s, best_number, heat_of(space, levels, totals.time_s),
    )  # fmt: skip
    return summary, rows


def heat_of(space: Space, levels: IntArray, time_s: FloatArray) -> FloatArray:
    """Least seconds over the first two axes."""
    a, b = heat_axes(space)
    shape = (space.shape[a], 1 if b is None else space.shape[b])
    place = levels[a] * shape[1] + (0 if b is None else levels[b])
    heat = np.full(shape[0] * shape[1], np.nan)
    # One pass that sorts cells, not times: sweeps visit a cell many times in a row.
    order = np.argsort(place, kind="stable")
    cells, first = np.unique(place[order], return_index=True)
    heat[cells] = np.fmin.reduceat(time_s[order], first)
    return heat.reshape(shape)


def nearest_of(space: Space, levels: IntArray, points: Points, base_s: float) -> tuple[float, int] | None:
    """The cheapest processor that reaches the goal, or without costs the one nearest to the base."""
    if space.goal is None:
        return None
    reached = np.flatnonzero(points.time_s <= base_s / space.goal)
    if not len(reached):
        return None
    if space.cost is not None:
        distance = points.cost[reached]
    else:
        of_base = base_values(space.base)
        parts = [
            np.abs(np.log(axis.levels[levels[i, reached]] / of_base.get(axis.key, axis.levels[0])))
            for i, axis in enumerate(space.axes)
        ]
        distance = combine(np.add, parts)
    best = int(np.lexsort((points.number[reached], distance))[0])
    return float(distance[best]), int(points.number[reached[best]])


def base_seconds(work: Workload, space: Space) -> tuple[float, float, float]:
    """Weighted seconds of the base GPU, low and high; kernels without a forecast are left out."""
    estimate = work.estimate(columns_of([space.base]))
    return tuple(
        float(np.nansum(work.weights * v[:, 0])) for v in (estimate.time_s, estimate.time_low_s, estimate.time_high_s)
    )  # type: ignore[return-value]  # three values


def compute_chunk(
    work: Workload, space: Space, base_s: float, folder: str | None, number: int, start: int, stop: int
) -> Summary:
    """One chunk; with a folder every forecast of it is written there, its summary last."""
    part, rows = computed(work, space, start, stop, base_s, keep=folder is not None)
    if folder is not None:
        write_chunk(space, Path(folder), number, rows, part)
    return part


def run_here(compute: Callable[..., Summary], work: Workload, space: Space, chunks: Iterable[Chunk]) -> Iterator[Part]:
    """Chunks on this machine: in this process, and those of a large sweep in others where such may be started."""
    large = processes_allowed() and len(work) * space.size > POOLED
    return make_each(partial(run_chunk, compute, work, space), chunks, worth=large)


def run_chunk(compute: Callable[..., Summary], work: Workload, space: Space, chunk: Chunk) -> Summary:
    """One chunk on one thread: a second one takes a fifth off the clock and adds a third to processor time and memory.

    Whoever has more cores for a sweep has processes on them.
    """
    with on_threads(1):
        return compute(work, space, *chunk)


def sweep(
    work: Workload, space: Space, out: str | Path | None = None, *, run: Run = run_here,
    progress: Progress | None = None, length: int | None = None,
) -> Summary:  # fmt: skip
    """Reduce a whole space; memory does not grow with its size.

    out : folder into which every forecast is written as Parquet; what is there already is kept. It holds
        ``manifest.json``, ``kernels.parquet``, and per chunk ``forecasts-*.parquet`` (processor, kernel, time_s,
        time_low_s, time_high_s as float32), ``processors-*.parquet`` and ``summary-*.json``, which is written last: a
        chunk without it is made again.
    run : what computes the chunks (:func:`run_here`, or a cluster). length : processors of a chunk.
    """
    length = length or chunk_length(len(work), streamed=out is not None)
    folder = None if out is None else Path(out).absolute()
    if folder is not None:
        open_folder(folder, work, space, length)
    base_s, summary, done = base_seconds(work, space)[0], nothing_yet(space, len(work)), 0

    def list_missing() -> Iterator[Chunk]:
        nonlocal summary, done
        for number, (start, stop) in enumerate(space.chunks(length)):
            there = None if folder is None else read_summary(folder, number)
            if there is None:
                yield base_s, None if folder is None else str(folder), number, start, stop
            else:
                summary, done = summary.merge(there), done + stop - start

    try:
        for (*_, start, stop), part in run(compute_chunk, work, space, list_missing()):
            summary, done = summary.merge(part), done + stop - start
            if progress:
                progress(done, space.size)
    except KeyboardInterrupt as error:
        if out is None:
            raise
        name = one_line(str(out), 120)
        raise KeyboardInterrupt(
            f"interrupted: run the same command again, and {name} goes on where it ended"
        ) from error
    return checked_feasible(summary, space)


TRIED = 20_000
"""Processors of a space on which each constraint is looked at alone, to say which of them leaves nothing."""


def checked_feasible(found: Summary, space: Space) -> Summary:
    """The summary; an error that names what each constraint alone leaves, where all together leave nothing."""
    if found.feasible:
        return found
    draw = np.random.default_rng(0)
    levels = np.stack([draw.integers(0, n, TRIED) for n in space.shape])
    shares = []
    for name, expression in space.constraints.items():
        share = float(replace(space, constraints={name: expression}).feasible(levels).mean())
        shares.append(f"{one_line(name, 40)} ({expression.text}) {share_text(share)}")
    raise RoofcastError(
        f"none of {found.processors:,} processors fulfils the constraints; each alone leaves: {', '.join(shares)}: "
        "loosen one, or widen the axes"
    )


def share_text(share: float) -> str:
    """A share of processors."""
    return "none" if share == 0 else "all" if share == 1 else format_percent(share)


def fingerprint(work: Workload, space: Space, length: int) -> str:
    """What a streamed sweep is a sweep of: another input, space or version is another sweep."""
    digest = hashlib.sha256(f"{VERSION} {length} {space.sample} {space.seed} {space.goal}".encode())
    digest.update(f"{space.base.key} {space.base.supplies!r}".encode())
    for axis in space.axes:
        digest.update(axis.key.encode() + axis.levels.tobytes())
    for name, expression in sorted(space.constraints.items()):
        digest.update(f"{name}={expression.text}".encode())
    digest.update((space.cost.text if space.cost else "").encode())
    table = work.kernels
    for column in sorted(table.numeric):
        digest.update(column.encode() + np.ascontiguousarray(table.numeric[column]).tobytes())
    base = work.at_base
    digest.update(
        b"".join(
            v.tobytes()
            for v in (work.weights, base.factor, base.to_low, base.to_high, base.spread_low, base.spread_high)
        )
    )
    digest.update(repr(work.conditions).encode())
    return digest.hexdigest()


def describe_sweep(own: str, work: Workload, space: Space, length: int) -> dict[str, Any]:
    """What a folder is a sweep of. own : its fingerprint."""
    return {
        "roofcast": VERSION, "fingerprint": own, "base": space.base.name, "kernels": len(work),
        "axes": {a.key: {"unit": a.unit, "levels": a.levels.tolist()} for a in space.axes},
        "processors": space.size, "processors_per_chunk": length, "sample": space.sample, "seed": space.seed,
        "constraints": {k: e.text for k, e in space.constraints.items()},
    }  # fmt: skip


def frame_kernels(work: Workload) -> polars.DataFrame:
    """Number, name and weight of each kernel."""
    require_polars("a folder of Parquet files")
    import polars as pl

    names = [one_line(str(n)) for n in work.kernels.strings("kernel")]
    return pl.DataFrame({"kernel": np.arange(len(names), dtype=np.uint32), "name": names, "weight": work.weights})


def open_folder(out: Path, work: Workload, space: Space, length: int) -> None:
    """Make the folder, or see that it belongs to this sweep."""
    mark = fingerprint(work, space, length)
    manifest = out / MANIFEST
    name = one_line(str(out), 120)
    try:
        out.mkdir(parents=True, exist_ok=True)
        if manifest.is_file():
            content = json.loads(manifest.read_text(encoding="utf-8"))
            if not isinstance(content, dict) or content.get("fingerprint") != mark:
                raise RoofcastError(f"{name} holds another sweep: name an empty folder with --out")
        else:
            if any(p != part_of(manifest) for p in out.iterdir()):
                raise RoofcastError(f"{name} holds other files: name an empty folder with --out")
            # First of all files: where a sweep ends here, the folder is known as its own.
            text = json.dumps(describe_sweep(mark, work, space, length), indent=1) + "\n"
            renamed_into(manifest, lambda p: p.write_text(text, encoding="utf-8"))
        if not (out / KERNELS).is_file():
            renamed_into(out / KERNELS, frame_kernels(work).write_parquet)
    except (OSError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise RoofcastError(f"cannot use the folder {name}: {why_not(error)}") from error


def part_of(path: Path) -> Path:
    """Where a file is made. One name for all runs: what a killed one left is overwritten by the next."""
    return path.with_name(f".{path.name}.part")


def renamed_into(path: Path, write: Callable[[Path], object]) -> None:
    """Write beside the name and rename, so that a file is there whole or not at all."""
    temporary = part_of(path)
    write(temporary)
    temporary.replace(path)


def read_summary(out: Path, number: int) -> Summary | None:
    """The summary of a finished chunk; None where it must be made."""
    path = out / f"summary-{number:06d}.json"
    try:
        return Summary.from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        # Damaged: the chunk is made again.
        return None


def write_chunk(space: Space, out: Path, number: int, rows: Rows, part: Summary) -> None:
    """Every forecast of a chunk, then its summary."""
    import polars as pl

    n, m = rows.every[0].shape
    columns = dict(zip(("time_s", "time_low_s", "time_high_s"), rows.every, strict=True))
    numbers = rows.number.astype(np.uint64 if space.size >= 1 << 32 else np.uint32)
    frame = pl.DataFrame(
        {"processor": np.tile(numbers, n), "kernel": np.repeat(np.arange(n, dtype=np.uint32), m)}
        | {name: values.reshape(-1) for name, values in columns.items()}
    )
    about = pl.DataFrame({"processor": numbers} | {a.key: a.levels[rows.levels[i]] for i, a in enumerate(space.axes)})
    try:
        for name, table in (("forecasts", frame), ("processors", about)):
            renamed_into(
                out / f"{name}-{number:06d}.parquet",
                lambda p, t=table: t.write_parquet(p, compression="uncompressed", statistics=False),  # type: ignore[misc]  # bound now
            )
        text = json.dumps(part.to_json())
        renamed_into(out / f"summary-{number:06d}.json", lambda p: p.write_text(text, encoding="utf-8"))
    except OSError as error:
        raise RoofcastError(f"cannot write {one_line(str(out), 120)}: {why_not(error)}") from error
