"""Boosted trees as text, evaluated with NumPy: no learning library is needed to forecast.

Evaluation after QuickScorer [Lucchese2015]: each tree keeps one bit per leaf; a test that fails removes the leaves on
its left, and the lowest bit that is left is the leaf. Unlike the paper, cells are taken together and tests one after
the other, which is what arrays are good at, and what a test asks of the kernel or of the pair of GPUs alone is decided
once for each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
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

BLOCK = 1 << 17
"""Cells at once: the bytes of a tree's leaves stay in the cache, and threads do not wait for each other's calls."""
ROWS_MOST, DECIDED = 4096, 128
"""Kernels at once, and those whose tests are decided all together."""

FEW = 512
"""Cells up to which all tests are decided together: one by one they cost more in calls than in work."""

BYTE = 8
"""Leaves in a word: a test removes leaves of one word mostly, and the shortest words are the quickest to combine."""


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

    feature: tuple[int, ...]
    """Per test, the feature that it looks at."""
    threshold: tuple[float, ...]
    """Per test: a row goes left where its feature is at most this."""
    left_leaves: tuple[int, ...]
    """Per test, a bit per leaf on its left."""
    value: tuple[float, ...]
    """Per leaf."""


@dataclass(frozen=True)
class Decided:
    """What tests on features of the kernel alone have decided: once for all of its targets."""

    of: tuple[bool, ...]
    """Per feature, whether it is one of them."""
    leaves: NDArray[np.uint8]
    """(trees, words, n, 1) that they remove; (trees, words, 1, n) where the cells are turned."""

    def rows(self, chosen: slice | NDArray[np.intp]) -> Decided:
        """The decided tests of some places of the cells' first axis."""
        return self if self.leaves.shape[2] == 1 else Decided(self.of, np.ascontiguousarray(self.leaves[:, :, chosen]))

    @property
    def turned(self) -> Decided:
        """For cells whose axes are exchanged."""
        return Decided(self.of, self.leaves.swapaxes(2, 3))


@dataclass(frozen=True)
class Tests:
    """Tests of all trees as columns, (t,) each."""

    tree: NDArray[np.intp]
    feature: NDArray[np.intp]
    threshold: NDArray[np.float32]
    left_leaves: NDArray[np.uint32]


Test = tuple[int, np.float32, tuple[tuple[int, np.uint8], ...]]
"""A feature, its threshold, and the words with leaves on the left of the test."""


