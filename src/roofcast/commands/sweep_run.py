"""Running a sweep for a command: in this process, into a folder, or on a cluster, with a bar on a terminal."""

from __future__ import annotations

import sys

from roofcast.analyses.sweeps.chunks import Progress, stream, sweep
from roofcast.analyses.sweeps.reductions import Summary
from roofcast.analyses.sweeps.space import Space
from roofcast.analyses.sweeps.workload import Workload
from roofcast.core.errors import one_line


def run_sweep(work: Workload, space: Space, out: str | None, cluster: str | None) -> Summary:
    """The reductions of a sweep.

    Raises
    ------
    RoofcastError : whatever the sweep raises; no scheduler answers.
    """
    try:
        return somewhere(work, space, out, cluster)
    except KeyboardInterrupt as error:
        if out is None:
            raise
        shown = one_line(out, 120)
        raise KeyboardInterrupt(
            f"interrupted: run the same command again, and {shown} goes on where it ended"
        ) from error


def somewhere(work: Workload, space: Space, out: str | None, cluster: str | None) -> Summary:
    """On the cluster, or here."""
    if cluster is not None:
        from roofcast.analyses.sweeps.cluster import connected, stream_on, sweep_on

        with connected(cluster) as client:
            return sweep_on(client, work, space) if out is None else stream_on(client, work, space, out)
    if not sys.stderr.isatty():
        return run(work, space, out, None)
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("sweeping", total=space.size)
        return run(work, space, out, lambda done, _: bar.update(task, completed=done))


def run(work: Workload, space: Space, out: str | None, progress: Progress | None) -> Summary:
    """Reduced in memory, or streamed into a folder."""
    if out is None:
        return sweep(work, space, progress=progress)
    return stream(work, space, out, progress=progress)
