"""What Dask workers spend their processor time on during a sweep.

    python benchmarks/dask_worker.py              30 million forecasts
    python benchmarks/dask_worker.py 100000000

Prints, as JSON, the share that forecasts have of the workers' time, the share of whole chunks, reductions included,
and the forecasts per processor second of workers, scheduler and client together.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "tests")]

KERNELS, SIZE = 100, 30_000_000


def count_time() -> None:
    """Count in this process what forecasts and chunks take."""
    from roofcast.sweeps import chunks
    from roofcast.sweeps.workload import Workload

    os.SPENT = {"forecasts": 0.0, "chunks": 0.0}  # type: ignore[attr-defined]  # a place that all tasks see

    def timed(name: str, run: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            start = time.thread_time()
            made = run(*given, **named)
            os.SPENT[name] += time.thread_time() - start  # type: ignore[attr-defined]
            return made

        return counted

    Workload.estimate = timed("forecasts", Workload.estimate)  # type: ignore[method-assign]
    chunks.computed = timed("chunks", chunks.computed)


def spent() -> dict[str, float]:
    """Processor seconds of this process so far: all, and of what is counted."""
    taken = os.times()
    return {"all": taken.user + taken.system, **getattr(os, "SPENT", {})}


def measure(size: int) -> dict[str, float]:
    """Shares of a sweep of ``size`` forecasts on two workers."""
    from ways import a_grid, a_workload

    from roofcast.sweeps.chunks import sweep
    from roofcast.sweeps.cluster import connected, run_on

    space = replace(a_grid(100_000), sample=size // KERNELS)
    work = a_workload(KERNELS, space)
    with connected("local") as client:
        client.run(count_time)
        sweep(work, replace(space, sample=1000), run=partial(run_on, client))
        before, here = client.run(spent), spent()
        found = sweep(work, space, run=partial(run_on, client))
        after, now = client.run(spent), spent()
    taken = {key: sum(after[w][key] - before[w][key] for w in after) for key in ("all", "forecasts", "chunks")}
    whole = taken["all"] + now["all"] - here["all"]
    return {
        "forecasts": taken["forecasts"] / taken["all"], "chunks": taken["chunks"] / taken["all"],
        "per_s": found.feasible * len(work) / whole,
    }  # fmt: skip


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure(int(float(sys.argv[1])) if sys.argv[1:] else SIZE)) + "\n")
