"""Application files: the case study of the paper, streams, several processors, errors that name the field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofcast.__main__ import main
from roofcast.catalog import gpu
from roofcast.core.errors import InputError
from roofcast_hull.application import Task, find_makespan, forecast_application, load_application, parse_application

CASE_STUDY = str(Path(__file__).parents[4] / "examples" / "fast_focus_on_structures.toml")
STAGE = {"name": "a", "class": "64x64|element -> 64x64|element"}


@pytest.mark.parametrize(
    ("name", "low_ms", "high_ms", "transfers_ms"), [("GTX 470", 1.66, 2.32, 0.82), ("GTS 250", 3.21, 4.24, 2.00)]
)
def test_the_case_study_comes_within_ten_percent_at_both_ends(
    name: str, low_ms: float, high_ms: float, transfers_ms: float
) -> None:
    application = load_application(CASE_STUDY)
    [found] = forecast_application(application, [gpu(name)], {})
    assert found.kernels_low_s * 1e3 == pytest.approx(low_ms, rel=0.1)
    assert found.kernels_high_s * 1e3 == pytest.approx(high_ms, rel=0.1)
    assert found.transfers_s * 1e3 == pytest.approx(transfers_ms, abs=0.006)
    assert found.total_high_s == pytest.approx(found.kernels_high_s + found.transfers_s)


def test_the_case_study_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hull", CASE_STUDY, "--format", "json"]) == 0
    records = json.loads(capsys.readouterr().out)
    assert [r["processor"] for r in records] == ["GeForce GTX 470", "GeForce GTS 250"]
    for r in records:
        promised = {
            "processor", "stages", "kernels_low_s", "kernels_high_s", "transfers_s", "total_low_s", "total_high_s",
        }  # fmt: skip
        assert promised <= set(r)
        assert [s["name"] for s in r["stages"]][3] == "erode 7x7"
        assert all({"name", "low_s", "high_s", "limit"} <= set(s) for s in r["stages"])
        assert sum(s["low_s"] for s in r["stages"]) == pytest.approx(r["kernels_low_s"])
    assert main(["hull", CASE_STUDY]) == 0
    assert capsys.readouterr().out.count("does not reproduce") == 2


def test_streams_overlap_copies_with_kernels() -> None:
    stages = [
        {**STAGE, "name": n, "stream": n, "class": "2048x2048|element -> 2048x2048|element", "copy_in": True}
        for n in "abc"
    ]
    serial = [{**s, "stream": "main"} for s in stages]
    one, many = (
        forecast_application(parse_application({"stages": s}), [gpu("GTX 470")], {})[0] for s in (serial, stages)
    )
    assert many.kernels_low_s == one.kernels_low_s
    assert one.total_low_s == pytest.approx(one.kernels_low_s + one.transfers_s)
    assert many.total_low_s == pytest.approx(one.transfers_s + one.kernels_low_s / 3)


def test_processors_of_one_machine_work_at_once() -> None:
    text = {"class": "1024x1024|element -> 1024x1024|element", "complexity": 100}
    raw = {
        "machine": {"gpu": "GTX 470", "cpu": "i7-930"},
        "assume": ["threads", "vector"],
        "stages": [
            {"name": "left", "on": "gpu", "stream": "1", "copy_in": True, **text},
            {"name": "right", "on": "cpu", "stream": "2", **text},
            {"name": "join", "on": "cpu", "stream": "2", "after": ["left"], **text},
        ],
    }
    application = parse_application(raw)
    [found] = forecast_application(application, [], {k: gpu(v) for k, v in application.machine.items()})
    left, right, join = (s.low_s for s in found.stages)
    assert found.processor == "GeForce GTX 470 + Core i7-930"
    assert found.total_low_s == pytest.approx(max(left + found.transfers_s, right) + join)


def test_repetitions_multiply() -> None:
    one, ten = (
        forecast_application(parse_application({"stages": [{**STAGE, "repetitions": n}]}), [gpu("H100")], {})[0]
        for n in (1, 10)
    )
    assert ten.total_low_s == pytest.approx(10 * one.total_low_s)


def test_an_empty_copy_keeps_no_engine_waiting() -> None:
    tasks = [
        Task("k", 5.0, "gpu", "1"), Task("o", 0.0, "bus", "1", ("k",)), Task("i", 1.0, "bus", "2"),
    ]  # fmt: skip
    assert find_makespan(tasks) == 5.0
    assert find_makespan([]) == 0.0


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ({}, "stages: Field required"),
        ({"stages": []}, "stages"),
        ({"stages": [{"name": "a"}]}, "stages[1].class"),
        ({"stages": [{"name": "a", "class": "4|eleent -> 4|element"}]}, "stages[1].class: bad class"),
        ({"stages": [{**STAGE, "complexty": 3}]}, "stages[1].complexty: there is no such field"),
        ({"stages": [{**STAGE, "complexity": [3, 1]}]}, "stages[1].complexity"),
        ({"stages": [{**STAGE, "complexity": -1}]}, "stages[1].complexity"),
        ({"stages": [{**STAGE, "copy_in": "4 apples"}]}, "stages[1].copy_in"),
        ({"stages": [{**STAGE, "repetitions": 0}]}, "stages[1].repetitions"),
        ({"stages": [STAGE, STAGE]}, "two are called 'a'"),
        ({"stages": [{**STAGE, "after": ["b"]}]}, "'b'"),
        ({"stages": [{**STAGE, "on": "gpu"}]}, "machine"),
        ({"stages": [{**STAGE, "element": "fp3"}]}, "fp3"),
        ({"stages": [STAGE], "assume": ["quick"]}, "quick"),
        ({"stages": [STAGE], "form": "old"}, "form"),
        ({"stages": [STAGE], "reported": {"GTX 470": {"kernels": ["1 ms", "x"]}}}, "reported.GTX 470.kernels"),
    ],
)
def test_bad_files_name_the_field(raw: dict[str, object], says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_application(raw)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"stages = [", b"\x00", b"a = 1\na = 2", b"[" * 5000])
def test_damaged_files_are_one_line(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "app.toml"
    file.write_bytes(content)
    assert main(["hull", str(file), "--on", "H100"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
