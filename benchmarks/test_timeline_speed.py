"""Reading and forecasting long traces: processor time and peak memory of the command, in a process of its own."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

KERNELS_JSON = 60_000
KERNELS_SQLITE = 500_000


def trace(path: Path, kernels: int) -> None:
    """A PyTorch trace of 2.7 kB per kernel: Python frames, an operator with shapes, a launch, a kernel, its flow."""
    shapes = {"Input Dims": [[512], [141, 512], [512, 512]], "Input type": ["c10::BFloat16"] * 3}
    place = {"device": 0, "stream": 7, "grid": [16, 5, 1], "block": [128, 1, 1], "registers per thread": 64}
    with path.open("w") as file:
        file.write('{"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": [\n')
        for i in range(kernels):
            t, host = 1e9 + 40.0 * i, {"ph": "X", "pid": 1, "tid": 1}
            events = [
                host | {"cat": "python_function", "name": "nn.Module: Linear", "ts": t + 0.1 * j, "dur": 35,
                        "args": {"Python id": 8 * i + j, "Python parent id": 8 * i + j - 1, "Ev Idx": i}}
                for j in range(8)
            ]  # fmt: skip
            events += [
                host | {"cat": "cpu_op", "name": "aten::addmm", "ts": t + 2, "dur": 20, "args": shapes},
                host | {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": t + 9, "dur": 5,
                        "args": {"correlation": i + 1}},
                {"ph": "X", "cat": "kernel", "name": f"sgemm_{i % 50}" + "x" * 200, "pid": 0, "tid": 7, "ts": t + 16,
                 "dur": 12, "args": place | {"correlation": i + 1}},
                {"ph": "f", "id": i, "pid": 0, "tid": 7, "ts": t + 16, "cat": "ac2g", "name": "ac2g", "bp": "e"},
            ]  # fmt: skip
            file.write((",\n" if i else "") + ",\n".join(map(json.dumps, events)))
        file.write("\n]}\n")


def export(path: Path, kernels: int) -> None:
    """An Nsight Systems export with one call per kernel."""
    columns = "start, end, deviceId, streamId, correlationId, globalPid, demangledName"
    columns += "".join(f", {what}{axis}" for what in ("grid", "block") for axis in "XYZ")
    with sqlite3.connect(path) as connection:
        connection.executescript(
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
            "CREATE TABLE TARGET_INFO_GPU (id, name, cuDevice, smCount, totalMemory);"
            f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({columns});"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
        )
        connection.execute("INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA A100-SXM4-80GB', 0, 108, 85e9)")
        connection.executemany(
            "INSERT INTO StringIds VALUES (?, ?)", [*((i, f"k{i}()") for i in range(300)), (999, "cudaLaunchKernel")]
        )
        connection.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, ?, ?, 1, ?, 64, 1, 1, 256, 1, 1)",
            ((10_000 * i + 6000, 10_000 * i + 14_000, 7 + i % 3, i + 1, i % 300) for i in range(kernels)),
        )
        connection.executemany(
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 1, ?, 999)",
            ((10_000 * i, 10_000 * i + 4000, i + 1) for i in range(kernels)),
        )
    connection.close()


def cost(path: Path) -> tuple[float, float]:
    """Processor seconds and the largest resident set of all children so far, in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = str(Path(sys.executable).with_name("roofcast"))
    subprocess.run([program, "app", str(path), "--to", "B200"], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, after.ru_maxrss / 1024


def test_a_long_pytorch_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    trace(path, KERNELS_JSON)
    spent, peak = cost(path)
    size = path.stat().st_size / 1e6
    print(f"{size:.0f} MB of JSON: {spent:.1f} s of processor time ({size / spent:.0f} MB/s), {peak:.0f} MB")
    assert peak < 500
    assert spent < size / 8


def test_a_long_export(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    export(path, KERNELS_SQLITE)
    spent, peak = cost(path)
    print(f"{KERNELS_SQLITE:,} kernels: {spent:.1f} s of processor time, {peak:.0f} MB")
    assert peak < 1000
    assert spent < 40e-6 * KERNELS_SQLITE
