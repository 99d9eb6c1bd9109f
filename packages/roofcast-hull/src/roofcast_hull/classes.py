"""The classes of algorithms, as data: what each reads as, and its variables in the boat hull model.

The first family that fits a class is its family; the last one fits all. A further one is an entry of ``FAMILIES`` and
the function of its variables.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from roofcast_hull.boat_hull import halo_elements
from roofcast_hull.notation import STAGED, AlgorithmClass, Part, Pattern

OFFSET_PER_ELEMENT = 4
"""o per element of a tile."""
BLOCK_2D, BLOCK_1D = (16, 16), (1, 256)
"""Outputs of a thread block that pre-loads its inputs: 256 threads, square where the neighbourhood is."""
OFFSETS = {Pattern.ELEMENT: 16, Pattern.NEIGHBOURHOOD: 64, Pattern.FULL: 16}
PER_FURTHER_INPUT = 16
"""Operations of index arithmetic and loads for each input after the first."""
HISTOGRAM_OFFSET = 64
"""Operations beside the function of a unit that adds to one of many shared outputs."""


class Floor(StrEnum):
    """What may make a primitive slower than the hull, because the class does not say it."""

    NO_FMA = "c1"
    SCATTERED = "m1"


COMPUTE_ONLY = frozenset({Floor.NO_FMA})
BOTH = frozenset({Floor.NO_FMA, Floor.SCATTERED})


@dataclass(frozen=True, slots=True)
class Variables:
    """w, m, o, d, c, u and the floors of one class ([Nugteren2012] Table 1). Amounts of data are in elements."""

    work_units: int
    """w"""
    applications_per_unit: int
    """m"""
    offset_ops: float
    """o, as estimated by the source for GPUs."""
    elements_total: float
    """d"""
    elements_coalesced: float
    """c"""
    elements_uncoalesced: float = 0.0
    """u"""
    floors: frozenset[Floor] = COMPUTE_ONLY


@dataclass(frozen=True, slots=True)
class Family:
    """Classes that share one row of Table 1, or one of the rules that extend it."""

    key: str
    title: str
    example: str
    """A class text of the family."""
    primitive: str
    """An algorithm that has it."""
    fits: Callable[[AlgorithmClass], bool]
    variables: Callable[[AlgorithmClass], Variables]
    """The published values, or what follows from them by the rule in ``note``."""
    row: int | None = None
    """Row of Table 1, from 1; None for classes outside it."""
    note: str = ""
    """What the source leaves open, or where this is ours."""


def take_pair(found: AlgorithmClass) -> tuple[Part, Part] | None:
    """Input and output of a class with one of each; None for the others."""
    return (found.inputs[0], found.outputs[0]) if len(found.inputs) == len(found.outputs) == 1 else None


def one_to_one(found: AlgorithmClass, reads: Pattern, writes: Pattern) -> bool:
    """Whether a class has one ordered input and one output with these patterns."""
    pair = take_pair(found)
    return pair is not None and pair[0].pattern is reads and pair[1].pattern is writes and not pair[0].unordered


def tile_elements(part: Part) -> int:
    """Elements of a tile or neighbourhood: U V, N M."""
    return math.prod(part.extent)


def element_variables(found: AlgorithmClass, floors: frozenset[Floor] = COMPUTE_ONLY) -> Variables:
    """Units w = A B, m = 1, o = 16, d = c = 2 A B; unordered accesses are scattered, a floor."""
    size = found.inputs[0].elements
    return Variables(size, 1, 16, 2 * size, 2 * size, floors=floors)


def combined_variables(found: AlgorithmClass) -> Variables:
    """Units w = A B, m = 1, o = 32, d = c = 3 A B; further arrays add their elements."""
    arrays = found.elements_in + found.elements_out
    return Variables(found.outputs[0].elements, 1, 32, arrays, arrays)


def is_unordered(found: AlgorithmClass) -> bool:
    """One unordered element input, one element output."""
    pair = take_pair(found)
    return pair is not None and pair[0].unordered and {p.pattern for p in pair} == {Pattern.ELEMENT}


def is_combined(found: AlgorithmClass) -> bool:
    """Two ordered element inputs of the output's size."""
    if len(found.inputs) != 2:
        return False
    parts = (*found.inputs, *found.outputs)
    same = {(p.pattern, p.elements, p.unordered) for p in parts} == {(Pattern.ELEMENT, parts[0].elements, False)}
    return same and len(found.outputs) == 1


