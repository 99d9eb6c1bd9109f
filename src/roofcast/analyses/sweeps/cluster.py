"""Sweeps and reading on Dask: scheduling, retries, spill and dashboards are Dask's (extra ``cluster``)."""

from __future__ import annotations

import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from roofcast.analyses.sweeps.chunks import (
    base_seconds,
    checked_feasible,
    chunk_length,
    computed,
    fingerprint,
    open_folder,
    read_summary,
    write_chunk,
)
from roofcast.analyses.sweeps.chunks import summarise as reduce_chunk
from roofcast.analyses.sweeps.reductions import Summary, nothing_yet
from roofcast.analyses.sweeps.space import Space
from roofcast.analyses.sweeps.workload import Workload
from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.models.cell_blocks import use_threads

RETRIES = 5
"""Times that a chunk is given to another worker after its own died or failed."""
LOCAL_WORKERS = 2


def freeze_mapping(content: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """A read-only mapping from its content."""
    return MappingProxyType(content)


def reduce_mapping(mapping: MappingProxyType[Any, Any]) -> tuple[Any, tuple[dict[Any, Any]]]:
    """How a read-only mapping travels to another process."""
    return freeze_mapping, (dict(mapping),)


copyreg.pickle(MappingProxyType, reduce_mapping)


@contextmanager
def connected(cluster: str) -> Iterator[Any]:
    """A Dask client of ``tcp://host:port``, or of ``local`` (two processes on this machine)."""
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError("--cluster needs the extra cluster: pip install 'roofcast[cluster]'") from error
    dask: Any = distributed  # its functions have no types
    if cluster == "local":
        options = {"n_workers": LOCAL_WORKERS, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        with dask.LocalCluster(**options) as local, dask.Client(local) as client:
            yield client
        return
    if not cluster.startswith(("tcp://", "tls://", "ucx://", "ws://", "wss://")):
        raise RoofcastError(f"--cluster {one_line(cluster, 60)!r}: write local, or tcp://host:port of a Dask scheduler")
    try:
        client = dask.Client(cluster, timeout=10)
    except (OSError, ValueError, TimeoutError) as error:
        raise RoofcastError(f"no Dask scheduler answers at {one_line(cluster, 80)}") from error
    with client:
        yield client


def keep_value(value: Any) -> Any:
    """The value: a task that has it can be run again, where scattered data would be lost with their worker."""
    return value


def shared_on(client: Any, work: Workload, space: Space) -> list[Any]:
    """Workload and space as futures that survive the death of any worker."""
    return [client.submit(keep_value, value, pure=False, retries=RETRIES) for value in (work, space)]


def chunk_on_worker(work: Workload, space: Space, start: int, stop: int, base_s: float) -> dict[str, Any]:
    """One chunk on a worker, as plain numbers."""
    use_threads(1)
    return reduce_chunk(work, space, start, stop, base_s).to_json()


def sweep_on(client: Any, work: Workload, space: Space, *, length: int | None = None) -> Summary:
    """The same as :func:`.chunks.sweep`, on a Dask client; a worker that dies costs only time."""
    length = length or chunk_length(len(work), streamed=False)
    key, base_s = fingerprint(work, space, length), base_seconds(work, space)[0]
    shared = shared_on(client, work, space)
    ranges = list(space.chunks(length))
    futures = [
        client.submit(chunk_on_worker, *shared, start, stop, base_s, retries=RETRIES, key=f"roofcast-{key}-{start}")
        for start, stop in ranges
    ]
    found = nothing_yet(space, len(work))
    for future in in_order_of_end(futures):
        found = found.merge(Summary.from_json(future.result()))
        future.release()
    return checked_feasible(found, space)


def stream_on_worker(
    work: Workload, space: Space, folder: str, number: int, start: int, stop: int, base_s: float
) -> dict[str, Any]:
    """One chunk on a worker, written into a folder that all workers see."""
    use_threads(1)
    part, rows = computed(work, space, start, stop, base_s, keep=True)
    write_chunk(space, Path(folder), number, rows, part)
    return part.to_json()


def stream_on(client: Any, work: Workload, space: Space, folder: str | Path) -> Summary:
    """The same as :func:`.chunks.stream`, on a Dask client; the folder must be visible to all workers."""
    out = Path(folder).absolute()
    length = chunk_length(len(work), streamed=True)
    open_folder(out, work, space, length)
    key, base_s = fingerprint(work, space, length), base_seconds(work, space)[0]
    shared = shared_on(client, work, space)
    found, futures = nothing_yet(space, len(work)), []
    for number, (start, stop) in enumerate(space.chunks(length)):
        part = read_summary(out, number)
        if part is not None:
            found = found.merge(part)
            continue
        task = (stream_on_worker, *shared, str(out), number, start, stop, base_s)
        futures.append(client.submit(*task, retries=RETRIES, key=f"roofcast-rows-{key}-{start}"))
    for future in in_order_of_end(futures):
        found = found.merge(Summary.from_json(future.result()))
        future.release()
    return checked_feasible(found, space)


def in_order_of_end(futures: list[Any]) -> Any:
    """Futures as they end."""
    import distributed

    completed: Any = distributed.as_completed  # without types
    return completed(futures)


def read_on_worker(path: str, input_format: str | None) -> KernelTable | str:
    """One file on a worker: its kernels, or why there are none."""
    from roofcast.reading import read

    try:
        return read([path], input_format)
    except RoofcastError as error:
        return one_line(str(error))


def read_on(client: Any, paths: Sequence[str], input_format: str | None = None) -> tuple[KernelTable, dict[str, str]]:
    """Read many files on a Dask client: their kernels in the order of the paths, and path -> reason of the others.

    Paths must be visible to the workers.
    """
    from roofcast.core.kernel_table import concatenate

    futures = client.map(read_on_worker, list(paths), [input_format] * len(paths), retries=RETRIES, pure=False)
    found = client.gather(futures)
    tables = [t for t in found if isinstance(t, KernelTable)]
    refused = {p: t for p, t in zip(paths, found, strict=True) if isinstance(t, str)}
    if not tables:
        raise RoofcastError(f"none of {len(paths)} files can be read: {next(iter(refused.values()), 'none given')}")
    return concatenate(tables), refused
