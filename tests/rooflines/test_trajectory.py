"""Versions of one kernel: which belong together, what is said of each step, and every form of the picture."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from report_builders import HOSTILE, SOURCE, build_roofline, table
from roofcast.commands.group import cli
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable, as_text, concatenate
from roofcast.rooflines.interactive import render_html
from roofcast.rooflines.show import render_roofline_text
from roofcast.rooflines.versions import chain_versions, label_versions
from roofcast.rooflines.view import RooflineView


def versions_of(*names: list[str], **columns: list[float]) -> KernelTable:
    """One table per version; equal but for what is replaced."""
    tables = [table(n, file=f"v{k}.ncu-rep") for k, n in enumerate(names)]
    joined = concatenate(tables)
    added = {k: (np.asarray(v, np.float64), Origin.COUNTED) for k, v in columns.items()}
    return joined.with_columns(**added) if added else joined


def view_of(kernels: KernelTable) -> RooflineView:
    return build_roofline(kernels, [SOURCE] * len(kernels))


def test_labels_are_the_files_without_their_common_suffix() -> None:
    assert label_versions(versions_of(["a"], ["a"])) == ["v0", "v1"]


def test_a_column_names_the_versions_of_one_file() -> None:
    kernels = dataclasses.replace(table(["gpp", "gpp", "gpp"]), extra={"version": as_text(["v0", "v1", "v8"])})
    assert label_versions(kernels) == ["v0", "v1", "v8"]
    (trajectory,) = view_of(kernels).trajectories
    assert [v.label for v in trajectory.versions] == ["v0", "v1", "v8"]


def test_kernels_are_joined_by_name_and_occurrence() -> None:
    kernels = versions_of(["a", "b", "a"], ["b", "a", "a", "c"])
    assert chain_versions(kernels) == ((0, 4), (1, 3), (2, 5))


def test_line_numbers_in_names_do_not_part_versions() -> None:
    kernels = versions_of(["step_232_gpu", "halo_10_gpu"], ["step_240_gpu", "halo_11_gpu"])
    assert chain_versions(kernels) == ((0, 2), (1, 3))


def test_the_only_kernel_of_each_version_is_one_kernel_and_two_strangers_are_not() -> None:
    assert chain_versions(versions_of(["naive"], ["tiled"], ["vectorised"])) == ((0, 1, 2),)
    assert chain_versions(versions_of(["x", "y"], ["p", "q"])) == ()


def test_one_version_is_no_trajectory() -> None:
    view = view_of(table(["a", "a"]))
    assert view.trajectories == ()
    assert "versions" not in render_roofline_text(view)


def test_numbers_of_a_version_follow_their_definitions() -> None:
    kernels = versions_of(
        ["a"], ["a"], time_s=[4e-3, 2e-3], regs_per_thread=[154.0, 128.0], l2_hit_fraction=[0.4, 0.9],
        insts_fp64_add=[21.0, 0.0], insts_fp64_mul=[21.0, 0.0], insts_fp64_fma=[58.0, 1.0],
    )  # fmt: skip
    first, last = view_of(kernels).trajectories[0].versions
    assert last.speedup == pytest.approx(2.0)
    assert first.fma_fraction == pytest.approx(0.58)
    # Yang: 58 % FMAs allow (2 x 0.58 + 0.42) / 2 = 79 % of the peak.
    assert first.flops_per_s_fma == pytest.approx(0.79 * 6890e9)
    assert last.share_of_peak == pytest.approx(float(kernels.column("flops_fp64")[1]) / 2e-3 / 6890e9)
    assert "registers 154 → 128" in last.moved
    assert "L2 hits 40 → 90 %" in last.moved
    assert first.moved == ()


def test_absent_values_are_shown_as_absent() -> None:
    view = view_of(versions_of(["a"], ["a"]))
    version = view.trajectories[0].versions[0]
    assert math.isnan(version.regs_per_thread)
    assert "regs" not in render_roofline_text(view, 160)


def test_an_amount_that_appears_is_named_with_its_size() -> None:
    kernels = versions_of(["a"], ["a"], bytes_local=[0.0, 3.2e9])
    moved = view_of(kernels).trajectories[0].versions[1].moved
    assert any(m.startswith("local memory (spills) 0 → 3.20 GB") for m in moved), moved


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_text_lists_every_version_in_order(width: int) -> None:
    text = render_roofline_text(view_of(versions_of(["a"], ["a"], ["a"])), width)
    lines = [
        line.split()[0]
        for line in text.partition("versions, in order")[2].splitlines()
        if line.startswith("v") and line[1].isdigit()
    ]
    assert lines[:3] == ["v0", "v1", "v2"]
    assert lines == lines[:3] * (len(lines) // 3), "the same order where columns follow below"


def test_the_page_escapes_names_of_versions() -> None:
    parts = [table([f"{name}kernel", "same"], seed=k, file=name or "f") for k, name in enumerate(HOSTILE)]
    page = render_html(view_of(concatenate(parts)))
    assert "<img" not in page
    assert "<h2>Versions</h2>" in page


@pytest.mark.slow
def test_every_form_is_written_by_the_command(tmp_path: Path) -> None:
    header = "kernel,version,gpu,time_s,flops_fp64,bytes_dram,bytes_l2,bytes_l1,regs_per_thread,occupancy_fraction"
    rows = [f"gpp,v{k},V100,{1.7 - 0.1 * k},3.9e12,{4e11 / (k + 1)},8e11,1.6e12,{150 - k},0.19" for k in range(9)]
    path = tmp_path / "versions.csv"
    path.write_text("\n".join([header, *rows]))
    for name, start in (("o.svg", b"<?xml"), ("o.png", b"\x89PNG"), ("o.pdf", b"%PDF"), ("o.html", b"<!doctype")):
        done = CliRunner().invoke(cli, ["roofline", str(path), "-o", str(tmp_path / name)])
        assert done.exit_code == 0, done.output
        assert (tmp_path / name).read_bytes().startswith(start)
    shown = CliRunner().invoke(cli, ["roofline", str(path)])
    assert "v8" in shown.output
    assert "warps/SM" in shown.output


def test_versions_without_bytes_are_drawn_as_steps(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    path.write_text("kernel,version,gpu,time_s,flops_fp64\ngpp,v0,V100,1.691,3.95e12\ngpp,v8,V100,0.717,2.66e12\n")
    out = tmp_path / "steps.svg"
    done = CliRunner().invoke(cli, ["roofline", str(path), "-o", str(out)])
    assert done.exit_code == 0, done.output
    assert out.stat().st_size > 5000
    assert "2.36x" in CliRunner().invoke(cli, ["roofline", str(path)]).output


def test_places_are_compared_over_the_versions() -> None:
    from roofcast.rooflines.trajectory import follow_places
    from roofcast.sass.hotspots import Place

    trajectory = view_of(versions_of(["a"], ["a"])).trajectories[0]
    places = {
        0: (Place("a.cu:7", 90.0, 1e6, "wait"), Place("div.f64", 60.0, 2e6, "wait")),
        1: (Place("a.cu:7", 100.0, 1e6, "long_scoreboard"),),
    }
    changes = follow_places(trajectory, places)
    assert [c.where for c in changes] == ["a.cu:7", "div.f64"]
    assert changes[1].versions == (places[0][1], None)
    assert follow_places(trajectory, {0: places[0]}) == (), "one version alone is no comparison"


@pytest.mark.slow
def test_the_divisions_of_the_real_pair_are_gone(fixtures_dir: Path) -> None:
    """Yang's first step on miniWeather: divisions replaced by multiplications, seen at the source lines."""
    import roofcast
    from roofcast.rooflines.placement import view_roofline as drawn

    names = ("*MW-Baseline.ncu-rep", "*MW-DivToMult.ncu-rep")
    files = [next((fixtures_dir / "ncu_rep").glob(n)) for n in names]
    view = drawn(roofcast.read(files))
    slowest = view.trajectories[0]
    assert "compute_tendencies_x_279" in slowest.name
    assert slowest.versions[1].speedup == pytest.approx(6.19 / 3.48, rel=0.01)
    places = {c.where: c.versions for c in slowest.places}
    before, after = places["div.f64 (slow path)"]
    assert before is not None
    assert after is not None
    assert after.samples < 0.2 * before.samples
    assert after.insts_executed < 0.2 * before.insts_executed
    assert any(w.startswith("miniWeather_mpi_openacc.F90:") for w in places)
    assert "div.f64 (slow path)" in render_roofline_text(view, 140)
    assert "div.f64 (slow path)" in render_html(view)
