from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofcast.core.errors import UnitError
from roofcast.core.units import format_bytes_binary, format_quantity, parse_quantity, parse_unit


@pytest.mark.parametrize(
    ("text", "base", "value"),
    [
        ("3.35 TB/s", "B/s", 3.35e12),
        ("4.8TB/s", "B/s", 4.8e12),
        ("50 MiB", "B", 52428800.0),
        ("50MB", "B", 5e7),
        ("1.98 GHz", "Hz", 1.98e9),
        ("1980 MHz", "Hz", 1.98e9),
        ("2.6 us", "s", 2.6e-6),
        ("2.6 µs", "s", 2.6e-6),
        ("117 nsecond", "s", 1.17e-7),
        ("67 TFLOP/s", "FLOP/s", 6.7e13),
        ("85 %", "", 0.85),
        ("144", "", 144.0),
        ("1e-6", "s", 1e-6),
        (0.25, "s", 0.25),
    ],
)
def test_quantities_as_people_write_them(text: str | float, base: str, value: float) -> None:
    assert parse_quantity(text, base) == value


@pytest.mark.parametrize("text", ["", "fast", "3 parsec", "3 GB", "nan", "inf", "1e999 TB/s", "--3 TB/s", "3 T"])
def test_what_is_no_bandwidth_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, "B/s")
    assert "\n" not in str(caught.value)


def test_a_truth_value_is_not_a_quantity() -> None:
    with pytest.raises(UnitError):
        parse_quantity(True, "s")


def test_tera_is_1e12_and_gib_is_not_gb() -> None:
    assert parse_unit("TFLOP/s") == (1e12, "FLOP/s")
    assert parse_unit("GiB")[0] == 2**30 != parse_unit("GB")[0] == 1e9


@given(st.floats(min_value=1e-9, max_value=9e17), st.sampled_from(["B/s", "FLOP/s", "Hz"]))
def test_formatting_then_parsing_keeps_three_digits(value: float, unit: str) -> None:
    shown = format_quantity(value, unit)
    if value >= 1:
        assert math.isclose(parse_quantity(shown, unit), value, rel_tol=6e-3)


@given(st.floats(min_value=1e-9, max_value=1e5))
def test_formatted_seconds_have_one_to_three_digits_before_the_point(value: float) -> None:
    number = format_quantity(value, "s").split()[0]
    assert 1 <= float(number) < 1000 or value >= 999.5


def test_capacities_are_binary() -> None:
    assert format_bytes_binary(50 * 2**20) == "50 MiB"
    assert format_bytes_binary(None) == "–"
