"""Under equal conditions no speed-up leaves the range of the supplies, latencies and floors in use.

Of single launches from flushed caches: a larger cache may keep what a smaller one does not, and a board that holds its
power lowers its own clock, so that both add to what supplies at boost say.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import roofcast
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource

TARGETS = ("B200", "B300", "MI300X", "MI355X", "L4", "RTX PRO 6000")
FILES = 10
MARGIN = 1.12
"""What rounding to whole waves of blocks, and sums of roofs, may add to the ends."""
LATENCIES = ("l1", "shared", "l2", "dram")
# (part of the file's name, target) -> why its speed-ups leave the range.
EXCEPTIONS: dict[tuple[str, str], str] = {}


def ratios(source: Processor, target: Processor, used: set[Resource]) -> list[float]:
    """Target over source, of everything that the forecast of a kernel rests on."""
    clocks = source.clock_hz_boost, target.clock_hz_boost
    both = [r for r in used if r in source.supplies and r in target.supplies]
    found = [target.rate(r) / source.rate(r) for r in both]
    cores = target.sm_count * clocks[1] / (source.sm_count * clocks[0])
    wide = target.warp_size / source.warp_size
    found += [cores, cores * wide, clocks[1] / clocks[0], target.sm_count / source.sm_count]
    per_warp = {Resource.INSTS_ISSUED, Resource.INSTS_LSU, Resource.INSTS_SPECIAL}
    found += [wide * target.rate(r) / source.rate(r) for r in per_warp.intersection(both)]
    for name in LATENCIES:
        before, after = (getattr(p, f"latency_cycles_{name}") for p in (source, target))
        if before and after:
            found.append(before / clocks[0] / (after / clocks[1]))
            # Waits that all SMs make at once: more SMs wait for more.
            found.append(found[-1] * target.sm_count / source.sm_count)
    if source.launch_floor_s and target.launch_floor_s:
        found.append(source.launch_floor_s / target.launch_floor_s)
    return [r for r in found if np.isfinite(r) and r > 0]


def files(folder: Path) -> list[Path]:
    return sorted((folder / "ncu_rep").glob("*.ncu-rep"))[:FILES]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_speed_ups_lie_between_the_least_and_the_largest_ratio(target: str, fixtures_dir: Path) -> None:
    compared, outside = 0, []
    for path in files(fixtures_dir):
        forecast = roofcast.forecast(roofcast.read(path), to=target, model="mechanistic", cache="cold")
        there = forecast.targets[0]
        for i, source in enumerate(forecast.sources):
            time = forecast.estimate.time_s[i, 0]
            own = forecast.on_source.time_s[i] if forecast.on_source else forecast.kernels.column("time_s")[i]
            if source is None or not time > 0 or not own > 0:
                continue
            used = {r for r, s in forecast.estimate.time_s_by_resource_target.items() if s[i, 0] > 0}
            spans = ratios(source, there, used)
            low, high = min(spans) / MARGIN, max(spans) * MARGIN
            compared += 1
            excused = any(part in path.name and name == target for part, name in EXCEPTIONS)
            if not low <= own / time <= high and not excused:
                outside.append((path.name[:40], i, round(float(own / time), 3), round(low, 3), round(high, 3)))
    assert compared > 20
    assert not outside
