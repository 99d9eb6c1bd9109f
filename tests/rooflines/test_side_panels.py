"""Rooflines of instructions and of energy: points by hand, roofs that nothing passes, words that are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofcast.__main__ import main
from roofcast.core.errors import InputError
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.models.power import FITTED
from roofcast.rooflines.placement import add_side_panels, view_roofline
from roofcast.rooflines.side_panels import SidePanel, flops_per_j
from roofcast_measure.gpp import derived_table, published


def panel(kind: str) -> SidePanel:
    table = derived_table()
    (found,) = add_side_panels(view_roofline(table), table, kind).sides
    return found


def test_instructions_lie_where_a_hand_puts_them() -> None:
    table, found = derived_table(), panel("instructions")
    spot = next(s for s in found.spots if s.label == "v8" and s.resource == "bytes_dram")
    insts, moved, time = (float(table.column(c)[8]) for c in ("insts_executed", "bytes_dram", "time_s"))
    assert spot.x == pytest.approx(32 * insts / moved)
    assert spot.y == pytest.approx(insts / time)
    assert len(found.spots) == 27
    assert len({c.label for c in found.curves}) == 4


def test_the_energy_roof_is_the_sum_of_its_parts() -> None:
    """The scalar twin, far from and near to the ridge of V100 (12 nm, HBM2, 300 W)."""
    gpu = forecast(derived_table().select([8]), published().gpu).targets[0]
    for intensity in (0.1, 7.0, 1e4):
        found = float(flops_per_j(np.array([intensity]), gpu, Resource.FLOPS_FP64)[0])
        rate = min(gpu.rate(Resource.FLOPS_FP64), gpu.rate(Resource.BYTES_DRAM) * intensity)
        idle = FITTED.idle_share * 300.0 * 0.57
        byte = 1e-12 * FITTED.gddr5 * 0.915
        flop = 1 / found - byte / intensity - idle / rate
        assert 0.3 < flop / (1e-12 * FITTED.fp64) <= 1.0


def test_more_bytes_for_a_flop_never_cost_less() -> None:
    gpu = forecast(derived_table().select([8]), published().gpu).targets[0]
    curve = flops_per_j(np.geomspace(1e-2, 1e4, 60), gpu, Resource.FLOPS_FP64)
    assert (np.diff(curve) > 0).all()


def test_kernels_stay_below_the_energy_roof() -> None:
    found = panel("energy")
    for spot in found.spots:
        assert spot.y <= np.interp(spot.x, found.curves[0].x, found.curves[0].y)


def test_an_unknown_panel_is_named() -> None:
    with pytest.raises(InputError, match="no panel 'heat': use instructions or energy"):
        panel("heat")


def test_both_stand_in_one_figure(tmp_path: Path) -> None:
    file, picture = tmp_path / "gpp.csv", tmp_path / "all.svg"
    assert main(["measure", "gpp", "--published", "--derived", "-o", str(file)]) == 0
    assert main(["roofline", str(file), "--panels", "instructions,energy", "-o", str(picture)]) == 0
    assert picture.read_text(encoding="utf-8").count('id="axes_') == 4
