"""Sweeps on Dask: scheduling, retries, spill and dashboards are Dask's (extra ``cluster``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.models.cell_blocks import use_threads
from roofcast.sweeps.chunks import Chunk, Part
from roofcast.sweeps.reductions import Summary
from roofcast.sweeps.space import Space
from roofcast.sweeps.workload import Workload

RETRIES = 5
"""Times that a chunk is given to another worker after its own died or failed."""
LOCAL_WORKERS = 2
"""Processes of a cluster on this machine."""


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


def compute_on_worker(compute: Callable[..., Summary], work: Workload, space: Space, chunk: Chunk) -> dict[str, Any]:
    """One chunk on a worker, as plain numbers."""
    use_threads(1)
    return compute(work, space, *chunk).to_json()


def run_on(
    client: Any, compute: Callable[..., Summary], work: Workload, space: Space, chunks: Iterable[Chunk]
) -> Iterator[Part]:
    """Chunks on a Dask client, as they end; a worker that dies costs only time. All workers see the folder."""
    import distributed

    how: dict[str, Any] = {"pure": False, "retries": RETRIES}
    shared = [client.submit(keep_value, value, **how) for value in (work, space)]
    asked = {client.submit(compute_on_worker, compute, *shared, chunk, **how): chunk for chunk in chunks}
    completed: Any = distributed.as_completed  # without types
    for future in completed(list(asked)):
        yield asked.pop(future), Summary.from_json(future.result())
        future.release()
