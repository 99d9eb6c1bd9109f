"""The families of classes, as data. The first that fits a class is its family; the last one fits all."""

from __future__ import annotations

from functools import lru_cache

from roofcast.hulls import composed, element, neighbourhood, shared, tile
from roofcast.hulls.notation import AlgorithmClass
from roofcast.hulls.variables import Family

CLASSES: dict[str, Family] = {
    "element": element.ELEMENT,
    "unordered": element.UNORDERED,
    "rows": tile.ROWS,
    "columns": tile.COLUMNS,
    "tile-to-element": tile.REDUCED,
    "tile-to-tile": tile.TILED,
    "element-to-tile": tile.ENLARGED,
    "neighbourhood-2d": neighbourhood.NEIGHBOURHOOD_2D,
    "neighbourhood-1d": neighbourhood.NEIGHBOURHOOD_1D,
    "sum": shared.SUM,
    "histogram": shared.HISTOGRAM,
    "combined": element.COMBINED,
    "composed": composed.COMPOSED,
}


@lru_cache(maxsize=4096)
def family_of(found: AlgorithmClass) -> Family:
    """The family of a class.

    >>> from roofcast.hulls.notation import parse_class
    >>> family_of(parse_class("262144|element -> 1|shared")).key
    'sum'
    """
    return next(family for family in CLASSES.values() if family.fits(found))