def test_of(feature: int, threshold: float, left_leaves: int) -> Test:
    """A test as NumPy scalars."""
    words = [(word, np.uint8(left_leaves >> BYTE * word & 0xFF)) for word in range(LEAVES_MOST // BYTE)]
    return feature, np.float32(threshold), tuple((word, left) for word, left in words if left)


def parts_of(tree: Tree) -> tuple[tuple[int, ...], tuple[float, ...], tuple[int, ...]]:
    """What :func:`test_of` takes, as columns."""
    return tree.feature, tree.threshold, tree.left_leaves


def find_leaf(dead: NDArray[np.uint8], number: LeafNumber, leaf: NDArray[Any]) -> None:
    """Write the number of the lowest leaf that is left. dead : (words, ...) leaves that are not."""
    np.copyto(leaf, dead[-1])
    for word in dead[-2::-1]:
        np.left_shift(leaf, number.of(BYTE), out=leaf)
        np.bitwise_or(leaf, word, out=leaf)
    # The lowest bit that is not set, alone.
    lowest = leaf + number.of(1)
    np.invert(leaf, out=leaf)
    np.bitwise_and(leaf, lowest, out=leaf)
    np.multiply(leaf, number.of(number.de_bruijn), out=leaf)
    np.right_shift(leaf, number.of((1 << number.bits) - number.bits), out=leaf)


@dataclass(frozen=True)
class Trees:
    """The sum of trees."""

    features: tuple[str, ...]
    trees: tuple[Tree, ...]
    start: float = 0.0

    def predict(self, rows: Features) -> FloatArray:
        """(n,) sum over the trees. rows : (features, n) without NaN."""
        return self.predict_cells([*rows], rows.shape[1:])

    def predict_cells(
        self, features: Sequence[Features], shape: tuple[int, ...], decided: Decided | None = None
    ) -> FloatArray:
        """Sum over the trees in every cell of a shape.

        features : arrays without NaN that broadcast to it. A test is decided once for each value that its feature has:
        once per kernel, or once per pair of GPUs, where the feature is one of these. decided : those of the kernels,
        where that has been done (:meth:`decide_rows`).
        """
        if len(shape) > 1 and shape[0] > shape[1]:
            # Calls over many cells that are the same along the other axis.
            known = decided and decided.turned
            return self.predict_cells([f.T for f in features], shape[::-1], known).T
        result = np.full(shape, self.start)
        cells_per_row = math.prod(shape[1:])
        length = max(1, min(BLOCK // max(cells_per_row, 1), ROWS_MOST if cells_per_row > 1 else BLOCK))
        for at in range(0, shape[0], length):
            part = slice(at, at + length)
            some = [np.ascontiguousarray(f[part]) if f.shape[0] > 1 else f for f in features]
            self.add_block(some, result[part], decided and decided.rows(part))
        return result

    def decide_rows(self, features: Sequence[Features], shape: tuple[int, ...]) -> Decided:
        """Decide the tests on features of the kernels, whatever the target. shape : (n, m)."""
        of = tuple(f.shape == (shape[0], 1) for f in features)
        none = np.zeros((len(self.trees), self.words, shape[0], 1), np.uint8)
        return Decided(of, next(self.decide_once(features, [not rows for rows in of]), none))

    def add_block(self, features: Sequence[Features], total: FloatArray, decided: Decided | None) -> None:
        """Add the trees' values to cells that fit in the cache."""
        shape, number = total.shape, self.number
        full = [f.shape == shape and total.size > FEW for f in features]
        known = [decided.leaves] if decided is not None else []
        done = [*map(np.logical_or, full, decided.of)] if decided is not None else full
        known += self.decide_once(features, done)
        if total.size <= FEW:
            self.add_few(known, total)
            return
        dead = np.empty((self.words, *shape), np.uint8)
        fails, dead_leaves, leaf_values = np.empty(shape, np.bool_), np.empty(shape, np.uint8), np.empty(shape)
        words, fail_bits = [*dead], fails.view(np.uint8)
        leaf, other = np.empty(shape, number.of), np.empty(shape, number.of)
        bits = number.of(number.bits)
        # What is decided once for all cells needs no test by itself.
        single_tests = self.tests_alone if any(full) else ((),) * len(self.trees)
        for position, values in enumerate(self.pairs):
            for place, tests in enumerate(single_tests[2 * position : 2 * position + 2]):
                removed = [leaves[2 * position + place] for leaves in known] or [np.uint8(0)]
                np.bitwise_or(removed[0], removed[-1], out=dead)
                for leaves in removed[1:-1]:
                    np.bitwise_or(dead, leaves, out=dead)
                for feature, threshold, words_left in tests:
                    if full[feature]:
                        np.greater(features[feature], threshold, out=fails)
                        for word, left in words_left:
                            # 0 or all of the bits, so that no branch is taken.
                            np.multiply(fail_bits, left, out=dead_leaves)
                            np.bitwise_or(words[word], dead_leaves, out=words[word])
                find_leaf(dead, number, other)
                if place:
                    np.left_shift(leaf, bits, out=leaf)
                    np.bitwise_or(leaf, other, out=leaf)
                else:
                    leaf, other = other, leaf
            np.take(values, leaf, out=leaf_values, mode="clip")
            total += leaf_values

    def add_few(self, known: Sequence[NDArray[np.uint8]], total: FloatArray) -> None:
        """The same of few cells, whose tests have all been decided: all trees at once.

        known : (trees, words, ...) leaves that are not, of shapes that broadcast to the cells.
        """
        number, count = self.number, len(self.trees)
        dead = np.zeros((count, self.words, *total.shape), np.uint8)
        for leaves in known:
            np.bitwise_or(dead, leaves, out=dead)
        leaf = np.empty((count, *total.shape), number.of)
        find_leaf(dead.swapaxes(0, 1), number, leaf)
        second = leaf[1::2]
        both = np.left_shift(leaf[: 2 * len(second) : 2], number.of(number.bits)) | second
        for values, place in zip(self.pairs, [*both, *leaf[2 * len(second) :]], strict=True):
            total += values[place]

    @cached_property
    def words(self) -> int:
        """Bytes that the leaves of any tree take."""
        return -(-max((len(t.value) for t in self.trees), default=1) // BYTE)

    @property
    def number(self) -> LeafNumber:
        """How leaves are numbered."""
        return FEW_LEAVES if self.words == 1 else MANY_LEAVES

    def decide_once(self, features: Sequence[Features], full: Sequence[bool]) -> Iterator[NDArray[np.uint8]]:
        """(trees, words, ...) leaves that tests remove whose features are the same for many cells, shape by shape.

        full : features to leave out.
        """
        tests = self.tests
        for shape in {f.shape for f, whole in zip(features, full, strict=True) if not whole}:
            place = np.full(len(features), -1)
            members = [i for i, f in enumerate(features) if f.shape == shape and not full[i]]
            place[members] = np.arange(len(members))
            chosen = np.flatnonzero(place[tests.feature] >= 0)
            if not len(chosen):
                continue
            values = np.stack([features[i].ravel() for i in members])
            trees, first = np.unique(tests.tree[chosen], return_index=True)
            result = np.zeros((len(self.trees), values.shape[1]), np.uint32)
            for at in range(0, values.shape[1], DECIDED):
                part = slice(at, at + DECIDED)
                fails = values[place[tests.feature[chosen]], part] > tests.threshold[chosen, None]
                removed = fails * tests.left_leaves[chosen, None]
                result[trees, part] = np.bitwise_or.reduceat(removed, first, axis=0)
            words = [(result >> np.uint32(BYTE * word)).astype(np.uint8) for word in range(self.words)]
            yield np.stack(words, axis=1).reshape(len(self.trees), self.words, *shape)

    @cached_property
    def tests(self) -> Tests:
        """All tests, tree after tree."""
        return Tests(
            np.array([i for i, t in enumerate(self.trees) for _ in t.feature], np.intp),
            np.array([f for t in self.trees for f in t.feature], np.intp),
            np.array([v for t in self.trees for v in t.threshold], np.float32),
            np.array([bits for t in self.trees for bits in t.left_leaves], np.uint32),
        )

    @cached_property
    def tests_alone(self) -> Sequence[Sequence[Test]]:
        """Per tree, its tests as NumPy scalars."""
        return [[test_of(*test) for test in zip(*parts_of(tree), strict=True)] for tree in self.trees]

    @cached_property
    def pairs(self) -> list[FloatArray]:
        """What the leaves of trees add two by two, or of the last one, by the first's number before the second's."""
        leaf, known = self.number.leaf, np.zeros((len(self.trees), 1 << self.number.bits))
        for row, tree in zip(known, self.trees, strict=True):
            row[: len(tree.value)] = tree.value
        known = known[:, leaf]
        both = [np.add.outer(a, b).ravel() for a, b in zip(known[:-1:2], known[1::2], strict=True)]
        return both if len(self.trees) % 2 == 0 else [*both, known[-1]]

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
