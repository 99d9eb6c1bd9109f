"""Conditions at their borders, what a profiler's habit says of caches, and groups of the same work among some rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from frozen_values import draw_counted
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.results import Conditions
from roofcast.forecasting.conditions import (
    LONGEST_LAUNCH_S,
    assume_flushed,
    check_conditions,
    parse_launch_floor,
    set_caches,
)
from roofcast.forecasting.several_sources import SameWork
from roofcast.forecasting.unmeasured_steps import StepTotal


def profiled(tool: str, *states: str) -> KernelTable:
    table = draw_counted(3, len(states))
    return replace(
        table, provenance=(Provenance("run", tool),), file=np.zeros(len(states), np.intp),
        text={**table.text, "cache_state": np.array(states, np.object_)},
    )  # fmt: skip


def test_nsight_compute_flushes_where_its_file_says_nothing() -> None:
    found = assume_flushed(profiled("ncu_report", "", "warm", "", "cold"))
    assert found.strings("cache_state").tolist() == ["cold", "warm", "cold", "cold"]
    for table in (profiled("table", "", "warm"), profiled("ncu_report", "warm", "cold")):
        assert assume_flushed(table) is table


def test_a_recorded_state_of_caches_stays() -> None:
    table = profiled("table", "", "warm", "cold")
    assert set_caches(table, "cold").strings("cache_state").tolist() == ["cold", "warm", "cold"]
    assert set_caches(table, "warm").strings("cache_state").tolist() == ["warm", "warm", "cold"]
    assert set_caches(table, "auto") is table


def test_launch_floors_reach_from_nothing_to_the_longest_launch() -> None:
    assert parse_launch_floor(None) is None
    assert parse_launch_floor((0.0, LONGEST_LAUNCH_S)) == (0.0, LONGEST_LAUNCH_S)
    assert parse_launch_floor("0us, 4us,") == (0.0, 4e-6)
    wrong: tuple[Any, ...] = ("4us", "1us,2us,3us", (-1e-9, 0.0), (0.0, -1e-9), (0.0, 1.01 * LONGEST_LAUNCH_S), 5)
    for value in wrong:
        with pytest.raises(RoofcastError, match="--launch-floor"):
            parse_launch_floor(value)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"coverage": 0.0}, "coverage"), ({"coverage": 1.0}, "coverage"), ({"coverage": "0.9"}, "coverage"),
        ({"named": "x"}, "conditions"), ({"cache": "x"}, "cache"), ({"load": "x"}, "load"),
        ({"launch_floor_s": (1.0,)}, "launch floor"), ({"launch_floor_s": (-1.0, 0.0)}, "launch floor"),
        ({"launch_floor_s": (0.0, float("inf"))}, "launch floor"), ({"launch_floor_s": 3.0}, "launch floor"),
    ],
)  # fmt: skip
def test_senseless_conditions_are_named(options: dict[str, Any], word: str) -> None:
    with pytest.raises(RoofcastError, match=word):
        check_conditions(replace(Conditions(), **options))


def test_conditions_at_their_borders_make_sense() -> None:
    for given in (Conditions(), Conditions(coverage=1e-9), Conditions(coverage=0.999, launch_floor_s=(0.0, 0.0))):
        assert check_conditions(given) is given


def test_groups_among_some_rows_keep_what_is_left_of_each() -> None:
    rows = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]], np.intp)
    apart = np.array([False] * 9 + [True])
    found = SameWork((((4, 5, 6), rows),), apart).select(np.array([0, 2, 3, 4, 5, 6, 9], np.intp))
    groups = {gpus: places.tolist() for gpus, places in found.patterns}
    assert groups == {(4, 6): [[0, 1]], (4, 5, 6): [[2, 3, 4]]}  # of the third group one row is left: no group
    assert found.apart.tolist() == [False] * 6 + [True]


def test_a_step_is_open_where_the_intervals_of_device_and_host_overlap() -> None:
    def step(device: tuple[float, float, float], host: tuple[float, float, float]) -> StepTotal:
        names = ("device_low_s", "device_time_s", "device_high_s", "host_low_s", "host_time_s", "host_high_s")
        ends: dict[str, Any] = dict(zip(names, (*device, *host), strict=True))
        return replace(base, **ends)

    base = StepTotal("A10", 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1, 1, 0)
    assert step((1.0, 2.0, 3.0), (2.5, 4.0, 5.0)).is_open
    assert not step((1.0, 2.0, 3.0), (3.0, 4.0, 5.0)).is_open
    assert not step((5.0, 6.0, 7.0), (3.0, 4.0, 5.0)).is_open
    assert step((1.0, 2.0, 3.0), (2.5, 4.0, 5.0)).decided_by == "host"
    assert step((1.0, 2.0, 3.0), (1.0, 2.0, 3.0)).decided_by == "device"
