"""Whole programs without flags: classes derived by hand, launches as the host code states them, and the score."""

from __future__ import annotations

import contextlib
import re
import time
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from hulls.test_codes import is_said
from roofcast_hull.application import make_application
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.notation import parse_class
from roofcast_hull.source.c_files import read_c
from roofcast_hull.source.c_text import preprocess
from roofcast_hull.source.classify import classify_source, classify_text
from roofcast_hull.source.cuda_code import find_kernels
from roofcast_hull.source.host_code import HostReader
from roofcast_hull.source.host_numbers import UnknownNumberError, evaluate_number
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

CODES = Path(__file__).with_name("codes")
EXPECTED: dict[str, dict[str, Any]] = {
    name: expected
    for file in ("whole.toml", "fresh.toml", "unseen.toml", "staged.toml")
    for name, expected in tomllib.loads((CODES / file).read_text(encoding="utf-8")).items()
}
BORDER = 0.02
SAXPY = """
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


@lru_cache
def score(name: str) -> tuple[str, str]:
    """Right, honest refusal, false refusal or wrong; with what was found."""
    expected = EXPECTED[name]
    try:
        found = classify_source(str(CODES / name), {})
    except SourceError as error:
        meant = "refused" in expected and re.search(expected["refused"], str(error))
        return ("honest refusal" if meant else "false refusal"), str(error)
    texts = [str(f.found) for f in found]
    border = max(BORDER, expected.get("border", 0))
    alike = any(
        len(found) == len(expected.get(key, ()))
        and all(is_said(f, parse_class(w), border) for f, w in zip(found, expected[key], strict=True))
        for key in ("classes", "alternative")
    )
    operations = sum(f.operations for f in found)
    agrees = operations == pytest.approx(expected.get("operations", operations), rel=border)
    moved = sum(
        (f.element_bytes or ELEMENT_TYPES[f.element or "fp32"][0]) * (f.found.elements_in + f.found.elements_out)
        for f in found
    )
    agrees = agrees and moved == pytest.approx(expected.get("bytes", moved), rel=border)
    said = all(re.match(r"checked at \d size|not checked: .", f.checked) for f in found)
    return ("right" if alike and agrees and said else "wrong"), f"{texts} {operations} {moved} {found[0].checked}"


@pytest.mark.parametrize("name", EXPECTED)
def test_class_without_flags(name: str) -> None:
    kind, found = score(name)
    assert (kind == "false refusal") if "open" in EXPECTED[name] else kind in ("right", "honest refusal"), found


def test_most_are_read() -> None:
    """Of what the test above holds of each: at most 10 % refused falsely, 70 % of whole CUDA programs read."""
    assert len(EXPECTED) >= 120
    assert sum("open" in e for e in EXPECTED.values()) <= 0.1 * len(EXPECTED)
    cuda = [e for n, e in EXPECTED.items() if ".cu:" in n]
    assert len(cuda) >= 60
    assert sum("refused" not in e and "open" not in e for e in cuda) >= 0.7 * len(cuda)


@pytest.mark.parametrize(
    ("host", "size"),
    [
        ("int main() { int n = 1 << 16; saxpy<<<(n + 255) / 256, 256>>>(n, 2.f, x, y); }", 65536),
        ("void run(int m) { saxpy<<<m / 128, 128>>>(m, 2.f, x, y); } int main() { run(4096); }", 4096),
        ("int main(int c, char **argv) { int n = c > 1 ? atoi(argv[1]) : 8192; saxpy<<<n, 1>>>(n, 2.f, x, y); }", 8192),
        ("int main(int c, char **v) { int n = 512; if (c > 1) n = atoi(*argv); saxpy<<<2, 256>>>(n, 2, x, y); }", 512),
        ("int main() { std::vector<float> h(2048); dim3 b{256, 1, 1}; saxpy<<<8, b>>>(2048, 2.f, x, y); }", 2048),
    ],
)  # fmt: skip
def test_size_of_a_launch(host: str, size: int) -> None:
    [found] = classify_text(SAXPY + host, "c", {}, "saxpy")
    assert str(found.found) == f"{size}|element ∧ {size}|element → {size}|element"
    assert not any("assumed" in n or "taken as" in n for n in found.notes)


def test_a_size_that_a_loop_changes_is_not_known() -> None:
    host = "int main() { int n = 64; for (int k = 0; k < 4; k++) { n *= 2; saxpy<<<n / 64, 64>>>(n, 2.f, x, y); } }"
    with pytest.raises(SourceError, match="nothing that is followed says 'n': give --size n=N"):
        classify_text(SAXPY + host, "c", {}, "saxpy")
    [found] = classify_text(SAXPY + host, "c", {"n": 512}, "saxpy")
    assert str(found.found) == "512|element ∧ 512|element → 512|element"


def test_given_sizes_come_before_those_of_the_launch() -> None:
    host = "int main() { saxpy<<<4, 256>>>(1024, 2.f, x, y); }"
    [found] = classify_text(SAXPY + host, "c", {"n": 4096, "gridDim.x": 16}, "saxpy")
    assert str(found.found).startswith("4096|element")


def test_several_launches_are_named() -> None:
    host = "int main() { saxpy<<<4, 256>>>(1024, 2.f, x, y);\n saxpy<<<8, 256>>>(2048, 2.f, x, y); }"
    [found] = classify_text(SAXPY + host, "c", {}, "saxpy")
    assert any("launched elsewhere" in n for n in found.notes)


def test_host_code_is_followed() -> None:
    text = (CODES / "whole_dense.cu").read_text(encoding="utf-8")
    kernels = find_kernels(text)
    plain, defined = preprocess(text, {})
    launches = HostReader(plain, kernels, defined).follow()
    assert set(launches) == set(kernels)
    [product] = launches["batched"]
    assert (product.grid, product.block, product.arguments[3]) == ((4, 4, 128), (16, 16, 1), 64)
    assert launches["spmv"][0].bytes_of[:3] == (400004, 6400000, 6400000)


@pytest.mark.parametrize("text", ["atoi(argv[1])", "n / 0", "1 <<", "sizeof(thing)", "(" * 500, "x.size()", "1 << 99"])
def test_numbers_that_nothing_states(text: str) -> None:
    with pytest.raises(UnknownNumberError):
        evaluate_number(text, {"n": 4})


def test_bytes_of_mixed_types_reach_the_hull() -> None:
    """A histogram of bytes reads a byte each, whatever its counters are."""
    [found] = classify_source(f"{CODES / 'whole_linear.cu'}:bins")
    assert found.element == "int32"
    assert found.element_bytes == pytest.approx((2**20 + 4 * 256) / (2**20 + 256))
    [stage] = make_application([found], "auto", (), None, copied=False).stages
    assert stage.element_bytes == found.element_bytes


def test_numbers_of_python_are_doubles() -> None:
    [found] = classify_text("import numpy as np\na = np.zeros(4096)\nb = np.zeros(4096)\nb[:] = 2 * a", "python")
    assert (found.element, found.element_bytes) == ("fp64", None)


def test_parts_of_an_array_one_behind_the_other_are_a_dimension() -> None:
    code = """
