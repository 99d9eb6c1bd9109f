"""Closed forms: arithmetic and nothing else."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofcast.core.errors import InputError
from roofcast_measure.closed_forms import evaluate, parse


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * n ** 3", 2000), ("ceil(n / 4)", 3), ("n // 4 + n % 4", 4), ("-n + gcd(8, 12)", -6), ("n / 5", 2),
        ("min(n, 3) * max(2, 1)", 6), ("exp(0) + sqrt(9)", 4), ("DIV64", 15), ("1 / n", 0.1),
    ],
)  # fmt: skip
def test_values(text: str, value: float) -> None:
    assert evaluate(text, {"n": 10}) == pytest.approx(value)


def test_counts_stay_exact_integers() -> None:
    assert evaluate("4 * n * n / 2", {"n": 131072 * 3}) == 2 * (131072 * 3) ** 2
    assert isinstance(evaluate("n / 2", {"n": 6}), int)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "n.real", "m + 1", "n +", "", "[n]", "lambda: 1", "open('x')", "n if n else 1", "'n'", "True",
        "n ** 1000", "9 ** 9 ** 9", "1 / 0", "ceil(n, n)", "ceil(x=1)", "n" * 5000, "(" * 500 + ")" * 500, "log(-1)",
        "2 ** -64.5 ** 3.5 * (0 - 1) ** 0.5",
    ],
)  # fmt: skip
def test_anything_else_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(InputError) as found:
        evaluate(text, {"n": 10})
    assert "\n" not in str(found.value)


@given(st.text(max_size=40))
def test_any_text_gives_a_number_or_one_line(text: str) -> None:
    parse.cache_clear()
    with contextlib.suppress(InputError):
        assert isinstance(evaluate(text, {"n": 10}), int | float)


def test_an_unknown_size_names_those_there_are() -> None:
    with pytest.raises(InputError, match="'m' is no size here; sizes are n"):
        evaluate("m", {"n": 1})
