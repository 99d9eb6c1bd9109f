"""Tiles: rows and columns reduced to elements, tiles to tiles, elements to tiles."""

from __future__ import annotations

from roofcast.hulls.notation import AlgorithmClass, Part, Pattern
from roofcast.hulls.variables import BOTH, COMPUTE_ONLY, Family, Floor, Variables, one_to_one, tile_elements

OFFSET_PER_ELEMENT = 4


def line_variables(found: AlgorithmClass, floors: frozenset[Floor]) -> Variables:
    """Units w = lines, m = their length, o = 4 m, d = c = A B + lines."""
    part = found.inputs[0]
    length = tile_elements(part)
    total = found.elements_in + found.elements_out
    return Variables(part.units, length, OFFSET_PER_ELEMENT * length, total, total, 0, floors)


def row_variables(found: AlgorithmClass) -> Variables:
    """One unit walks a row: whether neighbouring units read neighbouring elements is open (floor m1)."""
    return line_variables(found, BOTH)


def column_variables(found: AlgorithmClass) -> Variables:
    """One unit walks a column: neighbouring units always read neighbouring elements."""
    return line_variables(found, COMPUTE_ONLY)


def reduced_variables(found: AlgorithmClass) -> Variables:
    """Units w = tiles, m = U V, o = 4 m, d = c = 2 A B as printed."""
    part = found.inputs[0]
    size = tile_elements(part)
    return Variables(part.units, size, OFFSET_PER_ELEMENT * size, 2 * part.elements, 2 * part.elements)


def tiled_variables(found: AlgorithmClass) -> Variables:
    """Units w = tiles, m = U V, o = 4 m, d = 2 A B, c = A B, u = A B."""
    part = found.inputs[0]
    size = tile_elements(part)
    return Variables(
        part.units, size, OFFSET_PER_ELEMENT * size, 2 * part.elements, part.elements, part.elements
    )  # fmt: skip


def enlarged_variables(found: AlgorithmClass) -> Variables:
    """Units w = A B / (U V), m = U V, o = 4 m, d = c = 2 A B, all as printed, A x B being the input."""
    size, elements = tile_elements(found.outputs[0]), found.inputs[0].elements
    units = max(1, elements // size)
    return Variables(units, size, OFFSET_PER_ELEMENT * size, 2 * elements, 2 * elements)


def to_element(found: AlgorithmClass) -> Part | None:
    """The input of a class that reduces tiles of a matrix to elements."""
    return found.inputs[0] if one_to_one(found, Pattern.TILE, Pattern.ELEMENT) else None


def is_row(found: AlgorithmClass) -> bool:
    """Tiles are whole rows: contiguous in memory."""
    part = to_element(found)
    return part is not None and len(part.sizes) > 1 and part.extent == (*(1,) * (len(part.sizes) - 1), part.sizes[-1])


def is_column(found: AlgorithmClass) -> bool:
    """Tiles are whole columns: all dimensions but the contiguous one."""
    part = to_element(found)
    return part is not None and len(part.sizes) > 1 and part.extent == (*part.sizes[:-1], 1)


ROWS = Family(
    "rows", "AxB|tile(1xB) → A|element", "1024x1024|tile(1x1024) -> 1024|element", "x-projection", is_row,
    row_variables, 3,
)  # fmt: skip
REDUCED = Family(
    "tile-to-element", "AxB|tile(UxV) → A/U x B/V|element", "2048x2048|tile(4x4) -> 512x512|element", "scale down",
    lambda c: to_element(c) is not None, reduced_variables, 4,
    "d = 2 A B is printed; the class itself moves A B + A B / (U V), which the modern form takes",
)  # fmt: skip
TILED = Family(
    "tile-to-tile", "AxB|tile(UxV) → AxB|tile(UxV)", "2048x2048|tile(8x8) -> 2048x2048|tile(8x8)", "2D-DCT",
    lambda c: one_to_one(c, Pattern.TILE, Pattern.TILE), tiled_variables, 5,
)  # fmt: skip
ENLARGED = Family(
    "element-to-tile", "AxB|element → A·U x B·V|tile(UxV)", "512x512|element -> 2048x2048|tile(4x4)", "enlarge",
    lambda c: one_to_one(c, Pattern.ELEMENT, Pattern.TILE), enlarged_variables, 6,
    "w = A B / (U V) and d = 2 A B are printed; the class itself has A B units and moves A B (1 + U V) elements, "
    "which the modern form takes",
)  # fmt: skip
COLUMNS = Family(
    "columns", "AxB|tile(Ax1) → B|element", "1024x1024|tile(1024x1) -> 1024|element", "y-projection", is_column,
    column_variables, None, "used in the case study but not in Table 1: the values of row 3 by symmetry, floor c1 only",
)  # fmt: skip
