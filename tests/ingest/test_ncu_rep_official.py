"""The same kernels, metrics and values as NVIDIA's own reader, where that is installed."""

from __future__ import annotations

import importlib.util
import math
from pathlib import Path
from typing import Any

import pytest

from roofcast.ingest.ncu import report as ncu_rep
from roofcast.ingest.ncu.report import Launch

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("ncu_report") is None, reason="the official ncu-report package is not installed"
)


def official_actions(path: Path) -> list[Any]:
    """Launches of the official reader, in its order; the report must stay referenced while they are used."""
    import ncu_report

    context = ncu_report.load_report(str(path))
    ranges = [context.range_by_idx(i) for i in range(context.num_ranges())]
    return [(context, r, r.action_by_idx(i)) for r in ranges for i in range(r.num_actions())]


def same_value(ours: float | str, theirs: float | str) -> bool:
    both_nan = isinstance(ours, float) and isinstance(theirs, float) and math.isnan(ours) and math.isnan(theirs)
    return both_nan or ours == theirs


def differences(launch: Launch, action: Any) -> list[str]:
    """Metrics that differ: those with no stored scalar (mostly: with instances) are absent here and 0 or None there."""
    found = []
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        ours = launch.numbers.get(name, launch.texts.get(name))
        if ours is None:
            if metric.value() is None or (metric.num_instances() and metric.value() in (0, "")):
                continue
            found.append(f"{name} is missing")
        elif not same_value(ours, metric.value()):
            found.append(f"{name}: {ours} is not {metric.value()}")
    return found + [f"{n} is not there" for n in {*launch.numbers, *launch.texts} - set(action.metric_names())]


@pytest.mark.slow
def test_same_launches_metrics_and_values(fixtures_dir: Path) -> None:
    compared = 0
    for path in sorted((fixtures_dir / "ncu_rep").glob("*.ncu-rep")):
        with path.open("rb") as stream:
            launches = [x for block in ncu_rep.walk_blocks(stream) for x in ncu_rep.parse_results(block)]
        actions = official_actions(path)
        assert len(launches) == len(actions), path.name
        for launch, (_, _, action) in zip(launches, actions, strict=True):
            assert launch.kernel == action.name(action.NameBase_DEMANGLED)
            assert not differences(launch, action), path.name
            compared += len(launch.numbers)
    assert compared > 20_000
