"""Sequences of changes: none is dead weight, none is below what it relieves, both GPUs have their own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import roofcast
from roofcast.__main__ import main
from roofcast.advice.case import Case
from roofcast.advice.paths import STEPS, find_paths, table_of
from roofcast.advice.ranking import ChangePath, advise, relieved
from roofcast.core.kernel_table import KernelTable
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast
from roofcast_measure.gpp import derived_table, published

OTHER = "H100 SXM5 80GB"


def paths_on(version: int, on: str | None = None) -> tuple[ChangePath, ...]:
    return find_paths(derived_table().select([version]), on, None, None, Conditions())


@pytest.mark.parametrize("version", [0, 4, 6])
def test_every_change_of_a_path_pays(version: int) -> None:
    found = paths_on(version)
    assert found
    for path in found:
        times = [path.time_now_s, *(s.time_s for s in path.steps)]
        assert times == sorted(times, reverse=True)
        assert len(path.steps) <= STEPS
        assert path.time_low_s <= path.time_s <= path.time_high_s
    assert [p.time_s for p in found] == sorted(p.time_s for p in found)


def test_a_change_alone_is_the_advice() -> None:
    """One question, one answer: the same seconds as the finding."""
    finding = next(f for f in advise(derived_table().select([6])).findings if f.rule == "occupancy")
    step = next(s for p in paths_on(6) for s in p.steps if s.rule == "occupancy")
    assert step.alone_s == pytest.approx(finding.saved_s, rel=1e-9)


def test_what_the_paper_reached_lies_inside() -> None:
    """v6 to v8 of the paper, two steps that only pay together: 30 % less."""
    times = [s.time_s for s in published().of("Si-214")]
    path = paths_on(6)[0]
    assert path.time_low_s / path.time_now_s <= times[8] / times[6] <= path.time_high_s / path.time_now_s


def check_roofs(table: KernelTable) -> None:
    """No several changes leave less than what the slowest resource needs on the relieved GPU."""
    steps = [
        (p.measured, p.target, s.relief, s.time_s / float(p.measured.launches[0]))
        for p in find_paths(table, None, None, None, Conditions())
        for s in p.steps[1:]
    ]
    assert steps
    for measured, target, relief, time_s in steps:
        estimate = forecast(measured, relieved(target, relief)).estimate
        least_s = max(np.nanmax(s) for s in estimate.time_s_by_resource_target.values())
        assert time_s >= min(least_s, estimate.time_s[0, 0]) * (1 - 1e-9)


@pytest.mark.parametrize("version", [0, 4])
def test_several_changes_leave_what_the_slowest_roof_needs(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What leaves with waiting is waiting, however little of a time the busiest resource seems to explain."""
    monkeypatch.setattr(Case, "busiest_fraction", lambda *_: 0.1)
    check_roofs(derived_table().select([version]))


@pytest.mark.slow
def test_no_sequence_of_a_real_report_leaves_less_than_its_bytes_need(fixtures_dir: Path) -> None:
    """Kernel 309 of miniWeather came to 0.42 ms where half of its bytes take 1.5."""
    reports = sorted((fixtures_dir / "ncu_rep").glob("*-MW-Baseline.ncu-rep"))
    if not reports:
        pytest.skip("no such report")
    check_roofs(roofcast.read(str(reports[0])))


def test_the_other_gpu_has_its_own() -> None:
    found = paths_on(6, OTHER)
    assert {p.gpu for p in found} == {"Tesla V100 SXM2 16GB", OTHER}


def test_the_way_under_the_roofs_has_every_change() -> None:
    path = paths_on(0)[0]
    table = table_of(path)
    assert table.extra["version"].tolist() == ["now", *(s.rule for s in path.steps)]
    np.testing.assert_allclose(table.column("time_s"), [path.time_now_s, *(s.time_s for s in path.steps)])


def test_asked_for_they_are_in_text_json_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gpp.csv"
    assert main(["measure", "gpp", "--published", "--derived", "-o", str(file)]) == 0
    capsys.readouterr()
    assert main(["advise", str(file), "--paths"]) == 0
    assert "Sequences of changes on Tesla V100 SXM2 16GB" in capsys.readouterr().out
    assert main(["advise", str(file), "--paths", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["paths"]
    assert {p["version"] for p in told} == {f"v{i}" for i in range(9)}
    assert main(["advise", str(file), "--paths", "-o", str(tmp_path / "paths.html")]) == 0
    page = (tmp_path / "paths.html").read_text(encoding="utf-8")
    assert "Sequences of changes" in page
    assert "<svg" in page
    assert not roofcast.advise(str(file)).found.paths
