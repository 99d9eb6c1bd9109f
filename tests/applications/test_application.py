"""Forecasts of whole applications: exact on themselves, bounded, honest about what they rest on."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import roofcast
from roofcast.applications.copies import scaled_links
from roofcast.applications.dependencies import collective_groups
from roofcast.applications.evidence import matches, plain_name
from roofcast.applications.ranks import join_ranks
from roofcast.applications.result import ApplicationForecast
from roofcast.applications.run_summary import summarise
from roofcast.applications.whole_run import forecast_application
from roofcast.commands.group import cli
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import columns_of
from roofcast.core.resource import Resource
from roofcast.core.timeline import Timeline
from roofcast.ingest.traces import kineto
from roofcast.ingest.traces import nsys as nsys_sqlite
from roofcast.ingest.traces.distinct_kernels import kernel_table
from roofcast.models.physics.causes.collectives import peer_rate
from roofcast.models.physics.link_times import OWN_STEPS, SIMPLE, SWITCH_SHARE
from roofcast.reading import read_timelines
from timeline_samples import (
    GEMM,
    KERNEL,
    NSYS_GPU_TRACE,
    PID,
    ROCPROFV3,
    database,
    event,
    kineto_events,
    nsys,
    nsys_tables,
)
from timeline_samples import kineto as kineto_bytes

A100, H100 = "A100-SXM4-80GB", "H100 SXM5 80GB"


def steps(count: int = 3) -> Timeline:
    return kineto.read_windows(io.BytesIO(kineto_bytes(count)), "steps.json").whole()


def export(**kinds: Any) -> Timeline:
    return nsys_sqlite.read_windows(io.BytesIO(database(nsys_tables() | kinds)), "run.sqlite").whole()


def one(timeline: Timeline, to: str = H100, **more: Any) -> ApplicationForecast:
    (found,) = forecast_application(timeline, to, **more)
    return found


def sane(f: ApplicationForecast) -> None:
    assert 0 <= f.fixed_time_s <= f.time_s <= f.source_time_s * 1e4
    assert f.time_low_s <= f.time_s <= f.time_high_s
    assert sum(c.time_s for c in f.classes) == pytest.approx(float(f.duration_s.sum()))
    computes = any(k.evidence != "links" for k in f.kernels)
    assert sum(f.evidence.values()) == pytest.approx(1 if computes else 0)
    assert all(k.time_low_s <= k.time_s <= k.time_high_s for k in f.kernels if not np.isnan(k.time_low_s))
    assert sum(k.time_s for k in f.kernels) <= sum(c.time_s for c in f.classes) + 1e-12


def test_a_run_on_its_own_gpu_takes_what_it_took() -> None:
    for timeline in (steps(), export()):
        f = one(timeline, A100)
        assert f.time_s == pytest.approx(f.source_time_s, rel=1e-9)
        sane(f)


@pytest.mark.slow
def test_every_real_run_on_its_own_gpu_takes_what_it_took(fixtures_dir: Path) -> None:
    files = [f for g in ("kineto", "nsys_sqlite") for f in sorted((fixtures_dir / g).iterdir())]
    files += [f for f in sorted((fixtures_dir / "nvprof").iterdir()) if f.suffix == ".csv"]
    for path in files:
        (timeline,) = read_timelines([path])
        other = one(timeline, "B200")
        sane(other)
        own = one(timeline, other.source_gpu)
        assert own.time_s == pytest.approx(own.source_time_s, rel=0.01), path.name
        sane(own)


TARGETS = ("V100-SXM2-16GB", "MI300X", "T4", "B200", "RTX 4090", "Arc A770")


@pytest.mark.slow
def test_real_runs_go_anywhere_without_nonsense(fixtures_dir: Path) -> None:
    for path in sorted([*(fixtures_dir / "kineto").iterdir(), *(fixtures_dir / "nsys_sqlite").iterdir()]):
        if path.stat().st_size > 1_500_000:
            continue
        for f in forecast_application(read_timelines(path), list(TARGETS)):
            sane(f)
            for c in f.classes:
                if c.name not in ("collective", "copy between devices"):
                    assert 1 / 60 < c.time_s / c.source_time_s < 60, (path.name, f.target.name, c)


def test_a_faster_gpu_is_never_slower_and_the_host_stays() -> None:
    slow = one(steps(), A100)
    gpu = roofcast.gpu(A100)
    fast = one(steps(), gpu.replace(sm_count=400, bytes_per_s_dram=8e12, name="twice"))  # type: ignore[arg-type]
    assert fast.time_s < slow.time_s
    assert fast.fixed_time_s == pytest.approx(slow.fixed_time_s)
    assert fast.time_s >= fast.fixed_time_s


def test_shapes_and_counters_are_used_where_they_are() -> None:
    assert one(steps()).evidence["shapes"] == pytest.approx(1)
    without = [e | {"args": {k: v for k, v in e.get("args", {}).items() if k != "Input Dims"}} for e in kineto_events()]
    data = json.dumps({"deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": without})
    bare = one(kineto.read_windows(io.BytesIO(data.encode()), "t.json").whole())
    # Both kernels are a library's: their names tell the kind of work.
    assert bare.evidence["name"] == pytest.approx(1)
    assert any("names of library kernels" in n for n in bare.notes)
    assert one(export()).evidence["time"] == pytest.approx(1)
    assert any("length alone" in n for n in one(export()).notes)
    profile = counted(KERNEL, bytes_dram=40e-6 * 1.75e12)
    f = one(export(), counters=[profile])
    assert f.evidence["counters"] == pytest.approx(1)
    # Memory-bound by its counters: it follows the memory's bandwidth.
    ratio = roofcast.gpu(A100).rate(dram()) / roofcast.gpu(H100).rate(dram())
    assert f.kernels[0].time_s / f.kernels[0].source_time_s == pytest.approx(ratio, rel=0.25)
    assert any("counters found for 2 of 2" in n for n in f.notes) or any(
        "counters found for 1 of 2" in n for n in f.notes
    )


def dram() -> Any:
    from roofcast.core.resource import Resource

    return Resource.BYTES_DRAM


def counted(name: str, **amounts: float) -> KernelTable:
    columns = {k: ([v], Origin.COUNTED) for k, v in amounts.items()}
    return KernelTable.from_columns({"kernel": [name], "block": ["(256, 1, 1)"]}, columns)


def test_counters_join_by_name_and_geometry() -> None:
    def table(*rows: tuple[str, str, str]) -> KernelTable:
        names, grids, blocks = zip(*rows, strict=True)
        return KernelTable.from_columns({"kernel": names, "grid": grids, "block": blocks}, {})

    run = table((KERNEL, "(64, 1, 1)", "(256, 1, 1)"), (KERNEL, "(32, 1, 1)", "(256, 1, 1)"), ("other", "", ""))
    profile = table(("scale<4, float>(float*, int)", "64, 1, 1", "256, 1, 1"), ("unused", "", ""))
    assert matches(run, profile).tolist() == [0, -1, -1]
    assert plain_name("void (anonymous namespace)::f<a>::g(int)") == "@::f<a>::g"
    spelled = (
        "void at::native::<unnamed>::cunn_SoftMaxForward<(int)8, c10::BFloat16, (bool)0, (unsigned long)3>(T1 *, int)",
        "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, false, 3ul>(float*, int)",
    )
    assert plain_name(spelled[0]) == plain_name(spelled[1])


def test_unknown_sources_are_asked_for() -> None:
    nameless = kineto.read_windows(io.BytesIO(json.dumps(kineto_events()).encode()), "t.json").whole()
    with pytest.raises(RoofcastError, match="give --from GPU"):
        one(nameless)
    assert one(nameless, source=A100).source_gpu == roofcast.gpu(A100).name


def test_a_word_on_the_gpu_blanks_none_that_the_run_names() -> None:
    first, second = (json.loads(kineto_bytes(2)) for _ in range(2))
    second["deviceProperties"][0] |= {"name": "NVIDIA H100 80GB HBM3", "numSms": 132, "computeMajor": 9}
    parts = [kineto.read_windows(io.BytesIO(json.dumps(p).encode()), "t.json").whole() for p in (first, second)]
    mixed = join_ranks([dataclasses.replace(p, origin_s=100.0 * i) for i, p in enumerate(parts)])
    assert [k.time_s for k in one(mixed, source=A100).kernels] == [k.time_s for k in one(mixed).kernels]
    with pytest.raises(RoofcastError, match="no rows of"):
        one(mixed, source="B200")


def test_a_kernel_without_a_forecast_keeps_its_time_and_says_so() -> None:
    f = one(export(), model="van_lanker")
    assert all(k.time_s == k.source_time_s and np.isnan(k.time_low_s) for k in f.kernels)
    assert any("could not be forecast (" in n and n.endswith("the recorded time was kept") for n in f.notes)
    assert all(k["time_low_s"] is None for k in f.record()["kernels"])


def test_several_gpus_and_processes() -> None:
    timeline = nsys_sqlite.read_windows(io.BytesIO(nsys(2)), "r.sqlite").whole()
    f = one(timeline, A100)
    assert f.time_s == pytest.approx(f.source_time_s)
    assert len(timeline.devices) == 2
    sane(one(timeline, "MI300X"))


def test_gpus_of_several_machines_are_kept_apart() -> None:
    tables = nsys_tables()
    columns, rows = tables["CUPTI_ACTIVITY_KIND_KERNEL"]
    both = [*rows, *((*r[:6], PID + (1 << 56), *r[7:]) for r in rows)]
    timeline = export(CUPTI_ACTIVITY_KIND_KERNEL=(columns, both))
    assert len(timeline.devices) == 2
    assert len(timeline.processes) == 2


def test_the_library_takes_several_ranks_as_they_are_read(tmp_path: Path) -> None:
    for i in range(2):
        (tmp_path / f"rank{i}.json").write_bytes(kineto_bytes(2, distributedInfo={"rank": i}))
    (found,) = roofcast.forecast_application(roofcast.read_timelines(tmp_path), A100)
    assert [p.rank for p in found.timeline.processes] == [0, 1]
    assert found.time_s == pytest.approx(found.source_time_s)


def test_ranks_of_one_run() -> None:
    parts = [dataclasses.replace(steps(), origin_s=100.0 * i) for i in range(2)]
    f = one(join_ranks(parts), A100)
    assert f.time_s == pytest.approx(f.source_time_s)
    assert {c.name: c.launches for c in f.classes}["gemm"] == 6


def ranks_of_one_collective(late_us: float, seq: tuple[int, int] = (5, 5), ranks: str = "[0, 1]") -> list[Timeline]:
    """Two ranks that compute for different times, then add up; the second says a sequence of its own."""
    made = []
    for rank, busy in enumerate((100.0, 100.0 + late_us)):
        what: dict[str, Any] = {"Collective name": "allreduce", "dtype": "Float", "Group size": 2,
                "In msg nelems": 1 << 20,
                "Process Group Name": "1", "Process Group Ranks": ranks, "Seq": seq[rank]}  # fmt: skip
        events = [
            event("kernel", "work", 0.0, busy, device=0, stream=1, correlation=1),
            event("kernel", "ncclDevKernel_AllReduce()", busy, 400.0 - busy, device=0, stream=1, correlation=2, **what),
        ]
        document = {"traceEvents": events, "distributedInfo": {"rank": rank}}
        made.append(kineto.read_windows(io.BytesIO(json.dumps(document).encode()), f"{rank}.json").whole())
    return made


def test_waiting_is_told_apart_from_transfer_where_all_ranks_are_given() -> None:
    found = one(join_ranks(ranks_of_one_collective(150.0)), A100, source=A100)
    assert found.waiting is not None
    assert found.waiting.joined == 2
    # The first rank spins for 150 us until the second has come.
    assert found.waiting.low_s == found.waiting.high_s == pytest.approx(150e-6, rel=1e-6)
    assert found.waiting.target_s == pytest.approx(150e-6, rel=1e-6)
    assert any("waited for other ranks" in n for n in found.notes)
    assert found.record()["waiting"]["by"] == "ranks"
    alike = one(join_ranks(ranks_of_one_collective(0.0)), A100, source=A100)
    assert alike.waiting is not None
    assert alike.waiting.high_s == pytest.approx(0, abs=1e-9)


def test_waiting_of_one_rank_is_bounded_and_named() -> None:
    found = one(ranks_of_one_collective(0.0)[0], A100, source=A100)
    assert found.waiting is not None
    assert found.waiting.joined == 0
    # 4 MB between two A100 take some 60 us of the 300.
    assert found.waiting.low_s == 0
    assert 200e-6 < found.waiting.high_s < 280e-6
    assert any("give the traces of all ranks" in n for n in found.notes)


def test_ranks_meet_by_communicator_and_sequence() -> None:
    same, other, elsewhere = (
        join_ranks(ranks_of_one_collective(150.0, *how)).activities for how in ((), ((5, 6),), ((5, 5), "[0, 2]"))
    )
    groups = [collective_groups(work, 2) for work in (same, other, elsewhere)]
    assert [int((g >= 0).sum()) for g in groups] == [2, 0, 2]
    # A sequence that stands twice in a rank tells nothing.
    twice = dataclasses.replace(same, process=np.zeros_like(same.process))
    assert (collective_groups(twice, 2) < 0).all()


def test_copies_follow_the_link_and_pageable_ones_the_host() -> None:
    timeline = export()
    source, fast = roofcast.gpu(A100), roofcast.gpu("GH200 96GB")
    time = timeline.activities.duration_s
    copy = 0
    same = scaled_links(timeline.activities, [source], source)
    assert same.time_s[copy] == time[copy]
    # 400 kB in 28 us is 15 GB/s from pageable memory: a faster link changes nothing the host limits.
    over_link = scaled_links(timeline.activities, [source], fast)
    pinned = dataclasses.replace(timeline.activities, memory=np.full_like(timeline.activities.memory, 2))
    free = scaled_links(pinned, [source], fast)
    assert free.time_s[copy] < over_link.time_s[copy]
    assert over_link.time_s[copy] > 0.9 * time[copy]


def test_collectives_by_size_and_links() -> None:
    what: dict[str, Any] = {"Collective name": "allreduce", "dtype": "Float", "Group size": 8}
    events = [
        event("kernel", "ncclDevKernel_AllReduce()", 100.0 * i, 50, device=0, stream=1, **what, **{"In msg nelems": n})
        for i, n in enumerate((16, 1 << 28))
    ]
    timeline = kineto.read_windows(io.BytesIO(json.dumps(events).encode()), "t.json").whole()
    source, target = roofcast.gpu(A100), roofcast.gpu("B200")
    table = kernel_table(timeline)
    by_links = roofcast.forecast(table, "B200", source=A100)
    small, large = (by_links.estimate.time_s[:, 0] / table.column("time_s")).tolist()
    # Latency takes cycles.
    assert small == pytest.approx(source.clock_hz_boost / target.clock_hz_boost, abs=0.01)
    rates = peer_rate(columns_of([source, target]))
    # The target's switch adds: no ring.
    rings = 14 / 8 / SWITCH_SHARE / ((14 + OWN_STEPS) / 8 / SIMPLE.share)
    assert large == pytest.approx(rings * rates[0] / rates[1], rel=0.03)
    assert by_links.limits_target()[:, 0].tolist() == ["bytes_host_link"] * 2
    assert all(any("ring" in a for a in rows) for rows in by_links.estimate.assumed)
    f = one(timeline, "B200", source=A100)
    assert sum(k.time_s for k in f.kernels) == pytest.approx(float(by_links.estimate.time_s.sum()))
    assert {c.name for c in f.classes} == {"collective"}
    assert {k.evidence for k in f.kernels} == {"links"}
    sane(f)


def test_a_host_that_nobody_describes_has_two_answers() -> None:
    what: dict[str, Any] = {"Collective name": "allreduce", "dtype": "Float", "Group size": 8, "In msg nelems": 1 << 24}
    event_of = event("kernel", "ncclDevKernel_AllReduce()", 0.0, 900, device=0, stream=1, **what)
    document = json.dumps([event_of]).encode()

    def forecast(**more: Any) -> ApplicationForecast:
        return roofcast.app(document, "L40S", source=A100, **more).found[0]

    unknown = forecast()
    assert unknown.trees is not None
    assert unknown.time_low_s < unknown.trees.fast_s < unknown.time_s < unknown.trees.slow_s < unknown.time_high_s
    assert sum("the answer is two" in n for n in unknown.notes) == 1
    assert unknown.record()["slot_trees"] == unknown.trees.record()
    slot = roofcast.gpu("L40S").rate(Resource.BYTES_HOST_LINK)
    for rate, answer in ((slot, unknown.trees.fast_s), (slot / 16, unknown.trees.slow_s)):
        stated = forecast(network=rate)
        assert stated.trees is None
        assert stated.time_s == pytest.approx(answer, rel=1e-6)
        assert stated.time_high_s / stated.time_low_s < 0.5 * unknown.time_high_s / unknown.time_low_s
    assert forecast(network="peer").time_s == pytest.approx(unknown.trees.fast_s, rel=1e-6)
    assert unknown.trees.fast_s < forecast(network="host").time_s <= unknown.trees.slow_s * (1 + 1e-6)
    # A trace of the same slots holds the host, and modules have links of their own.
    assert roofcast.app(document, "L4", source="L40S").found[0].trees is None
    assert roofcast.app(document, H100, source=A100).found[0].trees is None


def test_launch_floors_change_the_host() -> None:
    cheap, dear = (one(steps(), launch_floor=floors) for floors in ((4e-6, 4e-6), (4e-6, 9e-6)))
    assert dear.time_s > cheap.time_s


@pytest.mark.slow
@pytest.mark.parametrize(("model", "bound"), [("bert-small", 0.55), ("timesformer", 0.4)])
def test_the_pair_that_was_recorded_on_both_sides(model: str, bound: float, fixtures_dir: Path) -> None:
    sides = {}
    for gpu in ("h100", "mi300"):
        (path,) = (fixtures_dir / "kineto").glob(f"*traces-{gpu}-*{model}*")
        (sides[gpu],) = read_timelines(path)
    for here, there, target in (("h100", "mi300", "MI300X"), ("mi300", "h100", H100)):
        f = one(sides[here], target)
        recorded = summarise(sides[there])
        devices_s = sum(c.source_time_s for c in recorded.classes)
        time, low, high = (sum(getattr(c, n) for c in f.classes) for n in ("time_s", "time_low_s", "time_high_s"))
        assert abs(time / devices_s - 1) < bound
        assert low <= devices_s <= high
        # Both without what their profilers cost; the hosts differ.
        bare = one(sides[there], target).answer.source_time_s
        assert bare <= recorded.time_s
        assert abs(f.time_s / bare - 1) < 0.35
        assert f.evidence["shapes"] > 0.95


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("traces")
    content = {"steps.json": kineto_bytes(3), "run.sqlite": nsys(), "gpu.csv": NSYS_GPU_TRACE.encode(),
               "amd_kernel_trace.csv": ROCPROFV3.encode()}  # fmt: skip
    for name, data in content.items():
        (folder / name).write_bytes(data)
    return {name: str(folder / name) for name in content}


def test_the_json_of_the_command(files: dict[str, str]) -> None:
    found = json.loads(run("app", files["steps.json"], "--to", H100, "--format", "json").stdout)
    assert list(found)[1:6] == ["verdict", "subject", "promise", "source_gpu", "target_gpu"]
    assert found["source_gpu"] == roofcast.gpu(A100).name
    assert found["time_low_s"] <= found["time_s"] <= found["time_high_s"]
    assert 0 < found["fixed_time_s"] <= found["time_s"]
    assert found["by_class"].keys() == {"gemm", "elementwise"}
    assert {r["name"] for r in found["by_range"]} == {"ProfilerStep#0", "ProfilerStep#1", "ProfilerStep#2"}
    several = json.loads(run("app", files["run.sqlite"], "--to", f"{H100},B200", "--format", "json").stdout)
    assert [s["target_gpu"] for s in several] == [roofcast.gpu(n).name for n in (H100, "B200")]


def test_the_command_prints_and_reports(files: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    done = run("app", files["steps.json"], "--to", H100, "--report", str(page))
    assert done.exit_code == 0
    assert "the host's" in done.stdout
    assert "aten::addmm" in done.stdout
    text = page.read_text()
    assert "<svg" in text
    assert "http-equiv" in text
    assert "src=" not in text
    lines = run("app", files["gpu.csv"], "--to", H100, "--format", "csv").stdout.splitlines()
    assert len(lines) == 2
    rocprof = run("app", files["amd_kernel_trace.csv"], "--to", H100, "--from", "MI300X")
    assert rocprof.exit_code == 0


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    events = kineto_events()
    for e in events:
        if e.get("cat") in ("kernel", "user_annotation"):
            e["name"] = "<script>alert(1)</script>\x1b[2J\n" + e["name"]
    path, page = tmp_path / "t.json", tmp_path / "r.html"
    path.write_text(json.dumps(events))
    done = run("app", str(path), "--from", A100, "--to", H100, "--report", str(page))
    assert "\x1b" not in done.stdout
    assert "<script>alert" not in page.read_text()


def test_traces_are_inspected_and_forecast_too(files: dict[str, str]) -> None:
    text = run("inspect", files["steps.json"]).stdout
    assert "critical path" in text
    assert "launch-bound" in text
    found = json.loads(run("inspect", files["run.sqlite"], "--format", "json").stdout)
    assert len(found["kernels"]) == 2
    assert found["timelines"][0]["copies"] == 1
    assert found["timelines"][0]["by_kernel"] == {KERNEL: pytest.approx(70e-6)}
    assert sum(found["timelines"][0]["critical_path"].values()) == pytest.approx(200e-6)
    rows = json.loads(run("forecast", files["steps.json"], "--to", H100, "--format", "json").stdout)["forecasts"]
    assert rows[0]["kernel"] == GEMM
    assert all(r["time_s"] > 0 for r in rows)
    assert "bytes_dram" in rows[0]["time_s_by_resource_target"]


def test_a_wrong_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "k.csv"
    path.write_text("kernel,time_s,gpu\nk,1e-3,A100\n")
    with pytest.raises(RoofcastError, match="without a timeline"):
        run("app", str(path), "--to", H100)


def test_the_page_names_limits_for_people_and_the_files_it_rests_on(fixtures_dir: Path, tmp_path: Path) -> None:
    trace = next((fixtures_dir / "kineto").glob("h100*bert-small*"))
    page = tmp_path / "p.html"
    assert CliRunner().invoke(cli, ["app", str(trace), "--to", "B200", "--report", str(page)]).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "bytes_dram" not in re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    assert ">DRAM</td>" in text
    assert f">{trace.name}</td>" in text.rpartition("Provenance")[2]


def test_a_kernel_whose_launches_have_no_duration_has_no_time_and_no_limit_but_a_reason() -> None:
    events = kineto_events()
    for row in events:
        if row["name"] == GEMM:
            row["dur"] = 0
    found = one(kineto.read_windows(io.BytesIO(json.dumps(events).encode()), "t.json").whole(), source=A100)
    (row,) = (k for k in found.record()["kernels"] if k["kernel"] == GEMM)
    for name in ("source_time_s", "time_s", "time_low_s", "time_high_s", "limit_source", "limit_target"):
        assert row[name] is None, name
    assert row["reason"]
    timed = [k for k in found.record()["kernels"] if k is not row and k["kernel"] != GEMM]
    assert timed
    assert all(k["time_low_s"] > 0 and k["reason"] is None for k in timed)
