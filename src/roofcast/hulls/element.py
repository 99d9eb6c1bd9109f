"""Element to element: ordered, unordered, and several inputs combined."""

from __future__ import annotations

from roofcast.hulls.notation import AlgorithmClass, Pattern
from roofcast.hulls.variables import BOTH, Family, Variables, one_to_one, single


def element_variables(found: AlgorithmClass) -> Variables:
    """Units w = A B, m = 1, o = 16, d = c = 2 A B."""
    size = found.inputs[0].elements
    return Variables(size, 1, 16, 2 * size, 2 * size)


def unordered_variables(found: AlgorithmClass) -> Variables:
    """As element, with scattered accesses as floor."""
    size = found.inputs[0].elements
    return Variables(size, 1, 16, 2 * size, 2 * size, 0, BOTH)


def combined_variables(found: AlgorithmClass) -> Variables:
    """Units w = A B, m = 1, o = 32, d = c = 3 A B; further arrays add their elements."""
    arrays = found.elements_in + found.elements_out
    return Variables(found.outputs[0].elements, 1, 32, arrays, arrays)


def is_unordered(found: AlgorithmClass) -> bool:
    """One unordered element input, one element output."""
    pair = single(found)
    return pair is not None and pair[0].unordered and {p.pattern for p in pair} == {Pattern.ELEMENT}


def is_combined(found: AlgorithmClass) -> bool:
    """Two ordered element inputs of the output's size."""
    parts = (*found.inputs, *found.outputs)
    same = {(p.pattern, p.elements, p.unordered) for p in parts} == {(Pattern.ELEMENT, parts[0].elements, False)}
    return same and len(found.inputs) == 2 and len(found.outputs) == 1


ELEMENT = Family(
    "element", "AxB|element → AxB|element", "2048x2048|element -> 2048x2048|element", "binarization",
    lambda c: one_to_one(c, Pattern.ELEMENT, Pattern.ELEMENT), element_variables, 1,
)  # fmt: skip
UNORDERED = Family(
    "unordered", "unordered AxB|element → AxB|element", "unordered 2048x2048|element -> 2048x2048|element",
    "xy-mirroring", is_unordered, unordered_variables, 2,
)  # fmt: skip
COMBINED = Family(
    "combined", "AxB|element ∧ AxB|element → AxB|element",
    "2048x2048|element & 2048x2048|element -> 2048x2048|element", "differencing", is_combined, combined_variables, 11,
)  # fmt: skip
