"""Trees: the same numbers as the library that grew them and as a plain walk from root to leaf; damage is noticed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.core.errors import RoofcastError
from roofcast.models.learned.boosted_trees import BLOCK, LEAVES_MOST, Features, Trees, trees_of
from roofcast_evaluate.grown_trees import floored, from_lightgbm

Node = dict[str, Any]


@st.composite
def nodes(draw: st.DrawFn, leaves: int) -> Node:
    """A random tree as LightGBM dumps it."""
    if leaves == 1:
        return {"leaf_value": draw(st.floats(-10, 10))}
    left = draw(st.integers(1, leaves - 1))
    return {
        "split_feature": draw(st.integers(0, 2)),
        "threshold": draw(st.floats(-3, 3)),
        "left_child": draw(nodes(left)),
        "right_child": draw(nodes(leaves - left)),
    }


def walked(node: Node, row: Features) -> float:
    """The slow twin: from root to leaf."""
    while "leaf_value" not in node:
        left = float(row[node["split_feature"]]) <= node["threshold"]
        node = node["left_child" if left else "right_child"]
    return float(node["leaf_value"])


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_a_forest_is_walked_as_one_would(data: st.DataObject) -> None:
    forest = [data.draw(nodes(data.draw(st.integers(1, LEAVES_MOST)))) for _ in range(data.draw(st.integers(0, 3)))]
    trees = from_lightgbm({"tree_info": [{"tree_structure": n} for n in forest]}, ("a", "b", "c"), digits=17)
    rows = np.random.default_rng(3).normal(size=(3, 40)).astype(np.float32)
    # Rows exactly on a threshold go left.
    for n in forest:
        if "threshold" in n:
            rows[n["split_feature"], 0] = np.float32(n["threshold"])
    wanted = [sum(walked(n, rows[:, i]) for n in forest) for i in range(40)]
    np.testing.assert_allclose(trees.predict(rows), wanted, rtol=1e-12, atol=1e-12)
    again = trees_of(json.loads(json.dumps(trees.content())))
    np.testing.assert_array_equal(again.predict(rows), trees.predict(rows))


def test_more_rows_than_a_block() -> None:
    tree = {"split_feature": 0, "threshold": 0.0, "left_child": {"leaf_value": 1.0}, "right_child": {"leaf_value": 2.0}}
    trees = from_lightgbm({"tree_info": [{"tree_structure": tree}]}, ("a",))
    rows = np.where(np.arange(BLOCK * 2 + 5) % 3, 1.0, -1.0).astype(np.float32)[None, :]
    np.testing.assert_array_equal(trees.predict(rows), np.where(rows[0] > 0, 2.0, 1.0))
    assert trees.predict(np.zeros((1, 0), np.float32)).shape == (0,)


def test_the_library_says_the_same() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    draw = np.random.default_rng(0)
    rows = draw.normal(size=(2000, 6)).astype(np.float32)
    wanted = rows[:, 0] * rows[:, 1] + np.sin(3 * rows[:, 2])
    settings = {"num_leaves": 31, "verbose": -1, "num_threads": 1, "min_data_in_leaf": 5}
    grown = lightgbm.train(settings, lightgbm.Dataset(rows.astype(np.float64), wanted), 20)
    trees = from_lightgbm(grown.dump_model(), tuple("abcdef"), digits=17)
    np.testing.assert_allclose(trees.predict(np.ascontiguousarray(rows.T)), grown.predict(rows), rtol=1e-12)


@given(st.floats(-1e6, 1e6))
def test_thresholds_round_down(value: float) -> None:
    below = floored(value)
    assert below <= value < float(np.nextafter(np.float32(below), np.float32(np.inf)))


@pytest.mark.parametrize(
    "damage",
    [
        {"features": None}, {"trees": [{"f": [0], "t": [0.0], "l": [1]}]}, {"start": "x"},
        {"trees": [{"f": [7], "t": [0.0], "l": [1], "v": [1.0, 2.0]}]},
        {"trees": [{"f": [0], "t": [0.0], "l": [1], "v": [1.0]}]},
    ],
)  # fmt: skip
def test_damage_is_one_line(damage: dict[str, object]) -> None:
    with pytest.raises(RoofcastError, match="damaged"):
        trees_of(Trees(("a",), ()).content() | damage)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_what_is_looked_up_once_per_kernel_or_gpu_is_what_every_cell_looks_up(data: st.DataObject) -> None:
    forest = [data.draw(nodes(data.draw(st.integers(1, LEAVES_MOST)))) for _ in range(3)]
    trees = from_lightgbm({"tree_info": [{"tree_structure": n} for n in forest]}, ("a", "b", "c"), digits=17)
    draw = np.random.default_rng(3)
    shapes = data.draw(st.lists(st.sampled_from([(5, 1), (1, 7), (5, 7), (1, 1)]), min_size=3, max_size=3))
    features = [draw.normal(size=shape).astype(np.float32) for shape in shapes]
    flat = np.stack([np.broadcast_to(f, (5, 7)).ravel() for f in features])
    wanted = trees.predict(flat)
    np.testing.assert_array_equal(trees.predict_cells(features, (5, 7)).ravel(), wanted)
