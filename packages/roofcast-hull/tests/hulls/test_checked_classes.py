"""What checks of classes refute: planted faults of the reader, each found by what runs, and right classes that stay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roofcast_hull.emulated.launch import weigh_ends
from roofcast_hull.notation import parse_class
from roofcast_hull.source.c_files import Reading
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.launch_check import check_launch, compare_blocks, compare_bytes, run_launch
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.routine_class import classify
from roofcast_hull.source.run_check import TooLongError, compare_claims, compare_footprints, name_base
from roofcast_hull.source.small_runs import expect_few_steps, make_claim, read_code, run_small
from roofcast_hull.source.small_text import replace_numbers, shrink_texts

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

PRODUCT = """
__global__ void product(const float *a, const float *b, float *c, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
int main() { product<<<dim3(32, 32), dim3(16, 16)>>>(a, b, c, 512); }
"""
ADAM = """
__global__ void adam(float *p, float *m, const float *g, float b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    m[i] = b * m[i] + (1 - b) * g[i];
    p[i] = p[i] - m[i];
}
int main() { adam<<<4096, 256>>>(p, m, g, 0.9f, 1 << 20); }
"""
COLUMN = """
__global__ void column(const float *a, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * a[i * n];
}
int main() { column<<<16, 64>>>(a, out, 1024); }
"""


def test_a_launch_refutes_bytes_patterns_and_keeps_what_is_right() -> None:
    [found] = classify(read_code(PRODUCT, "c", {}, "product").routine)
    amounts = run_launch(PRODUCT, "c", "product", {})
    assert compare_bytes(amounts, [found]) is compare_blocks(amounts, [found]) is None
    assert check_launch(PRODUCT, "c", "product", {}, [found]) == ([found], True)
    everything = replace(found, found=parse_class("512x512|tile(1x512) & 512x512|full -> 512x512|element"))
    assert "reads 8192 elements of 'b' in a block" in str(compare_blocks(amounts, [everything]))
    larger = replace(found, found=parse_class("512x512|tile(1x512) & 1024x512|tile(1024x1) -> 512x512|element"))
    assert "of 'b' where its class has" in str(compare_bytes(amounts, [larger]))
    with pytest.raises(SourceError, match="of its launch some blocks were run"):
        check_launch(PRODUCT, "c", "product", {}, [larger])


def test_operations_of_a_launch_come_before_those_of_a_class() -> None:
    [found] = classify(read_code(PRODUCT, "c", {}, "product").routine)
    [corrected], _ = check_launch(PRODUCT, "c", "product", {}, [replace(found, operations=3 * found.operations)])
    assert corrected.operations == found.operations
    assert any("operations as some blocks" in n for n in corrected.notes)


def test_threads_keep_what_they_write() -> None:
    [found] = classify_text(ADAM, "c", {}, "adam")
    assert (found.arrays, found.operations) == (("m", "g", "p", "m", "p"), 5 * 2**20)


def test_elements_that_are_far_apart_are_no_tiles() -> None:
    [found] = classify_text(COLUMN, "c", {}, "column")
    assert str(found.found) == "1024|element → 1024|element"
    tiles = replace(found, found=parse_class("1048576|tile(1024) -> 1024|element"))
    with pytest.raises(SourceError, match="of 'a' where its class has"):
        check_launch(COLUMN, "c", "column", {}, [tiles])


SUMS = """
#define T 32
__global__ void moments(const float *x, float *mean, float *square, int n) {
    __shared__ float a[T], b[T];
    int t = threadIdx.x;
    float s = 0, q = 0;
    for (int i = t; i < n; i += T) { float v = x[blockIdx.x * n + i]; s += v; q += v * v; }
    a[t] = s; b[t] = q;
    __syncthreads();
    for (int half = T / 2; half > 0; half >>= 1) {
        if (t < half) { a[t] += a[t + half]; b[t] += b[t + half]; }
        __syncthreads();
    }
    if (t == 0) { float m = a[0] / n; mean[blockIdx.x] = m; square[blockIdx.x] = b[0] / n - m * m; }
}
int main() { moments<<<64, T>>>(x, mean, square, 128); }
"""
HALVES = """
__global__ void relax(float *p, const float *f, int n, int colour) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1 && ((i + j) & 1) == colour)
        p[i * n + j] = 0.5f * (p[(i - 1) * n + j] + p[i * n + j + 1] - f[i * n + j]);
}
int main() { relax<<<dim3(2, 128), 64>>>(p, f, 128, 0); }
"""


def test_two_trees_side_by_side_are_the_sums_of_a_row() -> None:
    [found] = classify_text(SUMS, "c", {}, "moments")
    assert str(found.found) == "64x128|tile(1x128) → 64|element ∧ 64|element"
    assert found.operations == pytest.approx(3 * 64 * 128, rel=0.05)


def test_every_second_element_of_a_row_moves_with_its_neighbours() -> None:
    [found] = classify_text(HALVES, "c", {}, "relax")
    assert str(found.found) == "127x128|neighbourhood(2x2) ∧ 127x128|element → 127x128|element"
    assert found.operations == pytest.approx(3 * 126 * 126 / 2, rel=0.01)


def test_results_take_what_their_class_says() -> None:
    code = "void f(float a[64][64], float b[64]) { for (int i = 0; i < 64; i++) b[i] = a[i][0] + a[i][63]; }"
    reading = read_code(code, "c", {}, "f")
    [found] = classify(reading.routine)
    machine = reading.run(named=frozenset("ab"))
    claim = make_claim(found)
    assert compare_footprints(machine, [replace(claim, takes={"a": 2}, whole={})]) is None
    assert "takes 2 elements of 'a'" in str(compare_footprints(machine, [replace(claim, takes={"a": 1})]))
    assert "takes 2 elements of 'a'" in str(compare_claims(machine, [replace(claim, takes={"a": 1})]))


@pytest.mark.parametrize(
    ("text", "smaller"),
    [
        ("float x[1000]; // 1000\nfor (i = 1; i < 999; i++)", "float x[32]; // 1000\nfor (i = 1; i < 31; i++)"),
        ("n = 1 << 20; m = (n + 255) / 256; x & 0xffff;", "n = 1024; m = (n + 15) / 16; x & 0xffff;"),
        ('def f(x: "float32[4096, 8]"): return x * 0.1250', 'def f(x: "float32[64, 8]"): return x * 0.1250'),
    ],
)
def test_numbers_become_smaller_together(text: str, smaller: str) -> None:
    assert next(shrink_texts(text, {}))[0] == smaller
    assert replace_numbers(text, {}) == text.replace("1 << 20", "1048576")


def test_code_whose_sizes_are_literals_is_checked() -> None:
    code = "void f(float *x) { for (int i = 0; i < 1000000; i++) x[i] = 2 * x[i]; }"
    assert classify_text(code)[0].checked == "checked at 3 sizes"


@pytest.mark.parametrize("wide", [5, 20])
def test_windows_that_overlap_are_neighbourhoods_however_far_apart_they_begin(wide: int) -> None:
    inner = f"for (int u=0;u<{wide};u++) s += in[2*i+u]*w[u];"
    code = f"void f(float *in, float *w, float *out) {{ for (int i=0;i<512;i++) {{ float s=0; {inner} out[i]=s; }} }}"
    [found] = classify_text(code)
    assert str(found.found) == f"{2 * 511 + wide}|neighbourhood({wide}) → 512|element"
    assert found.checked.startswith("checked at")


def test_a_block_that_the_grid_cuts_counts_once() -> None:
    """Weights of blocks in the mean of a grid of ten, of which the last one is cut."""
    weights = weigh_ends([1024.0, 256.0, 1024.0], [(2, 0, 0), (9, 0, 0), (5, 0, 0)], [10, 1, 1])
    assert weights == pytest.approx([0.45, 0.1, 0.45])
    assert weigh_ends([7.0, 7.0], [(0, 0, 0), (9, 0, 0)], [10, 1, 1]) == [0.5, 0.5]


MASKED = """
double good(const float value[1 << 20], const unsigned char bad[1 << 20]) {
    double sum = 0;
    for (int i = 0; i < 1 << 20; i++)
        if (CONDITION) sum += value[i] * value[i];
    return sum;
}
"""


@pytest.mark.parametrize("condition", ["!bad[i]", "bad[i] == 7"])
def test_work_under_a_condition_that_few_numbers_meet_is_counted_each_time(condition: str) -> None:
    [found] = classify_text(MASKED.replace("CONDITION", condition))
    assert str(found.found) == "1048576|element ∧ 1048576|element → 1|shared"
    assert found.checked == "checked at 3 sizes"


def test_a_condition_that_leaves_is_not_met() -> None:
    reading = read_code(
        """
