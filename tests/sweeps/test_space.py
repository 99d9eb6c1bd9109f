"""Design spaces and the expressions in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.core.errors import RoofcastError
from roofcast.core.resource import Resource
from roofcast.sweeps.constraints import Expression
from roofcast.sweeps.space import change_processor, parse_space, read_space
from sweep_builders import a_space

BASE = "H100 SXM5 80GB"
HUGE = 10**400
"""An integer that is no float."""
EXAMPLE = Path(__file__).parents[2] / "examples" / "space.toml"


def test_the_example_reads() -> None:
    space = read_space(EXAMPLE)
    assert space.size == int(np.prod(space.shape)) > 1000
    assert space.goal == 1.3


def test_processors_have_the_values_of_their_levels() -> None:
    space = a_space("sm", "clock", "dram", "fp64_share")
    levels = space.levels_of(37, 38)
    p = space.processor(levels[:, 0])
    values = {a.key: float(a.levels[i]) for a, i in zip(space.axes, levels[:, 0], strict=True)}
    assert p.sm_count == values["sm"]
    assert p.clock_hz_boost == pytest.approx(values["clock"])
    dram, fp64, fp32 = (p.supplies[r] for r in (Resource.BYTES_DRAM, Resource.FLOPS_FP64, Resource.FLOPS_FP32))
    assert dram.peak_per_s == pytest.approx(values["dram"])
    assert (fp64.peak_per_s or 0) / (fp32.peak_per_s or 1) == pytest.approx(values["fp64_share"])


def test_a_power_cap_slows_the_clock_by_its_cube_root_and_never_raises_it() -> None:
    base = a_space("sm").base
    assert base.tdp_w == 700
    assert change_processor(base, {"power_cap": 350.0}).clock_hz_boost == pytest.approx(
        base.clock_hz_boost * 0.5 ** (1 / 3)
    )
    assert change_processor(base, {"power_cap": 900.0}).clock_hz_boost == pytest.approx(base.clock_hz_boost)


def test_a_sample_is_the_same_in_any_pieces() -> None:
    space = a_space("sm", "dram", "l2", sample={"count": 9000, "seed": 3})
    whole = space.levels_of(0, 9000)
    parts = [space.levels_of(a, min(a + 777, 9000)) for a in range(0, 9000, 777)]
    np.testing.assert_array_equal(np.concatenate(parts, axis=1), whole)
    for i, n in enumerate(space.shape):
        share = np.bincount(whole[i], minlength=n) / 9000
        assert np.abs(share - 1 / n).max() < 0.03


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "name the GPU"),
        ({"base": BASE}, "at least one axis"),
        ({"base": BASE, "axes": {}}, "at least one axis"),
        ({"base": "no such GPU", "axes": {"sm": [1]}}, "no such GPU"),
        ({"base": BASE, "axes": {"sms": [100]}}, "axis sms: no such key"),
        ({"base": BASE, "axes": {"sm": []}}, "levels must be above 0"),
        ({"base": BASE, "axes": {"sm": [0]}}, "above 0"),
        ({"base": BASE, "axes": {"sm": {"from": 10, "to": 5, "step": 1}}}, "not above to"),
        ({"base": BASE, "axes": {"sm": {"from": 1, "to": 5, "step": 1, "count": 3}}}, "give one of"),
        ({"base": BASE, "axes": {"dram": ["3 GHz"]}}, "not in B/s"),
        ({"base": BASE, "axes": {"dram": [3]}}, "write a unit"),
        ({"base": BASE, "axes": {"sm": [10.5]}}, "whole numbers"),
        ({"base": BASE, "axes": {"sm": [10]}, "weights": {"k": 3}}, "no such key"),
        ({"base": BASE, "axes": {"sm": [10], "sample": 3}}, "above [axes]"),
        ({"base": BASE, "axes": {"sm": [10]}, "constraints": {"a": "sm <"}}, "is not arithmetic"),
        ({"base": BASE, "axes": {"sm": [10]}, "constraints": {"a": "sm + 1"}}, "write a comparison"),
        ({"base": BASE, "axes": {"sm": [10]}, "constraints": {"a": "price_of_tea < 3"}}, "no quantity"),
        ({"base": BASE, "axes": {"sm": [10]}, "cost": "sm < 3"}, "not a comparison"),
        ({"base": BASE, "axes": {"sm": [10]}, "sample": {"count": 0}}, "above 0"),
        ({"base": BASE, "axes": {"sm": [10]}, "goal": "fast"}, "speed-up"),
        ({"base": BASE, "axes": {"sm": [10]}, "axis": {}}, "no such key: axis"),
        ({"base": BASE, "axes": {"fp64_share": [9]}}, "at most 4"),
        ({"base": BASE, "axes": {"clock": ["1 GHz"], "clock_hz_boost": ["2 GHz"]}}, "set the same"),
        ({"base": BASE, "axes": {"dram": ["1 TB/s"], "bytes_per_s_dram": ["2 TB/s"]}}, "set the same"),
        ({"base": BASE, "axes": {"fp64": ["1 TFLOP/s"], "fp64_share": [0.5]}}, "set the same"),
        ({"base": BASE, "axes": {"tdp": ["300 W"], "power_cap": ["300 W"]}}, "set the same"),
        ({"base": BASE, "axes": {"sm": [HUGE]}}, "not a finite number"),
        ({"base": BASE, "axes": {"sm": [str(HUGE)]}}, "not a finite number"),
        ({"base": BASE, "axes": {"sm": {"from": 1, "to": HUGE, "step": 1}}}, "not a finite number"),
        ({"base": BASE, "axes": {"sm": {"from": 1, "to": 9, "step": HUGE}}}, "not a finite number"),
        ({"base": BASE, "axes": {"sm": {"from": 1, "to": 9, "factor": HUGE}}}, "not a finite number"),
        ({"base": BASE, "axes": {"sm": {"from": 1, "to": 9, "count": HUGE}}}, "count is a whole number"),
        ({"base": BASE, "axes": {"sm": [10]}, "sample": HUGE}, "1.00e+400 processors are too many"),
        ({"base": BASE, "axes": {"sm": [10]}, "goal": HUGE}, "speed-up"),
        ({"base": BASE, "axes": {"sm": [10]}, "cost": str(HUGE)}, "is no number"),
        ({"base": BASE, "axes": {"sm": [10]}, "cost": "**".join(["9"] * 70)}, "nested too deeply"),
    ],
)
def test_a_wrong_space_is_refused_in_one_line(content: dict[str, object], said: str) -> None:
    with pytest.raises(RoofcastError) as caught:
        parse_space(content)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("cost", ["9**9**9**9**9", "-(sm**sm**sm)", "sm**sm**sm - sm**sm**sm", "1e308*sm"])
def test_towers_of_powers_are_costs_that_nobody_knows(cost: str) -> None:
    space = parse_space({"base": BASE, "axes": {"sm": [100, 120]}, "cost": cost})
    assert np.isnan(space.costs(space.levels_of(0, 2))).all()


def test_a_tower_of_powers_as_a_limit_leaves_all_or_nothing() -> None:
    def kept(constraint: str) -> list[bool]:
        space = parse_space({"base": BASE, "axes": {"sm": [100, 120]}, "constraints": {"a": constraint}})
        return [bool(v) for v in space.feasible(space.levels_of(0, 2))]

    assert kept("9**9**9**9 <= 5") == [False, False]
    assert kept("5 <= 9**9**9**9") == [True, True]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9)
VALUES = st.recursive(
    SCALARS, lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=5), c, max_size=3), max_leaves=6
)


@given(st.dictionaries(st.sampled_from(["base", "axes", "constraints", "cost", "sample", "goal", "x"]), VALUES))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_no_content_ends_in_anything_but_a_space_or_one_line(content: dict[str, object]) -> None:
    said = ""
    try:
        parse_space({"base": BASE, **content})
    except RoofcastError as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize("damaged", [b"\xff\xfe", b"base = ", b"[axes\n", b"\x00"])
def test_a_damaged_file_is_one_line(damaged: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(damaged)
    with pytest.raises(RoofcastError, match="no TOML file"):
        read_space(path)


@pytest.mark.parametrize(
    "text",
    ["__import__('os')", "sm.__class__", "[sm]", "sm if sm else 1", "lambda: 1", "f'{sm}'", "sm and 1 or 2", "x := 1",
     "min(sm)", "sm(3)", "'a'", "True", "1e999", "(1 < 2) + 1", "-" * 200 + "1", "not sm", "sm @ 2", "10**10 ** 'a'"],
)  # fmt: skip
def test_expressions_are_arithmetic_and_nothing_else(text: str) -> None:
    with pytest.raises(RoofcastError):
        Expression(text, {"sm"})


def test_expressions_compute_on_arrays() -> None:
    values = {"a": np.array([1.0, 4.0, 9.0]), "b": np.array(2.0)}
    assert Expression("sqrt(a) * b - -1", {"a", "b"})(values).tolist() == [3.0, 5.0, 7.0]
    assert Expression("1 < a <= 4 and b == 2", {"a", "b"})(values).tolist() == [False, True, False]
