"""Rows of CUDA kernels as people write them: bytes and operations derived by hand, a few blocks run."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from roofcast.__main__ import main
from roofcast_hull.source.c_files import count_launches
from roofcast_hull.source.classify import classify_source
from roofcast_hull.source.code_rows import derive_row
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
HERE = Path(__file__).parent
EXPECTED: dict[str, dict[str, float]] = tomllib.loads((HERE / "launches.toml").read_text(encoding="utf-8"))


def derive(name: str) -> dict[str, Any]:
    text = (HERE / "launches" / f"{name}.cu").read_text(encoding="utf-8")
    return derive_row(text, next(iter(count_launches(text))), launch=0)


@pytest.mark.parametrize("name", EXPECTED)
def test_amounts_are_those_derived_by_hand(name: str) -> None:
    row, expected = derive(name), EXPECTED[name]
    # Of a step that leaves most blocks idle, the blocks that run are a sample.
    assert row["bytes_dram"] == pytest.approx(expected["bytes_dram"], rel=0.15 if name == "gaussian_fan2" else 0.03)
    if "flops" in expected:
        flops = sum(float(row.get(f"flops_{kind}") or 0) for kind in ("fp64", "fp32", "fp16"))
        assert flops == pytest.approx(expected["flops"], rel=0.05)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("bfs_level", "data decide how often this loop runs")],
)
def test_what_is_not_followed_is_said(name: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        derive(name)


def test_random_numbers_are_made_by_what_makes_them() -> None:
    """65,536 threads draw 10,000 times two numbers: a product and a sum each, two squares and a sum (flops of FP32)."""
    row = derive("monte_pi")
    assert row["flops_fp32"] == pytest.approx(65536 * 10_000 * 7, rel=0.01)
    # XORWOW: three shifts, four exclusive ors, two sums; a sequence of its own for each thread.
    assert row["ops_int32"] == pytest.approx(65536 * (10_000 * 2 * 9 + 20_000), rel=0.06)


WITHOUT_CLASS = """
__global__ void spread(const int *ids, const float *table, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = ids[i] ? ids[i] * 31 % n : i;
    at = at ^ ids[at];
    out[at] = table[at] + 1.0f;
}
int main() {
    const int n = 1 << 24;
    int *ids;
    float *table, *out;
    cudaMalloc(&ids, n * sizeof(int));
    cudaMalloc(&table, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    spread<<<n / 256, 256>>>(ids, table, out, n);
}
"""
"""All sectors of three arrays of 67 MB."""


def test_kernels_without_a_class_have_a_hull_of_what_a_run_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A place computed from data: no class, 201 MB by hand, never slower than at the peak."""
    path = tmp_path / "spread.cu"
    path.write_text(WITHOUT_CLASS, encoding="utf-8")
    with pytest.raises(SourceError, match="data decide"):
        classify_source(str(path))
    [found] = classify_source(str(path), counted=True)
    assert "data decide" in found.no_class
    parts = (*found.found.inputs, *found.found.outputs)
    assert sum(p.elements for p in parts) * (found.element_bytes or 4) == pytest.approx(201.3e6, rel=0.01)
    assert main(["hull", "--from-source", str(path), "--format", "json"]) == 0
    [stage] = json.loads(capsys.readouterr().out)
    assert (stage["class"], "data decide" in stage["why_no_class"]) == (None, True)
    assert main(["hull", "--from-source", str(path), "--on", "H100 SXM5 80GB", "--format", "json"]) == 0
    [answer] = json.loads(capsys.readouterr().out)
    assert answer["total_low_s"] >= 201.3e6 / 3.36e12
    assert answer["stages"][0]["class"] is None


def test_the_check_runs_code_with_its_own_blocks() -> None:
    """A tile of 32 x 32 that 32 x 8 threads copy is right at these blocks alone."""
    [found] = classify_source(str(HERE / "launches" / "transpose_tile.cu"))
    assert str(found.found) == "unordered 4096x4096|element → 4096x4096|element"
    assert found.checked.startswith("checked at")


def launched(body: str, call: str = "k<<<4096, 256>>>(x, y, 1 << 20)", before: str = "") -> str:
    return f"""{before}
__global__ void k(const float *x, float *y, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
int main() {{
    float *x, *y;
    cudaMalloc(&x, (1 << 20) * sizeof(float));
    cudaMalloc(&y, (1 << 20) * sizeof(float));
    {call};
}}
"""


N = 1 << 20


def test_kernels_that_macros_make_and_templates_of_conditions() -> None:
    before = """
#define EACH(name, ...) __global__ void name(const float *x, float *y, __VA_ARGS__) { \\
    int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] = scale<FACTOR == 3>(x[i]); }
#define FACTOR 3
template <bool TWICE> __device__ float scale(float v) { return TWICE ? 2.0f * v : v; }
EACH(made, int n)
"""
    text = launched("y[i] = x[i];", "made<<<4096, 256>>>(x, y, 1 << 20)", before)
    row = derive_row(text, "made")
    assert (row["bytes_dram"], row["flops_fp32"]) == (8 * N, N)


def test_both_sides_of_a_branch_store_once() -> None:
    row = derive_row(launched("if (x[i] > 0.0f) y[i] = x[i]; else y[i] = 0.1f * x[i];"), "k")
    assert (row["bytes_dram"], row["bytes_l2"]) == (8 * N, 8 * N)


def test_a_launch_in_a_loop_of_the_host_is_that_of_half_way() -> None:
    call = "for (int s = 1; s < 1024; s *= 2) k<<<4096, 256>>>(x, y, s)"
    row = derive_row(launched("if (i % n == 0) y[i] = x[i];", call), "k", launch=0)
    # s is 32: of 8 lanes in a row none or one works, and each asks for a sector.
    assert row["bytes_l2"] == 2 * 32 * N / 32
    assert any("loop of the host" in str(n) for n in row["notes"])  # type: ignore[attr-defined]


def test_the_first_level_holds_what_was_asked_for_last() -> None:
    """A column of a tile is read again by each of its lines, and what lies further back than L1 is long is not."""
    near = derive_row(launched("float s = 0; for (int r = 0; r < 8; r++) s += x[(i / 8) * 8 + r]; y[i] = s;"), "k")
    assert near["bytes_l2"] == 8 * N
    far = (
        "float s = 0; for (int r = 0; r < 64; r++) for (int c = 0; c < 64; c++) s += x[(r * 16384 + c * 256 + i) % n];"
    )
    assert float(str(derive_row(launched(f"{far} y[i] = s;"), "k")["bytes_l2"])) > 4096 * 1024 * 4096 * 0.9


def test_sizes_of_arrays_are_as_far_as_indices_go() -> None:
    text = launched("y[i] = x[i % 1000];").replace("cudaMalloc(&x, (1 << 20) * sizeof(float));", "")
    row = derive_row(text, "k")
    assert row["bytes_dram_read"] == pytest.approx(4000, rel=0.01)


@pytest.mark.parametrize(
    ("grid", "read", "elements"),
    [
        # Of 512 rows each 64 read one row again; a row of each image stands at 64 filters; tiles come back.
        ("dim3(8, 512)", "x[(blockIdx.y / 64) * 2048 + i]", 8 * 2048),
        ("dim3(8, 1, 512)", "x[(blockIdx.z / 64) * 2048 + i]", 8 * 2048),
        ("dim3(8, 1, 512)", "x[(blockIdx.z % 64) * 2048 + i]", 64 * 2048),
        ("4096", "x[(blockIdx.x / 8 % 64) * 256 + threadIdx.x]", 64 * 256),
        ("4096", "x[i % 16384]", 16384),
        ("dim3(8, 512)", "x[((blockIdx.y + 3) >> 4) * 2048 + i]", 33 * 2048),
    ],
)
def test_blocks_that_read_the_same_rows_read_them_once(grid: str, read: str, elements: int) -> None:
    """Quotients and remainders of block numbers, which neighbours in the grid alone do not show."""
    place = "((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x"
    text = launched(f"y[{place}] = {read};", f"k<<<{grid}, 256>>>(x, y, 1 << 20)")
    assert derive_row(text, "k")["bytes_dram_read"] == pytest.approx(4 * elements, rel=0.05)