def line_variables(found: AlgorithmClass, floors: frozenset[Floor]) -> Variables:
    """Units w = lines, m = their length, o = 4 m, d = c = A B + lines.

    One unit walks a line: of columns neighbouring units always read neighbouring elements, of rows that is open (m1).
    """
    part = found.inputs[0]
    length = tile_elements(part)
    total = found.elements_in + found.elements_out
    return Variables(part.units, length, OFFSET_PER_ELEMENT * length, total, total, 0, floors)


def tiled_variables(found: AlgorithmClass, scattered: int = 1) -> Variables:
    """Units w = tiles, m = U V, o = 4 m, d = 2 A B, c = A B, u = A B; tiles to elements: c = 2 A B as printed."""
    part = found.inputs[0]
    size = tile_elements(part)
    total = part.elements
    return Variables(part.units, size, OFFSET_PER_ELEMENT * size, 2 * total, (2 - scattered) * total, scattered * total)


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
    whole = (
        one_to_one(found, Pattern.NEIGHBOURHOOD, Pattern.ELEMENT) and found.inputs[0].units == found.outputs[0].units
    )
    return whole and (len(found.inputs[0].extent) > 1) == planar


def sum_variables(found: AlgorithmClass) -> Variables:
    """Units w = A B, m = 1, o = 16, d = A B + 1, c = A B, u = 1."""
    size = found.inputs[0].elements
    return Variables(size, 1, 16, size + 1, size, 1)


def histogram_variables(found: AlgorithmClass) -> Variables:
    """Units w = A B, m = 1, o = 64, d = A B + C, c = C, u = A B."""
    size, bins = found.inputs[0].elements, found.outputs[0].elements
    return Variables(size, 1, 64, size + bins, bins, size)


def is_shared(found: AlgorithmClass, single_value: bool) -> bool:
    """Elements reduced to one value, or to several."""
    shared = one_to_one(found, Pattern.ELEMENT, Pattern.SHARED)
    return shared and (found.outputs[0].elements == 1) == single_value


def is_product(found: AlgorithmClass) -> bool:
    """Rows of one matrix times columns of another, in batches or not: ``MxK|tile(1xK) & KxN|tile(Kx1) -> MxN``."""
    if len(found.inputs) < 2 or len(found.outputs) != 1 or found.outputs[0].pattern is not Pattern.ELEMENT:
        return False
    lines = [p for p in found.inputs if p.pattern is Pattern.TILE and max(p.extent) == tile_elements(p) > 1]
    return len(lines) == 2 and tile_elements(lines[0]) == tile_elements(lines[1]) and lines[0].extent != lines[1].extent


FFT_FLOPS = 5.0
"""FLOP of an element of a transform in each of its stages: half a butterfly of radix 2, which is a product of complex
numbers (6) and two sums of them (4)."""


def find_staged(found: AlgorithmClass) -> Part | None:
    """The output of a class that is computed in stages, the largest of several; None for other classes."""
    return max((p for p in found.outputs if p.pattern in STAGED), key=lambda p: p.elements, default=None)


def is_staged(found: AlgorithmClass, pattern: Pattern) -> bool:
    """Whether a class makes running sums, an order, or transforms."""
    part = find_staged(found)
    return part is not None and part.pattern is pattern


def count_stages(part: Part) -> int:
    r"""Stages that elements of a tile depend on each other over.

    .. math:: k = \lceil \log_2 L \rceil

    L : 1, elements of the tile. Reason: an operation joins two values, so that what depends on L of them is k deep.

    >>> count_stages(Part((4, 1000), Pattern.SORT, (1, 1000)))
    10
    """
    return max(1, math.ceil(math.log2(max(2, part.run))))


def staged_variables(found: AlgorithmClass) -> Variables:
    r"""Units w = N, the elements; m = k stages, 1 of a scan; o = 16, d = c = inputs and outputs.

    .. math:: N_{op} = f N \; (scan), \qquad N_{op} = f N \lceil \log_2 L \rceil \; (sort, fft)

    f : operations of an element in a stage: an addition, a comparison, 5 FLOP of a transform. Reason: no scan does with
    fewer than N - 1 additions, no order of L elements with fewer than log2(L!), about L log2 L, comparisons, and
    transforms are counted as 5 N log2 N (Cooley and Tukey 1965, radix 2; one element is a complex number).
    """
    part = find_staged(found)
    assert part is not None
    total = found.elements_in + found.elements_out
    stages = 1 if part.pattern is Pattern.SCAN else count_stages(part)
    floors = BOTH if part.pattern is Pattern.SORT else COMPUTE_ONLY
    return Variables(part.elements, stages, 16, total, total, 0, floors)


