"""Times of collectives: the shipped law on the measured ones, on each host by what the other teaches, and over PCIe."""

from __future__ import annotations

import numpy as np
import pytest
from teaching.collectives import FLOORS_S, LARGE_BYTES, Times, fit_rate, read_times, refit

from roofcast.core.errors import DatasetError


@pytest.fixture(scope="module")
def times() -> Times:
    try:
        return read_times()
    except DatasetError as error:
        pytest.skip(str(error))


def typical(miss: np.ndarray) -> float:
    return float(np.exp(np.abs(miss).mean()))


@pytest.mark.slow
@pytest.mark.parametrize("host", FLOORS_S)
def test_one_host_tells_the_times_of_the_other(times: Times, host: str) -> None:
    (other,) = FLOORS_S.keys() - {host}
    constants, judged = refit(times, {other: FLOORS_S[other]}), times.select(times.host == host)
    assert typical(judged.miss(constants)) < 1.27
    assert typical(judged.miss(constants, FLOORS_S[host])) < 1.19
    assert typical(judged.miss(constants)[judged.volume >= LARGE_BYTES]) < 1.15


@pytest.mark.slow
@pytest.mark.parametrize("gpus", [2, 4, 8])
def test_what_nvlink_taught_holds_over_pcie_once_its_rate_is_known(times: Times, gpus: int) -> None:
    judged = times.select((times.host == "l40s-a") & (times.gpus == gpus))
    assert typical(judged.miss(rate=fit_rate(judged))) < 1.25
