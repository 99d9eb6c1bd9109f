"""A run in windows is the same run: the same kernels, calls, operators, times, forecasts."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from roofcast.applications.long_runs import forecast_run, middle, summarise_run
from roofcast.applications.ranks import RankWindows
from roofcast.applications.run_summary import summarise
from roofcast.applications.whole_run import forecast_application
from roofcast.core.timeline import Timeline
from roofcast.ingest.text.files import watched
from roofcast.ingest.traces import event_columns as timeline_columns
from roofcast.ingest.traces import kineto, windows
from roofcast.ingest.traces import nsys as nsys_sqlite
from roofcast.ingest.traces.distinct_kernels import kernel_table, kernel_table_of
from roofcast.ingest.traces.windows import Windows
from timeline_samples import event, kineto_events, nsys
from timeline_samples import kineto as kineto_bytes

STEPS = 60


@pytest.fixture
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of some fifty events, and columns that go to a file after twenty."""
    monkeypatch.setattr(windows, "WINDOW_ROWS", 50)
    monkeypatch.setattr(timeline_columns, "HELD_ROWS", 20)
    monkeypatch.setattr(timeline_columns, "PART_ROWS", 7)
    monkeypatch.setattr(timeline_columns, "BLOCK_ROWS", 5)


def run_of(steps: int = STEPS, gpu: str = "NVIDIA A100-SXM4-80GB") -> Windows:
    events = kineto_events(steps)
    # A range over everything, one over two thirds, and launches that run ahead of a slow kernel.
    last = 1000.0 + 200 * steps
    events += [event("user_annotation", "all", 999, last), event("user_annotation", "most", 1001, last * 2 / 3)]
    return kineto.read_windows(io.BytesIO(kineto_bytes(gpu=gpu, traceEvents=events)), "run.json")


def test_windows_hold_every_event_once(small_windows: None) -> None:
    run = run_of()
    assert len(run) > 5
    assert run.builder.work.stored, "nothing went to the file"
    whole, parts = run.whole(), list(run)
    for field in ("start_s", "end_s", "name", "correlation", "operator", "regs"):
        pieces = np.concatenate([getattr(t.activities, field) for t in parts])
        assert np.array_equal(pieces, getattr(whole.activities, field)), field
    assert all((t.activities.call >= 0).all() for t in parts), "a kernel lost the call that launched it"
    names = [str(t.names[t.calls.name[c]]) for t in parts for c in t.activities.call.tolist()]
    assert set(names) == {"cudaLaunchKernel"}
    # In several windows, and still one run of the range.
    assert sum("all" in {str(t.names[n]) for n in t.annotations().name} for t in parts) == len(parts)
    assert run.runs["all"] == run.runs["most"] == 1
    assert sum(n for name, n in run.runs.items() if name.startswith("ProfilerStep")) == STEPS


def test_columns_in_a_file_are_what_was_put_in(small_windows: None) -> None:
    columns = timeline_columns.Columns(("kind", "start", "end", "bytes"))
    for i in range(53):
        columns.append((i % 3, 10 * i, 10 * i + 4, i / 7))
    columns.flush()
    columns.extend({"kind": [1], "start": [7], "end": [9], "bytes": [np.nan]})
    assert len(columns) == 54
    found = columns.finish()
    assert found["start"].tolist() == [*range(0, 530, 10), 7]
    assert found["kind"].dtype == np.uint8
    assert found["bytes"][:53] == pytest.approx([i / 7 for i in range(53)])
    inside = np.concatenate([b["start"] for b in columns.blocks(("start",), 100, 120)])
    assert {100, 110} <= set(inside.tolist())
    assert len(inside) < 54


def test_kernels_of_windows_are_those_of_the_run(small_windows: None) -> None:
    run = run_of()
    expected, found = kernel_table(run.whole()), kernel_table_of(run)
    for text in ("kernel", "grid", "block", "config", "gpu"):
        assert found.strings(text).tolist() == expected.strings(text).tolist()
    for name in ("time_s", "launches", "time_total_s", "grid_blocks", "regs_per_thread"):
        assert found.column(name) == pytest.approx(expected.column(name), rel=1e-6), name
    assert found.flags == expected.flags
    assert [o.shapes for o in found.extra["operator"]] == [o.shapes for o in expected.extra["operator"]]


def test_a_long_run_forecast_in_windows(small_windows: None) -> None:
    run = run_of()
    told: list[tuple[int, int]] = []
    (found,) = forecast_run(run, "B200", progress=lambda done, of: told.append((done, of)))
    (whole,) = forecast_application(run.whole(), "B200")
    # What the profiler took is taken out of each window by its own events.
    assert found.source_time_s == pytest.approx(whole.source_time_s, rel=0.01)
    assert found.time_s == pytest.approx(whole.time_s, rel=0.01)
    assert found.fixed_time_s == pytest.approx(whole.fixed_time_s, rel=0.01)
    assert {c.name: c.launches for c in found.classes} == {c.name: c.launches for c in whole.classes}
    assert {c.name: c.time_s for c in found.classes} == pytest.approx({c.name: c.time_s for c in whole.classes})
    assert {k.name: k.launches for k in found.kernels} == {k.name: k.launches for k in whole.kernels}
    assert found.evidence == pytest.approx(whole.evidence)
    runs = {r.name: r for r in found.ranges}
    assert runs["all"].runs == 1
    assert runs["all"].source_time_s == pytest.approx(found.source_time_s, rel=0.02)
    assert told[-1] == (2 * len(run), 2 * len(run))  # its kernels first, then the run
    assert found.drawn is not None
    assert len(found.drawn.timeline.activities) < len(run.whole().activities)
    assert any("long run" in n for n in found.notes)


