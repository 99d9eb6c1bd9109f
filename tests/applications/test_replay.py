"""Replays: exact with unchanged durations; causes that are respected; properties that must hold for any durations."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.applications.dependencies import dependencies
from roofcast.applications.ranks import join_ranks
from roofcast.applications.replay import replay
from roofcast.applications.run_summary import critical_path, summarise
from roofcast.core.timeline import Timeline
from roofcast.ingest.traces import kineto
from roofcast.ingest.traces import nsys as nsys_sqlite
from roofcast.reading import read_timelines
from timeline_samples import event, nsys
from timeline_samples import kineto as kineto_bytes


def trace(events: list[dict[str, Any]], **header: Any) -> Timeline:
    data = json.dumps({"traceEvents": events} | header).encode()
    return kineto.read_windows(io.BytesIO(data), "t.json").whole()


def launch(at: float, number: int, dur: float = 5) -> dict[str, Any]:
    return event("cuda_runtime", "cudaLaunchKernel", at, dur, correlation=number)


def kernel(at: float, dur: float, number: int, stream: int = 7, **more: Any) -> dict[str, Any]:
    return event("kernel", f"k{stream}", at, dur, device=0, stream=stream, correlation=number, **more)


def wait(at: float, dur: float, name: str = "cudaDeviceSynchronize") -> dict[str, Any]:
    return event("cuda_runtime", name, at, dur, correlation=9999)


def scaled(t: Timeline, factor: float) -> float:
    return replay(t, dependencies(t), factor * t.activities.duration_s).time_s


QUEUED = [launch(0, 1), launch(6, 2), launch(12, 3), kernel(10, 50, 1), kernel(61, 50, 2), kernel(112, 50, 3),
          wait(20, 150), launch(200, 4), kernel(210, 20, 4), wait(206, 30)]  # fmt: skip
"""Three kernels that queue, a wait, 30 us of host, one kernel, a wait. Microseconds."""


def test_an_unchanged_replay_is_the_recording() -> None:
    t = trace(QUEUED)
    found = replay(t, dependencies(t), t.activities.duration_s)
    np.testing.assert_allclose(found.start_s, t.activities.start_s, atol=1e-12)
    np.testing.assert_allclose(found.end_s, t.activities.end_s, atol=1e-12)
    assert found.time_s == pytest.approx(236e-6)


def test_queued_kernels_shift_what_follows_and_the_host_waits_for_them() -> None:
    t = trace(QUEUED)
    # Each of the queued kernels saves 25 us; the host then goes on 75 us earlier; the last kernel saves 10 us.
    assert scaled(t, 0.5) == pytest.approx(236e-6 - 75e-6 - 10e-6)
    assert scaled(t, 2.0) == pytest.approx(236e-6 + 150e-6 + 20e-6)
    # Without work: the host's own time. The first wait returns at once (its return took 8 us), as does the second.
    assert scaled(t, 0.0) == pytest.approx(236e-6 - 150e-6 - 20e-6, abs=25e-6)


def test_a_host_that_is_late_is_not_helped_by_a_faster_gpu() -> None:
    late = [e for i in range(20) for e in (launch(100 * i, i + 1), kernel(100 * i + 10, 20, i + 1))]
    t = trace(late)
    assert scaled(t, 0.1) == pytest.approx(1930e-6 - 18e-6)
    # Kernels of 120 us no longer fit between the launches: they queue.
    assert scaled(t, 6.0) > 20 * 120e-6


def test_a_host_that_polls_waits() -> None:
    def polling(name: str, step: float) -> Timeline:
        asks = [event("cuda_runtime", name, 6 + step * i, 1, correlation=100 + i) for i in range(int(108 / step))]
        return trace([launch(0, 1), kernel(10, 100, 1), *asks, launch(120, 2), kernel(130, 10, 2)])

    # Half of the kernel's 100 us are saved, and half of the last one's 10.
    assert scaled(polling("cudaEventQuery", 2), 0.5) == pytest.approx(140e-6 - 55e-6, abs=3e-6)
    # A watchdog that asks now and then does not hold the host back.
    assert scaled(polling("cudaEventQuery", 27), 0.5) == pytest.approx(140e-6 - 5e-6)
    assert scaled(polling("cudaGetDevice", 2), 0.5) == pytest.approx(140e-6 - 5e-6)


def test_streams_overlap_as_before() -> None:
    t = trace([launch(0, 1), launch(6, 2), kernel(10, 100, 1, 7), kernel(16, 100, 2, 8), wait(20, 100)])
    assert scaled(t, 0.5) == pytest.approx((16 + 50 + 4) * 1e-6)


def test_a_stream_that_waits_for_an_event_waits_in_the_replay() -> None:
    sync = event("cuda_sync", "Stream Wait Event", 13, 0, cuda_sync_kind="Stream Wait Event", stream=8, correlation=50,
                 wait_on_stream=7, wait_on_cuda_event_record_corr_id=40, device=0)  # fmt: skip
    events = [
        launch(0, 1), event("cuda_runtime", "cudaEventRecord", 6, 1, correlation=40),
        event("cuda_runtime", "cudaStreamWaitEvent", 8, 1, correlation=50), sync, launch(10, 2),
        kernel(10, 100, 1, 7), kernel(111, 40, 2, 8),
    ]  # fmt: skip
    t = trace(events)
    assert len(t.waits) == 1
    deps = dependencies(t)
    assert deps.other[1] == 0
    twice = replay(t, deps, np.array([200e-6, 40e-6]))
    assert twice.start_s[1] >= twice.end_s[0]


def test_an_unexplained_wait_is_given_to_the_work_that_ended_before_it() -> None:
    t = trace([launch(0, 1), launch(6, 2), kernel(10, 100, 1, 7), kernel(112, 40, 2, 8)])
    assert dependencies(t).other.tolist() == [-1, 0]
    assert scaled(t, 0.5) < 90e-6


def test_launch_floors_cost_the_host() -> None:
    t = trace([e for i in range(10) for e in (launch(20 * i, i + 1), kernel(20 * i + 8, 5, i + 1))])
    deps = dependencies(t)
    dearer = replay(t, deps, t.activities.duration_s, launch_s=2e-6, latency_s=2e-6)
    assert dearer.time_s == pytest.approx(193e-6 + 10 * 2e-6 + 2e-6)


def test_a_graph_launch_starts_many_kernels() -> None:
    events = [event("cuda_runtime", "cudaGraphLaunch", 0, 8, correlation=1)]
    events += [kernel(12 + 11 * i, 10, 1) for i in range(5)]
    t = trace([*events, wait(10, 60)])
    assert scaled(t, 0.5) == pytest.approx(70e-6 - 25e-6)


def rank(number: int, late: float, dur: float) -> Timeline:
    """A rank that computes, then reduces with the others: the collective ends at the same time everywhere."""
    what: dict[str, Any] = {
        "Collective name": "allreduce",
        "In msg nelems": 1 << 20,
        "dtype": "BFloat16",
        "Group size": 2,
    }
    events = [
        launch(0, 1), kernel(10, dur, 1), launch(6, 2),
        event("kernel", "ncclDevKernel_AllReduce()", 11 + dur, 139 - dur, device=0, stream=7, correlation=2, **what),
        wait(12, 150),
    ]  # fmt: skip
    moved = [e | {"ts": e["ts"] + late} for e in events]
    return trace(moved, distributedInfo={"rank": number},
                 deviceProperties=[{"id": 0, "name": "NVIDIA H100 80GB HBM3"}])  # fmt: skip


def test_ranks_wait_for_each_other() -> None:
    both = join_ranks([rank(0, 0, 20), rank(1, 5e6, 100)])
    assert len(both.processes) == 2
    assert [p.rank for p in both.processes] == [0, 1]
    deps = dependencies(both)
    time = both.activities.duration_s
    same = replay(both, deps, time)
    np.testing.assert_allclose(same.end_s, both.activities.end_s, atol=1e-9)
    slow = np.flatnonzero((time > 99e-6) & (time < 101e-6))
    assert len(slow) == 1
    faster = time.copy()
    faster[slow] = 50e-6
    sooner = replay(both, deps, faster)
    # The slow rank alone decides when the collective of both ends.
    assert sooner.time_s == pytest.approx(same.time_s - 50e-6, abs=2e-6)
    alone = time.copy()
    alone[np.flatnonzero((time > 19e-6) & (time < 21e-6))] = 1e-6
    assert replay(both, deps, alone).time_s == pytest.approx(same.time_s, abs=2e-6)


times = st.lists(st.floats(0, 400), min_size=1, max_size=40)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(times, st.integers(1, 3), st.floats(0.05, 4))
def test_for_any_run_a_replay_is_exact_and_grows_with_the_durations(
    durations: list[float], streams: int, factor: float
) -> None:
    events, host, free = [], 0.0, dict.fromkeys(range(streams), 0.0)
    for i, dur in enumerate(durations):
        events.append(launch(host, i + 1, 4))
        start = max(free[i % streams] + 1, host + 6)
        events.append(kernel(start, dur, i + 1, i % streams))
        free[i % streams] = start + dur
        host += 8
        if i % 7 == 6:
            done = max(host, *free.values()) + 2
            events.append(wait(host, done - host))
            host = done
    t = trace(events)
    deps = dependencies(t)
    time = t.activities.duration_s
    span = t.span_s[1] - t.span_s[0]
    assert replay(t, deps, time).time_s == pytest.approx(span, abs=1e-9)
    less, more = sorted((1.0, factor))
    assert replay(t, deps, less * time).time_s <= replay(t, deps, more * time).time_s + 1e-9
    assert replay(t, deps, 0 * time).time_s <= span + 1e-9
    chain = critical_path(t, deps, np.array(["k"] * len(time), dtype=np.object_))
    assert sum(chain.values()) == pytest.approx(span, abs=1e-9)


def test_summary_of_a_run() -> None:
    s = summarise(nsys_sqlite.read_windows(io.BytesIO(nsys()), "r.sqlite").whole())
    assert s.time_s == pytest.approx(200e-6)
    assert s.busy_s == pytest.approx((28 + 2 + 30 + 40) * 1e-6)
    assert s.copy_s == pytest.approx(28e-6)
    assert sum(s.critical.values()) == pytest.approx(s.time_s)
    assert {r.name: r.runs for r in s.ranges} == {"all": 1, "step": 1}
    # The kernel that waited for its launch: from the end of the memory set to the start of the first kernel.
    assert s.launch_bound_s == pytest.approx(48e-6)


def test_ranges_of_one_name_that_overlap_count_once() -> None:
    s = summarise(kineto.read_windows(io.BytesIO(kineto_bytes(3)), "t.json").whole())
    assert len(s.ranges) == 3
    assert all(r.source_time_s <= s.time_s for r in s.ranges)


@pytest.mark.slow
def test_real_runs_are_replayed_exactly(fixtures_dir: Any) -> None:
    for path in sorted([*(fixtures_dir / "kineto").iterdir(), *(fixtures_dir / "nsys_sqlite").iterdir()]):
        (t,) = read_timelines([path])
        deps = dependencies(t)
        found = replay(t, deps, t.activities.duration_s)
        np.testing.assert_allclose(found.start_s, t.activities.start_s, atol=1e-6, err_msg=path.name)
        assert found.time_s == pytest.approx(t.span_s[1] - t.span_s[0], rel=1e-6), path.name
        halves = [replay(t, deps, f * t.activities.duration_s).time_s for f in (0, 0.5, 1, 2)]
        assert halves == sorted(halves)
