"""Clocks that nobody locked are taken as measured: what the profile says, then what most of its launches share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import roofcast
from roofcast.catalog import processors
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.forecasting.prepared import Prepared, prepare
from roofcast.ingest.common_clock import COLUMN

H100, H200 = roofcast.gpu("H100 SXM5 80GB"), roofcast.gpu("H200 SXM 141GB")
NVIDIA = [p for p in processors() if p.is_gpu and p.vendor == "NVIDIA"]
HEAD = (
    '"ID","Kernel Name","Context","Block Size","Grid Size","device__attribute_display_name","gpu__time_duration.sum",'
    '"sm__cycles_elapsed.avg.per_second"\n"","","","","","","us","Mhz"\n'
)


def profile(launches: Sequence[tuple[str, float]]) -> KernelTable:
    """What ncu prints with `--csv --page raw`: a GPU and an SM clock (Hz) per launch."""
    rows = [
        f'"{i}","copy","1","(256, 1, 1)","(4096, 1, 1)","{gpu}","100","{clock / 1e6:.3f}"'
        for i, (gpu, clock) in enumerate(launches)
    ]
    return roofcast.read((HEAD + "\n".join(rows) + "\n").encode())


def said(kernels: KernelTable, control: str) -> KernelTable:
    """The same as a report tells it."""
    return replace(kernels, text={**kernels.text, "clock_control": np.full(len(kernels), control, object)})


def ready(kernels: KernelTable, to: Sequence[Processor] = (H200,)) -> Prepared:
    """Under the conditions of production."""
    return prepare(kernels, to, conditions=Conditions(named=PRODUCTION))


@pytest.mark.parametrize("control", ["", "none"])
def test_a_file_at_boost_is_forecast_at_boost(control: str) -> None:
    """On every NVIDIA GPU, whether its base clock is known or not, from CSV and from a report."""
    kernels = profile([(p.name, p.clock_hz_boost) for p in NVIDIA for _ in range(3)])
    found = ready(said(kernels, control) if control else kernels)
    named = [found.sources[i] for i in found.index]
    assert len(named) == 3 * len(NVIDIA)
    assert not found.clocks.locked.any()
    assert not found.moved.any()
    np.testing.assert_allclose(found.clocks.clock_hz, [p.clock_hz_boost for p in named], rtol=1e-6)
    np.testing.assert_allclose(found.machines_there((H200,))[0].clock_hz, H200.clock_hz_boost, rtol=1e-6)


def test_an_unknown_base_clock_is_not_boost() -> None:
    unknown = replace_base(H200)
    for clock in (H200.clock_hz_boost, 1.96e9, 1.825e9, 1.2e9):
        found = prepare(profile([("H200 SXM 141GB", clock)] * 4), (H100,), source=unknown, conditions=Conditions())
        assert not found.clocks.locked.any()
        np.testing.assert_allclose(found.asked.clock_hz, clock, rtol=1e-6)
        there = found.machines_there((H100,))[0].clock_hz
        np.testing.assert_allclose(there, clock * H100.clock_hz_boost / H200.clock_hz_boost, rtol=1e-6)


def replace_base(p: Processor) -> Processor:
    """A GPU whose base clock nobody knows."""
    return replace(p, clock_hz_base=None)


BASE = H100.clock_hz_base or 0.0


@pytest.mark.parametrize(
    ("clocks", "control", "locked"),
    [
        ([BASE * 1.001, BASE, BASE * 0.999, BASE * 1.03], "", [True] * 4),
        ([BASE, BASE * 1.001], "", [True] * 2),
        ([BASE] * 3, "none", [False] * 3),
        ([BASE * 1.1] * 3, "base", [True] * 3),
        ([BASE * 1.01] * 4, "", [False] * 4),
        ([BASE, BASE * 1.004, 1.7e9, 1.8e9], "", [False] * 4),
        ([1.98e9] * 4 + [BASE] * 3, "", [False] * 7),
    ],
    ids=["locked", "all of two", "said to be free", "said to be locked", "beside base", "too few", "most are free"],
)
def test_a_lock_is_the_base_clock_that_most_launches_share(
    clocks: list[float], control: str, locked: list[bool]
) -> None:
    """A product that the board's power limit holds near base is no lock: its time is what production takes."""
    kernels = profile([("H100 SXM5 80GB", c) for c in clocks])
    found = ready(said(kernels, control) if control else kernels)
    assert found.clocks.locked.tolist() == locked
    free = [H100.clock_hz_boost if lock else c for lock, c in zip(locked, clocks, strict=True)]
    np.testing.assert_allclose(found.asked.clock_hz, free, rtol=1e-6)


def test_some_rows_of_a_file_keep_what_the_file_showed() -> None:
    kernels = profile([("H100 SXM5 80GB", c) for c in (1.98e9, 1.98e9, 1.981e9, BASE)])
    assert ready(kernels.select([3])).clocks.locked.tolist() == [False]
    np.testing.assert_allclose(kernels.column(COLUMN), 1.98e9)
    locked = profile([("H100 SXM5 80GB", c) for c in (BASE, BASE, BASE, BASE * 1.03)])
    assert ready(locked.select([3])).clocks.locked.tolist() == [True]


def test_ncu_locks_where_no_clock_was_recorded() -> None:
    kernels = profile([("H100 SXM5 80GB", BASE)])
    silent = replace(kernels, numeric={k: v for k, v in kernels.numeric.items() if not k.startswith("clock_hz")})
    found = ready(silent)
    assert found.clocks.locked.all()
    np.testing.assert_allclose(found.clocks.clock_hz, BASE)