def test_windows_on_their_own_gpu_take_what_they_took(small_windows: None) -> None:
    (found,) = forecast_run(run_of(), "A100-SXM4-80GB")
    assert found.time_s == pytest.approx(found.source_time_s, rel=1e-9)


def test_a_long_run_summed_up(small_windows: None) -> None:
    run = run_of()
    seen: list[Timeline] = []
    found, whole = summarise_run(run, seen.append), summarise(run.whole())
    assert len(seen) == len(run)
    assert found.counts == whole.counts
    assert found.time_s == pytest.approx(whole.time_s, rel=1e-9)
    assert found.busy_s == pytest.approx(whole.busy_s, rel=1e-9)
    assert {c.name: c.source_time_s for c in found.kernels} == pytest.approx(
        {c.name: c.source_time_s for c in whole.kernels}
    )
    assert found.record()["gpus"] == ["NVIDIA A100-SXM4-80GB"]
    assert sum(found.critical.values()) == pytest.approx(found.time_s, rel=0.05)
    assert 0 < len(middle(run).activities) < len(run.whole().activities)


def test_a_window_without_kernels_passes_as_it_was(small_windows: None) -> None:
    events = kineto_events(30)
    late = 1000.0 + 200 * 30
    events += [event("cpu_op", "aten::wait", late + 10 * i, 5) for i in range(120)]
    run = kineto.read_windows(
        io.BytesIO(kineto_bytes(traceEvents=[*events, *moved(kineto_events(30), late + 2000)])), "x"
    )
    assert any(not len(t.kernels()) for t in run)
    (found,) = forecast_run(run, "B200")
    (whole,) = forecast_application(run.whole(), "B200")
    assert found.source_time_s == pytest.approx(whole.source_time_s, rel=0.01)
    assert found.time_s == pytest.approx(whole.time_s, rel=0.02)


def moved(events: list[dict[str, object]], by: float) -> list[dict[str, object]]:
    made = json.loads(json.dumps(events))
    for e in made:
        e["ts"] = e.get("ts", 0) + by
        if "correlation" in e.get("args", {}):
            e["args"]["correlation"] += 10_000
    return list(made)


def rank_of(rank: int, *, collectives: bool = True) -> Windows:
    """One rank: its clock is off by a second, and it is slower than the one before."""
    events = kineto_events(40, scale=1 + 0.05 * rank)
    for i in range(40 if collectives else 0):
        at = 1000.0 + 200 * i + 150
        events.append(
            event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL()", at - rank, 20.0 + rank, 3, device=rank,
                  stream=9, grid=[8, 1, 1], block=[512, 1, 1], correlation=100_000 + i)
        )  # fmt: skip
        events.append(event("cuda_runtime", "cudaLaunchKernel", at - 60, 4, 1, correlation=100_000 + i))
    data = kineto_bytes(
        traceEvents=moved(events, 1e6 * rank), distributedInfo={"rank": rank, "world_size": 3},
        deviceProperties=[{"id": i, "name": "NVIDIA A100-SXM4-80GB", "numSms": 108} for i in range(3)],
    )  # fmt: skip
    return kineto.read_windows(io.BytesIO(data), f"rank{rank}.json")


@pytest.mark.slow
@pytest.mark.parametrize("collectives", [True, False])
def test_ranks_of_a_long_run(small_windows: None, collectives: bool) -> None:
    ranks = [rank_of(r, collectives=collectives) for r in range(3)]
    run = RankWindows(ranks)
    whole, parts = run.whole(), list(run)
    assert len(parts) > 4
    assert sum(len(t.activities) for t in parts) == len(whole.activities)
    assert [p.rank for p in whole.processes] == [0, 1, 2]
    if collectives:
        for t in parts:
            per_rank = [int(((t.activities.collective > 0) & (t.activities.process == p)).sum()) for p in range(3)]
            assert len(set(per_rank)) == 1, "a collective was cut apart"
    (found,), (expected,) = forecast_run(run, "B200"), forecast_application(whole, "B200")
    # What the profiler took is taken out of each window, and of all ranks together, whose clocks nothing joins here
    # without collectives.
    near = 0.03 if collectives else 0.1
    assert found.source_time_s == pytest.approx(expected.source_time_s, rel=near)
    assert found.time_s == pytest.approx(expected.time_s, rel=near)
    assert {c.name: c.launches for c in found.classes} == {c.name: c.launches for c in expected.classes}
    (same,) = forecast_run(run, "A100-SXM4-80GB")
    assert same.time_s == pytest.approx(same.source_time_s, rel=1e-9)


def test_an_export_tells_how_far_it_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.sqlite"
    path.write_bytes(nsys())
    told: list[float] = []
    with path.open("rb") as raw:
        stream = watched(raw, path.stat().st_size, told.append)
        assert len(nsys_sqlite.read_windows(stream, "run.sqlite").whole().activities) == 4
    assert told
    assert told == sorted(told)
    assert told[-1] <= 1
