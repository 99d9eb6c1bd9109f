"""Reading machine code: at least as fast as nvdisasm writes its text, and a second look from the cache under 50 ms."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nvdisasm import CHUNK_BYTES, find_nvdisasm, parse_output
from roofcast.core.errors import MissingExtraError
from roofcast.sass.blocks import build_graph
from roofcast.sass.cubin import Cubin, Function, parse_cubin
from roofcast.sass.instructions import decode
from roofcast.sass.retarget import retarget
from roofcast.sass.toolkit import compile_to_ptx

CORPUS = Path(__file__).parents[1] / "tests" / "sass" / "corpus"
CODE_BYTES = 4 * 2**20
SECOND_LOOK_S = 0.05


@pytest.fixture(scope="module")
def large() -> Cubin:
    """A binary with 4 MB of real code: the corpus again and again, as functions of their own."""
    try:
        find_nvdisasm()
        cubin = parse_cubin(retarget((compile_to_ptx((CORPUS / "arithmetic.cu").read_bytes(), "a.cu"),), 80))
    except MissingExtraError as error:
        pytest.skip(str(error))
    functions: list[Function] = []
    size = 0
    while size < CODE_BYTES:
        for found in cubin.functions:
            functions.append(Function(f"{found.name}_{len(functions)}", found.code, found.is_kernel))
            size += len(found.code)
    return Cubin(80, cubin.toolkit, tuple(functions))


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The fastest of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def test_reading_is_faster_than_nvdisasm_writes(large: Cubin, tmp_path: Path) -> None:

    nvdisasm = find_nvdisasm()
    code = b"".join(f.code for f in large.functions)
    raw = tmp_path / "code.bin"
    raw.write_bytes(code)

    def tool() -> bytes:
        return subprocess.run([nvdisasm, "-b", "SM80", "-json", str(raw)], capture_output=True, check=True).stdout

    output = tool()
    tool_s = seconds(tool, 1)
    decode_s = seconds(lambda: [decode(f.code, 80).flops_per_thread() for f in large.functions])
    graphs_s = seconds(lambda: [build_graph(f, 80) for f in large.functions], 1)
    text_s = seconds(lambda: parse_output(output, len(code) // 16))
    print(
        f"\n{len(code) / 2**20:.1f} MB, {len(code) // 16} instructions: nvdisasm {tool_s:.2f} s; "
        f"our decoder {decode_s:.3f} s (x{tool_s / decode_s:.0f}), blocks and loops {graphs_s:.2f} s "
        f"(x{tool_s / graphs_s:.1f}), parsing nvdisasm's text {text_s:.2f} s (x{tool_s / text_s:.1f})"
    )
    assert decode_s < tool_s
    assert graphs_s < tool_s
    assert text_s < tool_s


def test_memory_stays_bounded(large: Cubin) -> None:
    tracemalloc.start()
    for found in large.functions:
        np.count_nonzero(decode(found.code, 80).is_phantom)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * CHUNK_BYTES


FORECAST_S = 0.7
"""What a forecast of one report may take, its code included, once that code was seen."""


def process_seconds(report: Path, cache: Path, *options: str) -> float:
    """User and system time of one forecast and of all processes that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(Path(sys.executable).with_name("roofcast")), "forecast", str(report), "--to", "H100 SXM5 80GB"]
    environment = os.environ | {"ROOFCAST_CACHE": str(cache), "OMP_NUM_THREADS": "1"}
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def test_forecasts_with_embedded_code(tmp_path: Path) -> None:
    reports = sorted((Path(__file__).parents[2] / "shared" / "fixtures" / "ncu_rep").glob("*.ncu-rep"))
    if not reports:
        pytest.skip("real reports are absent")
    print(f"\n{'report':60} {'no code':>8} {'first':>8} {'again':>8}  [s of process time]")
    for number, report in enumerate(reports):
        cache = tmp_path / str(number)
        without = min(process_seconds(report, cache, "--no-sass") for _ in range(3))
        first = process_seconds(report, cache)
        again = min(process_seconds(report, cache) for _ in range(3))
        print(f"{report.name[:60]:60} {without:8.3f} {first:8.3f} {again:8.3f}")
        assert again < FORECAST_S
        assert again - without < SECOND_LOOK_S
