"""Algorithm 1 step by step, as the report prints it, against the closed form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofcast.formulas.occupancy_efficiency import forecast_time_s, roof_per_s

rate, amount, share = st.floats(1e6, 1e15), st.floats(1.0, 1e13), st.floats(0.01, 1.0)


def algorithm_1(
    time_s: float, flops: float, moved: float, source: tuple[float, float, float], target: tuple[float, float, float]
) -> float:
    """The printed steps; source and target are (C, BW, O)."""
    (c_s, bw_s, o_s), (c_t, bw_t, o_t) = source, target
    if flops == 0:
        eta = (moved / time_s) / (o_s * bw_s)
        return moved / (eta * o_t * bw_t)
    intensity = flops / moved
    roof_s, roof_t = min(c_s, intensity * bw_s), min(c_t, intensity * bw_t)
    eta = (flops / time_s) / (o_s * roof_s)
    return flops / (eta * o_t * roof_t)


@given(amount, st.one_of(st.just(0.0), amount), amount, st.tuples(rate, rate, share), st.tuples(rate, rate, share))
def test_closed_form_is_algorithm_1(
    time_s: float, flops: float, moved: float, source: tuple[float, float, float], target: tuple[float, float, float]
) -> None:
    roofs = [roof_per_s(flops, moved, c, bw) for c, bw, _ in (source, target)]
    found = float(forecast_time_s(time_s, roofs[0], roofs[1], source[2], target[2]))
    assert found == pytest.approx(algorithm_1(time_s, flops, moved, source, target), rel=1e-9)
