"""The view model against the equations, computed here one kernel at a time."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roofcast
from report_builders import SOURCE, TARGET, build_roofline, forecast, table
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast as forecast_of
from roofcast.reading import read
from roofcast.rooflines.captions import describe_mark
from roofcast.rooflines.drawing import find_extent
from roofcast.rooflines.interactive import render_html
from roofcast.rooflines.placement import view_roofline
from roofcast.rooflines.show import render_roofline_text, tabulate_roofline
from roofcast.rooflines.view import Mark


def test_points_and_ceilings_follow_the_equations() -> None:
    kernels = table(["a", "b", "c"])
    (panel,) = build_roofline(kernels, [SOURCE] * 3).panels
    for mark in panel.marks:
        flops, l1, l2, dram = (
            float(kernels.column(c)[mark.index]) for c in ("flops_fp64", "bytes_l1", "bytes_l2", "bytes_dram")
        )
        t_l1, t_l2, t_dram = (l1 - l2) / 13963e9, (l2 - dram) / 2460e9, dram / 846e9
        expected = {
            Resource.BYTES_L1: (flops / l1, l1 / (t_l1 + t_l2 + t_dram)),
            Resource.BYTES_L2: (flops / l2, l2 / (t_l2 + t_dram)),
            Resource.BYTES_DRAM: (flops / dram, 846e9),
        }
        # 0.35 FMAs (two FLOPs each) to 0.3 additions: 54 % of the instructions are FMAs.
        alpha = 0.35 / 0.65
        mix = 6890e9 * alpha + 3445e9 * (1 - alpha)
        assert mark.flops_per_s_ceiling == pytest.approx(mix, rel=1e-12)
        assert mark.flops_per_s == pytest.approx(flops / mark.time_s, rel=1e-12)
        for point in mark.points:
            intensity, ceiling = expected[point.level]
            assert point.flops_per_byte == pytest.approx(intensity, rel=1e-12)
            assert point.bytes_per_s_ceiling == pytest.approx(ceiling, rel=1e-12)
            share = mark.flops_per_s / min(ceiling * intensity, mix)
            assert point.share_of_roof == pytest.approx(share, rel=1e-12)
    assert [m.time_s for m in panel.marks] == sorted((m.time_s for m in panel.marks), reverse=True)
    assert sum(m.time_fraction for m in panel.marks) == pytest.approx(1)


def test_idle_lanes_lower_the_compute_ceiling() -> None:
    full, half = (build_roofline(table(["a"], threads_per_inst=[t]), [SOURCE]).panels[0].marks[0] for t in (32.0, 16.0))
    assert half.flops_per_s_ceiling == pytest.approx(full.flops_per_s_ceiling / 2)
    assert half.flops_per_s_mix == pytest.approx(full.flops_per_s_mix)


def test_roofs_are_drawn_at_the_recorded_clock() -> None:
    (panel,) = build_roofline(table(["a"], clock_hz=[0.75e9]), [SOURCE]).panels
    roofs = {r.resource: r.per_s for r in (*panel.memory, *panel.compute)}
    assert panel.clock_hz == 0.75e9
    assert roofs[Resource.FLOPS_FP64] == pytest.approx(6890e9 / 2)
    assert roofs[Resource.BYTES_L2] == pytest.approx(2460e9 / 2)
    assert roofs[Resource.BYTES_DRAM] == pytest.approx(846e9)
    assert Resource.FLOPS_FP32 not in roofs


def test_nothing_is_dropped_silently() -> None:
    nan = math.nan
    names = ["flops", "no flops", "not counted", "no bytes", "no time"]
    kernels = table(
        names, flops_fp64=[1e9, 0, nan, 1e9, 1e9], bytes_l1=[1e9, 1e9, 1e9, nan, 1e9],
            bytes_l2=[1e9, 1e9, 1e9, nan, 1e9],
        bytes_dram=[1e9, 1e9, 1e9, nan, 1e9], time_s=[1e-2, 1e-2, 1e-2, 1e-2, nan],
    )  # fmt: skip
    (panel,) = build_roofline(kernels, [SOURCE] * 5).panels
    reasons = {m.name: m.reason for m in panel.marks}
    assert reasons == {
        "flops": "", "no flops": "no FLOPs: shown by its bandwidth",
        "not counted": "FLOPs not counted: shown by its bandwidth",
        "no bytes": "no bytes counted at any memory level", "no time": "no time recorded",
    }  # fmt: skip
    bandwidth = next(m for m in panel.marks if m.name == "no flops")
    assert bandwidth.is_bandwidth_only
    assert bandwidth.points[-1].bytes_per_s == pytest.approx(1e11)
    text = render_roofline_text(build_roofline(kernels, [SOURCE] * 5), 120)
    assert all(name in text for name in names)


def test_a_level_that_was_not_counted_is_absent() -> None:
    (panel,) = build_roofline(table(["a"], bytes_l1=[math.nan]), [SOURCE]).panels
    assert [p.level for p in panel.marks[0].points] == [Resource.BYTES_L2, Resource.BYTES_DRAM]


def test_unknown_source_lists_every_kernel_with_the_remedy() -> None:
    (panel,) = build_roofline(table(["a", "b"]), [None, None]).panels
    assert {m.reason for m in panel.marks} == {"source GPU unknown: give --from GPU"}
    assert not panel.memory
    assert build_roofline(table([]), []).panels == ()


def test_target_panel_holds_projected_points_and_interval() -> None:
    kernels = table(["a", "b"])
    source, target = build_roofline(kernels, [SOURCE] * 2, forecast(kernels)).panels
    assert (source.role, target.role, target.processor) == ("source", "target", TARGET.name)
    for there, here in zip(source.marks, target.marks, strict=True):
        assert here.flops_per_s == pytest.approx(2 * there.flops_per_s)
        assert [p.flops_per_byte for p in here.points] == [p.flops_per_byte for p in there.points]
        assert (here.time_low_s, here.time_high_s) == pytest.approx((0.8 * here.time_s, 1.3 * here.time_s))
    assert all(r.estimated for r in (*target.memory, *target.compute))
    assert "DRAM roof estimated ± 10 %" in target.notes


def test_a_target_panel_has_the_intensity_of_what_its_caches_keep() -> None:
    view = view_roofline(table(["a"], working_set_bytes=[1e5]), ["A100-SXM4-40GB", "A10"], source="A10")
    here, there, same = (
        {p.level: p.flops_per_byte for p in panel.marks[0].points} for panel in view.panels
    )  # fmt: skip
    assert there[Resource.BYTES_DRAM] > 2 * here[Resource.BYTES_DRAM], "40 MB of L2 keep more than 6 do"
    assert there[Resource.BYTES_L2] == pytest.approx(here[Resource.BYTES_L2])
    assert same == pytest.approx(here)
    # The ceiling of a level adds what the levels below it move there, not on the source (Eq. 6).
    l2, dram = view.panels[1].marks[0].points[-2:]
    roofs = {r.resource: r.per_s for r in view.panels[1].memory}
    moved = [p.bytes_per_s for p in (l2, dram)]
    time = (moved[0] - moved[1]) / roofs[Resource.BYTES_L2] + moved[1] / roofs[Resource.BYTES_DRAM]
    assert l2.bytes_per_s_ceiling == pytest.approx(moved[0] / time, rel=0.01)


def test_versions_are_joined_in_the_order_of_their_files() -> None:
    both = concatenate([table(["a", "b"], file="one.csv"), table(["b", "a"], file="two.csv")])
    assert build_roofline(both, [SOURCE] * 4).joined == ((0, 3), (1, 2))
    assert build_roofline(table(["a", "a"]), [SOURCE] * 2).joined == ()


def test_csv_has_one_row_per_kernel_and_gpu_and_is_safe_in_a_spreadsheet() -> None:
    import csv
    import io

    kernels = table(["=cmd()", "b"])
    view = build_roofline(kernels, [SOURCE] * 2, forecast(kernels))
    rows = list(csv.DictReader(io.StringIO(tabulate_roofline(view).csv())))
    assert len(rows) == 4
    assert list(rows[0])[:5] == ["kernel", "row", "name", "file", "version"]
    assert rows[0]["kernel"] == "'=cmd()"
    dram = [float(r["flops_per_byte_dram"]) for r in rows[:2]]
    np.testing.assert_allclose(dram, kernels.column("flops_fp64") / kernels.column("bytes_dram"), rtol=1e-15)


@pytest.mark.parametrize("width", [80, 120, 160])
def test_text_fits_its_width(width: int) -> None:
    kernels = table([f"a_kernel_with_quite_a_long_name_{i}" for i in range(30)])
    text = render_roofline_text(build_roofline(kernels, [SOURCE] * 30, forecast(kernels)), width, top=10)
    assert max(map(len, text.splitlines())) <= width
    assert "… and 20 more rows" in text


ODD = st.sampled_from([math.nan, 0.0, 1.0, 1e-300, 1e300, -1.0, math.inf])


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(0, 5))
def test_damaged_amounts_never_break_a_picture(data: st.DataObject, count: int) -> None:
    kernels = table([f"k{i}" for i in range(count)])
    for name in ("time_s", "clock_hz", "flops_fp64", "bytes_l1", "bytes_l2", "bytes_dram", "threads_per_inst"):
        odd = data.draw(st.lists(st.one_of(st.none(), ODD), min_size=count, max_size=count), label=name)
        values = [new if new is not None else old for new, old in zip(odd, kernels.column(name), strict=True)]
        kernels = kernels.with_columns(**{name: (np.array(values, np.float64), Origin.COUNTED)})
    view = build_roofline(kernels, [SOURCE] * count, forecast(kernels))
    assert all(len(panel.marks) == count for panel in view.panels)
    assert all(m.reason or (m.points and m.flops_per_s > 0) for p in view.panels for m in p.marks)
    assert math.isfinite(find_extent(view).decades_y)
    render_html(view)
    tabulate_roofline(view).csv()
    assert render_roofline_text(view, 80)


def test_gpus_outside_the_catalog_share_one_panel_with_a_sentence() -> None:
    kernels = table(["a", "b", "c"])
    kernels.text["gpu"][:] = ["Foo 1", "Source GPU", "Foo 2"]
    view = build_roofline(kernels, [None, SOURCE, None])
    assert [p.processor for p in view.panels] == ["Source GPU", "2 GPUs that are not in the catalog"]
    (said,) = view.panels[1].notes
    assert said.startswith("no roofs: 2 kernels ran on Foo 1, Foo 2, not in the catalog; --from names a GPU")
    assert "Foo 1, Foo 2" in render_roofline_text(view)


def test_limits_are_those_of_the_forecast_with_and_without_targets(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("kernel,gpu,time_s,flops_fp32,bytes_dram,insts_issued\na,V100,1e-3,1e9,1e8,9e8\n", encoding="utf-8")
    kernels = read(str(path))
    alone, beside = view_roofline(kernels), view_roofline(kernels, ["A100"])
    assert alone.panels[0].marks == beside.panels[0].marks
    assert [p.role for p in alone.panels] == ["source"]
    made = forecast_of(kernels, "A100").limits_source()[0]
    assert made is not None
    assert alone.panels[0].marks[0].limit == Resource(made).label


@pytest.mark.parametrize("gpu", ["T4", "L4", "A100-SXM4-40GB", "H100 SXM5 80GB"])
def test_a_kernel_above_a_sustained_roof_stands_below_the_theoretical_one(gpu: str) -> None:
    """A WMMA kernel of small numbers leaves the power limit of dense products unreached: 114 % of it is no error."""
    card = roofcast.gpu(gpu)
    supply = card.supplies[Resource.FLOPS_TENSOR_FP16]
    assert supply.peak_per_s is not None
    sustained, peak = supply.per_s, supply.peak_per_s
    assert peak > sustained
    rate = 0.4 * sustained + 0.6 * peak
    work = {"time_s": 1e-3, "flops_tensor_fp16": rate * 1e-3, "bytes_dram": 1e6, "bytes_l2": 1e6}
    columns = {name: ([value], Origin.COUNTED) for name, value in work.items()}
    kernels = KernelTable.from_columns({"kernel": ["wmma"], "gpu": [gpu]}, columns)
    (mark,) = view_roofline(kernels, conditions="profiled").panels[0].marks
    assert rate / peak - 1e-9 <= mark.best_share <= 1.0
    assert mark.flops_per_s_ceiling >= rate


def view_one(gpu: str, **work: float) -> Mark:
    columns = {name: ([value], Origin.COUNTED) for name, value in work.items()}
    kernels = KernelTable.from_columns({"kernel": ["k"], "gpu": [gpu]}, columns)
    return view_roofline(kernels, conditions="profiled").panels[0].marks[0]


@pytest.mark.parametrize("flops", [{}, {"flops_fp32": 1e7}])
@pytest.mark.parametrize("gpu", ["T4", "L4", "A100-SXM4-40GB", "Radeon RX 570"])
def test_bytes_above_the_sustained_rate_stand_below_that_of_the_pins(gpu: str, flops: dict[str, float]) -> None:
    supply = roofcast.gpu(gpu).supplies[Resource.BYTES_DRAM]
    assert supply.peak_per_s is not None
    rate = 0.1 * supply.per_s + 0.9 * supply.peak_per_s
    mark = view_one(gpu, time_s=1e-3, bytes_dram=rate * 1e-3, **flops)
    (point,) = mark.points
    assert rate / supply.peak_per_s - 1e-9 <= mark.best_share <= 1.0
    assert point.bytes_per_s_ceiling >= rate
    assert not mark.reason.startswith("implausible")


@pytest.mark.parametrize("times", [1.4, 32.0, 5e11])
def test_rates_above_the_pins_have_no_share(times: float) -> None:
    peak = roofcast.gpu("T4").supplies[Resource.BYTES_DRAM].peak_per_s
    assert peak is not None
    mark = view_one("T4", time_s=1e-3, bytes_dram=times * peak * 1e-3, flops_fp32=1e6)
    assert math.isnan(mark.best_share)
    assert all(math.isnan(p.share_of_roof) for p in mark.points)
    assert mark.reason.startswith("implausible: ")
    assert "DRAM" in mark.reason
    assert "implausible: above the DRAM ceiling" in describe_mark(mark, "source")


def test_levels_that_overlap_are_faster_than_their_times_added() -> None:
    """Eq. 6 adds what L2 and DRAM take; a kernel with both in flight needs only the slower of them."""
    card = roofcast.gpu("A100-SXM4-40GB")
    l2, dram = (card.supplies[r] for r in (Resource.BYTES_L2, Resource.BYTES_DRAM))
    time = 1e-3
    work = {"bytes_dram": 0.9 * dram.per_s * time, "bytes_l2": 0.8 * l2.per_s * time}
    mark = view_one("A100-SXM4-40GB", time_s=time, **work, flops_fp32=1e6)
    assert {p.level for p in mark.points} == {Resource.BYTES_L2, Resource.BYTES_DRAM}
    assert 0.6 < mark.best_share <= 1.0
    assert all(p.share_of_roof <= 1.0 for p in mark.points)
    assert "implausible" not in mark.reason
