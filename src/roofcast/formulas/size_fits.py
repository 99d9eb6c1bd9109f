"""How amounts of work grow with the sizes of a problem: sums of few monomials, exact where the data are."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.formulas.values import FloatArray

Term = tuple[tuple[float, ...], int]
"""Exponents of the sizes, and the power of the logarithm of their product."""

EXACT = 1e-6
"""Relative error of a fit that is the law itself."""

TERMS_MOST = 4
TERM_PENALTY = 1.25
"""A further term must lower the error of left-out points by more than this factor."""

NEAR_HALF_STEP = 0.03
"""Two points give a power law; an exponent this near to a multiple of one half is that."""

SETS_ALL, SETS_KEPT = 1000, 12
"""Up to so many sums are tried one and all; of more, the best so many are tried with one term more."""


@dataclass(frozen=True)
class SizeFit:
    """A sum of monomials in the sizes of a problem."""

    terms: tuple[Term, ...]
    coefficients: tuple[float, ...]
    error: float
    """Relative error at points left out of the fit; 0 where the law is exact, NaN where no point could be left out."""

    def at(self, sizes: FloatArray) -> FloatArray:
        """(r,) values at (r, k) sizes; never below 0."""
        values = basis(sizes, self.terms) @ np.array(self.coefficients)
        return np.asarray(np.maximum(values, 0.0))


def candidate_terms(count: int) -> tuple[Term, ...]:
    """Monomials that work in loops and arrays grows by; the lowest first."""
    if count == 1:
        powers: list[Term] = [((p,), 0) for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)]
        return (*powers, ((0.0,), 1), ((1.0,), 1))
    most, total = (3, 3) if count == 2 else (2, 3) if count == 3 else (1, min(count, 4))
    grid = itertools.product(range(most + 1), repeat=count)
    return tuple(sorted(((tuple(map(float, e)), 0) for e in grid if sum(e) <= total), key=lambda t: sum(t[0])))


def basis(sizes: FloatArray, terms: tuple[Term, ...]) -> FloatArray:
    """(r, t) values of each term at (r, k) sizes."""
    logs = np.log(sizes)
    columns = [np.exp(logs @ np.array(e)) * (logs.sum(axis=1) ** log if log else 1.0) for e, log in terms]
    return np.stack(columns, axis=1)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def fit_sizes(sizes: FloatArray, values: FloatArray) -> SizeFit:
    r"""Fit the sum of fewest monomials that meets the values, else the one that foretells left-out values best.

    .. math:: y(x) = \sum_j c_j \prod_i x_i^{e_{ij}} (\log \prod_i x_i)^{l_j}

    sizes : (n, k) > 0, distinct rows, n >= 2. values : (n,) >= 0. Inexact fits have no negative terms: they
    extrapolate. Source: least squares of relative errors; left-out errors e_i / (1 - h_ii), e.g. Hastie et al.,
    "The Elements of Statistical Learning", 2nd ed., Eq. 5.26.

    >>> n = np.array([[256.0], [512.0], [1024.0], [1536.0]])
    >>> law = fit_sizes(n, 2 * n[:, 0] ** 3 + 5 * n[:, 0] ** 2)
    >>> law.terms, round(float(law.at(np.array([[4096.0]]))[0]) / (2 * 4096**3 + 5 * 4096**2), 9)
    ((((2.0,), 0), ((3.0,), 0)), 1.0)
    """
    largest = float(np.max(np.abs(values), initial=0.0))
    # Below the least normal number relative errors are undefined: such values are as good as none.
    if not largest > 1e3 * np.finfo(np.float64).tiny or np.ptp(values) <= EXACT * largest:
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), 0.0)
    if len(values) == 2:
        return through_two(sizes, values)
    # Relative to the largest size, so that no power leaves the range of floats.
    unit = sizes.max(axis=0)
    terms = candidate_terms(sizes.shape[1])
    scale = np.maximum(np.abs(values), 1e-3 * largest)
    logs = np.log(sizes)
    columns = [
        np.exp((logs - np.log(unit)) @ np.array(e)) * (logs.sum(axis=1) ** log if log else 1.0) for e, log in terms
    ]
    matrix = np.stack(columns, axis=1) / scale[:, None]
    wanted = values / scale
    best: tuple[float, tuple[int, ...], FloatArray, float] | None = None
    tried: list[tuple[int, ...]] = [()]
    for _ in range(min(len(values) - 1, TERMS_MOST)):
        sets = sorted({tuple(sorted((*s, j))) for s in tried for j in range(len(terms)) if j not in s})
        index = np.array(sets, dtype=np.intp)
        design = np.moveaxis(matrix[:, index], 1, 0)
        inverse = np.linalg.pinv(design, rcond=1e-12)
        found = inverse @ wanted
        rest = (design @ found[..., None])[..., 0] - wanted
        leverage = np.einsum("cnm,cmn->cn", design, inverse)
        outside = np.sqrt(np.mean(np.square(rest / np.maximum(1 - leverage, 1e-6)), axis=1))
        exact = np.abs(rest).max(axis=1) <= EXACT
        if exact.any():
            at = int(np.flatnonzero(exact)[0])
            return scaled(terms, sets[at], found[at], unit, 0.0)
        usable = np.where((found >= 0).all(axis=1) & np.isfinite(outside), outside, np.inf)
        at = int(np.argmin(usable))
        if np.isfinite(usable[at]) and (best is None or usable[at] * TERM_PENALTY < best[0]):
            best = (float(usable[at]), sets[at], found[at], float(usable[at]))
        many = len(sets) * len(terms) > SETS_ALL
        tried = [sets[i] for i in np.argsort(np.abs(rest).max(axis=1), kind="stable")[:SETS_KEPT]] if many else sets
    if best is None:
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), float(np.std(values / largest)))
    return scaled(terms, best[1], best[2], unit, best[3])


def scaled(
    terms: tuple[Term, ...], chosen: tuple[int, ...], coefficients: FloatArray, unit: FloatArray, error: float
) -> SizeFit:
    """A fit in units of the largest size, in plain sizes."""
    picked = tuple(terms[j] for j in chosen)
    factors = [float(np.exp(-(np.log(unit) @ np.array(e)))) for e, _ in picked]
    return SizeFit(picked, tuple(float(c) * f for c, f in zip(coefficients, factors, strict=True)), error)


def through_two(sizes: FloatArray, values: FloatArray) -> SizeFit:
    """The power law through two points, in the product of the sizes that differ."""
    steps = np.log(sizes[1] / sizes[0])
    if (values <= 0).any() or not np.any(np.abs(steps) > 0):
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), float("nan"))
    power = float(np.log(values[1] / values[0]) / np.sum(steps)) if abs(np.sum(steps)) > 0 else 0.0
    if not np.isfinite(power):
        return SizeFit((((0.0,) * sizes.shape[1], 0),), (float(np.mean(values)),), float("nan"))
    half = round(2 * power) / 2
    power = half if abs(power - half) < NEAR_HALF_STEP else power
    exponents = tuple(power if step else 0.0 for step in steps.tolist())
    at = basis(sizes, ((exponents, 0),))[:, 0]
    return SizeFit(((exponents, 0),), (float(np.exp(np.mean(np.log(values / at)))),), float("nan"))


def interpolated(places: FloatArray, values: FloatArray, at: FloatArray) -> float:
    """A smooth quantity between measured places, in logarithms of sizes; beyond them that of the nearest.

    places : (n, k) > 0. values : (n,). at : (k,). One size: straight lines; several: weights of inverse squares.

    >>> interpolated(np.array([[1.0], [4.0]]), np.array([0.0, 2.0]), np.array([2.0]))
    1.0
    """
    known: NDArray[np.bool_] = np.isfinite(values)
    if not known.any():
        return float("nan")
    logs, wanted, values = np.log(places[known]), np.log(at), values[known]
    if logs.shape[1] == 1:
        order = np.argsort(logs[:, 0], kind="stable")
        return float(np.interp(wanted[0], logs[order, 0], values[order]))
    weight = 1.0 / np.maximum(np.square(logs - wanted).sum(axis=1), 1e-12)
    return float(np.sum(weight * values) / np.sum(weight))


def left_out(places: FloatArray, values: FloatArray) -> FloatArray:
    """(n,) each value as the others foretell it by :func:`interpolated`.

    >>> left_out(np.array([[1.0], [2.0], [4.0]]), np.array([0.0, 5.0, 2.0])).round(9).tolist()
    [5.0, 1.0, 5.0]
    """
    return np.array(
        [interpolated(np.delete(places, i, 0), np.delete(values, i), places[i]) for i in range(len(values))]
    )
