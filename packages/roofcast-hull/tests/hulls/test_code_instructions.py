"""Instructions of rows from source code: machine code, as often as its lines ran; by hand, and where nothing tells."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from roofcast.core.columns import Origin
from roofcast.core.errors import MissingExtraError
from roofcast.core.kernel_table import Provenance
from roofcast.sass.block_runs import CALLS, DONE, RUNS, SourceWork
from roofcast.sass.toolkit import find_jit_link, load_nvrtc
from roofcast.sass.work import graph_of
from roofcast_hull.emulated.kernel_text import open_kernel
from roofcast_hull.emulated.launch import emulate
from roofcast_hull.source import code_instructions
from roofcast_hull.source.code_rows import derive_row, make_table
from roofcast_hull.source.compiled_kernels import compile_kernel, compile_text, keep_device_text

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")

SCALE = """
#include <stdint.h>
__global__ void scale(float a, const float *x, float *y, int32_t n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
DOT = """
__global__ void dot(const float *a, const float *b, float *y, int m) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int j = 0; j < m; j++) s += a[j] * b[row];
    y[row] = s;
}
"""
LINES = """
__global__ void lines(const float *in, float *out, int size)
{
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    float acc = 0.0f;
    int k = 0;
    while (k < size) {
        float v = in[k * 64 + me % 64];
        acc = fmaf(v, v, acc);
        ++k;
    }
    out[me] = acc;
}
"""
CALLED = """
__device__ float weigh(const float *p, int count, float w) {
    float sum = 0.0f;
    for (int q = 0; q < count; ++q)
        sum += w * p[q];
    return sum;
}
__global__ void both(const float *p, float *r, int count) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    r[t] = weigh(p + t, count, 2.0f);
}
"""
HALF = """
__global__ void half_of_a_warp(const float *x, float *y) {
    int lane = threadIdx.x % 32, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (lane < 16) {
        float v = x[i];
        for (int k = 0; k < 200; k++) v = v * v + 1.0f;
        y[i] = v;
    }
}
"""
TRIANGLE = """
__global__ void triangle(const float *a, float *y, int n) {
    int i = threadIdx.x;
    for (int j = 0; j < n; j++) {
        float s = 0.0f;
        for (int k = 0; k < j; k++)
            s += a[k * n + i];
        y[j * n + i] = s;
    }
}
"""
HASH = """
__global__ void hash(unsigned *y, int rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h = i;
    for (int r = 0; r < rounds; r++) h = (h ^ (h >> 13)) * 0x5bd1e995u + r;
    y[i] = h;
}
"""


@pytest.fixture(autouse=True)
def _compiler() -> None:
    try:
        load_nvrtc()
        find_jit_link()
    except MissingExtraError as error:
        pytest.skip(str(error))


def launch(blocks: int, threads: int, **sizes: int) -> dict[str, int]:
    return {"gridDim.x": blocks, "blockDim.x": threads, **sizes}


def row_of(text: str, kernel: str, sizes: dict[str, int]) -> dict[str, Any]:
    pytest.importorskip("highspy", reason="HiGHS (extra 'sass') is not installed")
    return derive_row(text, kernel, sizes)


def work_of(text: str, kernel: str, sizes: dict[str, int]) -> SourceWork:
    opened = open_kernel(text, kernel, sizes, None)
    lines = emulate(opened.tree, opened.function, opened.sizes, opened.allocated, of_lines=True).lines
    assert lines is not None
    return lines


def test_registers_and_code_are_those_of_the_compiler() -> None:
    code, why = compile_kernel(SCALE, "scale")
    assert code is not None, why
    assert 8 <= code.registers <= 24
    unknown, why = compile_kernel(SCALE.replace("a * x[i]", "a * unknown(x)"), "scale")
    assert unknown is None
    assert why
    assert "main" not in keep_device_text(SCALE + "int main() { return 0; }")


def test_directives_before_functions_of_the_host_stay() -> None:
    text = "#define TURNS 3\n#define TWO(a) \\\n (2 * (a))\nstatic void check(int c) { if (c) exit(1); }\n" + SCALE
    kept = keep_device_text(text)
    assert "TURNS 3" in kept
    assert "(2 * (a))" in kept
    assert "check" not in kept
    assert kept.count("\n") == text.count("\n")
    code, why = compile_kernel(text.replace("y[i] = a", "y[i] = TWO(TURNS) * a"), "scale")
    assert code is not None, why


def test_what_says_no_space_is_of_the_device_where_kernels_use_it() -> None:
    text = (
        "static const float WEIGHTS[2] = {1.0f, 2.0f};\nconstexpr float twice(float v) { return 2.0f * v; }\n" + SCALE
    )
    code, why = compile_kernel(text.replace("= a *", "= WEIGHTS[i & 1] * twice(a) *"), "scale")
    assert code is not None, why


def test_code_of_one_way_runs_once() -> None:
    row = row_of(SCALE, "scale", launch(64, 128, n=64 * 128))
    cubin, _ = compile_text(SCALE)
    assert cubin is not None
    (function,) = (f for f in cubin.functions if f.is_kernel)
    names = graph_of(cubin, function).code.name.tolist()
    once = len(names) - names[::-1].index("EXIT")
    assert row["insts_issued"] == row["insts_executed"] == 64 * 4 * once
    assert row["insts_fp32_fma"] == 64 * 128
    assert row["threads_per_inst"] == 32


@pytest.mark.parametrize("turns", [1, 3, 4, 5, 16, 23, 1000])
@pytest.mark.parametrize(("text", "kernel", "name"), [(DOT, "dot", "m"), (LINES, "lines", "size")])
def test_copies_of_a_loop_share_its_turns(text: str, kernel: str, name: str, turns: int) -> None:
    row = row_of(text, kernel, launch(8, 64, **{name: turns}))
    assert row["insts_fp32_fma"] == pytest.approx(turns * 8 * 64, rel=0.02)
    beside = row["insts_issued"] / (8 * 2) - turns
    assert 10 <= beside <= 60 + 6 * turns


def test_lines_of_a_function_belong_to_the_call() -> None:
    row = row_of(CALLED, "both", launch(4, 32, count=37))
    arithmetic = row["insts_fp32_fma"] + row["insts_fp32_add"] + row["insts_fp32_mul"]
    assert arithmetic == pytest.approx(37 * 4 * 32, rel=0.03)


@pytest.mark.parametrize(("call", "least"), [("log(x[i])", 8), ("pow(x[i], 0.3)", 20), ("x[i] / (x[i] + 3.0)", 4)])
def test_functions_of_the_toolkit_go_the_usual_way(call: str, least: int) -> None:
    text = f"""
__global__ void apply(const double *x, double *y) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = {call};
}}
"""
    row = row_of(text, "apply", launch(8, 128))
    assert least <= row["insts_fp64_fma"] / (8 * 128) <= 60


def test_lanes_that_leave_a_branch_out_run_none_of_it() -> None:
    row = row_of(HALF, "half_of_a_warp", launch(16, 64))
    assert 15.9 < row["threads_per_inst"] < 18
    assert row["insts_fp32_fma"] == pytest.approx(200 * 16 * 32, rel=0.02)


def test_turns_that_differ_are_told_apart() -> None:
    work = work_of(TRIANGLE, "triangle", launch(1, 64, n=6))
    (inner,) = (place for place in work.loops if place[0] == 6)
    assert work.loops[inner] == {float(t): 1.0 for t in range(6)}
    assert work.turns(inner) == 2.5
    assert [place[0] for place in work.around[7]] == [4, 6]


def test_what_lines_do_is_counted() -> None:
    work = work_of(DOT, "dot", launch(2, 64, m=40))
    assert work.amounts[5, "load global"] == pytest.approx(4 * 41)
    assert work.amounts[5, "flops_fp32"] == pytest.approx(2 * 40)
    assert work.amounts[6, "store global"] == 4
    assert work.amounts[6, RUNS] == work.amounts[6, DONE] == 1
    assert (6, CALLS) not in work.amounts
    assert work.line_of(6) == 6
    assert work.lanes[6] == 32


def test_instructions_that_nothing_tells_are_assumed() -> None:
    row = row_of(HASH, "hash", launch(32, 256, rounds=100))
    assert "insts_executed" not in row
    assert any("turns its compiler wrote out" in n for n in row["notes"])
    table = make_table([row, row_of(SCALE, "scale", launch(64, 128, n=8192))], Provenance())
    assert table.origin_of("insts_issued").tolist() == [Origin.ASSUMED, Origin.DERIVED]


def test_without_the_solver_instructions_are_assumed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MissingExtraError("no solver")

    monkeypatch.setattr(code_instructions, "find_runs", fail)
    row: dict[str, Any] = derive_row(SCALE, "scale", launch(64, 128, n=64 * 128))
    assert row["insts_issued"] > 0
    assert "insts_executed" not in row
    assert any("HiGHS" in n for n in row["notes"])


def test_work_that_no_blocks_do_is_missed() -> None:
    code, _ = compile_kernel(SCALE, "scale")
    assert code is not None
    pytest.importorskip("highspy", reason="HiGHS (extra 'sass') is not installed")
    work = work_of(SCALE, "scale", launch(64, 128, n=64 * 128))
    more = dataclasses.replace(work, amounts={**work.amounts, (5, "store global"): 400.0})
    columns, why = code_instructions.find_instructions(code, more, 256.0, 32.0)
    assert not columns
    assert "miss" in why
