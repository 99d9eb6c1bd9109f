"""Problem sizes: what users write, which rows belong together, and which law the amounts follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray, split_configuration
from roofcast.forecasting.problem_size import candidate_terms, fit_sizes, parse_sizes, sized_config

SIZES = np.array([[128.0], [256.0], [512.0], [1024.0], [3072.0]])


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_polynomials_are_recovered_exactly(data: st.DataObject) -> None:
    powers = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=3, unique=True))
    factors = [data.draw(st.floats(0.5, 50.0)) for _ in powers]

    def law(x: FloatArray) -> FloatArray:
        return np.asarray(sum(f * x**p * 700.0 ** (3 - p) for f, p in zip(factors, powers, strict=True)))

    fit = fit_sizes(SIZES, law(SIZES[:, 0]))
    wanted = np.array([96.0, 777.0, 6144.0])
    np.testing.assert_allclose(fit.at(wanted[:, None]), law(wanted), rtol=1e-5)
    assert fit.error == 0


def test_products_of_three_sizes_and_their_surfaces_are_recovered() -> None:
    grid = np.array([[m, n, k] for m in (64.0, 256.0) for n in (128.0, 512.0) for k in (32.0, 1024.0)])
    m, n, k = grid.T
    wanted = np.array([[4096.0, 2048.0, 512.0]])
    assert fit_sizes(grid, 2 * m * n * k).at(wanted)[0] == pytest.approx(2 * 4096 * 2048 * 512, rel=1e-9)
    surfaces = 4 * (m * k + k * n + m * n)
    expected = 4 * (4096 * 512 + 512 * 2048 + 4096 * 2048)
    assert fit_sizes(grid, surfaces).at(wanted)[0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("power", "at"), [(3.0, 8.0), (1.0, 2.0), (1.5, 2.0**1.5), (0.0, 1.0)])
def test_two_sizes_give_a_power_law(power: float, at: float) -> None:
    fit = fit_sizes(np.array([[10.0], [40.0]]), 5 * np.array([10.0, 40.0]) ** power)
    assert fit.at(np.array([[20.0]]))[0] == pytest.approx(5 * 10.0**power * at)


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(5)), st.lists(st.floats(0.0, 1e12), min_size=5, max_size=5))
def test_any_values_give_a_finite_answer_in_any_order(order: list[int], values: list[float]) -> None:
    given_values = np.array(values)
    fit, mixed = fit_sizes(SIZES, given_values), fit_sizes(SIZES[order], given_values[order])
    at = fit.at(np.array([[700.0]]))
    assert np.isfinite(at).all()
    assert (at >= 0).all()
    np.testing.assert_allclose(mixed.at(np.array([[700.0]])), at, rtol=1e-4, atol=1e-4 * (1 + given_values.max()))


def test_inexact_fits_have_no_negative_terms() -> None:
    noise = 1 + 0.2 * np.random.default_rng(3).standard_normal(5)
    fit = fit_sizes(SIZES, SIZES[:, 0] ** 2 * noise)
    assert min(fit.coefficients) >= 0
    assert 0.02 < fit.error < 1


def test_terms_grow_with_the_number_of_sizes() -> None:
    assert ((1.0, 1.0, 1.0), 0) in candidate_terms(3)
    assert ((1.0, 1.0, 1.0, 1.0), 0) in candidate_terms(4)
    assert all(sum(e) <= 3 for e, _ in candidate_terms(2))


@pytest.mark.parametrize("text", ["", "N", "N=", "N=-1", "N=0", "N=x", "N=1,", "=5", "N=1e999", "N=9^999", "N=1\n2"])
def test_what_is_no_size_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(RoofcastError, match="NAME=NUMBER") as caught:
        parse_sizes(text)
    assert "\n" not in str(caught.value)


def test_sizes_may_be_written_in_many_ways() -> None:
    assert parse_sizes("N=2^13; m = 4K") == {"N": 8192.0, "m": 4000.0}
    assert parse_sizes("Axis Size=1Mi") == {"Axis Size": 2.0**20}


def test_configurations_keep_what_is_no_size() -> None:
    text = "T=U32;N=1024;grid=64;fast"
    assert split_configuration(text) == {"T": "U32", "N": "1024", "grid": "64", "fast": ""}
    assert sized_config(text, ["N"], np.array([2048.0])) == "T=U32;N=2048;fast"
