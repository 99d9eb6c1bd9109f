"""How often the body of an affine loop nest runs: exactly, by sums of polynomials or by enumeration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb

import numpy as np

from roofcast.formulas.values import combine
from roofcast_hull.source.nest import Affine, Loop, find_extreme

Polynomial = dict[tuple[tuple[str, int], ...], Fraction]
"""Monomial -> coefficient; a monomial is its variables with their powers, sorted."""
MOST_ENUMERATED = 4_000_000
"""Iterations that are counted one by one; beyond it the count is integrated."""
POINTS = (-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526)
WEIGHTS = (0.17392742256872692, 0.3260725774312731, 0.3260725774312731, 0.17392742256872692)


def count_iterations(loops: tuple[Loop, ...]) -> float:
    """How often the body of a nest runs; bounds may depend on outer variables.

    Exact for rectangles, triangles and whatever else has polynomial sums, and by enumeration for steps, several bounds
    and empty inner loops; only nests of more than four million such outer iterations are integrated numerically.

    >>> i = Loop("i", (Affine(),), (Affine((), 99),), 1, 1)
    >>> j = Loop("j", (Affine(),), (Affine.of({"i": 1}),), 1, 1)
    >>> count_iterations((i, j))
    5050.0
    """
    if not loops:
        return 1.0
    return _count_iterations(tuple(drop_implied(loops)))


@lru_cache(maxsize=4096)
def _count_iterations(loops: tuple[Loop, ...]) -> float:
    if (total := sum_exactly(loops)) is not None:
        return max(0.0, float(total))
    counted = enumerate_iterations(loops)
    return counted if counted is not None else integrate(loops, {})


def drop_implied(loops: Sequence[Loop]) -> list[Loop]:
    """Loops without bounds that others always imply."""
    tight: list[Loop] = []
    for loop in loops:
        first = tuple(_keep_tightest(loop.first, tuple(tight), True))
        last = tuple(_keep_tightest(loop.last, tuple(tight), False))
        tight.append(Loop(loop.name, first, last, loop.step, loop.line, loop.descends))
    return tight


def _keep_tightest(bounds: tuple[Affine, ...], outer: tuple[Loop, ...], largest: bool) -> list[Affine]:
    """Bounds that are not always on the loose side of another."""
    tightest: list[Affine] = []
    for bound in bounds:
        if any(_is_implied(bound, other, outer, largest) for other in tightest):
            continue
        tightest = [o for o in tightest if not _is_implied(o, bound, outer, largest)] + [bound]
    return tightest


def _is_implied(loose: Affine, tight: Affine, outer: tuple[Loop, ...], largest: bool) -> bool:
    """Whether one bound never is the tighter of two."""
    gap = find_extreme(tight - loose if largest else loose - tight, outer, False)
    return not gap.variables and gap.constant >= 0


def sum_exactly(loops: Sequence[Loop]) -> Fraction | None:
    """The count as a sum of polynomials from the inside out; None where a loop is not of that kind."""
    total: Polynomial = {(): Fraction(1)}
    for at in range(len(loops) - 1, -1, -1):
        loop, outer = loops[at], tuple(loops[:at])
        if len(loop.first) != 1 or len(loop.last) != 1:
            return None
        first, last = loop.first[0], loop.last[0]
        count = last - first
        if loop.step > 1:
            if count.variables or any(loop.name == name for m in total for name, _ in m):
                return None
            total = scale(total, Fraction(max(0, count.constant // loop.step + 1)))
            continue
        least = find_extreme(count, outer, False)
        if least.variables or least.constant < -1:
            return None
        total = sum_over(total, loop.name, first, last)
    return total.get((), Fraction(0))


def scale(value: Polynomial, by: Fraction) -> Polynomial:
    """A polynomial times a number."""
    return {m: c * by for m, c in value.items() if c * by}


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    product: Polynomial = {}
    for a, x in left.items():
        for b, y in right.items():
            powers = dict(a)
            for name, power in b:
                powers[name] = powers.get(name, 0) + power
            key = tuple(sorted(powers.items()))
            product[key] = product.get(key, Fraction(0)) + x * y
    return product


def make_polynomial(value: Affine) -> Polynomial:
    """An affine expression as a polynomial."""
    terms: Polynomial = {((name, 1),): Fraction(factor) for name, factor in value.factors}
    if value.constant:
        terms[()] = Fraction(value.constant)
    return terms


@lru_cache(maxsize=64)
def faulhaber(power: int) -> tuple[Fraction, ...]:
    """Coefficients of the polynomial that sums ``v ** power`` over v from 1 to n, from the lowest power of n on."""
    # Row by row from sum of ((v + 1)^(p+1) - v^(p+1)) = (n + 1)^(p+1) - 1.
    coefficients = [Fraction(comb(power + 1, k)) for k in range(power + 2)]
    coefficients[0] -= 1
    for lower in range(power):
        for k, c in enumerate(faulhaber(lower)):
            coefficients[k] -= comb(power + 1, lower) * c
    return tuple(c / (power + 1) for c in coefficients)


def sum_over(value: Polynomial, name: str, first: Affine, last: Affine) -> Polynomial:
    """The sum of a polynomial over one variable between affine bounds, both included."""
    ends = (make_polynomial(last), make_polynomial(first + Affine((), -1)))
    terms: Polynomial = {}
    for monomial, coefficient in value.items():
        power = dict(monomial).get(name, 0)
        rest: Polynomial = {tuple(m for m in monomial if m[0] != name): coefficient}
        for end, sign in zip(ends, (1, -1), strict=True):
            term: Polynomial = {(): Fraction(1)}
            for c in faulhaber(power):
                for m, x in multiply(rest, scale(term, c * sign)).items():
                    terms[m] = terms.get(m, Fraction(0)) + x
                term = multiply(term, end)
    return {m: c for m, c in terms.items() if c}


def enumerate_iterations(loops: Sequence[Loop]) -> float | None:
    """The count by going through the iterations that inner bounds depend on; None where they are too many."""
    values: dict[str, np.ndarray] = {}
    weight = np.ones(1)
    for at, loop in enumerate(loops):
        low = combine(np.maximum, [_evaluate(b, values, len(weight)) for b in loop.first])
        high = combine(np.minimum, [_evaluate(b, values, len(weight)) for b in loop.last])
        count = np.maximum((high - low) // loop.step + 1, 0)
        needed = {v for inner in loops[at + 1 :] for b in (*inner.first, *inner.last) for v in b.variables}
        if loop.name not in needed:
            weight = weight * count
        else:
            if count.sum() > MOST_ENUMERATED:
                return None
            inside = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            values = {n: np.repeat(v, count) for n, v in values.items()}
            values[loop.name] = np.repeat(low, count) + inside * loop.step
            weight = np.repeat(weight, count)
        values = {n: v for n, v in values.items() if n in needed}
        if not values:
            weight = np.array([weight.sum()])
    return float(weight.sum())


def _evaluate(bound: Affine, values: Mapping[str, np.ndarray], size: int) -> np.ndarray:
    """Values of a bound for all outer iterations."""
    return sum((f * values[n] for n, f in bound.factors), np.full(size, bound.constant, dtype=np.int64))


def integrate(loops: Sequence[Loop], known: Mapping[str, float]) -> float:
    """The count by four Gauss points per loop: exact up to terms of relative size 1/n^2."""
    if not loops:
        return 1.0
    loop, inner = loops[0], loops[1:]
    first = max(b.at(known) for b in loop.first)
    count = max(0.0, (min(b.at(known) for b in loop.last) - first) / loop.step + 1)
    if count <= 0 or not any(loop.name in b.variables for i in inner for b in (*i.first, *i.last)):
        return count * integrate(inner, {**known, loop.name: first}) if count > 0 else 0.0
    start, width = first - loop.step / 2, count * loop.step
    values = [integrate(inner, {**known, loop.name: start + width * (p + 1) / 2}) for p in POINTS]
    return count * sum(w * f for w, f in zip(WEIGHTS, values, strict=True))
