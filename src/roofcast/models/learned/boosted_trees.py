"""Boosted trees as text, evaluated with NumPy: no learning library is needed to forecast.

Evaluation after QuickScorer [Lucchese2015]: each tree keeps one bit per leaf; a test that fails removes the leaves on
its left, and the lowest bit that is left is the leaf. Unlike the paper, what the tests of all trees on one feature
remove is a table with a row for each interval between its thresholds: a cell takes one row per feature, whatever the
number of tests.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass

Features = NDArray[np.float32]
"""(features, rows)"""

LEAVES_MOST = 32
"""One bit each."""

BLOCK = 256
"""Cells at once: the leaves of all trees for so many stay in the cache."""

BYTE = 8
"""Leaves of trees that all fit in a byte each."""


@dataclass(frozen=True)
class LeafNumber:
    """How the lowest bit of a word becomes the number of a leaf.

    Every power of two times a De Bruijn number has other upper bits [Leiserson1998].
    """

    of: type[np.unsignedinteger[Any]]
    de_bruijn: int
    bits: int

    @property
    def leaf(self) -> NDArray[np.intp]:
        """The leaf of each value of the upper bits."""
        size = 1 << self.bits
        leaves = np.zeros(size, np.intp)
        leaves[[(self.de_bruijn << bit & (1 << size) - 1) >> size - self.bits for bit in range(size)]] = np.arange(size)
        return leaves


FEW_LEAVES, MANY_LEAVES = LeafNumber(np.uint8, 0x17, 3), LeafNumber(np.uint32, 0x077CB531, 5)


@dataclass(frozen=True)
class Tree:
    """One tree: tests in any order, leaves from left to right."""

    feature: Sequence[int]
    """Per test, the feature that it looks at."""
    threshold: Sequence[float]
    """Per test: a row goes left where its feature is at most this."""
    left_leaves: Sequence[int]
    """Per test, a bit per leaf on its left."""
    value: Sequence[float]
    """Per leaf."""


@dataclass(frozen=True)
class FeatureTable:
    """What the tests of t trees on one feature remove."""

    feature: int
    threshold: NDArray[np.float32]
    """(k,) ascending, each once."""
    removed: NDArray[np.unsignedinteger[Any]]
    """(k + 1, t) the leaves that are removed by a value above so many of the thresholds, a bit each."""


@dataclass(frozen=True)
class Trees:
    """The sum of trees."""

    features: tuple[str, ...]
    trees: tuple[Tree, ...]
    start: float = 0.0

    def predict(self, rows: Features) -> FloatArray:
        """(n,) sum over the trees. rows : (features, n) without NaN."""
        return self.predict_cells([*rows], rows.shape[1:])

    def predict_cells(self, features: Sequence[Features], shape: tuple[int, ...]) -> FloatArray:
        """Sum over the trees in every cell of a shape.

        features : arrays without NaN that broadcast to it. What is the same for many cells, as a kernel's features for
        several GPUs, is looked up once for each of its values.
        """
        result = np.full(shape, self.start)
        if not self.trees:
            return result
        rows = [(np.searchsorted(t.threshold, features[t.feature]), t.removed) for t in self.tables]
        length = max(1, BLOCK // max(math.prod(shape[1:]), 1))
        for at in range(0, shape[0], length):
            cells = result[at : at + length]
            cells += self.sum_leaves(
                [(r[at : at + length] if len(r) > 1 else r, table) for r, table in rows], cells.shape
            )
        return result

    def sum_leaves(self, rows: Sequence[tuple[NDArray[np.intp], NDArray[Any]]], shape: tuple[int, ...]) -> FloatArray:
        """Sum over the trees in cells that fit in the cache. rows : which ones of tables remove leaves there."""
        number, removed = self.number, dict[tuple[int, ...], NDArray[Any]]()
        for row, table in rows:
            # Without a check of each place: searching gives none beyond the table.
            taken = table.take(row, axis=0, mode="clip")
            removed[row.shape] = np.bitwise_or(removed[row.shape], taken, out=taken) if row.shape in removed else taken
        dead = np.zeros((*shape, len(self.trees)), number.of)
        for leaves in removed.values():
            np.bitwise_or(dead, leaves, out=dead)
        # The lowest bit that is not set, alone.
        lowest = dead + number.of(1)
        np.invert(dead, out=dead)
        np.bitwise_and(dead, lowest, out=dead)
        np.multiply(dead, number.of(number.de_bruijn), out=dead)
        np.right_shift(dead, number.of((1 << number.bits) - number.bits), out=dead)
        return np.asarray(self.values.take(dead + self.first_values, mode="clip").sum(axis=-1))

    @cached_property
    def number(self) -> LeafNumber:
        """How leaves are numbered."""
        return FEW_LEAVES if max((len(t.value) for t in self.trees), default=1) <= BYTE else MANY_LEAVES

    @cached_property
    def tables(self) -> list[FeatureTable]:
        """A table for each feature that is tested."""
        tree = np.array([i for i, t in enumerate(self.trees) for _ in t.feature], np.intp)
        feature = np.array([f for t in self.trees for f in t.feature], np.intp)
        threshold = np.array([v for t in self.trees for v in t.threshold], np.float32)
        left_leaves = np.array([bits for t in self.trees for bits in t.left_leaves], np.uint32)
        tables = []
        # Without np.unique, whose first call imports numpy.ma: a sixtieth of a report's time.
        for tested in sorted({*feature.tolist()}):
            here = feature == tested
            known, place = np.unique(threshold[here], return_inverse=True)
            removed = np.zeros((len(known) + 1, len(self.trees)), np.uint32)
            np.bitwise_or.at(removed, (place + 1, tree[here]), left_leaves[here])
            tables.append(FeatureTable(tested, known, np.bitwise_or.accumulate(removed).astype(self.number.of)))
        return tables

    @cached_property
    def values(self) -> FloatArray:
        """What leaves add, tree after tree, each by the number that its bit becomes."""
        known = np.zeros((len(self.trees), 1 << self.number.bits))
        for row, tree in zip(known, self.trees, strict=True):
            row[: len(tree.value)] = tree.value
        return known[:, self.number.leaf].ravel()

    @cached_property
    def first_values(self) -> NDArray[np.intp]:
        """(t,) where each tree's values begin."""
        return np.arange(len(self.trees), dtype=np.intp) << self.number.bits

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
    """Trees from what :meth:`Trees.content` gave."""
    try:
        features = tuple(str(name) for name in content["features"])
        trees = tuple(
            Tree(array("i", t["f"]), array("d", t["t"]), array("I", t["l"]), array("d", t["v"]))
            for t in content["trees"]
        )
        start = float(content["start"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise RoofcastError("the learned model is damaged: reinstall roofcast, or train it again") from error
    fits = all(
        len(t.feature) == len(t.threshold) == len(t.left_leaves) == len(t.value) - 1 < LEAVES_MOST
        and all(0 <= f < len(features) for f in t.feature)
        for t in trees
    )
    if not fits:
        raise RoofcastError("the learned model is damaged: reinstall roofcast, or train it again")
    return Trees(features, trees, start)
