"""Long traces of a training run in the layouts of the profilers: ``python tests/long_traces.py FORMAT MB FILE``.

Forty layers per step, each with products of several shapes, attention, norms, element-wise kernels, copies, waits and
collectives; steps differ in their sequence length, so that names repeat and geometries vary. FORMAT: kineto, kineto-gpu
(GPU events alone), nsys, rocprofv3.
"""

from __future__ import annotations

import gzip
import json
import random
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, Any, NamedTuple

LAYERS = 40
PID = 0x1000400000000


class Launch(NamedTuple):
    """One kernel, and the operator that launched it."""

    operator: str
    kernel: str
    shapes: list[list[int]]
    grid: tuple[int, int, int]
    block: int
    regs: int
    smem: int
    time_us: float


def elementwise(kind: str) -> str:
    """The long name of an element-wise kernel of PyTorch."""
    functor = f"at::native::{kind}<c10::BFloat16, c10::BFloat16, float>"
    return (f"void at::native::vectorized_elementwise_kernel<4, {functor}, std::array<char*, 3ul> >"
            f"(int, {functor}, std::array<char*, 3ul>)")  # fmt: skip


def layer(tokens: int, number: int) -> list[Launch]:
    """The kernels of one layer."""
    width = 4096
    tiles = -(-tokens // 128)
    gemm = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel"
    products = [("aten::mm", n, width) for n in (3 * width, width, 4 * width)] + [("aten::mm", width, 4 * width)]
    found = [
        Launch(op, f"{gemm}__5x_cublas", [[tokens, k], [k, n]], (tiles, n // 128, 1), 384, 168, 213_000,
               2 * tokens * n * k / 300e6)
        for op, n, k in products
    ]  # fmt: skip
    heads = 32 + number % 2
    found.append(Launch("aten::_flash_attention_forward",
                        "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::"
                        "bfloat16_t>, false, true, false, false, true, true, false, false>(Flash_fwd_params)",
                        [[1, tokens, heads, 128]] * 3, (tiles, 1, heads), 128, 255, 82_000, tokens / 40))  # fmt: skip
    found += [
        Launch(f"aten::{kind[:9].lower()}", elementwise(kind), [[tokens, width]] * 2, (tokens * width // 2048, 1, 1),
               128, 32, 0, tokens / 90)
        for kind in ("CUDAFunctor_add", "sigmoid_kernel", "BinaryFunctor_mul", "direct_copy_kernel")
    ]  # fmt: skip
    found.append(Launch("aten::native_layer_norm",
                        "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
                        "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)",
                        [[tokens, width], [], [width], [width]], (tokens, 1, 1), 256, 40, 2048,
                        tokens / 120))  # fmt: skip
    found.append(Launch("nccl:all_reduce", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                        [[tokens, width]], (24, 1, 1), 512, 96, 82_000, tokens / 30))  # fmt: skip
    return found


def launches() -> Iterator[tuple[int, int, Launch]]:
    """Endless kernels with their step and their start in nanoseconds."""
    choice = random.Random(7)
    now = 1_700_000_000_000_000
    layers = {(t, n): layer(t, n) for t in (512, 1024, 1536, 2048) for n in range(2)}
    step = 0
    while True:
        tokens = choice.choice((512, 1024, 1536, 2048))
        for number in range(LAYERS):
            for launch in layers[tokens, number % 2]:
                now += 1000 + choice.randrange(2000)
                yield step, now, launch
                now += int(1000 * launch.time_us)
        step += 1


def host_events(i: int, at_us: float, launch: Launch) -> list[dict[str, Any]]:
    """Python frame, operator with shapes, launch and flow of one kernel."""
    place = {"ph": "X", "pid": 4711, "tid": 4711}
    strides = [[s[-1] if s else 1, 1][: len(s)] for s in launch.shapes]
    return [
        place | {"cat": "python_function", "name": "nn.Module: TransformerLayer_3", "ts": at_us - 14, "dur": 12.5,
                 "args": {"Python parent id": i, "Python id": i + 1, "Ev Idx": 3 * i}},
        place | {"cat": "cpu_op", "name": launch.operator, "ts": at_us - 12, "dur": 9.25,
                 "args": {"External id": i, "Record function id": 0, "Ev Idx": 3 * i + 1, "Input Dims": launch.shapes,
                          "Input type": ["c10::BFloat16"] * len(launch.shapes), "Input Strides": strides,
                          "Concrete Inputs": [""] * len(launch.shapes)}},
        place | {"cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "ts": at_us - 8, "dur": 4.5,
                 "args": {"External id": i, "cbid": 430, "correlation": i}},
        {"ph": "s", "id": i, "pid": 4711, "tid": 4711, "ts": at_us - 8, "cat": "ac2g", "name": "ac2g"},
        {"ph": "f", "id": i, "pid": 0, "tid": 7, "ts": at_us, "cat": "ac2g", "name": "ac2g", "bp": "e"},
    ]  # fmt: skip


def write_kineto(file: IO[str], size: int, *, host: bool = True) -> int:
    """A PyTorch trace of about that many bytes; returns the number of kernels."""
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132,
            "totalGlobalMem": 84929347584, "computeMajor": 9, "computeMinor": 0}]}  # fmt: skip
    written = file.write(json.dumps(head)[:-1] + ', "traceEvents": [\n')
    last_step = -1
    begun = 0.0
    for i, (step, at, launch) in enumerate(launches(), 1):
        at_us = at / 1000
        events = host_events(i, at_us, launch) if host else []
        group = {"Collective name": "allreduce", "Group size": 8, "dtype": "BFloat16", "In msg nelems": 4194304}
        arguments = {
            "External id": i, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": i,
            "registers per thread": launch.regs, "shared memory": launch.smem, "blocks per SM": 1.5,
            "warps per SM": 6.0, "grid": list(launch.grid), "block": [launch.block, 1, 1],
            "est. achieved occupancy %": 25, **(group if launch.operator.startswith("nccl") else {}),
        }  # fmt: skip
        events.append({"ph": "X", "cat": "kernel", "name": launch.kernel, "pid": 0, "tid": 7, "ts": at_us,
                       "dur": launch.time_us, "args": arguments})  # fmt: skip
        if step != last_step and host:
            if last_step >= 0:
                events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{last_step}", "pid": 4711,
                               "tid": 4711, "ts": begun, "dur": at_us - begun - 20})  # fmt: skip
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "pid": 4711,
                               "tid": 4711, "ts": at_us - 19, "dur": 2, "args": {"correlation": 1 << 40}})  # fmt: skip
            last_step, begun = step, at_us - 15
        written += file.write((",\n" if i > 1 else "") + ",\n".join(map(json.dumps, events)))
        if written >= size:
            file.write("\n]}\n")
            return i
    return 0


