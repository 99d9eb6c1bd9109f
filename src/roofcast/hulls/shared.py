"""Shared outputs: sums and histograms."""

from __future__ import annotations

from roofcast.hulls.notation import AlgorithmClass, Pattern
from roofcast.hulls.variables import Family, Variables, one_to_one


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
    return (
        one_to_one(found, Pattern.ELEMENT, Pattern.SHARED) and (found.outputs[0].elements == 1) == single_value
    )  # fmt: skip


SUM = Family(
    "sum", "AxB|element → 1|shared", "2048x2048|element -> 1|shared", "sum", lambda c: is_shared(c, True),
    sum_variables, 9,
)  # fmt: skip
HISTOGRAM = Family(
    "histogram", "AxB|element → C|shared", "2048x2048|element -> 256|shared", "histogram",
    lambda c: is_shared(c, False), histogram_variables, 10, "the table's N is the class's C",
)  # fmt: skip
