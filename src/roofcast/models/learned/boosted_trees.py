"""Boosted trees as text, evaluated with NumPy: no learning library is needed to forecast.

Evaluation after C. Lucchese et al., "QuickScorer: a fast algorithm to rank documents with additive ensembles of
regression trees", SIGIR 2015: each tree keeps one bit per leaf; a test that fails removes the leaves on its left, and
the lowest bit that is left is the leaf. Unlike the paper, rows are taken together and tests one after the other, which
is what arrays are good at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray

Features = NDArray[np.float32]
"""(features, rows)"""

LEAVES_MOST = 32
"""One bit each."""

BLOCK = 1 << 14
"""Rows at once: what a block needs stays in the cache."""

DE_BRUIJN = np.uint32(0x077CB531)
"""Every power of two times it has another upper five bits (C. E. Leiserson et al., 1998)."""

LEAF_OF = np.zeros(32, dtype=np.intp)
LEAF_OF[[(0x077CB531 << bit & 0xFFFFFFFF) >> 27 for bit in range(32)]] = np.arange(32)


@dataclass(frozen=True)
class Tree:
    """One tree: tests in any order, leaves from left to right."""

    feature: tuple[int, ...]
    """Per test, the feature that it looks at."""
    threshold: tuple[float, ...]
    """Per test: a row goes left where its feature is at most this."""
    left_leaves: tuple[int, ...]
    """Per test, a bit per leaf on its left."""
    value: tuple[float, ...]
    """Per leaf."""


@dataclass(frozen=True)
class Trees:
    """The sum of trees."""

    features: tuple[str, ...]
    trees: tuple[Tree, ...]
    start: float = 0.0

    def predict(self, rows: Features) -> FloatArray:
        """(n,) sum over the trees. rows : (features, n) without NaN."""
        result = np.empty(rows.shape[1])
        for at in range(0, rows.shape[1], BLOCK):
            part = np.ascontiguousarray(rows[:, at : at + BLOCK])
            result[at : at + BLOCK] = self.predict_block(part)
        return result

    def predict_block(self, rows: Features) -> FloatArray:
        """(n,) sum over the trees for rows that fit in the cache."""
        total = np.full(rows.shape[1], self.start)
        fails = np.empty(rows.shape[1], dtype=np.bool_)
        for tests, values in self.prepared:
            leaves = np.full(rows.shape[1], 0xFFFFFFFF, dtype=np.uint32)
            for feature, threshold, removed in tests:
                np.greater(rows[feature], threshold, out=fails)
                # 0 or all ones, so that no branch is taken.
                leaves &= ~(removed * fails)
            lowest = leaves & (~leaves + np.uint32(1))
            total += values[(lowest * DE_BRUIJN) >> np.uint32(27)]
        return total

    @cached_property
    def prepared(self) -> list[tuple[list[tuple[int, np.float32, np.uint32]], FloatArray]]:
        """Per tree, its tests as NumPy scalars and its values in the order of the multiplied bits."""
        found = []
        for tree in self.trees:
            tests = [
                (f, np.float32(t), np.uint32(bits))
                for f, t, bits in zip(tree.feature, tree.threshold, tree.left_leaves, strict=True)
            ]
            values = np.zeros(LEAVES_MOST)
            values[: len(tree.value)] = tree.value
            found.append((tests, values[LEAF_OF]))
        return found

    def content(self) -> dict[str, Any]:
        """What :func:`trees_of` reads back, for JSON."""
        return {
            "features": list(self.features),
            "start": self.start,
            "trees": [
                {"f": list(t.feature), "t": list(t.threshold), "l": list(t.left_leaves), "v": list(t.value)}
                for t in self.trees
            ],
        }


def trees_of(content: Mapping[str, Any]) -> Trees:
    """Trees from what :meth:`Trees.content` gave.

    Raises
    ------
    RoofcastError : it is damaged.
    """
    try:
        features = tuple(str(name) for name in content["features"])
        trees = tuple(
            Tree(
                tuple(int(f) for f in t["f"]),
                tuple(float(v) for v in t["t"]),
                tuple(int(b) for b in t["l"]),
                tuple(float(v) for v in t["v"]),
            )
            for t in content["trees"]
        )
        start = float(content["start"])
    except (KeyError, TypeError, ValueError) as error:
        raise RoofcastError("the learned model is damaged: reinstall roofcast, or train it again") from error
    fits = all(
        len(t.feature) == len(t.threshold) == len(t.left_leaves) == len(t.value) - 1 < LEAVES_MOST
        and all(0 <= f < len(features) for f in t.feature)
        for t in trees
    )
    if not fits:
        raise RoofcastError("the learned model is damaged: reinstall roofcast, or train it again")
    return Trees(features, trees, start)


def from_lightgbm(dump: Mapping[str, Any], features: Sequence[str], digits: int = 6) -> Trees:
    """Trees of LightGBM's ``Booster.dump_model()``; numerical tests without missing values.

    digits : significant digits of the leaves' values.
    """
    return Trees(tuple(features), tuple(tree_of(t["tree_structure"], digits) for t in dump["tree_info"]))


def tree_of(node: Mapping[str, Any], digits: int) -> Tree:
    """One tree of a dump: leaves numbered from left to right."""
    feature: list[int] = []
    threshold: list[float] = []
    left: list[int] = []
    values: list[float] = []

    def visit(n: Mapping[str, Any]) -> int:
        """Bits of the leaves below a node."""
        if "split_feature" not in n:
            values.append(float(f"{n['leaf_value']:.{digits}g}"))
            return 1 << (len(values) - 1)
        position = len(feature)
        feature.append(int(n["split_feature"]))
        threshold.append(floored(float(n["threshold"])))
        left.append(0)
        left[position] = visit(n["left_child"])
        return left[position] | visit(n["right_child"])

    visit(node)
    return Tree(tuple(feature), tuple(threshold), tuple(left), tuple(values))


def floored(threshold: float) -> float:
    """The largest single-precision number up to a threshold: it parts single-precision features as that does."""
    near = np.float32(threshold)
    return float(near if float(near) <= threshold else np.nextafter(near, np.float32(-np.inf)))
