"""What is computed in stages: classes, bounds, how code is recognised; products of tiles in Triton as rows."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from roofcast.catalog import gpu
from roofcast_hull.bounds import Assumptions, Settings
from roofcast_hull.classes import count_stages, default_complexity, find_family
from roofcast_hull.hull import find_bounds
from roofcast_hull.notation import ClassTextError, parse_class

STAGED = Path(__file__).parent / "codes" / "staged"


def line(text: str, key: str, *, floor: bool = False, settings: Settings | None = None) -> float:
    """Seconds of one bound on an A100."""
    bounds = find_bounds(parse_class(text), gpu("A100-SXM4-80GB"), settings or Settings(assume=Assumptions(warm=False)))
    return next(x.seconds for x in (bounds.floors if floor else bounds.hull) if x.key == key)


@pytest.mark.parametrize(
    ("text", "family", "units", "stages", "complexity"),
    [
        ("1048576|full -> 1048576|scan", "scan", 1 << 20, 1, 1),
        ("4096x1000|tile(1x1000) -> 4096x1000|scan(1x1000)", "scan", 4096000, 1, 1),
        ("1048576|full -> 1048576|sort", "sort", 1 << 20, 20, 1),
        ("64x4096|tile(1x4096) -> 64x4096|fft(1x4096)", "fft", 1 << 18, 12, 5),
        ("8x6|tile(1x6) & 8x6|tile(1x6) & 9|gather(6) -> 8|element", "sparse-rows", 8, 6, 2),
        ("3x8x4|tile(1x1x4) & 3x4x6|tile(1x4x1) -> 3x8x6|element", "product", 144, 4, 2),
    ],
)
def test_variables(text: str, family: str, units: int, stages: int, complexity: float) -> None:
    found = parse_class(text)
    variables = find_family(found).variables(found)
    assert find_family(found).key == family
    assert (variables.work_units, variables.applications_per_unit) == (units, stages)
    assert default_complexity(found) == complexity


def test_a_whole_array_is_written_without_sizes() -> None:
    assert str(parse_class("64|full -> 64|scan(64)")) == "64|full → 64|scan"
    assert parse_class("64|tile(8) -> 64|scan(8) & 8|element").outputs[0].units == 8


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("64|scan -> 64|element", "an input cannot be 'scan'"),
        ("64|tile(8) -> 64|sort(7)", "do not divide"),
        ("64|tile(8) -> 64|fft(16)", "units of input cannot become"),
        ("64|full -> 64|scn", "did you mean 'scan'"),
    ],
)
def test_what_is_no_class(text: str, says: str) -> None:
    with pytest.raises(ClassTextError, match=says):
        parse_class(text)


def test_running_sums_pass_memory_once_and_in_the_floor_once_for_each_stage() -> None:
    text = "16777216|full -> 16777216|scan"
    once = line("16777216|element -> 16777216|element", "m0")
    assert line(text, "m0") == pytest.approx(once)
    processor = gpu("A100-SXM4-80GB")
    launches = 23 * (processor.launch_floor_s or 0.0)
    assert line(text, "s1", floor=True) == pytest.approx(24 * once + launches)


def test_orders_pass_memory_as_often_as_what_is_on_chip_asks_for() -> None:
    # 40 MB of L2 hold 10 million keys of 4 B, 2^23.3: 2^24 keys take two passes, 2^20 one.
    once = line("16777216|element -> 16777216|element", "m0")
    assert line("16777216|full -> 16777216|sort", "m0") == pytest.approx(2 * once)
    assert line("1048576|full -> 1048576|sort", "m0") == pytest.approx(line("1048576|element -> 1048576|element", "m0"))


def test_elements_of_transforms_are_complex_numbers() -> None:
    real = line("4096x1024|tile(1x1024) -> 4096x1024|sort(1x1024)", "m0")
    assert line("4096x1024|tile(1x1024) -> 4096x1024|fft(1x1024)", "m0") == pytest.approx(2 * real)
    stated = Settings(mean_bytes=4.0, assume=Assumptions(warm=False))
    text = "4096x1024|tile(1x1024) -> 4096x1024|fft(1x1024)"
    assert line(text, "m0", settings=stated) == pytest.approx(real)


def test_stages() -> None:
    sizes = [2, 3, 1000, 1024, 1025]
    found = [count_stages(parse_class(f"{n}|full -> {n}|sort").outputs[0]) for n in sizes]
    assert found == [math.ceil(math.log2(n)) for n in sizes]


pycparser = pytest.importorskip("pycparser", reason="the extra 'source' is not installed")

from roofcast_hull.source import code_rows  # noqa: E402
from roofcast_hull.source.classify import classify_source, classify_text  # noqa: E402
from roofcast_hull.source.nest import SourceError  # noqa: E402

SCAN = """
__global__ void scan(const float *in, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int d = 1; d < LAST; d *= 2) {
        float v = t >= d ? s[t - d] : 0.0f;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = s[t]CHANGE;
}
int main() {
    float *in, *out;
    cudaMalloc(&in, 65536 * sizeof(float));
    cudaMalloc(&out, 65536 * sizeof(float));
    scan<<<512, 128>>>(in, out);
}
"""


def test_a_scan_is_told_by_what_it_computes() -> None:
    [found] = classify_text_or_staged(SCAN.replace("LAST", "128").replace("CHANGE", ""))
    assert str(found.found) == "65536|tile(128) → 65536|scan(128)"
    assert "run on numbers" in found.checked


@pytest.mark.parametrize(
    ("loaded", "stored"),
    [("t > 0 ? in[blockIdx.x * 128 + t - 1] : 0.0f", "s[t]"), ("in[blockIdx.x * 128 + t]", "(t ? s[t - 1] : 0.0f)")],
)
def test_an_exclusive_scan_has_runs_of_whole_blocks(loaded: str, stored: str) -> None:
    """Whether or not it reads the last element of a block, which no sum holds."""
    code = SCAN.replace("LAST", "128").replace("in[blockIdx.x * 128 + t];", f"{loaded};").replace("s[t]CHANGE", stored)
    [found] = classify_text_or_staged(code)
    assert str(found.found) == "65536|tile(128) → 65536|scan(128)"


@pytest.mark.parametrize(("last", "change"), [("64", ""), ("128", " + 0.01f * t"), ("128", " * in[0]")])
def test_what_differs_from_a_scan_is_none(last: str, change: str) -> None:
    # Blocks compute something else together.
    [found] = classify_text_or_staged(SCAN.replace("LAST", last).replace("CHANGE", change))
    assert "tile(1x128) → 512x128|tile(1x128)" in str(found.found)


def classify_text_or_staged(text: str) -> list:  # type: ignore[type-arg]
    """Classes of the kernel of a text, however they are told."""
    from roofcast_hull.source.classify import classify_or_count

    return classify_or_count(text, "c", {}, "scan", False)


def test_loops_over_data_keep_their_recurrences() -> None:
    code = "void f(const float *x, float *y) { for (int i = 1; i < 4096; i++) y[i] = 0.5f * y[i - 1] + x[i]; }"
    with pytest.raises(SourceError, match="serial"):
        classify_text(code)


# Triton: bytes, operations and shared memory by hand. (M K + K N) of 2 B are read, M N written, 2 M N K operations;
# tiles of 128 x 32 and 32 x 128 in three stages. The second in FP32, which matrix units read as TF32, 16 x 12 tiles of
# 64 x 64. Attention: three passes over Z H T D of 2 B and one back, 4 Z H T^2 D operations.
PRODUCTS = {
    "gemm": {
        "flops_tensor_fp16": 2 * 4096 * 1024 * 2048, "bytes_dram_read": 2 * (4096 * 2048 + 2048 * 1024),
        "bytes_dram_write": 2 * 4096 * 1024, "smem_bytes_per_block": 3 * 2 * 2 * 128 * 32, "grid_blocks": 32 * 8,
        "block_threads": 256,
    },
    "gemm_blocks": {
        "flops_tensor_tf32": 2 * 1024 * 768 * 512, "bytes_dram_read": 4 * (1000 * 512 + 512 * 768),
        "bytes_dram_write": 4 * 1000 * 768, "smem_bytes_per_block": 2 * 2 * 4 * 64 * 32, "grid_blocks": 16 * 12,
        "block_threads": 128,
    },
    "attention": {
        "flops_tensor_bf16": 4 * 64 * 2048**2 * 64, "bytes_dram_read": 3 * 64 * 2048 * 64 * 2,
        "bytes_dram_write": 64 * 2048 * 64 * 2, "smem_bytes_per_block": 2 * 64 * (128 + 3 * 2 * 64),
        "grid_blocks": 16 * 64, "block_threads": 128,
    },
}  # fmt: skip


def test_products_of_tiles_in_triton_are_rows() -> None:
    file = STAGED / "triton_products.py"
    with file.open("rb") as stream:
        table = code_rows.read(stream, file.name)
    assert list(map(str, table.strings("kernel"))) == list(PRODUCTS)
    for at, (kernel, wanted) in enumerate(PRODUCTS.items()):
        for column, value in wanted.items():
            assert float(table.column(column)[at]) == pytest.approx(value, rel=0.03), (kernel, column)


def test_scans_sorts_and_atomics_of_triton_are_rows() -> None:
    """4096 rows of 1000, 8192 of 512 in 45 steps of a network, 5 million of two arrays into 4096 sums."""
    file = STAGED / "triton_more.py"
    with file.open("rb") as stream:
        table = code_rows.read(stream, file.name)
    moved = table.column("bytes_dram").tolist()
    assert moved == pytest.approx([8 * 4096 * 1000, 8 * 8192 * 512, 8 * 5_000_000 + 2 * 4 * 4096], rel=0.01)
    flops = table.column("flops_fp32").tolist()
    assert flops[:2] == pytest.approx([2 * 4096 * 1000, 45 * 8192 * 512], rel=0.01)
    assert table.column("atomics_l2").tolist()[2] == pytest.approx(5_000_000, rel=0.01)


def test_instructions_of_matrix_units_are_few() -> None:
    file = STAGED / "triton_products.py"
    with file.open("rb") as stream:
        table = code_rows.read(stream, file.name)
    assert any("the first of 2 configurations" in flag for flag in table.flags[0])
    issued, loads = (float(table.column(c)[0]) for c in ("insts_issued", "insts_lsu"))
    assert issued - loads < 2 * PRODUCTS["gemm"]["flops_tensor_fp16"] / 4096


@pytest.mark.parametrize("name", ["running", "spectrum", "order_rows", "largest_so_far"])
def test_calls_of_numpy_say_that_they_are_not_checked(name: str) -> None:
    [found] = classify_source(f"{STAGED}/arrays.py:{name}")
    assert found.checked.startswith("not checked: a function of a library")


SUMS = {
    "ends of rows": "b[0] = 0; for (int i = 0; i < n; i++) b[i + 1] = b[i] + a[i];",
    "of squares": "int s = 0; for (int i = 0; i < n; i++) { s += a[i] * a[i]; b[i] = s; }",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SUMS)
def test_running_sums_of_c_beside_other_sizes_of_the_file(kind: str, tmp_path: Path) -> None:
    code = f"""#define OTHERS 70000
    static int keys[OTHERS], seen[16];
    void f(const int *a, int *b, int n) {{ {SUMS[kind]} }}
    int main(void) {{ int a[300], b[301]; f(a, b, 300); seen[0] = keys[0]; }}"""
    file = tmp_path / "sums.c"
    file.write_text(code)
    [scan] = classify_source(f"{file}:f")
    assert str(scan.found) == "300|full → 300|scan"
    assert scan.operations == pytest.approx(300 * (2 if kind == "of squares" else 1), rel=0.01)
