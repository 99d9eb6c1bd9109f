"""Streams, resumed runs, Dask, and the command lines."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from roofcast.core.errors import RoofcastError
from roofcast.core.machines import columns_of
from roofcast.core.workers import allow_processes
from roofcast.models.physics.model import Mechanistic
from roofcast.sweeps import chunks
from roofcast.sweeps.chunks import chunk_length, sweep
from roofcast.sweeps.reductions import Summary
from roofcast.sweeps.sensitivity import elasticities, limits_over, smallest_changes, steps_of
from roofcast.sweeps.space import base_values, change_processor
from roofcast.sweeps.study import residual_note, study
from roofcast.sweeps.sums import add_up
from roofcast.sweeps.workload import prepare
from sweep_builders import a_space, a_table

COST: dict[str, Any] = {"cost": "sm + dram/1e11", "constraints": {"a": "sm >= 60"}}


@pytest.fixture(scope="module")
def small() -> tuple[Any, Any]:
    space = a_space("sm", "clock", "dram", **COST, goal=1.05)
    return prepare(a_table("stalls", 3), space.base), space


def test_a_stream_holds_every_forecast(small: tuple[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, space = small
    monkeypatch.setattr(chunks, "ROWS_PER_FILE", 60)
    out = tmp_path / "out"
    found = sweep(work, space, out)
    assert str(found.to_json()) == str(sweep(work, space).to_json())
    rows = pl.read_parquet(out / "forecasts-*.parquet")
    assert rows.height == found.feasible * len(work)
    assert rows.schema["time_s"] == pl.Float32
    about = pl.read_parquet(out / "processors-*.parquet")
    assert about["sm"].min() == 60.0
    levels = space.levels_of(0, space.size)
    shape = (len(work), space.size)
    every = (np.empty(shape), np.empty(shape), np.empty(shape))
    add_up(work, space, levels, every)
    right = every[0][rows["kernel"].to_numpy(), rows["processor"].to_numpy()]
    np.testing.assert_allclose(rows["time_s"].to_numpy(), right, rtol=1e-6)
    assert pl.read_parquet(out / "kernels.parquet").height == len(work)


def test_an_interrupted_stream_resumes(small: tuple[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, space = small
    monkeypatch.setattr(chunks, "ROWS_PER_FILE", 60)
    whole = sweep(work, space, tmp_path / "whole")
    out = tmp_path / "out"

    def stopped(done: int, of: int) -> None:
        if done > of // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(work, space, out, progress=stopped)
    finished = {p.name: p.stat().st_mtime_ns for p in out.glob("summary-*.json")}
    assert 0 < len(finished) < len(list((tmp_path / "whole").glob("summary-*.json")))
    assert pl.read_parquet(out / "forecasts-*.parquet").height > 0, "what is there is readable"
    # A damaged piece is made again, a half-written one is no piece.
    (out / "summary-000001.json").write_text('{"processors": 3')
    (out / ".forecasts-000099.parquet.part").write_bytes(b"half")
    resumed = sweep(work, space, out)
    assert str(resumed.to_json()) == str(whole.to_json())
    kept = [n for n, t in finished.items() if (out / n).stat().st_mtime_ns == t]
    assert len(kept) == len(finished) - 1
    for name in sorted(p.name for p in (tmp_path / "whole").glob("*.parquet")):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_folder_of_another_sweep_is_refused(small: tuple[Any, Any], tmp_path: Path) -> None:
    work, space = small
    sweep(work, space, tmp_path / "out")
    other = a_space("sm", "clock", "dram", goal=2.0)
    with pytest.raises(RoofcastError, match="holds another sweep"):
        sweep(work, other, tmp_path / "out")
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "a.jpg").write_bytes(b"x")
    with pytest.raises(RoofcastError, match="holds other files"):
        sweep(work, space, tmp_path / "photos")


def test_an_interrupted_stream_says_how_to_go_on(small: tuple[Any, Any], tmp_path: Path) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    work, space = small
    with pytest.raises(KeyboardInterrupt, match=r"run the same command again, and .*out goes on"):
        sweep(work, space, str(tmp_path / "out"), run=interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"^$"):
        sweep(work, space, run=interrupted)


def test_what_the_base_has_beside_the_physics_stays_on_its_variations(monkeypatch: pytest.MonkeyPatch) -> None:
    space = a_space("sm", "dram")
    work = prepare(a_table("stalls", 3), space.base)
    base_s = chunks.base_seconds(work, space)[0]
    # Made-up kernels are beyond what the residual has learned of.
    assert residual_note(work, space, base_s) == ""

    class Slower(Mechanistic):
        def estimate(self, *given: Any, **named: Any) -> Any:
            found = super().estimate(*given, **named)
            return dataclasses.replace(found, time_s=found.time_s * 1.1, time_high_s=found.time_high_s * 1.3)

    monkeypatch.setattr("roofcast.forecasting.forecast.load_model", lambda _: Slower())
    slower = prepare(a_table("stalls", 3), space.base)
    assert "+10.0 %" in residual_note(slower, space, chunks.base_seconds(slower, space)[0])
    variations = space.columns(space.levels_of(0, space.size))
    before, after = work.estimate(variations), slower.estimate(variations)
    np.testing.assert_allclose(after.time_s, 1.1 * before.time_s, rtol=1e-12)
    np.testing.assert_allclose(after.time_high_s, 1.3 * before.time_high_s, rtol=1e-12)
    np.testing.assert_allclose(chunks.sweep(slower, space).best_s, 1.1 * chunks.sweep(work, space).best_s, rtol=1e-12)


def test_elasticities_of_clock_memory_and_launch_make_up_the_whole() -> None:
    space = a_space("sm", "clock", "dram")
    work = prepare(a_table("stalls", 6), space.base)
    found = {e.key: e for e in elasticities(work, space)}
    # Twice the SM clock and twice the DRAM take half of everything but the launch.
    together = sum(found[k].total for k in ("clock", "dram", "link") if k in found)
    faster = change_processor(
        space.base, {k: v * 1.01 for k, v in base_values(space.base).items() if k in ("clock", "dram")}
    )
    time = np.nansum(work.estimate(columns_of([space.base, faster])).time_s, axis=0)
    assert together == pytest.approx(-np.log(time[1] / time[0]) / np.log(1.01), abs=0.01)
    assert all(np.nanmin(e.per_kernel) > -1e-9 for e in found.values())
    assert steps_of("sm", 132.0) == (125.0, 139.0)
    assert steps_of("sm", 1.0) == (1.0, 2.0)
    assert steps_of("dram", 2e12) == (2e12, 2e12 * 1.01)


def test_contradictions_name_what_each_leaves() -> None:
    space = a_space("sm", constraints={"few": "sm < 50", "many": "sm > 1", "none": "sm > 1e6"})
    with pytest.raises(RoofcastError, match=r"none of 5 .*many \(sm > 1\) all, none \(sm > 1e6\) none: loosen one"):
        sweep(prepare(a_table("stalls", 3), space.base), space)


def test_elasticities_are_finite_differences_of_forecasts(small: tuple[Any, Any]) -> None:
    work, space = small
    from roofcast.forecasting.forecast import forecast

    found = {e.key: e for e in elasticities(work, space)}
    base = space.base
    from roofcast.sweeps.space import base_values, change_processor

    faster = change_processor(base, {"dram": base_values(base)["dram"] * 1.01})
    result = forecast(a_table("stalls", 3), [base, faster], model="mechanistic").estimate.time_s
    expected = -np.log(result[:, 1] / result[:, 0]) / np.log(1.01)
    # A clock that the board's power holds is found to 1e-9 of it.
    np.testing.assert_allclose(found["dram"].per_kernel, expected, rtol=1e-9, atol=1e-8)
    assert all(e.total >= -1e-9 for e in found.values()), "more never hurts"


def test_the_smallest_change_reaches_the_goal_and_less_does_not(small: tuple[Any, Any]) -> None:
    work, space = small
    from roofcast.sweeps.space import change_processor

    for change in smallest_changes(work, space):
        base = float((work.weights[:, None] * work.estimate(columns_of([space.base])).time_s).sum())

        def speedup(value: float, key: str = change.key, base: float = base) -> float:
            return base / float(
                (
                    work.weights[:, None]
                    * work.estimate(columns_of([change_processor(space.base, {key: value})])).time_s
                ).sum()
            )

        if change.value is None:
            assert change.speedup < 1.05
            continue
        assert speedup(change.value) >= 1.05
        less = change.value - 1 if change.key == "sm" else change.value * 0.997
        assert speedup(less) < 1.05 or change.key == "sm"


def test_limits_are_shares(small: tuple[Any, Any]) -> None:
    found = limits_over(*small)
    assert 0.5 < sum(found.values()) <= 1 + 1e-9


@pytest.mark.slow
def test_reports_show_a_study(small: tuple[Any, Any], tmp_path: Path) -> None:
    from roofcast.kit.output import write_pictures
    from roofcast.kit.page import render_page
    from roofcast.sweeps.figures import PICTURES, bind_pictures
    from roofcast.sweeps.show import record_sweep, render_sweep, sweep_page, tabulate_sets

    work, space = small
    found = study(work, space, sweep(work, space))
    text = render_sweep(found)
    assert "Pareto front" in text
    content = record_sweep(found)
    assert content["fastest"][0]["time_s"] == found.summary.fastest.time_s[0]
    assert len(content["best_by_kernel"]) == 3
    assert len(tabulate_sets(found).rows) == len(found.summary.fastest.number) + len(found.summary.front.number)
    page = render_page(sweep_page(found))
    assert page.count("<svg") >= len(PICTURES)
    assert "<image" not in page, "the page's policy allows no images either"
    assert " style=" not in page, "the page's policy allows no inline styles"
    assert page == render_page(sweep_page(found))
    written = write_pictures(bind_pictures(found), tmp_path / "pictures")
    assert {p.stem for p in written} == set(PICTURES)


def test_large_heat_maps_are_coarsened_to_the_best() -> None:
    from roofcast.sweeps.figures import CELLS_MOST, coarsened

    heat = np.arange(150.0 * 70).reshape(150, 70)
    heat[0, 0] = np.nan
    found, rows, columns = coarsened(heat)
    assert max(found.shape) <= CELLS_MOST
    assert found.shape == (len(rows), len(columns))
    assert found[0, 0] == 1.0
    assert found[1, 0] == heat[rows[1], columns[0]]


def test_summaries_survive_json(small: tuple[Any, Any]) -> None:
    found = sweep(*small)
    again = Summary.from_json(json.loads(json.dumps(found.to_json())))
    assert str(again.to_json()) == str(found.to_json())


@pytest.mark.slow
def test_processes_of_a_command_line_give_the_same(
    small: tuple[Any, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, space = small
    alone = str(sweep(work, space).to_json())
    monkeypatch.setattr(chunks, "POOLED", 0)
    monkeypatch.setattr(chunks, "CHUNK", 20)
    with allow_processes(2):
        assert str(sweep(work, space).to_json()) == alone
        monkeypatch.setattr(chunks, "ROWS_PER_FILE", 60)
        assert str(sweep(work, space, tmp_path / "out").to_json()) == alone
    assert len([*(tmp_path / "out").glob("summary-*.json")]) > 2


def test_chunks_are_a_second_or_two_whatever_the_kernels() -> None:
    assert [chunk_length(n, streamed=False) for n in (1, 100, 10**4, 10**8)] == [1 << 16, 1 << 16, 838, 1]


FAULTS = """
import resource, sys
import numpy as np
from roofcast.sweeps.cluster import keep_worker_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        np.ones(1 << 18)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

given_back = faults()
keep_worker_memory()
faults()
print(given_back, faults())
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what Dask tells glibc")
def test_workers_keep_the_memory_that_dask_would_give_back() -> None:
    environment = os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}
    done = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True, env=environment)
    given_back, kept = map(int, done.stdout.split())
    assert given_back > 1000
    assert kept < given_back / 10


@pytest.mark.slow
def test_a_cluster_gives_the_same_also_when_a_worker_dies(small: tuple[Any, Any]) -> None:
    distributed = pytest.importorskip("distributed")
    script = Path(__file__).with_name("cluster_run.py")
    assert distributed
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(script.parents[1]), os.environ.get("PYTHONPATH", "")]),
    }
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=150, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    for way in ("calm", "killed", "streamed", "again"):
        assert found[way] == found["alone"], way
    assert found["died"] == 1