__global__ void norm(const float *p, float *r, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) r[i] = p[i] * p[i] + p[i + n] * p[i + n] + p[i + 2 * n] * p[i + 2 * n];
}
int main() { norm<<<391, 256>>>(p, r, 100000); }
"""
    [found] = classify_text(code, "c", {}, "norm")
    assert (str(found.found), found.operations) == ("3x100000|tile(3x1) → 100000|element", 5e5)
    # Offsets that are no multiple of it are neighbours.
    [found] = classify_text(
        code.replace("2 * n]", "n + 1]").replace("i + n]", "i + 2]").replace("i + n + 1]", "i + 1]"), "c", {}, "norm"
    )
    assert str(found.found) == "100000|neighbourhood(3) → 100000|element"


@pytest.mark.parametrize(
    ("index", "kind"),
    [
        ("i == 0 ? i : i - 1", "neighbourhood(2)"), ("i > 0 ? i - 1 : i + 1", "neighbourhood(2)"),
        ("i < n / 2 ? i : i - n / 2", ""),
    ],
)  # fmt: skip
def test_what_an_index_is_at_a_border_makes_no_class(index: str, kind: str) -> None:
    """Half of the elements are no border."""
    code = SAXPY.replace("x[i] + y[i]", f"x[{index}] + x[i]") + "int main() { saxpy<<<256, 256>>>(65536, 2.f, x, y); }"
    if kind:
        [found] = classify_text(code, "c", {}, "saxpy")
        assert str(found.found) == f"65536|{kind} → 65536|element"
    else:
        with pytest.raises(SourceError, match="not affine"):
            classify_text(code, "c", {}, "saxpy")


def test_cplusplus_around_a_kernel_is_skipped() -> None:
    code = """
