"""A sweep on two worker processes, with and without one of them killed in the middle; prints what came out as JSON."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
import threading
import time
from functools import partial
from typing import Any

from roofcast.sweeps.chunks import sweep
from roofcast.sweeps.cluster import run_on
from roofcast.sweeps.workload import prepare
from sweep_builders import a_space, a_table


def killed_soon(client: Any, died: list[int]) -> threading.Thread:
    """Kill one worker as soon as it works."""

    def kill() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            busy = {w: tasks for w, tasks in client.processing().items() if tasks}
            if busy:
                pid = client.run(os.getpid)[next(iter(busy))]
                os.kill(pid, 9)
                died.append(1)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def main() -> None:
    """Alone, on a calm cluster, and on one that loses a worker."""
    import distributed

    dask: Any = distributed  # its functions have no types
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    space = a_space("sm", "clock", "dram", "l2", cost="sm + dram/1e11", constraints={"a": "sm >= 60"}, goal=1.05)
    work = prepare(a_table("stalls", 3), space.base)
    alone = str(sweep(work, space).to_json())
    died: list[int] = []
    with (
        dask.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        dask.Client(cluster) as client,
    ):
        calm = str(sweep(work, space, run=partial(run_on, client), length=40).to_json())
        client.restart()
        thread = killed_soon(client, died)
        killed = str(sweep(work, space, run=partial(run_on, client), length=20).to_json())
        thread.join()
        with tempfile.TemporaryDirectory() as folder:
            streamed = str(sweep(work, space, folder, run=partial(run_on, client)).to_json())
            again = str(sweep(work, space, folder, run=partial(run_on, client)).to_json())
    sys.stdout.write(
        json.dumps(
            {"alone": alone, "calm": calm, "killed": killed, "streamed": streamed, "again": again, "died": sum(died)}
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
