"""Trees that LightGBM grew, as those that the learned residual reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from roofcast.models.learned.boosted_trees import Tree, Trees


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