using namespace std;
namespace detail { template <class T> __host__ __device__ inline T sq(const T &x) { return x * x; } }
static __global__ void __launch_bounds__(256) norm(const float *__restrict__ x, float *out, const int n) {
    unsigned int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < n) { auto v = x[i]; out[i] = sqrtf(detail::sq(v) + 1.0f); }
}
class Solver { public: void run(int n) { norm<<<(n + 255) / 256, 256>>>(x, y, n); } float *x, *y; };
int main() { const int N = 1'000'000; norm<<<dim3((N + 255) / 256), dim3(256)>>>(a, b, N); }
""".replace("detail::sq", "sq")
    [found] = classify_text(code, "c", {}, "norm")
    assert (str(found.found), found.operations) == ("1000000|element → 1000000|element", 3e6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whole_linear.cu", "whole_grids.cu", "whole_blocks.cu"])
def test_damaged_files_are_answered_or_refused(name: str) -> None:
    text = (CODES / name).read_text(encoding="utf-8")
    for at in range(0, len(text), len(text) // 7):
        for damaged in (text[:at], text[:at] + text[at + 37 :], text[at:], f"{text[:at]}}}{text[at:]}"):
            kernels = find_kernels(damaged)
            plain, defined = preprocess(damaged, {})
            HostReader(plain, kernels, defined).follow()
            with contextlib.suppress(SourceError):
                assert read_c(damaged, {}, next(iter(kernels), None)) is not None


def test_long_tables_take_no_time() -> None:
    """A table of numbers reads as the start of a function at each of them."""
    text = f"float table[] = {{ {'a, ' * 50_000} }};{SAXPY}int main() {{ saxpy<<<4, 256>>>(1024, 2.f, x, y); }}"
    start = time.process_time()
    assert "saxpy" in HostReader(text, {"saxpy": False}, {}).follow()
    assert time.process_time() - start < 10


WALK = """
__global__ void walk(const float *in, float *out, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float before = in[START];
    for (int k = 1; k < m; k++) {
        float now = in[k * n + i];
        out[k * n + i] = now - before;
        before = now;
    }
}
int main() { walk<<<16, 256>>>(in, out, 4096, 64); }
"""


def test_what_a_thread_keeps_from_turn_to_turn() -> None:
    [found] = classify_text(WALK.replace("START", "i"), "c", {}, "walk")
    assert str(found.found) == "64x4096|neighbourhood(2x1) → 64x4096|element"
    with pytest.raises(SourceError, match="handed on from turn to turn"):
        classify_text(WALK.replace("START", "2 * n + i"), "c", {}, "walk")


TREE = """
__global__ void tree(const float *x, float *out, int n) {
    __shared__ float s[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t] = x[i] * x[i];
    __syncthreads();
    for (int h = 64; h > 0; h /= 2) { if (t < h) s[t] = fmaxf(s[t], s[t + h]); __syncthreads(); }
    if (t == 0) out[blockIdx.x] = s[END];
}
int main() { tree<<<64, 128>>>(x, out, 8192); }
"""


def test_tree_of_maxima() -> None:
    [found] = classify_text(TREE.replace("END", "0"), "c", {}, "tree")
    assert str(found.found) == "64x128|tile(1x128) → 64|element"
    assert found.operations == 2 * 8192
    with pytest.raises(SourceError, match="shared memory"):
        classify_text(TREE.replace("END", "1"), "c", {}, "tree")


ROWS = """
__global__ void rows(const float *x, float *y, int cols) {
    __shared__ float s[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = t; i < cols; i += blockDim.x) sum += x[blockIdx.x * cols + i];
    s[t] = sum;
    __syncthreads();
    for (int h = 32; h > 0; h >>= 1) { if (t < h) s[t] += s[t + h]; __syncthreads(); }
    float mean = s[0] / cols;
    for (int i = t; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i] - mean;
    LAST
}
int main() { rows<<<256, 64>>>(x, y, 512); }
"""


def test_rows_that_a_block_shares() -> None:
    [found] = classify_text(ROWS.replace("LAST", ""), "c", {}, "rows")
    assert str(found.found) == "256x512|tile(1x512) → 256x512|tile(1x512)"
    assert "launch of 256 blocks of 64 threads" in found.notes
    assert any("64 threads of a block share its rows" in n for n in found.notes)
    with pytest.raises(SourceError, match="shared memory"):
        classify_text(ROWS.replace("LAST", "y[t] = 1;"), "c", {}, "rows")


def test_counters_of_a_block_that_do_not_start_at_0_are_their_own() -> None:
    text = (CODES / "fresh" / "histogram.cu").read_text(encoding="utf-8")
    with pytest.raises(SourceError, match="shared memory"):
        classify_text(text.replace("temp[threadIdx.x] = 0;", "temp[threadIdx.x] = 1;"), "c", {}, "histogram")


@pytest.mark.parametrize("head", ["float &r, float v", "float *r, float v"])
def test_procedures_stand_for_their_calls(head: str) -> None:
    by = ("r", "y[i]") if "&" in head else ("*r", "&y[i]")
    code = f"""
