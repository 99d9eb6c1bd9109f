"""The part of a run that matters: steps, ranges, another host, and what the trace does not tell."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from roofcast.__main__ import main
from roofcast.applications.dependencies import dependencies
from roofcast.applications.replay import Replay, replay
from roofcast.applications.show import state_run
from roofcast.applications.steps import find_part, find_range, find_steps
from roofcast.applications.whole_run import PROFILER_EVENT_S, PROFILER_LEAST, find_profiler_factor, host_alone_s
from roofcast.core.timeline import RangeKind, Timeline
from timeline_samples import event, kineto, kineto_events

STEPS = {
    "jacobi": (999, "repeat"), "healthy": (200, "repeat"), "HingeLoss-custom": (11, "repeat"),
    "vcopy-MI100-timestamps": (2, "one launch or copy that repeats"),
    "HingeLoss-reference": (11, "repeat"), "power-iteration": (44, "ranges Step # to #"),
}  # fmt: skip


def run(fixtures: Path, word: str) -> Timeline:
    (found,) = roofcast.read_timelines(next(p for p in fixtures.glob(f"*/*{word}*")))
    return found


def recorded(t: Timeline) -> Replay:
    deps = dependencies(t)
    return replay(t, deps, t.activities.duration_s)


@pytest.mark.parametrize("word", STEPS)
def test_real_runs_have_their_steps(word: str, fixtures_dir: Path) -> None:
    t = run(fixtures_dir, word)
    deps = dependencies(t)
    steps = find_steps(t, deps)
    assert steps is not None
    assert (steps.count, STEPS[word][1] in steps.said) == (STEPS[word][0], True)
    rows = steps.rows(t, deps)
    work = t.activities
    # Every step launches the same, up to what its first and last share with the rest of the run.
    kernels = np.bincount(work.name[rows & (work.kind == 0)])
    assert np.all(np.abs(kernels[kernels > 0] / steps.count - np.round(kernels[kernels > 0] / steps.count)) < 0.7)
    first, last = t.span_s
    assert 0 < steps.time_s(t, deps, recorded(t)) <= last - first + 1e-9


@pytest.mark.parametrize("name", ["execute_context_8(512)_generation_0(0)", "ProfilerStep#4"])
def test_layers_that_repeat_within_a_frameworks_step_are_no_steps(name: str, tmp_path: Path) -> None:
    layers = [e for e in kineto_events(6) if e.get("cat") != "user_annotation"]
    whole = event("user_annotation", name, 990.0, 1300.0)
    one, without = tmp_path / "one.json", tmp_path / "without.json"
    one.write_bytes(kineto(0, traceEvents=[whole, *layers]))
    without.write_bytes(kineto(0, traceEvents=layers))
    (t,), (bare,) = roofcast.read_timelines(one), roofcast.read_timelines(without)
    step, repeated = find_steps(t, dependencies(t)), find_steps(bare, dependencies(bare))
    assert step is not None
    assert repeated is not None
    assert (step.count, repeated.count > 3) == (1, True)
    (f,) = roofcast.forecast_application(t, "H100 SXM5 80GB")
    assert "with an estimate of what the profiler cost the host" in state_run(f).verdict
    (f,) = roofcast.forecast_application(t, "H100 SXM5 80GB", step_time_s=1e-3)
    assert "profiler" not in state_run(f).verdict


def test_what_the_profiler_took_for_each_event_is_no_time_of_the_host(tmp_path: Path) -> None:
    """A host that does nothing but be recorded: as many microseconds less as events were recorded, down to a floor."""
    path = tmp_path / "one.json"
    path.write_bytes(kineto(0, traceEvents=kineto_events(6)))
    (t,) = roofcast.read_timelines(path)
    deps = dependencies(t)
    events = int((t.ranges.kind == RangeKind.OPERATOR).sum()) + len(t.calls)
    assert events > 0
    alone = host_alone_s(t, deps, None)
    expected = max(PROFILER_LEAST, 1 - events * PROFILER_EVENT_S / alone)
    assert find_profiler_factor(t, deps, None) == pytest.approx(expected)
    # A host that is a hundred times as slow hardly feels it.
    slow = dataclasses.replace(
        t, calls=dataclasses.replace(t.calls, start_s=100 * t.calls.start_s, end_s=100 * t.calls.end_s)
    )
    late = find_profiler_factor(slow, dependencies(slow), None)
    assert expected <= late < 1
    (own,) = roofcast.forecast_application(t, t.devices[0].name)
    assert own.answer.time_s == pytest.approx(own.answer.source_time_s)
    assert own.answer.time_low_s < own.answer.time_s < own.answer.time_high_s


def test_a_run_of_different_phases_has_no_steps(fixtures_dir: Path) -> None:
    t = run(fixtures_dir, "concurrent")
    deps = dependencies(t)
    assert find_steps(t, deps) is None
    part = find_part(t, deps)
    assert part is not None
    assert part.kind == "devices"
    assert "start-up" in part.said


def test_steps_on_the_same_gpu_take_what_they_took(fixtures_dir: Path) -> None:
    for word, gpu in (("jacobi", "GH200"), ("healthy", "H100 SXM5 80GB"), ("power-iteration", "T4")):
        (f,) = roofcast.forecast_application(run(fixtures_dir, word), gpu)
        assert f.part is not None
        assert f.part.span.time_s == pytest.approx(f.part.span.source_time_s, rel=1e-6)
        assert f.part.span.time_low_s <= f.part.span.time_s <= f.part.span.time_high_s


def test_a_range_is_the_whole_answer_when_asked_for(fixtures_dir: Path) -> None:
    t = run(fixtures_dir, "jacobi")
    (whole,) = roofcast.forecast_application(t, "B200")
    (part,) = roofcast.forecast_application(t, "B200", range_name="Jacobi Solve")
    assert part.is_part
    assert 2.0 < part.source_time_s < 2.2 < whole.source_time_s
    assert part.time_s < part.source_time_s
    assert [k.name.partition("(")[0] for k in part.kernels] == ["jacobi_kernel"]
    assert part.kernels_total.launches == 1000
    assert whole.kernels_total.launches == 1001
    assert find_range(t, "jacobi solve") is None


def test_a_faster_host_helps_what_the_host_limits(fixtures_dir: Path) -> None:
    t = run(fixtures_dir, "power-iteration")
    times = [roofcast.forecast_application(t, "B200", host_speed=s)[0] for s in (0.5, 1.0, 2.0, 1e3)]
    assert times[0].time_s > times[1].time_s > times[2].time_s > times[3].time_s
    busy = sum(k.time_s for k in times[3].kernels)
    # The host is all of it there, but for what the kernels take.
    assert times[1].time_s / 2 <= times[2].time_s <= times[1].time_s / 2 + busy
    assert times[3].time_s >= busy * 0.99
    (same,) = roofcast.forecast_application(t, "T4", host_speed=1.0)
    assert same.time_s == pytest.approx(same.source_time_s, rel=1e-6)


def test_what_no_call_tells_has_two_bounds(fixtures_dir: Path) -> None:
    (f,) = roofcast.forecast_application(run(fixtures_dir, "healthy"), "B200")
    low, high = f.bounds_s
    assert low == pytest.approx(f.time_s)  # every launch came right after the end of a kernel: the host waits
    assert high == pytest.approx(f.source_time_s, rel=1e-2)
    (told,) = roofcast.forecast_application(run(fixtures_dir, "jacobi"), "B200")
    assert told.bounds_s == ()
    t = run(fixtures_dir, "healthy")
    idle = dataclasses.replace(t.activities, end_s=t.activities.start_s + 0.5 * t.activities.duration_s)
    (f,) = roofcast.forecast_application(dataclasses.replace(t, activities=idle), "B200")
    assert f.bounds_s[1] == pytest.approx(f.time_s)  # launched at its own pace, long after the work before was done


def made(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    capsys.readouterr()
    assert main(["app", *words, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_several_traces_are_separate_runs_unless_they_are_ranks(
    fixtures_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = next(fixtures_dir.glob("kineto/h100*bert-small*"))
    files = [str(shutil.copy(source, tmp_path / f"{n}.json.gz")) for n in "ab"]
    apart = made(capsys, *files, "--to", "B200,H200")
    assert [(r["run"], r["target_gpu"]) for r in apart] == [
        ("a.json.gz", "B200"), ("a.json.gz", "H200 SXM 141GB"), ("b.json.gz", "B200"), ("b.json.gz", "H200 SXM 141GB"),
    ]  # fmt: skip
    alone = made(capsys, files[0], "--to", "B200")
    assert apart[0]["time_s"] == alone["time_s"]
    ranks = made(capsys, *files, "--to", "B200", "--ranks")
    assert sum(k["launches"] for k in ranks["kernels"]) == 2 * sum(k["launches"] for k in alone["kernels"])
    capsys.readouterr()
    assert main(["app", *files, "--to", "B200,H200"]) == 0
    verdict, table, *_ = capsys.readouterr().out.split("\n\n")
    assert verdict.startswith("One step of the run takes ")
    assert table.split()[:2] == ["run", "target"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--range", "nothing"), "it has Jacobi Solve, Init boundaries"),
        (("--host-speed", "fast"), "such as 1.5x"),
        (("--step", "--range", "Jacobi Solve"), "give one of them"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(
    words: tuple[str, ...], said: str, fixtures_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", str(next(fixtures_dir.glob("*/*jacobi*"))), "--to", "B200", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_long_runs_have_their_steps_too(
    fixtures_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from roofcast.ingest.traces import windows

    file = str(next(fixtures_dir.glob("*/*jacobi*")))
    whole = made(capsys, file, "--to", "B200", "--step")
    monkeypatch.setattr(windows, "WINDOW_ROWS", 4000)
    parts = made(capsys, file, "--to", "B200", "--step")
    assert 990 <= parts["part"]["count"] <= whole["part"]["count"]
    assert parts["part"]["time_s"] == pytest.approx(whole["part"]["time_s"], rel=1e-2)
    ranged = made(capsys, file, "--to", "B200", "--range", "Init boundaries")
    assert ranged["part"]["count"] == 1


def test_a_stated_step_is_what_the_source_takes_and_frees_the_target_of_the_profiler(fixtures_dir: Path) -> None:
    trace = min(fixtures_dir.glob("kineto/*bert*"), key=lambda p: p.stat().st_size)
    plain = roofcast.app(trace, "B200").found[0]
    each = plain.answer
    stated = roofcast.app(trace, "B200", step_time=each.source_time_s * 0.8).found[0]
    assert stated.answer.source_time_s == pytest.approx(each.source_time_s * 0.8, rel=0.01)
    assert stated.answer.time_s < each.time_s
    assert any("--step-time" in n for n in plain.notes)
    assert not any("--step-time" in n for n in stated.notes)
    # An unknown host is wider than a stated one.
    fast = roofcast.app(trace, "B200", step_time=each.source_time_s * 0.8, host_speed="1.5x").found[0].answer
    assert fast.time_high_s / fast.time_low_s < stated.answer.time_high_s / stated.answer.time_low_s
    with pytest.raises(roofcast.RoofcastError, match="such as 42ms"):
        roofcast.app(trace, "B200", step_time="soon")
