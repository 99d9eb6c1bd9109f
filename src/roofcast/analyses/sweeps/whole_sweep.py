"""Where a sweep runs: in this process, into a folder, or on a cluster."""

from __future__ import annotations

from pathlib import Path

from roofcast.analyses.sweeps import chunks
from roofcast.analyses.sweeps.chunks import Progress
from roofcast.analyses.sweeps.reductions import Summary
from roofcast.analyses.sweeps.space import Space
from roofcast.analyses.sweeps.workload import Workload
from roofcast.core.errors import one_line


def run_sweep(
    work: Workload, space: Space, out: str | Path | None, cluster: str | None, progress: Progress | None = None
) -> Summary:
    """The reductions of a sweep. out : folder into which every forecast is streamed. cluster : Dask's scheduler."""
    try:
        if cluster is not None:
            from roofcast.analyses.sweeps.cluster import connected, stream_on, sweep_on

            with connected(cluster) as client:
                return sweep_on(client, work, space) if out is None else stream_on(client, work, space, out)
        if out is None:
            return chunks.sweep(work, space, progress=progress)
        return chunks.stream(work, space, out, progress=progress)
    except KeyboardInterrupt as error:
        if out is None:
            raise
        shown = one_line(str(out), 120)
        raise KeyboardInterrupt(
            f"interrupted: run the same command again, and {shown} goes on where it ended"
        ) from error
