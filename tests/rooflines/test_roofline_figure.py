"""The static figure: every format, the same bytes each time, hostile names, labels that do not collide."""

from __future__ import annotations

import dataclasses
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.figure import Figure

from report_builders import HOSTILE, SOURCE, build_roofline, forecast, table
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import concatenate
from roofcast.kit import palette
from roofcast.kit.page import read_assets
from roofcast.rooflines.captions import format_share, write_roofline_verdict
from roofcast.rooflines.drawing import find_extent, find_free_place, move_apart
from roofcast.rooflines.figure import draw_figure, write_figure
from roofcast.rooflines.placement import view_roofline
from roofcast.rooflines.view import RooflineView
from roofcast_measure import gpp

SVG = "{http://www.w3.org/2000/svg}"
MAGIC = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}


def view(count: int) -> RooflineView:
    kernels = table([f"kernel_{i}" for i in range(count)])
    return build_roofline(kernels, [SOURCE] * count, forecast(kernels))


@pytest.mark.slow
@pytest.mark.parametrize("form", MAGIC)
def test_the_same_view_gives_the_same_bytes(form: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_figure(view(5), tmp_path / f"{name}.{form}")
    content = (tmp_path / f"one.{form}").read_bytes()
    assert content.startswith(MAGIC[form])
    assert content == (tmp_path / f"two.{form}").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"one.{form}", f"two.{form}"]


def drawn_points(path: Path) -> list[tuple[float, float]]:
    """Places of all points in an SVG file: used symbols, or outlines of their own where their sizes differ."""
    found = []
    for group in ElementTree.parse(path).iter(f"{SVG}g"):
        if not group.get("id", "").startswith("PathCollection_"):
            continue
        found += [(float(u.attrib["x"]), float(u.attrib["y"])) for u in group.iter(f"{SVG}use")]
        for outline in group.findall(f"{SVG}path"):
            numbers = np.array(re.findall(r"-?[0-9.]+", outline.attrib["d"]), np.float64).reshape(-1, 2)
            x, y = (numbers.min(axis=0) + numbers.max(axis=0)) / 2
            found.append((float(x), float(y)))
    return found


