"""Energy of launches: what the law says, where it says nothing, and how well it meets measured watts."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.results import Energy
from roofcast.forecasting.forecasts import Forecast

ROW: dict[str, Any] = {
    "kernel": "k", "gpu": "GeForce GTX 1080 Ti", "time_s": 1e-3, "grid_blocks": 1e5, "bytes_dram": 3e8,
    "flops_fp32": 2e9, "insts_issued": 1e8, "bytes_l2": 3e8,
}  # fmt: skip


def kernels(*rows: Mapping[str, Any]) -> KernelTable:
    """Launches with the values of rows."""
    names = [n for n in ROW if isinstance(ROW[n], float)] + ["power_w"]
    return KernelTable.from_columns(
        {"kernel": [r["kernel"] for r in rows], "gpu": [r["gpu"] for r in rows]},
        {n: (np.array([r.get(n, np.nan) for r in rows]), Origin.COUNTED) for n in names},
    )


def energy(to: str = "GeForce GTX 1080 Ti", **changes: Any) -> tuple[Forecast, Energy]:
    """Forecast and energy of one kernel."""
    found = roofcast.forecast(kernels({**ROW, **changes}), to=to)
    return found, found.energy


def test_more_work_takes_more_energy() -> None:
    plain = energy()[1].energy_j[0, 0]
    for name in ("flops_fp32", "bytes_dram", "insts_issued", "bytes_l2"):
        assert energy(**{name: ROW[name] * 1.1})[1].energy_j[0, 0] > plain, name


def test_energy_rises_with_time() -> None:
    values = [energy(time_s=t)[1].energy_j[0, 0] for t in (1e-3, 1.1e-3, 1.5e-3, 3e-3)]
    assert values == sorted(values)
    assert values[-1] > values[0] * 1.5


def test_the_board_bounds_the_power() -> None:
    found, joules = energy(insts_issued=1e10)
    assert joules.energy_j[0, 0] == pytest.approx(250.0 * found.estimate.time_s[0, 0])
    assert joules.high_j[0, 0] == pytest.approx(250.0 * found.estimate.time_high_s[0, 0])


def test_a_gpu_without_board_power_has_none() -> None:
    gpu = dataclasses.replace(roofcast.gpu("GeForce GTX 1080 Ti"), tdp_w=None)
    found = roofcast.forecast(kernels(ROW), to=gpu)
    assert np.isnan(found.energy.energy_j).all()
    (row,) = found.records()
    assert row["energy_j"] is None
    assert row["energy_low_j"] is None
    assert row["energy_high_j"] is None
    assert found.total.record()["energy_j"] is None


def test_a_measured_power_is_met_on_the_source() -> None:
    for watts in (130.0, 180.0, 240.0):
        found, joules = energy(power_w=watts)
        assert joules.energy_j[0, 0] == pytest.approx(watts * found.estimate.time_s[0, 0], rel=0.02)


def test_less_known_is_never_narrower() -> None:
    whole = energy()[1]
    names = ("insts_issued", "flops_fp32", "bytes_l2")
    for count in (1, 3):
        gone: dict[str, Any] = dict.fromkeys(names[:count], np.nan)
        less = energy(**gone)[1]
        assert less.high_j[0, 0] / less.low_j[0, 0] >= whole.high_j[0, 0] / whole.low_j[0, 0]


def test_totals_add_up_and_every_format_has_the_energy(tmp_path: Path) -> None:
    rows = [ROW, {**ROW, "kernel": "l", "time_s": 2e-3}]
    found = roofcast.forecast(kernels(*rows), to=["A100-SXM4-80GB", "Tesla T4"])
    for j, total in enumerate(found.totals):
        assert total.energy_j == pytest.approx(found.energy.energy_j[:, j].sum())
        assert total.energy_low_j < total.energy_j < total.energy_high_j
    frame = found.to_polars()
    for key, values in (("energy_j", found.energy.energy_j), ("energy_high_j", found.energy.high_j)):
        assert frame[key].to_list() == pytest.approx(values.ravel().tolist())
    from roofcast.reports.data import render_forecast_csv, render_forecast_json

    assert "energy_low_j" in render_forecast_csv(found).partition("\n")[0]
    assert json.loads(render_forecast_json(found))["totals"][0]["energy_j"] == pytest.approx(found.total.energy_j)
    some = found.select([1])
    assert some.energy.energy_j[0].tolist() == found.energy.energy_j[1].tolist()


def test_joules_of_long_loops_are_met() -> None:
    """Products, streams and copies inside L2 of an H100 and an H200, amounts by closed form (own measurements)."""
    loops = roofcast.read(Path(__file__).parents[2] / "examples" / "power_loops.csv")
    off = []
    for gpu in ("H100 SXM5 80GB", "H200 SXM 141GB"):
        rows = loops.select(np.flatnonzero(loops.strings("gpu") == gpu))
        found = roofcast.forecast(rows, to=gpu, conditions="profiled").energy
        measured = np.array([float(v) for v in rows.extra["measured_j"]])
        assert ((found.low_j[:, 0] <= measured) & (measured <= found.high_j[:, 0])).all()
        off.append(found.energy_j[:, 0] / measured - 1.0)
    assert np.abs(off).max() < 0.22
    assert np.abs(off).mean() < 0.10


def test_a_counted_product_pays_its_loads_and_instructions_once() -> None:
    # A tile of 128 x 256 on an A100: counted beside the FLOPs, or held in their joules.
    gpu = "A100-SXM4-40GB"
    row = {"time_s": 4.2e-3, "grid_blocks": 2048.0, "flops_tensor_fp16": 1.1e12, "bytes_dram": 4e8}
    beside = {"bytes_shared": 4.2e10, "bytes_l1": 9e9, "bytes_l2": 1.3e10, "insts_issued": 5.9e8}
    table = KernelTable.from_columns(
        {"kernel": ["whole", "counted"], "gpu": [gpu, gpu]},
        {n: (np.array([row.get(n, np.nan), v]), Origin.COUNTED) for n, v in (row | beside).items()},
    )
    joules = roofcast.forecast(table, to=gpu, conditions="profiled").energy.energy_j[:, 0]
    assert joules[1] == pytest.approx(joules[0], rel=0.12)


@pytest.mark.slow
def test_watts_of_kernels_left_out() -> None:
    folder = Path(os.environ.get("ROOFCAST_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
    if not (folder / "dvfs_hkbu").is_dir():
        pytest.skip("needs dvfs_hkbu")
    from teaching import watts

    from roofcast.models.power import FITTED

    measured, machines = watts.measured_power()
    assert watts.score(watts.power_of(measured, machines, FITTED), measured) < 0.08
    assert watts.score(watts.leave_kernels_out(measured, machines), measured) < 0.10
