"""Neighbourhoods: stencils and convolutions."""

from __future__ import annotations

from roofcast.formulas.boat_hull import halo_elements
from roofcast.hulls.notation import AlgorithmClass, Part, Pattern
from roofcast.hulls.variables import Family, Variables, one_to_one, tile_elements

BLOCK_2D, BLOCK_1D = (16, 16), (1, 256)
"""Outputs of a thread block that pre-loads its inputs: 256 threads, square where the neighbourhood is."""


def as_plane(part: Part) -> tuple[int, int, int, int]:
    """A, B, N, M of a neighbourhood class: leading dimensions are rows, the last one columns.

    In three dimensions and more a plane's neighbours count as rows of the neighbourhood.
    """
    columns, reach = part.sizes[-1], part.extent[-1]
    return part.elements // columns, columns, tile_elements(part) // reach, reach


def neighbourhood_variables(found: AlgorithmClass) -> Variables:
    """Units w = A B, m = N M, o = 64, d = 2 A B, c = d + alpha, u = beta."""
    part = found.inputs[0]
    rows, columns, reach_rows, reach_columns = as_plane(part)
    block = BLOCK_1D if reach_rows == 1 else BLOCK_2D
    along, beside = halo_elements(rows, columns, reach_rows, reach_columns, *block)
    total = 2 * part.elements
    return Variables(part.elements, tile_elements(part), 64, total, total + float(along), float(beside))


def is_neighbourhood(found: AlgorithmClass, planar: bool) -> bool:
    """One neighbourhood input, one element output; ``planar`` where the neighbourhood has several dimensions."""
    return one_to_one(found, Pattern.NEIGHBOURHOOD, Pattern.ELEMENT) and (len(found.inputs[0].extent) > 1) == planar


HALO = "alpha and beta are not printed: halo of blocks of {} outputs, see formulas.boat_hull.halo_elements"

NEIGHBOURHOOD_2D = Family(
    "neighbourhood-2d", "AxB|neighbourhood(NxM) → AxB|element", "2048x2048|neighbourhood(7x7) -> 2048x2048|element",
    "2D-convolution", lambda c: is_neighbourhood(c, True), neighbourhood_variables, 7, HALO.format("16 x 16"),
)  # fmt: skip
NEIGHBOURHOOD_1D = Family(
    "neighbourhood-1d", "AxB|neighbourhood(N) → AxB|element", "2048x2048|neighbourhood(5) -> 2048x2048|element",
    "1D-convolution", lambda c: is_neighbourhood(c, False), neighbourhood_variables, 8, HALO.format("1 x 256"),
)  # fmt: skip
