"""Small traces of every timeline format, made here in the layouts that the tools write."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

PID = 0x1000400000000
KERNEL = "void scale<(int)4, float>(T2 *, int)"
GEMM = "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn"

KERNEL_COLUMNS = (
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName",
    "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
    "dynamicSharedMemory", "graphNodeId",
)  # fmt: skip


def database(tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]], *more: str) -> bytes:
    """An SQLite file with the given tables (columns, rows) and further statements."""
    with sqlite3.connect(":memory:") as connection:
        for name, (columns, rows) in tables.items():
            connection.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        for statement in more:
            connection.execute(statement)
        connection.commit()
        content = connection.serialize()
    connection.close()
    return content


def nsys_tables(devices: int = 1) -> dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """A run of two kernels per device, a copy in, a memory set and a wait, inside two NVTX ranges."""
    kernels = []
    for d in range(devices):
        kernels.append((120_000, 150_000, d, 1, 7, 3 + 10 * d, PID, 1, 32, 64, 1, 1, 256, 1, 1, 0, 1024, None))
        kernels.append((151_000, 191_000, d, 1, 7, 4 + 10 * d, PID, 1, 32, 64, 2, 1, 256, 1, 1, 0, 1024, None))
    calls = [
        (10_000, 60_000, PID + 5, 1, 11), (100_000, 104_000, PID + 5, 3, 10), (105_000, 109_000, PID + 5, 4, 10),
        (104_000, 105_000, PID + 5, 13, 10), (109_500, 109_900, PID + 5, 14, 10), (112_000, 200_000, PID + 5, 5, 12),
    ]  # fmt: skip
    gpus = [(d, "NVIDIA A100-SXM4-80GB", d, 108, 85_000_000_000, 8, 0) for d in range(devices)]
    strings = [(1, KERNEL), (10, "cudaLaunchKernel_v7000"), (11, "cudaMemcpy_v3020"),
               (12, "cudaDeviceSynchronize_v3020"), (20, "step")]  # fmt: skip
    return {
        "StringIds": (("id INTEGER PRIMARY KEY", "value TEXT"), strings),
        "TARGET_INFO_GPU": (
            ("id", "name", "cuDevice", "smCount", "totalMemory", "computeMajor", "computeMinor"), gpus,
        ),
        "CUPTI_ACTIVITY_KIND_KERNEL": (KERNEL_COLUMNS, kernels),
        "CUPTI_ACTIVITY_KIND_MEMCPY": (
            (*KERNEL_COLUMNS[:7], "bytes", "copyKind", "srcKind", "dstKind"),
            [(30_000, 58_000, 0, 1, 7, 1, PID, 400_000, 1, 0, 2)],
        ),
        "CUPTI_ACTIVITY_KIND_MEMSET": ((*KERNEL_COLUMNS[:7], "bytes"), [(70_000, 72_000, 0, 1, 7, 99, PID, 4096)]),
        "CUPTI_ACTIVITY_KIND_RUNTIME": (("start", "end", "globalTid", "correlationId", "nameId"), calls),
        "NVTX_EVENTS": (
            ("start", "end", "eventType", "text", "textId", "globalTid"),
            [(5_000, 205_000, 59, "all", None, PID + 5), (90_000, 202_000, 59, None, 20, PID + 5),
             (-1_957_198_520, None, 75, "domain", None, PID + 5)],
        ),
        "META_DATA_EXPORT": (("name", "value"), [("EXPORT_SCHEMA_VERSION", "3.20.2")]),
    }  # fmt: skip


def nsys(devices: int = 1) -> bytes:
    """An export of Nsight Systems."""
    return database(nsys_tables(devices))


def nvvp() -> bytes:
    """A capture of nvprof, with its own table of strings."""
    columns = ("start", "end", "deviceId", "contextId", "streamId", "correlationId", "name", "registersPerThread",
               "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "staticSharedMemory",
               "dynamicSharedMemory")  # fmt: skip
    return database({
        "StringTable": (("_id_ INTEGER PRIMARY KEY", "value TEXT"), [(1, KERNEL), (2, "Tesla V100-SXM2-16GB")]),
        "CUPTI_ACTIVITY_KIND_DEVICE": (
            ("id", "name", "numMultiprocessors", "globalMemorySize", "computeCapabilityMajor",
             "computeCapabilityMinor"),
            [(0, 2, 80, 16_900_000_000, 7, 0)],
        ),
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL": (
            columns, [(1_000_000, 1_020_000, 0, 1, 7, 1, 1, 16, 8, 8, 1, 128, 1, 1, 0, 0)],
        ),
    })  # fmt: skip


def rocpd() -> bytes:
    """A database of rocprofv3."""
    sizes = tuple(f"{what}_size_{axis}" for what in ("grid", "workgroup") for axis in "xyz")
    return database({
        "rocpd_string_1a": (("id", "string"), [(1, "hipLaunchKernel"), (2, "MEMORY_COPY_HOST_TO_DEVICE")]),
        "rocpd_info_agent_1a": (("id", "type", "type_index", "product_name"), [(4, "GPU", 0, "AMD Instinct MI300X")]),
        "rocpd_info_kernel_symbol_1a": (("id", "display_name", "kernel_name"), [(9, "scale", "scale.kd")]),
        "rocpd_event_1a": (("id", "correlation_id"), [(1, 1), (2, 1), (3, 2)]),
        "rocpd_info_process_1a": (("id", "pid"), [(1, 4242)]),
        "rocpd_kernel_dispatch_1a": (
            ("start", "end", "kernel_id", "group_segment_size", "agent_id", "queue_id", "pid", "event_id", *sizes),
            [(50_000, 70_000, 9, 512, 4, 1, 1, 1, 65536, 1, 1, 256, 1, 1)],
        ),
        "rocpd_memory_copy_1a": (
            ("start", "end", "name_id", "size", "dst_agent_id", "src_agent_id", "queue_id", "pid", "event_id"),
            [(20_000, 30_000, 2, 1_000_000, 4, 1, 1, 1, 3)],
        ),
        "rocpd_region_1a": (("start", "end", "name_id", "tid", "pid", "event_id"), [(40_000, 44_000, 1, 1, 1, 2)]),
    }, "CREATE VIEW kernels AS SELECT * FROM rocpd_kernel_dispatch_1a")  # fmt: skip


def event(cat: str, name: str, ts: float, dur: float, tid: int = 1, **args: Any) -> dict[str, Any]:
    """One complete event of a PyTorch trace."""
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}


def kineto_events(steps: int = 2, gpu: int = 0, scale: float = 1.0) -> list[dict[str, Any]]:
    """A step per 200 us: a product and an addition inside an annotation, then a wait."""
    found: list[dict[str, Any]] = []
    shapes: dict[str, Any] = {"Input Dims": [[512], [256, 512], [512, 512], [], []],
              "Input type": ["c10::BFloat16"] * 3 + ["Scalar"] * 2,
              "Concrete Inputs": ["", "", "", "1", "1"]}  # fmt: skip
    added: dict[str, Any] = {
        "Input Dims": [[256, 512], [256, 512], []], "Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar"],
    }  # fmt: skip
    for i in range(steps):
        t = 1000.0 + 200 * i
        place: dict[str, Any] = {
            "device": gpu, "stream": 7, "grid": [64, 2, 1], "block": [128, 1, 1], "registers per thread": 64,
            "shared memory": 49152,
        }  # fmt: skip
        a, b, c = (10 * i + k for k in (1, 2, 3))
        found += [
            event("user_annotation", f"ProfilerStep#{i}", t, 190),
            event("cpu_op", "aten::addmm", t + 5, 20, **shapes),
            event("cuda_runtime", "cudaLaunchKernel", t + 10, 5, correlation=a),
            event("kernel", GEMM, t + 20, 30 * scale, **place, correlation=a),
            event("cpu_op", "aten::add", t + 30, 10, **added),
            event("cuda_runtime", "cudaLaunchKernel", t + 32, 4, correlation=b),
            event("kernel", "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::BFloat16>>()",
                  t + 20 + 31 * scale, 10 * scale, **place, correlation=b),
            event("cuda_runtime", "cudaDeviceSynchronize", t + 45, max(20 + 41 * scale - 45, 1) + 5, correlation=c),
            {"ph": "i", "name": "noise", "ts": t}, {"ph": "M", "name": "process_name", "args": {"name": "python"}},
        ]  # fmt: skip
    return found


def kineto(steps: int = 2, gpu: str = "NVIDIA A100-SXM4-80GB", **more: Any) -> bytes:
    """A PyTorch trace."""
    head = {
        "schemaVersion": 1,
        "deviceProperties": [{"id": 0, "name": gpu, "totalGlobalMem": 85_000_000_000, "computeMajor": 8,
                              "computeMinor": 0, "numSms": 108}],
        "traceEvents": kineto_events(steps),
    }  # fmt: skip
    return json.dumps(head | more).encode()


NSYS_GPU_TRACE = (
    "Processing [report.sqlite] with [cuda_gpu_trace.py]...\n"
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
    "1000,30000,1,,,,,,,,,,4.000,133.3,Pageable,Device,NVIDIA A100-SXM4-80GB (0),1,,7,[CUDA memcpy Host-to-Device]\n"
    '40000,20000,2,64,1,1,256,1,1,32,0.000,0.001,,,,,NVIDIA A100-SXM4-80GB (0),1,,7,"scale(float *, int)"\n'
)
NSYS_SUMMARY = (
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n"
    '60.0,30000,3,10000.0,9000.0,8000,13000,5.0,"  64    1    1"," 256    1    1","scale(float *, int)"\n'
)
ROCPROF_SUMMARY = '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"scale(float*, int)",2,4000,2000,100\n'
ROCPROFV3 = (
    '"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id",'
    '"Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","SGPR_Count","Workgroup_Size_X",'
    '"Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"\n'
    '"KERNEL_DISPATCH","Agent 4",1,77,1,9,"scale(float*, int)",5,1000000,1020000,512,0,32,16,256,1,1,65536,1,1\n'
    '"KERNEL_DISPATCH","Agent 4",1,77,2,9,"scale(float*, int)",6,1021000,1042000,512,0,32,16,256,1,1,65536,1,1\n'
)
ROCPROFV3_API = (
    '"Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"\n'
    '"HIP_RUNTIME_API","hipLaunchKernel",9,77,5,990000,995000\n'
    '"HIP_RUNTIME_API","hipLaunchKernel",9,77,6,996000,998000\n'
    '"HIP_RUNTIME_API","hipDeviceSynchronize",9,77,7,999000,1050000\n'
)
ROCPROFV3_AGENTS = (
    '"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Name","Product_Name"\n'
    '0,0,"CPU",0,"EPYC","EPYC"\n4,4,"GPU",304,"gfx942","AMD Instinct MI300X"\n'
)
ROCPROF_RESULTS = (
    '"Index","KernelName","gpu-id","queue-id","queue-index","pid","tid","grd","wgr","lds","scr","arch_vgpr",'
    '"accum_vgpr","sgpr","wave_size","sig","obj","DispatchNs","BeginNs","EndNs","CompleteNs","DurationNs"\n'
    '0,"scale(float*, int) [clone .kd]",1,0,0,9,9,65536,256,0,0,8,0,16,64,"0x0","0x7f",100,200,20200,20400,20000\n'
)
NVPROF_TRACE = (
    "==9== NVPROF is profiling process 9, command: ./a\n==9== Profiling result:\n"
    '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem",'
    '"Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"\n'
    "ms,us,,,,,,,,B,B,MB,GB/s,,,,,,\n"
    '1.0,100.0,,,,,,,,,,1.0,10.0,"Pageable","Device","Tesla V100-SXM2-16GB (0)","1","7","[CUDA memcpy HtoD]"\n'
    '1.2,50.0,64,1,1,256,1,1,32,0,0,,,,,"Tesla V100-SXM2-16GB (0)","1","7","scale(float*, int) [101]"\n'
)

TIMELINE_SAMPLES: dict[str, tuple[bytes, ...]] = {
    "nsys-sqlite": (nsys(), nsys(2), nvvp()),
    "rocpd": (rocpd(),),
    "kineto": (kineto(), json.dumps(kineto_events()).encode()),
    "nsys-stats": (NSYS_GPU_TRACE.encode(), NSYS_SUMMARY.encode(), ROCPROF_SUMMARY.encode()),
    "rocprof-trace": (ROCPROFV3.encode(), ROCPROF_RESULTS.encode()),
}
