"""Every other class: by the rules that the rows of Table 1 have in common."""

from __future__ import annotations

from roofcast.hulls.neighbourhood import neighbourhood_variables
from roofcast.hulls.notation import AlgorithmClass, Part, Pattern
from roofcast.hulls.variables import BOTH, COMPUTE_ONLY, Family, Variables, tile_elements

OFFSETS = {Pattern.ELEMENT: 16, Pattern.NEIGHBOURHOOD: 64, Pattern.FULL: 16}
PER_FURTHER_INPUT = 16
HISTOGRAM_OFFSET = 64


def applications(part: Part) -> int:
    """How often the function is applied per unit of work because of one input."""
    if part.pattern is Pattern.FULL:
        return part.elements
    return tile_elements(part) if part.extent else 1


def composed_variables(found: AlgorithmClass) -> Variables:
    """Units of the output (of the inputs where it is shared), applications of the largest input pattern.

    Data is everything read and written once; halos of neighbourhoods and shared outputs add what their rows add.
    """
    dealt = [p for p in found.outputs if p.pattern is not Pattern.SHARED] or list(found.inputs)
    units = max(p.units for p in dealt)
    per_unit = max(applications(p) for p in found.inputs)
    per_unit = max(per_unit, *(tile_elements(p) if p.extent else 1 for p in found.outputs))
    tiled = any(p.pattern in (Pattern.TILE, Pattern.FULL) for p in found.inputs)
    offset = 4 * per_unit if tiled else max(OFFSETS.get(p.pattern, 16) for p in found.inputs)
    coalesced = total = float(found.elements_in + found.elements_out)
    scattered = 0.0
    for part in found.inputs:
        if part.pattern is Pattern.NEIGHBOURHOOD:
            own = neighbourhood_variables(AlgorithmClass((part,), (Part(part.sizes, Pattern.ELEMENT),)))
            coalesced += own.elements_coalesced - own.elements_total
            scattered += own.elements_uncoalesced
    for part in found.outputs:
        if part.pattern is Pattern.SHARED:
            scattered += 1 if part.elements == 1 else units
            offset = max(offset, HISTOGRAM_OFFSET if part.elements > 1 else 0)
    offset += 0 if tiled else PER_FURTHER_INPUT * (len(found.inputs) - 1)
    # A unit that walks a row of its own, as in the class of rows: neighbouring units read far apart.
    rows = any(p.pattern is Pattern.TILE and p.units == units and p.extent[-1] > 1 for p in found.inputs)
    floors = BOTH if rows or any(p.unordered for p in found.inputs) else COMPUTE_ONLY
    return Variables(units, per_unit, offset, total, coalesced, scattered, floors)


COMPOSED = Family(
    "composed", "any other combination", "1024x512|tile(1x512) & 512x256|tile(512x1) -> 1024x256|element",
    "matrix multiplication", lambda _: True, composed_variables, None,
    "outside Table 1: by the rules that its rows have in common",
)  # fmt: skip
