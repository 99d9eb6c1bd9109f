"""Which axes matter, which designs are listed, and what they draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roofcast.sweeps.chunks import sweep
from roofcast.sweeps.designs import estimate_power, find_axes_that_matter, keep_least_designs
from roofcast.sweeps.sensitivity import elasticities
from roofcast.sweeps.show import record_sweep, render_sweep
from roofcast.sweeps.space import Space, parse_space
from roofcast.sweeps.study import study
from roofcast.sweeps.workload import Workload, prepare
from sweep_builders import a_table

AXES: dict[str, Any] = {
    "clock": ["1.4 GHz", "1.98 GHz", "3.6 GHz"], "dram": ["3 TB/s", "6 TB/s"],
    "tensor_fp8": ["1 PFLOP/s", "4 PFLOP/s"],
}  # fmt: skip


def a_case(axes: dict[str, Any], base: str = "H100 SXM5 80GB") -> tuple[Workload, Space]:
    space = parse_space({"base": base, "axes": axes})
    return prepare(a_table("stalls", 5), space.base), space


@pytest.mark.slow
def test_only_axes_that_matter_are_listed() -> None:
    work, space = a_case(AXES)
    assert [space.axes[k].key for k in find_axes_that_matter(work, space)] == ["clock", "dram"]
    found = study(work, space, sweep(work, space))
    text = render_sweep(found, notes=True)
    head = next(line for line in text.splitlines() if "speed-up" in line)
    assert "clock" in head
    assert "tensor" not in head
    assert "no difference to the time, and not listed: tensor_fp8" in " ".join(text.split())
    content = record_sweep(found)
    assert content["axes_that_matter"] == ["clock", "dram"]
    assert len(content["fastest"]) == 12, "JSON has every processor"
    assert all("tensor_fp8" in row for row in content["fastest"])


def test_listed_designs_are_the_least_of_their_speed() -> None:
    work, space = a_case(AXES)
    fastest = sweep(work, space).fastest
    kept = keep_least_designs(space, fastest, (0, 1))
    assert kept.time_s[0] <= fastest.time_s[0] * 1.001
    levels = np.concatenate([space.levels_of(int(n), int(n) + 1) for n in kept.number], axis=1)[:2]
    for i in range(levels.shape[1]):
        for j in range(levels.shape[1]):
            less = bool((levels[:, j] <= levels[:, i]).all() and (levels[:, j] < levels[:, i]).any())
            assert not (less and kept.time_s[j] <= kept.time_s[i] * 1.001)


@pytest.mark.slow
def test_a_clock_beyond_the_boards_power_is_warned_of() -> None:
    work, space = a_case({"clock": ["1.98 GHz", "4.5 GHz"]})
    power = estimate_power(work, space, np.array([[0, 1]]))
    assert power.board_w.tolist() == [700, 700]
    assert power.drawn_w[1] > power.drawn_w[0]
    assert power.drawn_w[1] > 700
    assert power.held_hz[1] < power.clock_hz[1]
    # The cube of the clock: what the board leaves above idle over what would be drawn above idle.
    over = (power.clock_hz[1] / power.held_hz[1]) ** 3
    idle = (power.drawn_w[1] - over * 700) / (1 - over)
    assert 60 < idle < 200
    found = study(work, space, sweep(work, space))
    assert "beyond what their board's power allows" in " ".join(render_sweep(found).split())
    assert record_sweep(found)["warning"]


def test_more_units_in_use_draw_more() -> None:
    work, space = a_case({"sm": [100, 130, 160]}, "L40S")
    power = estimate_power(work, space, np.array([[0, 1, 2]]))
    assert (np.diff(power.drawn_w) > 0).all()


@pytest.mark.slow
def test_elasticities_have_intervals() -> None:
    work, space = a_case({"clock": ["1.98 GHz"]})
    found = elasticities(work, space)
    assert all(e.low <= e.total <= e.high for e in found if np.isfinite(e.total))
    assert any(e.high > e.low for e in found)
    assert [(e.key, e.low, e.high) for e in elasticities(work, space)] == [(e.key, e.low, e.high) for e in found]
    clock = next(e for e in found if e.key == "clock")
    assert clock.high - clock.low < 0.5