def is_sparse(found: AlgorithmClass) -> bool:
    """Rows (or columns) of stored elements, each with an element of a vector that its column chooses: CSR, ELL."""
    gathered = [p for p in found.inputs if p.pattern is Pattern.GATHER]
    lines = [p for p in found.inputs if p.pattern is Pattern.TILE and max(p.extent) == tile_elements(p) > 1]
    plain = all(p.pattern is Pattern.ELEMENT for p in found.outputs)
    return plain and len(gathered) == 1 and any(gathered[0].extent == (tile_elements(p),) for p in lines)


def default_complexity(found: AlgorithmClass) -> float:
    """Operations of one application where nobody states them: two of products, five of a transform, else one.

    >>> from roofcast_hull.notation import parse_class
    >>> default_complexity(parse_class("8x4|tile(1x4) & 4x6|tile(4x1) -> 8x6|element"))
    2.0
    """
    if is_staged(found, Pattern.FFT):
        return FFT_FLOPS
    return 2.0 if is_product(found) or is_sparse(found) else 1.0


def count_applications(part: Part) -> int:
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
    per_unit = max((count_applications(p) for p in found.inputs), default=1)
    per_unit = max(per_unit, *(tile_elements(p) if p.extent else 1 for p in found.outputs))
    tiled = any(p.pattern in (Pattern.TILE, Pattern.FULL) for p in found.inputs)
    offset = 4 * per_unit if tiled else max((OFFSETS.get(p.pattern, 16) for p in found.inputs), default=16)
    coalesced = total = float(found.elements_in + found.elements_out)
    scattered = 0.0
    for part in found.inputs:
        if part.pattern is Pattern.NEIGHBOURHOOD:
            of_part = neighbourhood_variables(AlgorithmClass((part,), (Part(part.sizes, Pattern.ELEMENT),)))
            coalesced += of_part.elements_coalesced - of_part.elements_total
            scattered += of_part.elements_uncoalesced
    for part in found.outputs:
        if part.pattern is Pattern.SHARED:
            scattered += 1 if part.elements == 1 else units
            offset = max(offset, HISTOGRAM_OFFSET if part.elements > 1 else 0)
    offset += 0 if tiled else PER_FURTHER_INPUT * max(0, len(found.inputs) - 1)
    # A unit that walks a row of its own, as in the class of rows: neighbouring units read far apart.
    rows = any(p.pattern is Pattern.TILE and p.units == units and p.extent[-1] > 1 for p in found.inputs)
    floors = BOTH if rows or any(p.unordered for p in found.inputs) else COMPUTE_ONLY
    return Variables(units, per_unit, offset, total, coalesced, scattered, floors)