__device__ void put({head}) {{ v = v + 1; float t = v * v; {by[0]} = t; }}
__global__ void f(const float *x, float *y, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float t = x[i];
    put({by[1]}, t);
}}
int main() {{ f<<<16, 256>>>(x, y, 4096); }}
"""
    [found] = classify_text(code, "c", {}, "f")
    assert (str(found.found), found.operations) == ("4096|element → 4096|element", 8192)


def test_einsum() -> None:
    code = "import numpy as np\na = np.ones((32, 64))\nb = np.ones((64, 16))\nc = np.einsum('ij,jk->ik', a, b)"
    for said in ("ij,jk->ik", "ij,jk", "...j,jk->...k"):
        [found] = classify_text(code.replace("ij,jk->ik", said), "python")
        assert str(found.found) == "32x64|tile(1x64) ∧ 64x16|tile(64x1) → 32x16|element"
    with pytest.raises(SourceError, match="einsum"):
        classify_text(code.replace("ij,jk->ik", "ij,jk->iz"), "python")


SPARSE = """
void spmv(const int *first, const int column[NNZ], const double value[NNZ], const double x[500], double y[500]) {
    for (int i = 0; i < 500; i++) {
        double sum = 0;
        for (int k = first[i]; k < first[i + 1]; k++) sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}
"""


def test_sparse_rows_have_their_mean_length() -> None:
    [found] = classify_text(SPARSE.replace("NNZ", "3500"), "c")
    tiles = "500x7|tile(1x7) ∧ 500x7|tile(1x7) ∧ 500|gather(7) ∧ 500|neighbourhood(2)"
    assert (str(found.found), found.operations) == (f"{tiles} → 500|element", 7000)
    assert found.checked == "not checked: how long rows are comes from data"
    assert any("rows of 7 elements in the mean (3500 in 500 rows)" in n for n in found.notes)
    with pytest.raises(SourceError, match="give --size column=N"):
        classify_text(SPARSE.replace("[NNZ]", "[]"), "c")
    [found] = classify_text(SPARSE.replace("[NNZ]", "[]"), "c", {"value": 1500})
    assert str(found.found).startswith("500x3|tile(1x3)")


@pytest.mark.parametrize(
    "bounds", ["first[i]; k < first[i + 2]", "first[i]; k < last[i + 1]", "first[0]; k < first[1]"]
)
def test_other_bounds_from_data_are_no_sparse_rows(bounds: str) -> None:
    with pytest.raises(SourceError, match="data"):
        classify_text(SPARSE.replace("NNZ", "3500").replace("first[i]; k < first[i + 1]", bounds), "c")


WARPS = """
__device__ float add_up(float v) { for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o); return v; }
__global__ void spmv(const int *ptr, const int *col, const float *val, const float *x, float *y, int rows) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (warp >= rows) return;
    float s = 0;
    for (int k = ptr[warp] + lane; k < ptr[warp + 1]; k += 32) s += val[k] * x[col[k]];
    s = add_up(s);
    if (lane == 0) y[WHERE] = s;
}
int main() {
    const int rows = 8192, nnz = 8192 * 64;
    cudaMalloc(&ptr, (rows + 1) * sizeof(int)); cudaMalloc(&col, nnz * 4); cudaMalloc(&val, nnz * 4);
    cudaMalloc(&x, rows * 4); cudaMalloc(&y, rows * 4);
    spmv<<<rows / 4, 128>>>(ptr, col, val, x, y, rows);
}
"""


def test_rows_that_a_warp_shares() -> None:
    [found] = classify_text(WARPS.replace("WHERE", "warp"), "c", {}, "spmv")
    tiles = "8192x64|tile(1x64) ∧ 8192x64|tile(1x64) ∧ 8192|gather(64) ∧ 8192|neighbourhood(2)"
    assert str(found.found) == f"{tiles} → 8192|element"
    assert any("32 threads of a warp share its rows" in n for n in found.notes)
    with pytest.raises(SourceError):
        classify_text(WARPS.replace("WHERE", "threadIdx.x"), "c", {}, "spmv")


def test_shuffles_in_the_kernel_itself() -> None:
    loop = "for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffff, s, o);"
    text = WARPS.replace("WHERE", "warp").replace("s = add_up(s);", loop)
    assert str(classify_text(text, "c", {}, "spmv")[0].found).endswith("→ 8192|element")
    with pytest.raises(SourceError, match="exchanges values"):
        classify_text(text.replace("o >>= 1) s += __shfl_xor", "o -= 4) s += __shfl_xor"), "c", {}, "spmv")


TRITON = """
import torch, triton
import triton.language as tl

