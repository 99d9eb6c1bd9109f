"""Ceilings through the real cuda-core, against a driver library that runs kernels on the CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roofcast.sass.toolkit import wheel_file
from roofcast_measure import shim
from roofcast_measure.ceilings import kernel_texts as texts
from roofcast_measure.driver import Source
from roofcast_measure.timing import SERVICE

pytestmark = pytest.mark.slow

FAKE = Path(__file__).with_name("fake_libcuda.cpp")
ON_CPU = {
    "arithmetic": ("fma_fp64", "fma_fp32", "mad_int32"), "streams": texts.KERNELS["streams"],
    "caches": ("l2", "l2_write"), "latency": ("build", "chase_ca", "chase_cg", "chase_lines"), "atomics": ("atomics",),
    "products": ("product_fp32",),
}  # fmt: skip
"""What is plain C++: the rest asks for instructions that no CPU has."""
PROGRAM = """
import json
from roofcast_measure import cuda_driver, timing
from roofcast_measure.ceilings import compute, entry, host, latencies, memory, run, kernel_texts as sources
sources.KERNELS = dict.fromkeys(sources.KERNELS, ()) | ON_CPU
compute.SIDE_QUICK = 128
latencies.QUEUEING_S = 1e-4
memory.ARRAY_BYTES_QUICK = 2**20
driver = cuda_driver.open_driver()
side = host.host_of(driver)
measured = run.run_ceilings(driver, side, effort=timing.Effort(2, 1e-5, 0.0))
text = entry.text_of(measured, "fake.toml", None)
side.close()
said = {"found": {c.quantity: c.value for c in measured.ceilings}, "failed": measured.failed, "limits": measured.limits,
        "state": str(measured.state), "text": text, "leaked": driver.info.capacity_bytes_dram - driver.free_bytes()}
driver.close()
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def environment(compiler: str, nvrtc: None, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What makes a process find the fake driver."""
    pytest.importorskip("cuda.core")
    header = wheel_file("cuda_runtime", "include/cuda.h")
    if header is None or sys.platform != "linux":
        pytest.skip("CUDA's headers (nvidia-cuda-runtime-cu12) and Linux are needed")
    folder = tmp_path_factory.mktemp("driver")
    sources = [Source(name, texts.source(name, 80).text, kernels) for name, kernels in ON_CPU.items()]
    (folder / "suite.so").write_bytes(shim.build([*sources, SERVICE]))
    command = [compiler, "-std=c++17", "-O0", "-shared", "-fPIC", "-w", f"-I{header.parent}", str(FAKE), "-ldl"]
    subprocess.run([*command, "-o", str(folder / "libcuda.so.1")], check=True, timeout=120)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "ROOFCAST_FAKE_SHIM": str(folder / "suite.so")}


def test_the_flow_runs_through_cuda_core(environment: dict[str, str]) -> None:
    code = f"ON_CPU = {ON_CPU!r}\n{PROGRAM}"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    found = said["found"]
    wanted = {
        *(f"bytes_dram:{k}" for k in ("init", "read", "copy", "scale", "triad", "gather")),
        *(f"bytes_host_link:{d}" for d in ("h2d", "d2h", "bidirectional")), "bytes_l2:read", "bytes_l2:write",
        "atomics_l2:distinct", "latency_cycles:dram", "latency_cycles:l2", "launch_floor:stream", "launch_floor:graph",
        "flops_fp64:fma", "flops_fp32:matmul_own", "ops_int32:mad",
    }  # fmt: skip
    assert wanted <= found.keys(), said["failed"]
    assert all(v > 0 for v in found.values())
    assert said["limits"] == {"warp_size": 32, "max_threads_per_sm": 512}
    assert said["state"].startswith("State(ecc=None")
    assert said["leaked"] == 0
    assert 'name = "Fake A100 (measured)"' in said["text"]
    assert all("\n" not in line for line in said["failed"])
