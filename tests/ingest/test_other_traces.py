"""Traces of other programs than PyTorch on NVIDIA: JAX, rocprof, unitrace, archives, JSON of nsys, rocpd counters."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roofcast import reading
from roofcast.core.errors import InputError
from roofcast.core.timeline import HostMemory, Way, Work
from roofcast.ingest import readers
from roofcast.ingest.amd import rocpd
from roofcast.ingest.traces import kineto, nsys_stats
from roofcast.ingest.traces import nsys as nsys_sqlite
from roofcast.reading import read_timelines
from timeline_samples import (
    NSYS_GPU_TRACE,
    NSYS_SUMMARY,
    PID,
    database,
    event,
    kineto_events,
    nsys_tables,
)
from timeline_samples import kineto as kineto_bytes


def named(kind: str, name: str, pid: int, tid: int = 0) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}


def jax() -> bytes:
    """What jax.profiler.trace writes for a GPU: one thread per stream, others that repeat the time by operator."""
    details = "regs:40 static_shared:0 dynamic_shared:8192 grid:64,2,1 block:256,1,1 occ_pct:75"
    work = [
        {"ph": "X", "pid": 1, "tid": 13, "ts": 100.0, "dur": 20.0, "name": "MemcpyH2D",
         "args": {"correlation_id": 1, "memcpy_details": "kind_src:pinned kind_dst:device size:4096 dest:0 async:1"}},
        {"ph": "X", "pid": 1, "tid": 13, "ts": 130.0, "dur": 30.0, "name": "loop_fusion_3",
         "args": {"correlation_id": 2, "hlo_op": "fusion.3", "hlo_module": "jit_step", "kernel_details": details}},
        {"ph": "X", "pid": 1, "tid": 20, "ts": 130.0, "dur": 30.0, "name": "fusion.3", "args": {"hlo_op": "fusion.3"}},
        {"ph": "X", "pid": 701, "tid": 9, "ts": 120.0, "dur": 4.0, "name": "cuLaunchKernel",
         "args": {"correlation_id": 2}},
        {"ph": "X", "pid": 701, "tid": 9, "ts": 90.0, "dur": 80.0, "name": "PjitFunction(step)", "args": {}},
    ]  # fmt: skip
    head = [
        named("process_name", "/device:GPU:0", 1), named("process_name", "/host:CPU", 701),
        named("thread_name", "Stream #13(Compute,MemcpyH2D)", 1, 13), named("thread_name", "XLA Ops", 1, 20),
    ]  # fmt: skip
    return json.dumps({"displayTimeUnit": "ns", "metadata": {"highres-ticks": True},
                       "traceEvents": [{}, *head, *work]}).encode()  # fmt: skip


def test_jax_and_tensorflow_traces(tmp_path: Path) -> None:
    path = tmp_path / "host.trace.json.gz"
    path.write_bytes(gzip.compress(jax()))
    (t,) = read_timelines(path)
    work = t.activities
    assert work.kind.tolist() == [Work.COPY, Work.KERNEL], "threads that repeat the time were counted"
    assert (Way(work.way[0]), HostMemory(work.memory[0]), work.bytes[0]) == (
        Way.HOST_TO_DEVICE,
        HostMemory.PINNED,
        4096,
    )
    assert (work.grid[1].tolist(), work.block[1].tolist()) == ([64, 2, 1], [256, 1, 1])
    assert (work.regs[1], work.smem_bytes[1], work.stream[1]) == (40, 8192, 13)
    assert t.calls.start_s[work.call[1]] == pytest.approx(20e-6)
    assert any("--from" in n for n in t.provenance[0].notes)
    assert reading.read(path).strings("kernel").tolist() == ["loop_fusion_3"]


def test_traces_of_other_devices_are_refused_by_name() -> None:
    tpu = {"traceEvents": [named("process_name", "/device:TPU:0", 1), event("", "fusion", 1, 2)]}
    with pytest.raises(InputError, match="TPU"):
        kineto.read_windows(io.BytesIO(json.dumps(tpu).encode()), "t.json").whole()
    for category, says in (("mtia_ccp_events", "MTIA"), ("hpu_op", "Gaudi"), ("cpu_op", r"ProfilerActivity\.CUDA")):
        data = json.dumps({"traceEvents": [event(category, "x", 1, 2)]}).encode()
        with pytest.raises(InputError, match=says):
            kineto.read_windows(io.BytesIO(data), "t.json").whole()


def test_xpu_trace_of_pytorch() -> None:
    events = [
        event("cpu_op", "aten::mm", 1, 20, 1, **{"Input Dims": [[64, 32], [32, 16]]}),
        event("xpu_runtime", "urEnqueueKernelLaunch", 5, 3, correlation=7),
        event("kernel", "gemm_kernel", 30, 9, device=0, correlation=7),
    ]
    t = kineto.read_windows(io.BytesIO(json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()), "x").whole()
    assert t.operators[t.activities.operator[0]].shapes == ((64, 32), (32, 16))


def test_arguments_that_differ_at_every_call_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kineto, "MOST_DETAILED", 10)
    events = kineto_events(1)
    shapes: dict[str, Any] = {"Input Dims": [[8, 8], []], "Input type": ["float", "Scalar"]}
    events += [event("cpu_op", "aten::mul", 2000 + i, 1, 1, **shapes, **{"Concrete Inputs": ["", str(i)]})
               for i in range(50)]  # fmt: skip
    t = kineto.read_windows(io.BytesIO(kineto_bytes(traceEvents=events)), "x").whole()
    assert len(t.operators) == 11
    assert t.operators[-1].shapes == ((8, 8), ())
    assert t.operators[-2].arguments == ("", "7")


def test_unitrace() -> None:
    events = [
        {"ph": "X", "cat": "gpu_op", "pid": 9, "tid": 4, "ts": 10.0, "dur": 3.0, "args": {"id": "1"},
         "name": "gemm_kernel[SIMD16 {128; 2; 1} {16; 4; 1}]"},
        {"ph": "X", "cat": "gpu_op", "pid": 9, "tid": 4, "ts": 5.0, "dur": 2.0,
         "name": "zeCommandListAppendMemoryCopy(M2D)[4096 bytes]"},
        {"ph": "X", "cat": "gpu_op", "pid": 9, "tid": 4, "ts": 20.0, "dur": 2.0, "name": "zeCommandListAppendBarrier"},
    ]  # fmt: skip
    t = kineto.read_windows(io.BytesIO(json.dumps({"traceEvents": events}).encode()), "x").whole()
    assert t.activities.kind.tolist() == [Work.COPY, Work.KERNEL]
    assert (t.activities.way[0], t.activities.bytes[0]) == (Way.HOST_TO_DEVICE, 4096)
    assert str(t.names[t.activities.name[1]]) == "gemm_kernel"
    assert (t.activities.grid[1].tolist(), t.activities.block[1].tolist()) == ([128, 2, 1], [16, 4, 1])


def test_results_json_of_rocprof() -> None:
    events = [
        named("process_name", "CPU HIP API", 2), named("process_name", "GPU0", 6),
        {"ph": "X", "name": "hipLaunchKernel", "pid": "2", "tid": "77", "ts": "100", "dur": "5",
         "args": {"BeginNs": "100000", "Name": "hipLaunchKernel"}},
        {"ph": "X", "name": "void scale(float*)", "pid": "6", "tid": "0", "ts": "110", "dur": "8",
         "args": {"dev-id": "0", "queue-id": "1", "DurationNs": "8000"}},
        {"ph": "X", "name": "CopyHostToDevice", "pid": "6", "tid": "0", "ts": "90", "dur": "8", "args": {}},
    ]  # fmt: skip
    t = kineto.read_windows(io.BytesIO(json.dumps({"traceEvents": [{}, *events]}).encode()), "results.json").whole()
    assert t.activities.kind.tolist() == [Work.COPY, Work.KERNEL]
    assert t.activities.way[0] == Way.HOST_TO_DEVICE
    assert t.activities.duration_s[1] == pytest.approx(8e-6)
    assert len(t.calls) == 1


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def test_a_profile_alone_in_a_zip_archive(tmp_path: Path) -> None:
    path = tmp_path / "trace.zip"
    path.write_bytes(zipped(trace__run=kineto_bytes()))
    (t,) = read_timelines(path)
    assert len(t.activities) == 4
    path.write_bytes(zipped(run=database(nsys_tables())))
    assert len(read_timelines(path)[0].activities) == 4
    damaged = bytearray(zipped(run=kineto_bytes(steps=400)))
    damaged[3000:3040] = bytes(40)
    path.write_bytes(bytes(damaged))
    try:
        kept = read_timelines(path)[0]
    except InputError:
        pass
    else:
        assert kept.provenance[0].notes


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"a.json": b"{}", "b.json": b"{}"}, "unpack it and give the folder"),
        ({"model/data.pkl": b"\x80\x02", "model/version": b"3"}, "PyTorch file"),
        ({"[Content_Types].xml": b"<a/>", "xl/workbook.xml": b"<a/>"}, "Office"),
    ],
)
def test_other_zip_archives_are_refused_by_name(members: dict[str, bytes], says: str, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(zipped(**members))
    with pytest.raises(InputError, match=says):
        reading.read(path)


def as_json(text: str) -> bytes:
    import csv

    lines = [line for line in text.splitlines() if "," in line]
    rows = list(csv.DictReader(lines))
    return json.dumps([{k: (v or None) for k, v in r.items()} for r in rows]).encode()


def test_nsys_stats_as_json_and_with_tabs() -> None:
    expected = nsys_stats.read_windows(io.BytesIO(NSYS_GPU_TRACE.encode()), "t.csv").whole().activities
    import csv

    lines = NSYS_GPU_TRACE.splitlines()[1:]
    tabs = "\n".join("\t".join(cells) for cells in csv.reader(lines)).encode()
    for data in (as_json(NSYS_GPU_TRACE), tabs):
        assert readers.find_reader(io.BytesIO(data), "t")[0] == "nsys-stats"
        found = nsys_stats.read_windows(io.BytesIO(data), "t").whole().activities
        for name in ("kind", "start_s", "end_s", "grid", "bytes", "regs"):
            assert np.array_equal(getattr(found, name), getattr(expected, name), equal_nan=True), name
    summary = nsys_stats.read(io.BytesIO(as_json(NSYS_SUMMARY)), "s.json")
    assert summary.column("time_s").tolist() == [pytest.approx(1e-5)]


def test_counters_in_a_database_of_rocprofv3(tmp_path: Path) -> None:
    sizes = tuple(f"{what}_size_{axis}" for what in ("grid", "workgroup") for axis in "xyz")
    place = (4, 9, 512, 4, 65536, 1, 1, 256, 1, 1)
    data = database({
        "rocpd_info_agent_1a": (
            ("id", "type", "product_name", "name", "extdata"),
            [(4, "GPU", "AMD Instinct MI250X", "gfx90a", '{"cu_count": 110, "num_xcc": 1}')],
        ),
        "rocpd_info_kernel_symbol_1a": (("id", "display_name", "kernel_name"), [(9, "scale", "scale.kd")]),
        "rocpd_info_pmc_1a": (("id", "name", "symbol"), [(1, "SQ_WAVES", ""), (2, "FETCH_SIZE", "FETCH_SIZE")]),
        "rocpd_pmc_event_1a": (
            ("event_id", "pmc_id", "value"), [(1, 1, 1000.0), (1, 1, 24.0), (1, 2, 256.0), (2, 1, 1024.0), (2, 2, 8.0)],
        ),
        "rocpd_kernel_dispatch_1a": (
            ("id", "event_id", "start", "end", "agent_id", "kernel_id", "group_segment_size", "queue_id", *sizes),
            [(i, i, 1000 * i, 1000 * i + 500, 4, 9, 512, 1, *place[4:]) for i in (1, 2)],
        ),
    })  # fmt: skip
    path = tmp_path / "9_results.db"
    path.write_bytes(data)
    table = reading.read(path)
    assert len(table) == 2
    assert table.counter("SQ_WAVES").tolist() == [1024.0, 1024.0]
    assert table.column("time_s") == pytest.approx([5e-7, 5e-7])
    assert table.column("sm_count").tolist() == [110, 110]
    assert table.strings("gpu").tolist() == ["AMD Instinct MI250X"] * 2
    assert table.column("grid_blocks").tolist() == [256, 256]
    assert len(rocpd.read_windows(io.BytesIO(data), "x").whole().activities) == 2


def test_an_event_that_is_recorded_again_and_again() -> None:
    """Each wait is for the last record before it."""
    pid = PID
    tables = nsys_tables()
    tables["CUPTI_ACTIVITY_KIND_RUNTIME"] = (
        ("start", "end", "globalTid", "correlationId", "nameId"),
        [(1000 * i, 1000 * i + 900, pid + 5, number, 13) for i, number in ((101, 21), (102, 22), (106, 31), (107, 32))],
    )
    tables["CUPTI_ACTIVITY_KIND_CUDA_EVENT"] = (
        ("globalPid", "contextId", "eventId", "correlationId", "streamId"),
        [(pid, 1, 5, 31, 7), (pid, 1, 5, 21, 7)],
    )
    tables["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"] = (
        ("globalPid", "contextId", "eventId", "correlationId", "streamId", "deviceId", "syncType"),
        [(pid, 1, 5, 22, 8, 0, 2), (pid, 1, 5, 32, 8, 0, 2), (pid, 1, 6, 32, 8, 0, 2), (pid, 1, 5, 32, 8, 0, 1)],
    )
    t = nsys_sqlite.read_windows(io.BytesIO(database(tables)), "x").whole()
    pairs = zip(
        t.calls.correlation[t.waits.call].tolist(), t.calls.correlation[t.waits.record_call].tolist(), strict=True
    )
    assert sorted(pairs) == [(22, 21), (32, 31)]


def test_newer_schemas_may_add_what_they_like() -> None:
    tables = nsys_tables()
    columns, rows = tables["CUPTI_ACTIVITY_KIND_KERNEL"]
    tables["CUPTI_ACTIVITY_KIND_KERNEL"] = ((*columns, "fancyNewColumn"), [(*r, "x") for r in rows])
    tables["CUPTI_ACTIVITY_KIND_BRAND_NEW"] = (("start", "end"), [(1, 2)])
    tables["META_DATA_EXPORT"] = (("name", "value"), [("EXPORT_SCHEMA_VERSION", "4.1.0")])
    assert len(nsys_sqlite.read_windows(io.BytesIO(database(tables)), "x").whole().activities) == 4


def test_ranks_in_a_folder(tmp_path: Path) -> None:
    for rank in range(3):
        data = kineto_bytes(traceEvents=kineto_events(2), distributedInfo={"rank": rank, "world_size": 3})
        (tmp_path / f"rank{rank}.pt.trace.json.gz").write_bytes(gzip.compress(data))
    (tmp_path / "notes.txt").write_text("no trace")
    found = read_timelines(tmp_path)
    assert [t.processes[0].rank for t in found] == [0, 1, 2]
