"""What the canvas of a run draws: every second has its place, and nothing is lost on the way to the page."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from roofcast.applications import run_view, show
from roofcast.applications.parts import covered_s
from roofcast.applications.result import ApplicationForecast
from roofcast.applications.show import app_page
from roofcast.kit.page import render_page


@pytest.fixture(scope="module", params=["b200*eager*", "h100*bert-small*", "amd-instinct-mi210*"])
def run(request: pytest.FixtureRequest, fixtures_dir: Path) -> ApplicationForecast:
    trace = next(iter(sorted((fixtures_dir / "kineto").glob(request.param))), None)
    if trace is None:
        pytest.skip("no trace here")
    return roofcast.app(trace, "H100 SXM5 80GB").found[0]


def unpack(text: str, lengths: list[int]) -> list[np.ndarray[Any, Any]]:
    """The slow twin of what the page's script does."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8).reshape(4, -1).astype(np.uint32)
    differences = (planes[0] | planes[1] << 8 | planes[2] << 16 | planes[3] << 24).astype(np.int32).tolist()
    found = []
    for length in lengths:
        sums, total = [], 0
        for _ in range(length):
            total += differences.pop(0)
            sums.append(total)
        found.append(np.array(sums))
    return found


def test_packed_columns_come_back() -> None:
    columns = [np.array([3, -1, 2**31 - 2, 0]), np.array([], np.int64), np.array([7, 7])]
    for before, after in zip(columns, unpack(run_view.pack(columns), [4, 0, 2]), strict=True):
        assert before.tolist() == after.tolist()


def test_a_devices_time_is_work_and_gaps_with_a_cause(run: ApplicationForecast) -> None:
    for side in run_view.list_sides(run, [run]):
        gaps = run_view.find_gaps(run.timeline, run.dependencies, side)
        idle = float((gaps.end_s - gaps.start_s).sum())
        busy = covered_s(side.start_s, side.end_s)
        assert len(run_view.list_devices(run.timeline)) == 1
        assert idle + busy == pytest.approx(side.time_s, rel=1e-6)
        assert (gaps.end_s > gaps.start_s).all()
        assert (gaps.start_s[1:] >= gaps.end_s[:-1] - 1e-12).all(), "none overlaps the next"


def test_a_host_that_waits_for_the_device_is_no_late_launch(run: ApplicationForecast) -> None:
    """Of each gap the part before the host's wait is over is the wait's."""
    side = run_view.list_sides(run, [run])[0]
    gaps = run_view.find_gaps(run.timeline, run.dependencies, side)
    ends = set(run.dependencies.wait_end_s.tolist())
    cut = gaps.cause == list(run_view.GAPS).index("synchronise: the host waited for the device")
    assert all(float(e) in ends or np.isclose(side.start_s, e).any() for e in gaps.end_s[cut])


def test_the_columns_hold_every_piece_of_work_on_both_sides(run: ApplicationForecast) -> None:
    data = run_view.gather_run(run, [run])
    n = data["count"]
    lane, kind, text, start, length, start_there, length_there, *_ = unpack(data["packed"], [n] * 12)
    streams = [k for k, one in enumerate(data["lanes"]) if "stream" in one["name"]]
    work = np.isin(lane, streams)
    assert work.sum() == len(run.timeline.activities)
    assert length[work].sum() * data["tick_s"] == pytest.approx(run.timeline.activities.duration_s.sum(), rel=1e-4)
    assert length_there[work].sum() * data["tick_s"] == pytest.approx(run.duration_s.sum(), rel=1e-4)
    names = {data["names"][k] for k in text[work].tolist()}
    assert names == {str(run.timeline.names[k]) for k in run.timeline.activities.name.tolist()}
    assert {data["kinds"][k][0] for k in kind[work].tolist()} == set(run.activity_class.tolist())
    assert start.min() >= 0
    assert (start_there + length_there).max() <= data["until"] + 1


def test_a_long_run_keeps_the_longest_and_how_busy_the_rest_was(run: ApplicationForecast) -> None:
    whole = run_view.gather_run(run, [run])
    most = max(whole["count"] // 4, 8)
    data = run_view.gather_run(run, [run], most)
    assert (data["count"], data["total"]) == (most, whole["count"])
    bins = unpack(data["bins"], [2 * run_view.BINS] * len(data["lanes"]) * 2)
    lane, _, _, _, length, *_ = unpack(whole["packed"], [whole["count"]] * 12)
    k = next(k for k, one in enumerate(data["lanes"]) if "stream" in one["name"])
    busy = float(bins[k][run_view.BINS :].sum()) / 255 / run_view.BINS * data["until"]
    # A share is a 255th, one at least where anything was.
    assert busy == pytest.approx(float(length[lane == k].sum()), rel=0.05, abs=data["until"] / 255)


def test_the_page_holds_its_view_and_asks_for_nothing(run: ApplicationForecast) -> None:
    text = render_page(app_page([run]))
    assert len(text) < 3_000_000
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])  # type: ignore[index]
    assert [s["title"].partition(":")[0] for s in data["sides"]] == ["measured", "forecast"]
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_a_picture_in_an_editor_stands_on_paper(run: ApplicationForecast) -> None:
    """Of an editor in the dark nothing is read; and an element has no head of a file."""
    from roofcast.kit.output import SvgPicture

    told = SvgPicture(show.style_alone(show.timeline_picture(run)))._repr_svg_()
    assert told.startswith("<svg ")
    assert 'height="100%" fill="#ffffff"' in told.split("<text", 1)[0]