@triton.jit
def scale(x_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * cols + at, mask=at < cols, other=0.0)
    LINE
    tl.store(y_ptr + row * cols + at, y, mask=at < cols)

x = torch.randn(512, 1000, device="cuda")
y = torch.empty_like(x)
scale[GRID](x, y, 1000, BLOCK=1024)
"""


@pytest.mark.parametrize(
    ("line", "inputs", "operations"),
    [
        ("y = 2 * x", "512x1000|element", 512_000),
        ("y = x - tl.max(x, axis=0)", "512x1000|tile(1x1000)", 1_024_000),
        ("y = x / tl.sqrt(tl.sum(x * x, axis=0))", "512x1000|tile(1x1000)", 1_536_512),  # a root for each row
    ],
)
def test_triton(line: str, inputs: str, operations: float) -> None:
    code = TRITON.replace("LINE", line).replace("GRID", "(x.shape[0],)")
    [found] = classify_text(code, "python", {}, "scale")
    assert str(found.found) == f"{inputs} → {inputs}"
    assert found.operations == operations
    assert found.notes == ("launch of 512 programs",)


def test_products_in_triton_assume_nothing() -> None:
    [found] = classify_source(f"{CODES}/fresh/triton_kernels.py:matmul_kernel")
    assert found.notes == ("launch of 64 programs",)


@pytest.mark.parametrize(
    ("line", "grid", "why"),
    [
        ("y = x", "(rows,)", "grid"),
        ("y = tl.associative_scan(x, 0, add)", "(512,)", "line 10: what it is combined by is not followed"),
        ("y = x[3]", "(512,)", "line 10: an element of a tensor"),
    ],
)
def test_triton_that_is_not_followed(line: str, grid: str, why: str) -> None:
    with pytest.raises(SourceError, match=why):
        classify_text(TRITON.replace("LINE", line).replace("GRID", grid), "python", {}, "scale")


def test_operators_of_a_structure() -> None:
    code = """
