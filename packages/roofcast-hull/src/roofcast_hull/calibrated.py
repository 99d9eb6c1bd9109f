"""How far measured code lies above its hull: intervals per group of classes, from public measurements.

The hull is a lower end. What code of a class really takes is measured time over hull, whose quantiles over primitives,
GPUs and sizes give the interval that a forecast prints beside hull and floors. ``intervals.json`` is written by
``python tools/teach.py hull_intervals``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from roofcast_hull.classes import find_family, is_product
from roofcast_hull.notation import AlgorithmClass, Pattern

COVERAGE = 0.9
"""1; share of the public measurements of a group that its factors hold."""
ANY = "any class"
"""Group of classes that no public measurement is of: all groups together."""
GROUPS: Mapping[str, str] = {
    "element": "element-wise", "combined": "element-wise", "unordered": "transposed", "rows": "rows", "columns": "rows",
    "tile-to-element": "rows", "tile-to-tile": "rows", "neighbourhood-2d": "neighbourhood",
    "neighbourhood-1d": "neighbourhood", "sum": "sum", "histogram": "histogram",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Factors:
    """What measured code takes, as factors on the hull."""

    group: str
    low: float
    high: float
    coverage: float
    rows: int
    """Primitives on GPUs that taught it."""


def find_group(found: AlgorithmClass) -> str:
    """The group of a class.

    >>> from roofcast_hull.notation import parse_class
    >>> find_group(parse_class("8x4|tile(1x4) & 4x6|tile(4x1) -> 8x6|element"))
    'matrix product'
    """
    if is_product(found):
        return "matrix product"
    family = find_family(found)
    if family.key == "composed":
        patterns = {p.pattern for p in found.inputs}
        if patterns <= {Pattern.ELEMENT, Pattern.FULL, Pattern.GATHER} and Pattern.FULL not in patterns:
            return "gather" if Pattern.GATHER in patterns else "element-wise"
        if patterns <= {Pattern.ELEMENT, Pattern.NEIGHBOURHOOD}:
            return "neighbourhood"
        if any(p.pattern is Pattern.TILE for p in found.inputs) and Pattern.FULL in patterns:
            return "rows times vector"
    return GROUPS.get(family.key, ANY)


@cache
def load_factors() -> dict[str, Factors]:
    """The intervals that come with roofcast."""
    text = resources.files("roofcast_hull").joinpath("intervals.json").read_text(encoding="utf-8")
    content = json.loads(text)
    return {
        name: Factors(name, low, high, content["coverage"], rows)
        for name, (low, high, rows) in content["factors"].items()
    }


def find_factors(found: AlgorithmClass) -> Factors:
    """Factors for a class: of its group, else of all groups together."""
    known = load_factors()
    return known.get(find_group(found)) or known[ANY]