NSYS_KERNELS = (
    "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, greenContextId INTEGER, streamId INTEGER, "
    "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, "
    "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
    "blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, "
    "localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId INTEGER, sharedMemoryExecuted INTEGER, "
    "graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER"
)


def write_nsys(path: Path, size: int) -> int:
    """An Nsight Systems export of about that many bytes, with the columns of schema 3.x."""
    kernels: list[tuple[Any, ...]] = []
    calls: list[tuple[Any, ...]] = []
    ranges: list[tuple[Any, ...]] = []
    strings: dict[str, int] = {}

    def text(value: str) -> int:
        return strings.setdefault(value, len(strings) + 1)

    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
            "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
            "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.20.2');"
            "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, cuDevice INTEGER, smCount INTEGER, "
            "totalMemory INTEGER);"
            "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3', 0, 132, 84929347584);"
            f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({NSYS_KERNELS});"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, "
            "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId INTEGER);"
            "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, "
            "category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, textId INTEGER, "
            "domainId INTEGER);"
        )

        def flush() -> None:
            for table, rows, width in (("KERNEL", kernels, 28), ("RUNTIME", calls, 8)):
                marks = ", ".join("?" * width)
                connection.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_{table} VALUES ({marks})", rows)
                rows.clear()
            connection.executemany(f"INSERT INTO NVTX_EVENTS VALUES ({', '.join('?' * 11)})", ranges)
            ranges.clear()
            connection.commit()

        tid = PID + 4711
        begun, last_step = 0, -1
        for i, (step, at, launch) in enumerate(launches(), 1):
            end = at + int(1000 * launch.time_us)
            name, short = text(launch.kernel), text(launch.kernel[:40])
            kernels.append((at, end, 0, 1, None, 7, i, PID, name, short, name, 1, 0, launch.regs, *launch.grid,
                            launch.block, 1, 1, 0, launch.smem, 0, 0, i, 233472, None, 1))  # fmt: skip
            calls.append((at - 9000, at - 4500, 0, tid, i, text("cudaLaunchKernelExC_v11060"), 0, None))
            calls.append((at - 4000, at - 3600, 0, tid, i + (1 << 30), text("cudaEventRecord_v3020"), 0, None))
            ranges.append((at - 12_000, at - 3000, 59, None, None, None, launch.operator, tid, None, None, 0))
            if step != last_step:
                if begun:
                    ranges.append((begun, at, 59, None, None, None, f"step {step % 10}", tid, None, None, 0))
                    calls.append(
                        (at - 20_000, at - 13_000, 0, tid, i + (1 << 31), text("cudaDeviceSynchronize_v3020"), 0, None)
                    )
                begun, last_step = at, step
            if i % (100_000 if size > 50_000_000 else 4_000) == 0:
                flush()
                if path.stat().st_size >= size:
                    break
        connection.executemany("INSERT INTO StringIds VALUES (?, ?)", [(v, k) for k, v in strings.items()])
        connection.commit()
    return i


def write_rocprofv3(file: IO[str], size: int) -> int:
    """A kernel trace of rocprofv3 of about that many bytes."""
    written = file.write(
        '"Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name",'
        '"Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count",'
        '"Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X",'
        '"Grid_Size_Y","Grid_Size_Z"\n'
    )
    for i, (_, at, launch) in enumerate(launches(), 1):
        x, y, z = launch.grid
        written += file.write(
            f'"KERNEL_DISPATCH","Agent 4",1,0,4711,{i},{len(launch.kernel)},"{launch.kernel}",{i},{at},'
            f"{at + int(1000 * launch.time_us)},{min(launch.smem, 65536)},0,{launch.regs},0,112,{launch.block},1,1,"
            f"{x * launch.block},{y},{z}\n"
        )
        if written >= size:
            return i
    return 0


def write(form: str, size: int, path: Path) -> int:
    """A trace of about that many bytes (before compression); returns its kernels."""
    if form == "nsys":
        return write_nsys(path, size)
    with gzip.open(path, "wt", compresslevel=1) if path.suffix == ".gz" else path.open("w") as file:
        if form == "rocprofv3":
            return write_rocprofv3(file, size)
        return write_kineto(file, size, host=form == "kineto")


if __name__ == "__main__":
    sys.stdout.write(f"{write(sys.argv[1], int(float(sys.argv[2]) * 1e6), Path(sys.argv[3])):,} kernels\n")