void f(const float value[64], const unsigned char bad[64], float out[64]) {
    for (int i = 0; i < 64; i++) {
        if (bad[i] == 7) continue;
        if (value[i] > 1.4f) out[i] = value[i] * value[i];
    }
}
""",
        "c", {}, "f",
    )  # fmt: skip
    left = sum(reading.run().cell("bad", i).value.number == 7 for i in range(64))
    # A comparison of each, and of each that does not leave another one and a product.
    assert left
    assert reading.run(meets_guards=True).operations == 64 + 2 * (64 - left)
    assert reading.run().operations < 64 + 2 * (64 - left)


POLYNOMIALS = """
void chebyshev(const double x[50000], double t[6][50000]) {
    for (int i = 0; i < 50000; i++) {
        double before = 1, now = x[i];
        for (int k = 0; k < 6; k++) {
            t[k][i] = before;
            double next = 2 * x[i] * now - before;
            before = now;
            now = next;
        }
    }
}
"""


def test_planes_of_a_recurrence_are_of_one_unit() -> None:
    [found] = classify_text(POLYNOMIALS)
    assert (str(found.found), found.operations) == ("50000|element → 6x50000|tile(6x1)", 3 * 6 * 50_000)


def test_runs_that_are_too_long_are_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    reading = read_code(POLYNOMIALS, "c", {}, "chebyshev")
    with pytest.raises(TooLongError, match="more than"):
        expect_few_steps(reading.routine)
    monkeypatch.setattr(Reading, "run", lambda *_, **__: pytest.fail("it ran"))
    assert run_small([(POLYNOMIALS, {}, {})], "c", reading, "chebyshev", [])[1].startswith("not checked: more than")


def test_rows_that_structures_point_to_are_one_array() -> None:
    code = """
struct row { int n; double *v; };
void scale(struct row *rows, const double *f, int n, int m) {
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) rows[i].v[j] = rows[i].v[j] * f[i];
}
"""
    [found] = classify_text(code, "c", {"n": 1000, "m": 400}, "scale")
    assert (found.operations, found.checked) == (400_000, "checked at 3 sizes")
    assert name_base("rows@3.v@12#4") == "rows.v"