def from_corner(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The same points in order, from the corner of the rectangle around them."""
    left, top = (min(p[axis] for p in points) for axis in (0, 1))
    return sorted((round(x - left, 1), round(y - top, 1)) for x, y in points)


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 30, 200])
def test_the_points_of_any_number_of_kernels_are_drawn(count: int, tmp_path: Path) -> None:
    shown = view(count)
    write_figure(shown, tmp_path / "f.svg")
    found = drawn_points(tmp_path / "f.svg")
    assert len(found) == sum(len(m.points) for p in shown.panels for m in p.marks) == 6 * count
    if not count:
        return
    figure, extent = draw_figure(shown), find_extent(shown)
    figure.canvas.draw()
    # The vertical axis of SVG points down.
    expected = [
        tuple(axes.transData.transform(extent.clip(point.flops_per_byte, mark.flops_per_s)) * (1, -1) * 72 / figure.dpi)
        for axes, panel in zip(figure.axes, shown.panels, strict=True)
        for mark in panel.marks
        for point in mark.points
    ]
    np.testing.assert_allclose(from_corner(found), from_corner(expected), atol=0.21)


def legend_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_targets_have_their_ceilings_as_sources_have() -> None:
    """Fig. 2b of Van Lanker et al.; dotted lines from the frame's edge are those of the first kernel."""
    figure = draw_figure(view(3))
    source, target = figure.axes[:2]
    for axes in (source, target):
        dotted = [line for line in axes.lines if line.get_linestyle() == ":" and np.size(line.get_xdata()) == 2]
        assert len(dotted) >= 3, "from each of the first kernel's points to its ceiling"


def test_the_legend_lists_what_is_drawn_and_nothing_else() -> None:
    both = legend_of(draw_figure(view(3)))
    assert "forecast interval" in both
    assert "more kernels" not in both
    assert "more kernels" in legend_of(draw_figure(view(3), top=1))
    kernels = table(["a"])
    alone = legend_of(draw_figure(build_roofline(kernels, [SOURCE])))
    assert "forecast interval" not in alone
    assert "FP64" in alone
    assert "FP32" not in alone


def test_precisions_integers_and_issue_have_colours_of_their_own() -> None:
    names = ("flops_fp64", "flops_fp32", "ops_int32", "insts_issued", "bytes_dram", "bytes_l2", "bytes_l1")
    assert len({palette.RESOURCES[n] for n in names}) == len(names)
    style = read_assets("roofcast.kit", "page.css")
    for name in ("flops_fp64", "flops_fp32", "ops_int32", "insts_issued"):
        assert f".{name} {{ --level" in style


def test_shares_of_each_version_add_up_to_one() -> None:
    one, two = (table(["a", "b"], time_s=t) for t in ([1.0, 3.0], [2.0, 2.0]))
    both = concatenate([one, two])
    labelled = dataclasses.replace(both, extra={**both.extra, "label": np.array(["v0", "v0", "v1", "v1"], np.object_)})
    marks = build_roofline(labelled, [SOURCE] * 4).panels[0].marks
    assert {m.index: m.time_fraction for m in marks} == {0: 0.25, 1: 0.75, 2: 0.5, 3: 0.5}


def test_shares_of_versions_are_not_added() -> None:
    one, two = (table(["a", "b"], time_s=t) for t in ([1.0, 3.0], [2.0, 2.0]))
    both = concatenate([one, two])
    labelled = dataclasses.replace(both, extra={**both.extra, "label": np.array(["v0", "v0", "v1", "v1"], np.object_)})
    found = build_roofline(labelled, [SOURCE] * 4, forecast(labelled))
    told = write_roofline_verdict(found)
    shares = [float(n) for n in re.findall(r"([0-9.]+) %", told)]
    assert len(shares) == 2, told
    assert all(0 < n <= 100 for n in shares), told
    assert "v0" in told
    assert "v1" in told
    assert format_share(found.panels[0].marks) == ""


def test_nine_versions_fill_the_frame() -> None:
    shown = view_roofline(gpp.derived_table())
    extent = find_extent(shown)
    rates = [m.flops_per_s for m in shown.panels[0].marks]
    intensities = [p.flops_per_byte for m in shown.panels[0].marks for p in m.points]
    assert math.log10(max(rates) / min(rates)) > 0.25 * extent.decades_y
    assert math.log10(max(intensities) / min(intensities)) > 0.6 * extent.decades_x
    labels = [t.get_text() for t in draw_figure(shown).axes[0].texts]
    assert {f"v{n}" for n in range(9)} <= set(labels)


@pytest.mark.slow
def test_a_thousand_kernels_are_the_top_and_a_density() -> None:
    figure = draw_figure(view(1000), top=8)
    for axes in figure.axes:
        (mesh,) = [c for c in axes.collections if isinstance(c, QuadMesh)]
        shade: Any = np.ma.asarray(mesh.get_array())
        assert (np.exp2(shade.filled(0)) - 1).sum() == pytest.approx(992)
        assert sum(t.get_text() in map(str, range(1, 9)) for t in axes.texts) == 8
    assert "density of 992 more kernels" in legend_of(figure)


def test_kernels_without_flops_have_their_interval() -> None:
    kernels = table(["copy"], flops_fp64=[0.0], insts_fp64_fma=[0.0], insts_fp64_add=[0.0])
    shown = build_roofline(kernels, [SOURCE], forecast(kernels))
    strips = [a for a in draw_figure(shown).axes if a.get_xlabel() == "no FLOPs"]
    areas = [sum(isinstance(c, PolyCollection) for c in a.collections) for a in strips]
    assert areas == [0, 1], "on the target alone"


@pytest.mark.slow
def test_hostile_names_are_drawn_as_text(tmp_path: Path) -> None:
    kernels = table(HOSTILE)
    write_figure(build_roofline(kernels, [SOURCE] * len(HOSTILE)), tmp_path / "f.svg", top=len(HOSTILE))
    tags = {e.tag.rpartition("}")[2] for e in ElementTree.parse(tmp_path / "f.svg").iter()}
    assert not tags & {"script", "img", "image", "foreignObject"}


def test_text_says_what_is_drawn() -> None:
    figure = draw_figure(view(12), top=3)
    words = [t.get_text() for t in figure.texts] + [t.get_text() for a in figure.axes for t in a.texts]
    assert "measured on Source GPU" in words
    assert "forecast for Target GPU" in words
    assert any(w.startswith("roofs at 1.5 GHz SM clock") for w in words)
    assert any("DRAM 846 GB/s" in w for w in words)
    assert any("DRAM 1.68 TB/s (estimated ± 10 %)" in w for w in words)
    assert sum(w.startswith("faint: 9 more kernels") for w in words) == 2
    first = figure.axes[0]
    assert (first.get_xlabel(), first.get_ylabel()) == ("Operational intensity (FLOP/B)", "Performance (GFLOP/s)")


def test_kernels_without_flops_get_a_strip_and_unknown_ones_a_line() -> None:
    kernels = table(["a", "b", "c"], flops_fp64=[1e9, 0, 1e9], time_s=[1e-2, 1e-2, math.nan])
    figure = draw_figure(build_roofline(kernels, [SOURCE] * 3))
    assert [a.get_xlabel() for a in figure.axes] == ["Operational intensity (FLOP/B)", "no FLOPs"]
    assert any("not drawn: 1 kernel (c): no time recorded" in t.get_text() for t in figure.texts)


def test_versions_are_joined_by_arrows() -> None:
    both = concatenate([table(["a"], seed=1, file="1.csv"), table(["a"], seed=2, file="2.csv")])
    figure = draw_figure(build_roofline(both, [SOURCE] * 2))
    arrows = [t for t in figure.axes[0].texts if getattr(t, "arrow_patch", None) is not None and not t.get_text()]
    assert len(arrows) == 3, "one per memory level"


def test_extreme_values_stay_inside_the_frame() -> None:
    kernels = table(["tiny", "big"], flops_fp64=[1e-3, 1e15], bytes_dram=[1e12, 1.0], time_s=[1e3, 1e-9])
    extent = find_extent(build_roofline(kernels, [SOURCE] * 2))
    assert extent.decades_x <= 8.001
    assert extent.decades_y <= 8.001
    assert extent.clip(1e-30, 1e30) == (extent.x[0], extent.y[1])


def test_numbers_and_labels_keep_apart() -> None:
    taken: list[tuple[float, float]] = []
    for _ in range(8):
        taken.append(find_free_place(0.5, 0.5, taken))
    assert len({(round(x, 3), round(y, 3)) for x, y in taken}) == 8
    heights = move_apart([1e12, 1.01e12, 1.02e12], find_extent(view(3)))
    assert all(b / a > 1.1 for a, b in pairwise(heights))


def test_other_suffixes_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RoofcastError, match=r"\.svg, \.pdf or \.png"):
        write_figure(view(1), tmp_path / "f.gif")
    with pytest.raises(RoofcastError, match="cannot write"):
        write_figure(view(1), tmp_path / "absent" / "f.svg")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_many_kernels_are_few_artists() -> None:
    """An artist per kernel took seconds for a thousand kernels, with FLOPs or without."""
    kernels = table([f"k{i}" for i in range(600)], flops_fp64=[0.0, 1e9] * 300)
    figure = draw_figure(build_roofline(kernels, [SOURCE] * 600, forecast(kernels)))
    assert sum(len(axes.get_children()) for axes in figure.axes) < 300


@pytest.mark.slow
def test_ten_thousand_kernels_stay_a_small_picture(tmp_path: Path) -> None:
    kernels = table([f"k{i}" for i in range(3000)])
    write_figure(build_roofline(kernels, [SOURCE] * 3000, forecast(kernels)), tmp_path / "r.svg")
    assert (tmp_path / "r.svg").stat().st_size < 1_500_000
