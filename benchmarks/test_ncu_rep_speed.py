"""Reading reports: no slower than NVIDIA's own reader on the same files in the same run."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofcast.ingest.ncu import report as ncu_rep

NAMED = os.environ.get("ROOFCAST_FIXTURES")
FOLDER = (Path(NAMED) if NAMED else Path(__file__).resolve().parents[2] / "shared" / "fixtures") / "ncu_rep"
REPORTS = sorted(FOLDER.glob("*.ncu-rep"))
TYPICAL_S = 0.15

pytestmark = pytest.mark.skipif(not REPORTS, reason="real reports are absent: set ROOFCAST_FIXTURES")


def read_ours(path: Path) -> int:
    """Everything: metrics of all launches, amounts, flags, table."""
    with path.open("rb") as stream:
        return len(ncu_rep.read(stream, path.name).counters)


def read_official(path: Path) -> int:
    """Load and every metric value, which is what the official reader has to offer."""
    import ncu_report

    context = ncu_report.load_report(str(path))
    values = 0
    for part in (context.range_by_idx(i) for i in range(context.num_ranges())):
        for action in (part.action_by_idx(i) for i in range(part.num_actions())):
            values += sum(1 for name in action.metric_names() if action.metric_by_name(name).value() is not None)
    return values


def seconds_of(read: Callable[[Path], int], path: Path, rounds: int = 7) -> float:
    """The shortest of several runs."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        read(path)
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.parametrize("path", REPORTS, ids=lambda p: p.name[:40])
def test_read_report(benchmark: Any, path: Path) -> None:
    benchmark(read_ours, path)
    assert benchmark.stats["min"] < TYPICAL_S


@pytest.mark.skipif(importlib.util.find_spec("ncu_report") is None, reason="ncu-report is not installed")
def test_no_slower_than_the_official_reader(benchmark: Any) -> None:
    def ratio() -> float:
        return sum(seconds_of(read_ours, p) for p in REPORTS) / sum(seconds_of(read_official, p) for p in REPORTS)

    measured = benchmark.pedantic(ratio, rounds=1)
    benchmark.extra_info["ours_over_official"] = round(measured, 2)
    assert measured < 1, f"{measured:.2f} of the official reader's time"