HALO = "alpha and beta are not printed: halo of blocks of {} outputs, see boat_hull.halo_elements"
FAMILIES = (
    Family(
        "element", "AxB|element → AxB|element", "2048x2048|element -> 2048x2048|element", "binarization",
        lambda c: one_to_one(c, Pattern.ELEMENT, Pattern.ELEMENT), element_variables, 1,
    ),
    Family(
        "unordered", "unordered AxB|element → AxB|element", "unordered 2048x2048|element -> 2048x2048|element",
        "xy-mirroring", is_unordered, lambda c: element_variables(c, BOTH), 2,
    ),
    Family(
        "rows", "AxB|tile(1xB) → A|element", "1024x1024|tile(1x1024) -> 1024|element", "x-projection", is_row,
        lambda c: line_variables(c, BOTH), 3,
    ),
    Family(
        "columns", "AxB|tile(Ax1) → B|element", "1024x1024|tile(1024x1) -> 1024|element", "y-projection", is_column,
        lambda c: line_variables(c, COMPUTE_ONLY), None,
        "used in the case study but not in Table 1: the values of row 3 by symmetry, floor c1 only",
    ),
    Family(
        "tile-to-element", "AxB|tile(UxV) → A/U x B/V|element", "2048x2048|tile(4x4) -> 512x512|element", "scale down",
        lambda c: to_element(c) is not None, lambda c: tiled_variables(c, 0), 4,
        "d = 2 A B is printed; the class itself moves A B + A B / (U V), which the modern form takes",
    ),
    Family(
        "tile-to-tile", "AxB|tile(UxV) → AxB|tile(UxV)", "2048x2048|tile(8x8) -> 2048x2048|tile(8x8)", "2D-DCT",
        lambda c: one_to_one(c, Pattern.TILE, Pattern.TILE), tiled_variables, 5,
    ),
    Family(
        "element-to-tile", "AxB|element → A·U x B·V|tile(UxV)", "512x512|element -> 2048x2048|tile(4x4)", "enlarge",
        lambda c: one_to_one(c, Pattern.ELEMENT, Pattern.TILE), enlarged_variables, 6,
        "w = A B / (U V) and d = 2 A B are printed; the class itself has A B units and moves A B (1 + U V) elements, "
        "which the modern form takes",
    ),
    Family(
        "neighbourhood-2d", "AxB|neighbourhood(NxM) → AxB|element",
        "2048x2048|neighbourhood(7x7) -> 2048x2048|element", "2D-convolution", lambda c: is_neighbourhood(c, True),
        neighbourhood_variables, 7, HALO.format("16 x 16"),
    ),
    Family(
        "neighbourhood-1d", "AxB|neighbourhood(N) → AxB|element", "2048x2048|neighbourhood(5) -> 2048x2048|element",
        "1D-convolution", lambda c: is_neighbourhood(c, False), neighbourhood_variables, 8, HALO.format("1 x 256"),
    ),
    Family(
        "sum", "AxB|element → 1|shared", "2048x2048|element -> 1|shared", "sum", lambda c: is_shared(c, True),
        sum_variables, 9,
    ),
    Family(
        "histogram", "AxB|element → C|shared", "2048x2048|element -> 256|shared", "histogram",
        lambda c: is_shared(c, False), histogram_variables, 10, "the table's N is the class's C",
    ),
    Family(
        "combined", "AxB|element ∧ AxB|element → AxB|element",
        "2048x2048|element & 2048x2048|element -> 2048x2048|element", "differencing", is_combined, combined_variables,
        11,
    ),
    Family(
        "scan", "AxB|tile(1xB) → AxB|scan(1xB)", "1048576|full -> 1048576|scan", "prefix sums",
        lambda c: is_staged(c, Pattern.SCAN), staged_variables, None,
        "a running sum: all data pass memory once in the hull, once for each of log2 B stages in the floor",
    ),
    Family(
        "sort", "AxB|tile(1xB) → AxB|sort(1xB)", "1048576|full -> 1048576|sort", "radix sort, merge sort, bitonic sort",
        lambda c: is_staged(c, Pattern.SORT), staged_variables, None,
        "an order: all data pass memory in the hull as often as what fits on chip asks for, "
        "one for each stage in the floor",
    ),
    Family(
        "fft", "AxB|tile(1xB) → AxB|fft(1xB)", "1024x4096|tile(1x4096) -> 1024x4096|fft(1x4096)", "Fourier transforms",
        lambda c: is_staged(c, Pattern.FFT), staged_variables, None,
        "a transform: as an order, with 5 operations of an element in a stage; elements are complex, of 8 or 16 B",
    ),
    Family(
        "sparse-rows", "AxK|tile(1xK) ∧ AxK|tile(1xK) ∧ B|gather(K) → A|element",
        "65536x12|tile(1x12) & 65536x12|tile(1x12) & 65536|gather(12) & 65536|neighbourhood(2) -> 65536|element",
        "sparse matrix (CSR, ELL) times vector", is_sparse, composed_variables, None,
        "sparse rows: values, columns and row offsets once; of the gathered vector each element once in the hull, "
        "a sector of 32 bytes for each of A K look-ups in the floor",
    ),
    Family(
        "product", "MxK|tile(1xK) ∧ KxN|tile(Kx1) → MxN|element, in batches or not",
        "64x128x96|tile(1x1x96) & 64x96x160|tile(1x96x1) -> 64x128x160|element", "matrix products in batches",
        is_product, composed_variables, None, "a product of matrices: each matrix once in the hull",
    ),
    Family(
        "composed", "any other combination", "1024x512|tile(1x512) & 512|full -> 1024|element",
        "matrix times vector", lambda _: True, composed_variables, None,
        "a class that the model's source does not print: by the rules that its classes have in common",
    ),
)  # fmt: skip
CLASSES: dict[str, Family] = {family.key: family for family in FAMILIES}


@lru_cache(maxsize=4096)
def find_family(found: AlgorithmClass) -> Family:
    """The family of a class.

    >>> from roofcast_hull.notation import parse_class
    >>> find_family(parse_class("262144|element -> 1|shared")).key
    'sum'
    """
    return next(family for family in CLASSES.values() if family.fits(found))


def count_all_applications(found: AlgorithmClass) -> int:
    """How often the units of work of a class apply its function, all together: w m.

    >>> from roofcast_hull.notation import parse_class
    >>> count_all_applications(parse_class("64x64|neighbourhood(3x3) -> 64x64|element"))
    36864
    """
    variables = find_family(found).variables(found)
    return variables.work_units * variables.applications_per_unit
