"""Sweeps on Dask: scheduling, retries, spill and dashboards are Dask's (extra ``cluster``)."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from typing import Any

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.sweeps.chunks import Chunk, Part, run_chunk
from roofcast.sweeps.reductions import Summary
from roofcast.sweeps.space import Space
from roofcast.sweeps.workload import Workload

RETRIES = 5
"""Times that a chunk is given to another worker after its own died or failed."""
LOCAL_WORKERS = 2
"""Processes of a cluster on this machine."""
AHEAD = 4
"""Chunks for each thread of the workers that are given out before they are due: however many a sweep has."""


@contextmanager
def connected(cluster: str) -> Iterator[Any]:
    """A Dask client of ``tcp://host:port``, or of ``local`` (two processes on this machine)."""
    try:
        import distributed
        from dask import config as settings
    except ImportError as error:
        raise MissingExtraError("--cluster needs the extra cluster: pip install 'roofcast[cluster]'") from error
    dask: Any = distributed  # its functions have no types
    if cluster == "local":
        options = {"n_workers": LOCAL_WORKERS, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
        # Workers need not sample their stacks: nobody looks, and it costs a twentieth of their time.
        quick = settings.set({"distributed.worker.profile.enabled": False})
        with quick, dask.LocalCluster(**options) as local, dask.Client(local) as client:
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
    keep_worker_memory()
    return run_chunk(compute, work, space, chunk).to_json()


KEPT_BYTES = 64 << 20
"""That a worker keeps of what it freed: one part of a chunk."""


@cache
def keep_worker_memory() -> None:
    """Let glibc keep what a block frees for the next one, which Dask tells it not to.

    Dask starts workers with ``MALLOC_TRIM_THRESHOLD_`` at 64 KiB (``distributed.nanny.pre-spawn-environ``): each array
    then goes back to the system and comes again a page fault at a time, three quarters of a sweep's processor time.
    """
    tell = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform.startswith("linux") else None
    if tell is not None:
        tell(M_MMAP_THRESHOLD, KEPT_BYTES // 2)
        tell(M_TRIM_THRESHOLD, KEPT_BYTES)


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""Of mallopt(3)."""


def run_on(
    client: Any, compute: Callable[..., Summary], work: Workload, space: Space, chunks: Iterable[Chunk]
) -> Iterator[Part]:
    """Chunks on a Dask client, as they end; a worker that dies costs only time. All workers see the folder."""
    import distributed

    how: dict[str, Any] = {"pure": False, "retries": RETRIES}
    shared = [client.submit(keep_value, value, **how) for value in (work, space)]
    rest = iter(chunks)

    def asked(count: int) -> dict[Any, Chunk]:
        """The next few chunks, given out."""
        return {client.submit(compute_on_worker, compute, *shared, c, **how): c for c in islice(rest, count)}

    waiting = asked(AHEAD * max(1, sum(client.nthreads().values())))
    completed: Any = distributed.as_completed  # without types
    ended = completed(list(waiting))
    for future in ended:
        yield waiting.pop(future), Summary.from_json(future.result())
        future.release()
        more = asked(1)
        waiting |= more
        ended.update(list(more))
