"""Every trace format becomes the same timeline: times, geometry, copies, calls, ranges, operators, devices."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import pytest

from roofcast import reading
from roofcast.core.errors import InputError
from roofcast.core.timeline import Api, HostMemory, RangeKind, Timeline, Way, Work
from roofcast.ingest import readers
from roofcast.ingest.amd import rocpd, rocprof_trace
from roofcast.ingest.nvprof import gpu_trace as nvprof_trace
from roofcast.ingest.timelines import TIMELINES, is_timeline
from roofcast.ingest.traces import kineto, nsys_stats
from roofcast.ingest.traces import nsys as nsys_sqlite
from roofcast.ingest.traces.distinct_kernels import kernel_table
from roofcast.reading import read_timelines
from timeline_samples import (
    NSYS_GPU_TRACE,
    NSYS_SUMMARY,
    NVPROF_TRACE,
    PID,
    ROCPROF_RESULTS,
    ROCPROF_SUMMARY,
    ROCPROFV3,
    ROCPROFV3_AGENTS,
    ROCPROFV3_API,
    database,
    event,
    kineto_events,
    nsys,
    nsys_tables,
    nvvp,
)
from timeline_samples import kineto as kineto_bytes
from timeline_samples import rocpd as rocpd_bytes


def read(module: Any, data: bytes) -> Timeline:
    found = module.read_windows(io.BytesIO(data), "trace").whole()
    assert isinstance(found, Timeline)
    assert (np.diff(found.activities.start_s) >= 0).all()
    assert (found.activities.duration_s >= 0).all()
    assert (found.activities.call < len(found.calls)).all()
    return found


def test_every_timeline_format_is_a_reader() -> None:
    assert set(TIMELINES) <= set(readers.READERS)


def test_memory_that_a_program_held_is_read_where_allocations_were_recorded() -> None:
    def held(device: int, total: int, kind: int = 1) -> dict[str, Any]:
        return {"ph": "i", "name": "[memory]", "pid": 7, "tid": 7, "ts": 1,
                "args": {"Total Allocated": total, "Device Id": device, "Device Type": kind}}  # fmt: skip

    events = [*kineto_events(), held(0, 100), held(0, 900), held(0, 300), held(1, 800), held(0, 10**12, 0)]
    trace = json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()
    assert kineto.read(io.BytesIO(trace), "x").provenance[0].memory_bytes == 900
    assert kineto.read(io.BytesIO(kineto_bytes()), "x").provenance[0].memory_bytes is None
    columns = ("start", "deviceId", "bytes", "memKind", "memoryOperationType")
    rows = [(1, 0, 500, 2, 0), (2, 0, 400, 2, 0), (3, 0, 500, 2, 1), (4, 0, 100, 2, 0), (5, 0, 10**9, 1, 0)]
    export = database(nsys_tables() | {"CUDA_GPU_MEMORY_USAGE_EVENTS": (columns, rows)})
    assert nsys_sqlite.read(io.BytesIO(export), "x").provenance[0].memory_bytes == 900
    assert nsys_sqlite.read(io.BytesIO(nsys()), "x").provenance[0].memory_bytes is None


def test_nsys_export() -> None:
    t = read(nsys_sqlite, nsys())
    work, calls = t.activities, t.calls
    assert work.kind.tolist() == [Work.COPY, Work.MEMSET, Work.KERNEL, Work.KERNEL]
    assert t.span_s[0] == 0
    assert t.span_s[1] == pytest.approx(200e-6)
    kernel = 2
    assert t.names[work.name[kernel]] == "void scale<(int)4, float>(T2 *, int)"
    assert work.grid[kernel].tolist() == [64, 1, 1]
    assert work.block[kernel].tolist() == [256, 1, 1]
    assert (work.regs[kernel], work.smem_bytes[kernel]) == (32, 1024)
    assert work.duration_s[kernel] == pytest.approx(30e-6)
    assert (Way(work.way[0]), HostMemory(work.memory[0]), work.bytes[0]) == (
        Way.HOST_TO_DEVICE, HostMemory.PAGEABLE, 400_000,
    )  # fmt: skip
    assert calls.start_s[work.call[kernel]] == pytest.approx(95e-6)
    assert work.call[1] == -1
    assert [Api(a).name for a in calls.api] == ["COPY", "LAUNCH", "LAUNCH", "LAUNCH", "LAUNCH", "SYNCHRONISE"]
    assert [str(t.names[n]) for n in t.ranges.name] == ["all", "step"]
    device = t.devices[0]
    assert (device.name, device.sm_count, device.compute_capability) == ("NVIDIA A100-SXM4-80GB", 108, "8.0")
    assert "3.20.2" in t.provenance[0].tool


def test_nsys_export_of_several_gpus_and_processes() -> None:
    tables = nsys_tables(2)
    columns, rows = tables["CUPTI_ACTIVITY_KIND_KERNEL"]
    other = [(*r[:6], PID + (1 << 24), *r[7:]) if r[2] == 1 else r for r in rows]
    t = read(nsys_sqlite, database(tables | {"CUPTI_ACTIVITY_KIND_KERNEL": (columns, other)}))
    assert len(t.devices) == 2
    assert len(t.processes) == 2
    assert sorted(t.activities.process[t.activities.kind == Work.KERNEL].tolist()) == [0, 0, 1, 1]
    # Calls of one process never launch work of another.
    assert (t.activities.call[t.activities.process == 1] == -1).all()


def test_nsys_exports_with_few_columns_or_without_kernels() -> None:
    tables = nsys_tables()
    kernels = (("start", "end", "shortName"), [(1000, 3000, 1)])
    small = {"StringIds": tables["StringIds"], "CUPTI_ACTIVITY_KIND_KERNEL": kernels}
    t = read(nsys_sqlite, database(small))
    assert (len(t.activities), len(t.calls), t.devices[0].name) == (1, 0, "")
    without = {k: v for k, v in tables.items() if k != "CUPTI_ACTIVITY_KIND_KERNEL"}
    assert len(read(nsys_sqlite, database(without)).activities) == 2
    with pytest.raises(InputError, match="without kernels"):
        nsys_sqlite.read(io.BytesIO(database(without)), "x.sqlite")
    bare = {k: v for k, v in without.items() if "MEM" not in k}
    with pytest.raises(InputError, match=r"x\.sqlite: .*--trace=cuda"):
        nsys_sqlite.read(io.BytesIO(database(bare)), "x.sqlite")
    with pytest.raises(InputError, match=r"x\.sqlite: .*no export of Nsight Systems"):
        nsys_sqlite.read(io.BytesIO(database({"things": (("a",), [(1,)])})), "x.sqlite")


def test_nsys_graphs_as_a_whole_and_node_by_node() -> None:
    tables = nsys_tables()
    graphs = (
        ("start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphId"),
        [(160_000, 199_000, 0, 7, 77, PID, 3)],
    )
    whole = {k: v for k, v in tables.items() if k != "CUPTI_ACTIVITY_KIND_KERNEL"}
    t = read(nsys_sqlite, database(whole | {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE": graphs}))
    assert Work.GRAPH in t.activities.kind
    assert kernel_table(t).strings("kernel").tolist() == ["CUDA graph 3"]
    columns, rows = tables["CUPTI_ACTIVITY_KIND_KERNEL"]
    nodes = [(*r[:-1], 5) for r in rows]
    both = {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE": graphs, "CUPTI_ACTIVITY_KIND_KERNEL": (columns, nodes)}
    t = read(nsys_sqlite, database(tables | both))
    # The graph's time is its nodes' time: it must not count twice.
    assert Work.GRAPH not in t.activities.kind
    assert (t.activities.graph[t.activities.kind == Work.KERNEL] == 5).all()


def test_nsys_text_that_is_no_utf_8() -> None:
    data = nsys().replace(b"NVIDIA A100-SXM4-80GB", b"NVIDIA A100-SXM4-80G\xff")
    assert read(nsys_sqlite, data).devices[0].name == "NVIDIA A100-SXM4-80G�"


def test_nvprof_capture() -> None:
    t = read(nsys_sqlite, nvvp())
    assert t.devices[0].name == "Tesla V100-SXM2-16GB"
    assert t.activities.grid.tolist() == [[8, 8, 1]]
    assert kernel_table(t).column("time_s").tolist() == [pytest.approx(20e-6)]


def hostile(*statements: str) -> bytes:
    tables = {k: v for k, v in nsys_tables().items() if not k.startswith("CUPTI_ACTIVITY_KIND_KERNEL")}
    return database(tables, *statements)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
        "SELECT x AS start, x + 1 AS end FROM c",
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName GENERATED ALWAYS AS "
        "(hex(zeroblob(100000000))) VIRTUAL)",
        "CREATE VIRTUAL TABLE CUPTI_ACTIVITY_KIND_KERNEL USING fts3(start, end)",
        'CREATE TABLE "a""; DROP TABLE x; --" (start)',
    ],
)
def test_nothing_in_an_export_is_executed(statement: str) -> None:
    try:
        data = hostile(statement)
    except sqlite3.OperationalError as error:  # a build of SQLite without this module
        pytest.skip(str(error))
    assert len(read(nsys_sqlite, data).activities) == 2


def test_generated_columns_stay_unevaluated() -> None:
    calls: list[int] = []

    def heavy(x: int) -> int:
        calls.append(x)
        return x

    with sqlite3.connect(":memory:") as connection:
        connection.create_function("heavy", 1, heavy, deterministic=True)
        connection.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName AS (heavy(start)) VIRTUAL)")
        connection.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end) VALUES (1000, 2000)")
        connection.commit()
        data = connection.serialize()
    connection.close()
    calls.clear()
    # The reader knows no such function: evaluating the column would fail.
    t = read(nsys_sqlite, data)
    assert int((t.activities.kind == Work.KERNEL).sum()) == 1
    assert not calls


def test_rocpd() -> None:
    t = read(rocpd, rocpd_bytes())
    work = t.activities
    assert work.kind.tolist() == [Work.COPY, Work.KERNEL]
    assert work.grid[1].tolist() == [256, 1, 1]
    assert work.way[0] == Way.HOST_TO_DEVICE
    assert t.devices[0].name == "AMD Instinct MI300X"
    assert work.call[1] == 0
    assert t.names[t.calls.name[0]] == "hipLaunchKernel"


def test_rpd() -> None:
    data = database({
        "rocpd_string": (("id", "string"), [(1, "hipLaunchKernel"), (2, "scale"), (3, "KernelExecution")]),
        "rocpd_api": (("id", "pid", "tid", "start", "end", "apiName_id", "args_id"), [(7, 1, 1, 100, 900, 1, 1)]),
        "rocpd_op": (("id", "gpuId", "queueId", "start", "end", "description_id", "opType_id"),
                     [(1, 0, 2, 1000, 5000, 2, 3)]),
        "rocpd_api_ops": (("id", "api_id", "op_id"), [(1, 7, 1)]),
        "rocpd_kernelapi": (("api_ptr_id", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ",
                             "groupSegmentSize"), [(7, 32, 1, 1, 128, 1, 1, 0)]),
    })  # fmt: skip
    t = read(rocpd, data)
    assert t.activities.grid.tolist() == [[32, 1, 1]]
    assert t.activities.call.tolist() == [0]


def test_kineto() -> None:
    t = read(kineto, kineto_bytes())
    work = t.activities
    assert len(work) == 4
    assert [t.operators[o].name for o in work.operator] == ["aten::addmm", "aten::add"] * 2
    assert t.operators[work.operator[0]].shapes[1] == (256, 512)
    assert work.duration_s[0] == pytest.approx(30e-6)
    assert [str(t.names[n]) for n in t.annotations().name] == ["ProfilerStep#0", "ProfilerStep#1"]
    assert (t.ranges.kind == RangeKind.OPERATOR).sum() == 4
    assert t.devices[0].sm_count == 108
    table = kernel_table(t)
    assert table.column("launches").tolist() == [2, 2]
    assert table.column("time_total_s").tolist() == [pytest.approx(60e-6), pytest.approx(20e-6)]
    assert table.strings("config")[0] == "aten::addmm [512] [256x512] [512x512] c10::BFloat16"


def test_kineto_without_properties_lists_and_old_spellings() -> None:
    events = kineto_events()
    t = read(kineto, json.dumps(events).encode())
    assert t.devices[0].name == ""
    assert any("--from" in n for n in t.provenance[0].notes)
    old = [e | {"cat": {"kernel": "Kernel", "cpu_op": "Operator", "cuda_runtime": "Runtime"}.get(e.get("cat", ""), "")}
           for e in events]  # fmt: skip
    assert len(read(kineto, json.dumps({"traceEvents": old}).encode()).activities) == 4


def test_kineto_header_may_follow_the_events() -> None:
    data = json.dumps({"traceEvents": kineto_events(), "deviceProperties": [{"id": 0, "name": "NVIDIA B200"}],
                       "distributedInfo": {"rank": 5}})  # fmt: skip
    t = read(kineto, data.encode())
    assert (t.devices[0].name, t.processes[0].rank) == ("NVIDIA B200", 5)


def test_kineto_devices_are_numbered_otherwise_on_amd() -> None:
    properties = [{"id": 0, "name": "AMD Instinct MI300X", "numSms": 304, "warpSize": 64, "computeMajor": 9}]
    data = json.dumps({"traceEvents": kineto_events(gpu=2), "deviceProperties": properties}).encode()
    device = read(kineto, data).devices[0]
    assert (device.name, device.number, device.compute_capability) == ("AMD Instinct MI300X", 2, "")


def test_kineto_grids_of_extended_hip_launches_count_work_items() -> None:
    events = [
        event("cuda_runtime", "hipExtModuleLaunchKernel", 0, 2, correlation=1),
        event("kernel", "k", 5, 3, correlation=1, grid=[25600, 1, 1], block=[256, 1, 1], device=0, stream=0),
        event("cuda_runtime", "hipLaunchKernel", 3, 2, correlation=2),
        event("kernel", "k", 9, 3, correlation=2, grid=[512, 1, 1], block=[256, 1, 1], device=0, stream=0),
    ]
    assert read(kineto, json.dumps(events).encode()).activities.grid[:, 0].tolist() == [100, 512]


def test_kineto_collectives_carry_their_size() -> None:
    what: dict[str, Any] = {
        "Collective name": "allreduce", "In msg nelems": 1000, "Out msg nelems": 1000, "dtype": "BFloat16",
        "Group size": 8,
    }  # fmt: skip
    events = [event("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL()", 5, 30, device=0, stream=3, **what)]
    work = read(kineto, json.dumps(events).encode()).activities
    assert (work.collective[0], work.group_size[0], work.bytes[0]) == (1, 8, 2000)


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_what_is_complete_in_a_truncated_trace_is_kept_and_said(keep: float) -> None:
    data = kineto_bytes(40)
    t = read(kineto, data[: int(keep * len(data))])
    assert 0 < len(t.activities) < 80
    assert any("ends in the middle" in n for n in t.provenance[0].notes)


@pytest.mark.slow
def test_a_truncated_compressed_trace_is_kept_too() -> None:
    packed = gzip.compress(kineto_bytes(4000), mtime=0)
    with gzip.GzipFile(fileobj=io.BytesIO(packed[: len(packed) // 2])) as stream:
        t = kineto.read_windows(cast("BinaryIO", stream), "t.json.gz").whole()
    assert len(t.activities) > 100
    assert any("end early" in n for n in t.provenance[0].notes)


def test_damaged_events_are_counted_and_passed_over() -> None:
    data = kineto_bytes(6).replace(b'"ProfilerStep#2"', b'"Profiler\\Step#2"').replace(b'"dur": 30.0', b'"dur": xx', 1)
    t = read(kineto, data)
    assert len(t.activities) == 11
    assert any("1 damaged" in n for n in t.provenance[0].notes)
    assert "Profiler\\Step#2" in list(t.names)


def test_traces_without_gpu_work_say_so() -> None:
    cpu = json.dumps({"traceEvents": [event("cpu_op", "aten::add", 0, 5)]}).encode()
    with pytest.raises(InputError, match=r"t\.json: .*ProfilerActivity\.CUDA"):
        kineto.read(io.BytesIO(cpu), "t.json")
    with pytest.raises(InputError, match=r"t\.json: .*no trace"):
        kineto.read(io.BytesIO(b'{"traceEvents": []}'), "t.json")


def test_rocprofv3_files_of_one_run() -> None:
    parts = [(io.BytesIO(x.encode()), n) for x, n in (
        (ROCPROFV3, "9_kernel_trace.csv"), (ROCPROFV3_API, "9_hip_api_trace.csv"),
        (ROCPROFV3_AGENTS, "9_agent_info.csv"),
    )]  # fmt: skip
    t = rocprof_trace.read_parts(parts, "run").whole()
    assert t.devices[0].name == "AMD Instinct MI300X"
    assert t.activities.grid.tolist() == [[256, 1, 1]] * 2
    assert t.activities.call.tolist() == [0, 1]
    assert t.calls.api[-1] == Api.SYNCHRONISE
    with pytest.raises(InputError, match="kernel_trace"):
        rocprof_trace.read_parts(parts[1:2], "x.csv")


def test_rocprof_results_and_counters_stay_apart() -> None:
    t = read(rocprof_trace, ROCPROF_RESULTS.encode())
    assert t.names[t.activities.name[0]] == "scale(float*, int)"
    assert t.activities.grid[0].tolist() == [256, 1, 1]
    with_counters = ROCPROF_RESULTS.replace('"DurationNs"', '"DurationNs","SQ_WAVES"').replace(",20000\n", ",20000,1\n")
    assert not rocprof_trace.recognises(with_counters.encode(), "x.csv")


def test_nsys_stats() -> None:
    t = read(nsys_stats, NSYS_GPU_TRACE.encode())
    assert t.activities.kind.tolist() == [Work.COPY, Work.KERNEL]
    assert t.activities.bytes[0] == 4e6
    assert t.activities.smem_bytes[1] == 1000
    assert t.devices[0].name == "NVIDIA A100-SXM4-80GB"
    table = nsys_stats.read(io.BytesIO(NSYS_SUMMARY.encode()), "s.csv")
    assert table.column("time_s").tolist() == [pytest.approx(1e-5)]
    assert table.column("grid_blocks").tolist() == [64]
    assert nsys_stats.read(io.BytesIO(ROCPROF_SUMMARY.encode()), "s.csv").column("launches").tolist() == [2]
    with pytest.raises(InputError, match="summary holds no timeline"):
        nsys_stats.read_windows(io.BytesIO(NSYS_SUMMARY.encode()), "s.csv").whole()


def test_nvprof_trace_and_its_runs() -> None:
    t = read(nvprof_trace, NVPROF_TRACE.encode())
    assert t.activities.kind.tolist() == [Work.COPY, Work.KERNEL]
    assert t.activities.bytes[0] == 2**20
    assert t.activities.duration_s.tolist() == [pytest.approx(100e-6), pytest.approx(50e-6)]
    own_column = "".join(f"256,{line}" if "," in line[3:] and "==" not in line else line
                         for line in NVPROF_TRACE.splitlines(keepends=True))  # fmt: skip
    assert len(read(nvprof_trace, own_column.encode()).activities) == 2
    twice = read(nvprof_trace, (NVPROF_TRACE * 2).encode())
    assert len(twice.activities) == 4
    assert twice.activities.start_s[2] > twice.activities.end_s[1]
    assert "2 runs" in twice.provenance[0].notes[0]


def test_events_of_another_clock_are_left_out() -> None:
    events = [*kineto_events(), event("kernel", "stray", 1.7e15, 5, device=0, stream=7)]
    t = read(kineto, json.dumps(events).encode())
    assert len(t.activities) == 4
    assert t.span_s[1] < 1
    assert any("without usable times" in n for n in t.provenance[0].notes)


def test_work_that_lasts_for_ages_is_no_work() -> None:
    events = [event("kernel", "k", 0, 1e15, device=0, stream=7)]
    with pytest.raises(InputError, match="usable times"):
        kineto.read_windows(io.BytesIO(json.dumps(events).encode()), "t.json").whole()


def test_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(kineto_bytes()))
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    run = tmp_path / "run"
    run.mkdir()
    (run / "9_kernel_trace.csv").write_text(ROCPROFV3)
    (run / "9_hip_api_trace.csv").write_text(ROCPROFV3_API)
    found = read_timelines([tmp_path])
    assert [len(t.activities) for t in found] == [4, 2]
    assert found[0].provenance[0].sha256
    assert len(found[1].calls) == 3
    assert is_timeline(tmp_path / "a.json.gz")
    assert not is_timeline(tmp_path / "notes.csv")
    with pytest.raises(InputError, match="without traces"):
        read_timelines([make(tmp_path / "empty")])
    with pytest.raises(InputError, match="without a timeline"):
        read_timelines([table(tmp_path / "k.csv")])


def make(folder: Path) -> Path:
    folder.mkdir()
    return folder


def table(path: Path) -> Path:
    path.write_text("kernel,time_s,gpu\nk,1e-3,A100\n")
    return path


def test_a_stream_without_a_name_is_read_from_a_copy(tmp_path: Path) -> None:
    packed = tmp_path / "r.sqlite.gz"
    packed.write_bytes(gzip.compress(nsys()))
    assert len(reading.read(packed)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("group", ["kineto", "nsys_sqlite"])
def test_real_traces(group: str, fixtures_dir: Path) -> None:
    for path in sorted((fixtures_dir / group).iterdir()):
        (t,) = read_timelines([path])
        assert len(t.activities) > 0
        assert t.devices[0].name
        assert not np.isnan(t.span_s).any()
        # Nearly all kernels know the call that launched them.
        assert (t.activities.call >= 0).mean() > 0.95
        counts = kernel_table(t).column("launches")
        assert counts.sum() == len(t.kernels())


def test_a_capture_of_a_graph_is_no_step(tmp_path: Path) -> None:
    """Launches are recorded then, and no kernel runs."""
    calls = [
        {"ph": "X", "cat": "cuda_runtime", "name": name, "pid": 1, "tid": 1, "ts": 10 * k, "dur": 5,
         "args": {"correlation": k}} for k, name in enumerate(
            ("cudaStreamBeginCapture", "cudaLaunchKernel", "cudaLaunchKernel", "cudaStreamEndCapture"))
    ]  # fmt: skip
    path = tmp_path / "step.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": calls}))
    with pytest.raises(InputError, match=r"captures a CUDA graph.*record a replay") as caught:
        reading.read(path)
    assert "\n" not in str(caught.value)