struct Pair { float a, b; __device__ Pair(float x, float y) : a(x), b(y) {} };
__device__ Pair operator*(Pair p, Pair q) { return Pair(p.a * q.a - p.b * q.b, p.a * q.b + p.b * q.a); }
__global__ void square(const Pair *in, Pair *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Pair z = in[i];
    for (int k = 0; k < 4; k++) z = z * z;
    out[i] = z;
}
int main() { square<<<16, 256>>>(in, out, 4096); }
"""
    [found] = classify_text(code, "c", {}, "square")
    assert str(found.found) == "4096|element → 4096|element"
    assert found.operations == 4096 * 4 * 6
    assert found.element_bytes == 8
    assert found.checked == "checked at 3 sizes"


BLOCK_SUM = """
__device__ float warp_sum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}
__device__ float block_sum(float v) {
    static __shared__ float part[32];
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0.0f;
    return threadIdx.x < 32 ? warp_sum(v) : v;
}
__global__ void total(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] * x[i] : 0.0f;
    v = block_sum(v);
    if (WHO) atomicAdd(out, v);
}
__global__ void centre(const float *x, float *y, int cols) {
    __shared__ float mean;
    float s = 0;
    for (int i = threadIdx.x; i < cols; i += blockDim.x) s += x[blockIdx.x * cols + i];
    s = block_sum(s);
    if (WHO) mean = s / cols;
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += blockDim.x) y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i] - mean;
}
int main() { total<<<4096, 256>>>(x, out, 1 << 20); centre<<<2048, 128>>>(x, y, 1000); }
"""


def test_sums_of_a_block_by_shuffles_and_shared_memory() -> None:
    code = BLOCK_SUM.replace("WHO", "threadIdx.x == 0")
    [found] = classify_text(code, "c", {}, "total")
    assert (str(found.found), found.operations) == ("1048576|element → 1|shared", 2 * 2**20)
    assert found.checked == "checked at 3 sizes"
    [found] = classify_text(code, "c", {}, "centre")
    assert str(found.found) == "2048x1000|tile(1x1000) → 2048x1000|tile(1x1000)"
    with pytest.raises(SourceError):
        # Every thread would add the sum of its block.
        classify_text(BLOCK_SUM.replace("WHO", "threadIdx.x < 9"), "c", {}, "total")


def test_names_are_those_of_the_source(tmp_path: Path) -> None:
    file = tmp_path / "halve.cpp"
    file.write_text(
        "#include <vector>\n"
        "void halve(std::vector<float>& later, const std::vector<float>& a) {\n"
        "  for (int i = 0; i < 4096; ++i) later[i] = 0.5f * a[i];\n"
        "}\n"
    )
    [found] = classify_source(str(file))
    assert (found.name, found.arrays) == ("later", ("a", "later"))


SCALE = """
static const int WING = 16;
void scale(const float *a, float *b, float gain) {
  for (int i = 0; i < 100000; i++) b[i] = gain * a[i] / (2 * WING);
}
"""


def test_what_is_computed_of_constants_is_computed_once() -> None:
    [found] = classify_text(SCALE, "c", {}, "scale")
    assert found.operations == 2 * 100_000
    assert found.checked.startswith("checked")


def test_of_two_branches_that_data_choose_the_one_with_more_work_counts() -> None:
    code = """
    void limit(const double *h, double *t, double m) {
      for (int i = 0; i < 50000; i++) {
        if (h[i] < 0.0) t[i] = pow(1.0 + pow(h[i] * m, 2.7), m) * m;
        else t[i] = 1.0;
      }
    }
    """
    [found] = classify_text(code, "c", {}, "limit")
    assert str(found.found) == "50000|element → 50000|element"
    assert found.operations == 6 * 50_000
    assert found.checked.startswith("checked")


OPTIONS = """
__global__ void twice(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = 2 * a[i];
}
int main(int argc, char **argv) {
  int n = 500000, repeat = 3;
  for (int k = 1; k + 1 < argc; k += 2) {
    if (argv[k][1] == 'n') n = atoi(argv[k + 1]);
    if (argv[k][1] == 'r') repeat = atoi(argv[k + 1]);
  }
  CHANGE
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, n * sizeof(float));
  twice<<<(n + 255) / 256, 256>>>(a, b, n);
}
"""


def test_options_of_the_command_line_have_their_defaults() -> None:
    [found] = classify_text(OPTIONS.replace("CHANGE", ""), "c", {}, "twice")
    assert abs(found.found.outputs[0].elements / 500_000 - 1) < 0.01
    changed = OPTIONS.replace("CHANGE", "for (int k = 0; k < repeat; k++) n = next(n);")
    with pytest.raises(SourceError, match="give --size n=N"):
        classify_text(changed, "c", {}, "twice")


SEARCH = """
__device__ int find(const float *a, int n, float x) {
  int low = 0;
  while (a[low] < x && low < n) low = low + 1;
  return low;
}
__global__ void lookup(const float *a, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a[find(a, n, x[i])];
}
int main() { lookup<<<1024, 256>>>(a, x, y, 4096); }
"""


def test_a_search_in_a_function_is_named_with_its_loop() -> None:
    with pytest.raises(SourceError, match=r"'find'.*data decide how often its loop in line 4 runs"):
        classify_text(SEARCH, "c", {}, "lookup")
