"""Sweeps: as fast as the model they ask, reduced and streamed; flat memory, and no object per processor."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from roofcast.core.kernel_table import concatenate
from roofcast.core.machines import columns_of
from roofcast.sweeps.chunks import compute_chunk, sweep
from roofcast.sweeps.space import Space, parse_space
from roofcast.sweeps.workload import Workload, prepare
from sweep_builders import a_table

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

GROWTH_MOST_MB = 30.0
REDUCED_SHARE, STREAMED_SHARE = 0.7, 0.5
"""Of the model's own forecasts per second, which a sweep keeps while it reduces and writes."""
COLUMNS_TIMES = 5.0
"""How much faster a space comes as columns than as processors one by one."""


def a_grid() -> Space:
    """SMs x clock x DRAM x L2 x FP64 around an H100: 196,608 processors."""
    return parse_space({
        "base": "H100 SXM5 80GB",
        "axes": {
            "sm": {"from": 100, "to": 160, "step": 4}, "clock": {"from": "1.2 GHz", "to": "2.2 GHz", "count": 12},
            "dram": {"from": "2 TB/s", "to": "8 TB/s", "count": 64},
            "l2": {"from": "30 MB", "to": "120 MB", "count": 8}, "fp64": ["30 TFLOP/s", "60 TFLOP/s"],
        },
        "cost": "sm + dram/1e11",
    })  # fmt: skip


def a_workload(space: Space, count: int) -> Workload:
    """Kernels with all kinds of evidence."""
    parts = [a_table(e, count // 4, i) for i, e in enumerate(("stalls", "counters", "analytic", "time"))]
    return prepare(concatenate(parts), space.base)


def least(run: Callable[[], object]) -> float:
    """Least processor seconds of three runs."""
    found = []
    for _ in range(3):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def model_per_s(work: Workload, space: Space, processors: int) -> float:
    """Forecasts per processor second of the model alone, on the first processors of a space."""
    columns = space.columns(np.ascontiguousarray(space.levels_of(0, processors)))
    work.estimate(columns)
    return len(work) * processors / least(lambda: work.estimate(columns))


@pytest.mark.parametrize("count", [16, 128])
def test_reduced_forecasts_per_second(benchmark: BenchmarkFixture, count: int) -> None:
    space = a_grid()
    work, size = a_workload(space, count), (1 << 20) // count
    per_s = count * size / least(lambda: compute_chunk(work, space, 1.0, None, 0, 0, size))
    alone = model_per_s(work, space, (1 << 19) // count)
    benchmark.extra_info |= {"forecasts_per_s": per_s, "of_the_model": per_s / alone}
    benchmark(compute_chunk, work, space, 1.0, None, 0, 0, size)
    assert per_s > REDUCED_SHARE * alone


def test_streamed_forecasts_per_second(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    space = a_grid()
    work = a_workload(space, 64)
    names = (tmp_path / str(i) for i in itertools.count())
    few, many = replace(space, sample=1000), replace(space, sample=21_000)
    start = least(lambda: sweep(work, few, next(names)))
    per_s = 20_000 * len(work) / (least(lambda: sweep(work, many, next(names))) - start)
    alone = model_per_s(work, space, 8192)
    benchmark.extra_info |= {"forecasts_per_s": per_s, "of_the_model": per_s / alone}
    benchmark(lambda: sweep(work, few, next(names)))
    assert per_s > STREAMED_SHARE * alone


def test_a_space_comes_as_columns(benchmark: BenchmarkFixture) -> None:
    space = a_grid()
    work = a_workload(space, 4)
    levels = np.ascontiguousarray(space.levels_of(0, 4096))
    one_by_one = least(lambda: work.estimate(columns_of(space.processors(levels))))
    ratio = one_by_one / least(lambda: work.estimate(space.columns(levels)))
    benchmark.extra_info |= {"times_as_fast_as_objects": ratio}
    benchmark(lambda: work.estimate(space.columns(levels)))
    assert ratio > COLUMNS_TIMES


def peak_mb() -> float:
    """High-water mark of this process's memory."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) / 1e3 for line in lines if line.startswith("VmHWM"))


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="memory is read from /proc")
def test_memory_is_flat(benchmark: BenchmarkFixture) -> None:
    space = a_grid()
    work = a_workload(space, 16)
    sweep(work, replace(space, sample=140_000))
    before = peak_mb()
    sweep(work, replace(space, sample=600_000))
    growth = peak_mb() - before
    benchmark(sweep, work, replace(space, sample=1000))
    benchmark.extra_info |= {"growth_mb": growth}
    assert growth < GROWTH_MOST_MB
