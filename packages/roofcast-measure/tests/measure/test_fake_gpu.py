"""The real cuda-core against a driver without a GPU: what is called, is called as its interface asks.

``fake_libcuda.cpp`` is the driver; a process of its own runs on it, because a driver is found once per process.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roofcast.sass.toolkit import wheel_file
from roofcast_measure import shim, suite
from roofcast_measure.driver import Source
from roofcast_measure.timing import SERVICE

pytestmark = pytest.mark.slow

FAKE = Path(__file__).with_name("fake_libcuda.cpp")
NAMES = ("saxpy", "matmul_tiled", "hydro1d", "fdtd2d_polybench")
PROGRAM = """
import json
import numpy as np
from roofcast.core.errors import RoofcastError
from roofcast_measure import cuda_driver, running, suite
from roofcast_measure.driver import Source
from roofcast_measure.timing import Effort

driver = cuda_driver.open_driver()
programs = [running.shrunk(suite.load(n), [suite.load(n).check]) for n in NAMES]
result = running.run_suite(driver, programs, effort=Effort(2, 1e-6, 0.0))
said = {"rows": len(result.table), "refused": result.refused, "deviations": dict(result.deviations),
        "regs": result.table.column("regs_per_thread").tolist(), "gpu": result.table.strings("gpu")[0],
        "sms": driver.info.sm_count, "cc": driver.info.compute_capability, "peak": driver.info.bytes_per_s_dram_peak,
        "leaked": driver.info.capacity_bytes_dram - driver.free_bytes(), "errors": []}
def fail():
    loaded = driver.load(Source("stop", 'extern "C" __global__ void stop() { __syncthreads(); }', ("stop",)))
    running.run_now(driver, [cuda_driver.Launch(loaded["stop"], (1,), (1,))])
for wrong in (
    lambda: driver.allocate(2**40),
    lambda: driver.load(Source("none", 'extern "C" __global__ void none() {}', ("none",))),
    lambda: cuda_driver.open_driver(1),
    fail,
):
    try:
        wrong()
    except RoofcastError as error:
        said["errors"].append(str(error))
there, turned = driver.allocate(24), np.arange(6, dtype=np.int32).reshape(2, 3).T
back = np.zeros((3, 2), np.int32)
driver.upload(there, turned)
driver.download(there, back)
said["turned"] = back.tolist()
driver.close()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def environment(compiler: str, nvrtc: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What makes a process find the fake driver."""
    pytest.importorskip("cuda.core")
    header = wheel_file("cuda_runtime", "include/cuda.h")
    if header is None:
        pytest.skip("CUDA's headers are not installed (nvidia-cuda-runtime-cu12)")
    folder = tmp_path_factory.mktemp("driver")
    # A kernel whose barrier the shim does not expect: it answers with a failed launch.
    stop = Source("stop", '#undef __syncthreads\nextern "C" __global__ void stop() { shim::failed = true; }', ("stop",))
    (folder / "suite.so").write_bytes(shim.build([*(suite.load(n).code for n in NAMES), SERVICE, stop]))
    command = [compiler, "-std=c++17", "-O0", "-shared", "-fPIC", "-w", f"-I{header.parent}", str(FAKE), "-ldl"]
    subprocess.run([*command, "-o", str(folder / "libcuda.so.1")], check=True, timeout=120)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "ROOFCAST_FAKE_SHIM": str(folder / "suite.so")}


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("g++"), reason="needs Linux and g++")
def test_the_suite_runs_through_cuda_core(environment: dict[str, str]) -> None:
    code = f"NAMES = {NAMES!r}\n{PROGRAM}"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert said["rows"] == 2 * (1 + 1 + 10 + 3)
    assert said["refused"] == []
    assert all(off <= suite.load(n).tolerance for n, off in said["deviations"].items())
    assert set(said["regs"]) == {24.0}
    assert (said["gpu"], said["sms"], said["cc"]) == ("Fake A100", 2, "8.0")
    assert said["peak"] == pytest.approx(1.555e12, rel=1e-3)
    assert said["leaked"] == 0
    memory, missing, number, launch = said["errors"]
    assert "CUDA_ERROR_OUT_OF_MEMORY" in memory
    assert missing.startswith("loading none failed on the GPU")
    assert "the driver knows one GPU" in number
    assert launch.startswith("a launch failed on the GPU")
    assert said["turned"] == [[0, 3], [1, 4], [2, 5]], "a view goes over as its elements are read"
