"""Arrays of whole numbers that host code fills: known where no data enter, and nothing where they may."""

from __future__ import annotations

import pytest

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

from roofcast_hull.source import filling_turns
from roofcast_hull.source.classify import classify_or_count, classify_text
from roofcast_hull.source.filling_steps import Steps
from roofcast_hull.source.found_class import FILLED
from roofcast_hull.source.host_fills import divide, remain, wrap
from roofcast_hull.source.whole_cuda import find_launches

KERNEL = "void k(const int *off, float *y) { } void other(int *p) { }"
MADE = "int *h = (int *)malloc(9 * sizeof(int)); int *off; cudaMalloc(&off, 9 * sizeof(int));"
COPIED = "cudaMemcpy(off, h, 9 * sizeof(int), cudaMemcpyHostToDevice);"
ROWS = [0, 3, 6, 9, 12, 15, 18, 21, 24]

FILLS = {
    "a formula": ("for (int i = 0; i <= 8; i++) h[i] = 3 * i;", ROWS),
    "a running sum": ("h[0] = 0; for (int i = 1; i < 9; i++) h[i] = h[i - 1] + 3;", ROWS),
    "a counter": ("int at = 0; for (int i = 0; i < 8; ++i) { h[i] = at; at += 3; } h[8] = at;", ROWS),
    "another order": ("int i = 9; while (i > 0) { i--; h[i] = i * 3; }", ROWS),
    "a function": ("fill(h, 9);", ROWS),
    "under a condition": ("for (int i = 0; i < 9; i++) { if (i % 2) h[i] = 1; else { h[i] = 2; } }", [2, 1] * 4 + [2]),
    "a continue": ("memset(h, 0, 9 * sizeof(int)); for (int i = 0; i < 9; i++) { if (i < 8) continue; h[i] = 5; }",
                   [0] * 8 + [5]),
    "a break": ("memset(h, 0, 36); for (int i = 0; i < 9; i++) { if (i == 2) break; h[i] = 7; }", [7, 7] + [0] * 7),
    "bits that wrap": ("unsigned s = 4000000000u; for (int i = 0; i < 9; i++) { s = s * 3u; h[i] = s % 1000; }",
                       [(4000000000 * 3 ** (i + 1)) % (1 << 32) % 1000 for i in range(9)]),
    "towards zero": ("for (int i = 0; i < 9; i++) h[i] = (i - 4) / 3;", [-1, -1, 0, 0, 0, 0, 0, 1, 1]),
    "beside what is not known": ("for (int i = 0; i < 9; i++) { x[i] = rand(); h[i] = 3 * i; }", ROWS),
    "a step inside": ("int e = 0; for (int i = 0; i < 3; i++) for (int k = 0; k < 3; k++) h[e++] = 9 * i + 3 * k;",
                      ROWS),
    "a step beside what is not known": ("int e = 0; for (int i = 0; i < 9; i++) { x[e++] = rand(); h[i] = e; }",
                                        list(range(1, 10))),
    "two at once": ("for (int i = 0; i < 9; i++) x[i] = h[i] = 3 * i;", None),
    "data": ("for (int i = 0; i < 9; i++) h[i] = rand() % 4;", None),
    "a running sum of data": ("h[0] = 0; for (int i = 1; i < 9; i++) h[i] = h[i - 1] + rand();", None),
    "a condition of data": ("for (int i = 0; i < 9; i++) { h[i] = 3 * i; if (rand()) h[i] = 0; }", None),
    "a file": ("for (int i = 0; i < 9; i++) h[i] = 3 * i; fread(h, 4, 9, f);", None),
    "part of it": ("for (int i = 0; i < 8; i++) h[i] = 3 * i;", None),
    "another address": ("for (int i = 0; i < 9; i++) h[i] = 3 * i; int *p = h + 1; p[2] = 77;", None),
    "perhaps": ("for (int i = 0; i < 9; i++) h[i] = 3 * i; if (rand()) { h[2] = 0; }", None),
    "too long": ("for (int r = 0; r < 90000; r++) for (int i = 0; i < 90000; i++) h[i % 9] = r;", None),
    "numbers without end": (
        "int a = 1; for (int i = 0; i < 1000000; i++) { a += a; if (i < 9) h[i] = a; }", None),
    "before an array": ("for (int i = 0; i < 9; i++) h[i - 1] = i;", None),
    "a kernel before": ("for (int i = 0; i < 9; i++) h[i] = 3 * i; other<<<1, 32>>>(h);", None),
}  # fmt: skip


@pytest.mark.parametrize("fill", FILLS)
def test_what_a_host_fills_in(fill: str) -> None:
    statements, expected = FILLS[fill]
    function = "void fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 3 * i; }"
    text = (
        f"{KERNEL} {function} int main() {{ int x[9]; float *y; {MADE} {statements} {COPIED} k<<<1, 32>>>(off, y); }}"
    )
    launch = find_launches(text, {"k": False, "other": False}, {}, filled=("k", frozenset({"off"})))["k"][0][0]
    known = launch.filled.get("off")
    assert (None if known is None else known.tolist()) == expected


@pytest.mark.parametrize(
    "line",
    ["open('x')", "x.y", "import os", "[k for k in range(9)]", "lambda: 1", "f()", "print(1)", "x ** 9", "'a'.join(x)"],
)
def test_nothing_else_than_what_hosts_compute_is_run(line: str) -> None:
    with pytest.raises((ValueError, LookupError)):
        Steps(f"def run(x):\n y = {line}" if " os" not in line else f"def run(x):\n {line}", {})


TURNS = {
    "places": "  a0[v_i + 1] = 5 * (v_i + 1)",
    "a loop inside": "  v_k = 0\n  e4 = 5\n  for v_k in range(v_k, e4):\n"
    "   a1[v_i * 5 + v_k] = remain(v_i + a2[v_k] + n, n)\n"
    "  v_k = max(v_k, e4)",
    "one place twice": "  a1[v_i % 7] = v_i\n  a1[(v_i * 3) % 11] = (0 - v_i)",
    "both sides": "  if (v_i % 3 == 1):\n   a1[v_i] = divide(7 - v_i, 3)\n  else:\n"
    "   v_t = (v_i * 2654435761 & 4294967295)\n   a1[v_i] = wrap(v_t ^ (v_t >> 16), 32, True)",
    "real numbers": "  a1[v_i] = wrap(math.sqrt(float(v_i)) * 3.5 - 20.0, 32, True)",
    "where it is asked": "  a1[v_i] = (a2[v_i % 5] if (v_i > 3 and a2[v_i - 4 if v_i < 9 else 0] > 0) else -1)",
    "a function": "  v_t = 0\n  if (v_i > 50):\n   v_t = v_i * v_i\n  a1[v_i] = f_g(v_t, 3)",
    "truths": "  a1[v_i] = int(not (v_i & 1)) + int(bool(v_i & 2) or bool(v_i & 4))",
    "bits that wrap": "  a1[v_i] = (v_i * 40503 * 69069 * 1234567 * 7654321 & 1048575) + (~v_i & 255)",
    "before an array": "  a1[v_i - 300] = 3",
    "the turn before": "  a1[v_i + 1] = a1[v_i] + 3",
    "some turns": "  if (v_i > 50):\n   s1 = v_i\n  a1[v_i] = 5",
    "the last turn": "  s1 = v_i * 3\n  a1[v_i] = s1",
    "a division by nothing": "  a1[v_i] = divide(5, v_i - 9)",
    "more than 64 bits": "  a1[v_i] = (4611686018427387904 * v_i)",
    "what is not known": "  a1[v_i] = a0[v_i] + 1",
}


@pytest.mark.parametrize("body", TURNS)
def test_turns_side_by_side_do_what_they_do_in_turn(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "def f_g(v_a, v_b):\n v_q = v_a * 2\n return divide(v_q, v_b)\n"
        "def run(n, a0, a1, a2):\n s1 = 0\n v_i = 0\n e2 = n\n"
        f" for v_i in range(v_i, e2):\n{TURNS[body]}\n v_i = max(v_i, e2)\n a0[0] = s1\n a0[1] = v_i"
    )
    results = list[object]()
    for least in (1 << 40, 2):
        monkeypatch.setattr(filling_turns, "LEAST_TURNS", least)
        arrays: list[list[int | None]] = [[None] * 400, [1] * 1600, [-30, -1, 0, 1, 30]]
        steps = Steps(text, {"divide": divide, "remain": remain, "wrap": wrap, "take": abs}, lambda: 9999)
        try:
            steps.functions["run"](300, *arrays)
        except (ArithmeticError, LookupError, TypeError) as error:
            results.append(type(error))
        else:
            results.append(arrays)
    assert results[0] == results[1]


CODE = """
struct Graph {{ const int *first, *target; int n; }};
__global__ void gather(Graph g, const float *x, float *y) {{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n) return;
    float s = 0.0f;
    for (int e = g.first[v]; e < g.first[v + 1]; ++e) s += x[g.target[e]];
    y[v] = s;
}}
int main() {{
    const int n = 4096;
    int *first, *target; float *x, *y;
    cudaMallocManaged(&first, (n + 1) * sizeof(int)); cudaMallocManaged(&target, 12 * n * sizeof(int));
    cudaMallocManaged(&x, n * sizeof(float)); cudaMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i <= n; i++) first[i] = {rows};
    Graph g; g.first = first; g.target = target; g.n = n;
    gather<<<n / 128, 128>>>(g, x, y);
}}
"""


@pytest.mark.parametrize(
    ("rows", "wanted", "checked"),
    [
        ("12 * i", "4096x12|tile(1x12) ∧ 4096|gather(12) ∧ 4096|neighbourhood(2) → 4096|element", "checked"),
        # Other rows than the array is large for: what the host says counts.
        ("6 * i", "4096|neighbourhood(2) ∧ 24576|tile(6) ∧ 4096|gather(6) → 4096|element", "checked"),
        ("i ? first[i - 1] + 12 : 0", "4096x12|tile(1x12) ∧ 4096|gather(12) ∧ 4096|neighbourhood(2) → 4096|element",
         "checked"),
        ("rand() % 5", "4096x12|tile(1x12) ∧ 4096|gather(12) ∧ 4096|neighbourhood(2) → 4096|element", "not checked"),
    ],
)  # fmt: skip
def test_rows_are_as_long_as_the_host_fills_them(rows: str, wanted: str, checked: str) -> None:
    (found,) = classify_or_count(CODE.format(rows=rows), "c", {}, "gather", False)
    assert str(found.found) == wanted
    assert found.checked.startswith(checked)
    assert any(n.startswith(FILLED) for n in found.notes) == (checked == "checked")


GROUPS = """
__device__ float add_up(float v) {{
    for (int d = {lanes} / 2; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d, {lanes});
    return v;
}}
__global__ void spread(int n, const int *beg, const int *nb, const float *w, const float *heat, float *out) {{
    int t = blockIdx.x * blockDim.x + threadIdx.x, v = t / {lanes}, lane = t % {lanes};
    if (v >= n) return;
    float sum = 0.0f;
    for (int e = beg[v] + lane; e < beg[v + 1]; e += {lanes}) sum += w[e] * heat[nb[e]];
    sum = add_up(sum);
    if (lane == 0) out[v] = sum;
}}
int main() {{
    const int n = 4096;
    int *beg, *nb; float *w, *heat, *out;
    cudaMallocManaged(&beg, (n + 1) * sizeof(int)); cudaMallocManaged(&nb, {row} * n * sizeof(int));
    cudaMallocManaged(&w, {row} * n * sizeof(float)); cudaMallocManaged(&heat, n * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    for (int i = 0; i <= n; i++) beg[i] = {row} * i;
    for (int i = 0; i < n; i++) for (int k = 0; k < {row}; k++) nb[{row} * i + k] = (i * 7919 + k) % n;
    spread<<<n * {lanes} / 256, 256>>>(n, beg, nb, w, heat, out);
}}
"""


@pytest.mark.parametrize(("lanes", "row"), [(4, 3), (16, 5)])
def test_lanes_that_have_no_element_of_a_row_add_nothing(lanes: int, row: int) -> None:
    (found,) = classify_or_count(GROUPS.format(lanes=lanes, row=row), "c", {}, "spread", False)
    parts = f"4096|gather({row}) ∧ {row * 4096}|tile({row}) ∧ {row * 4096}|tile({row}) → 4096|element"
    assert str(found.found) == f"4096|neighbourhood(2) ∧ {parts}"
    assert found.operations == 2 * row * 4096


def test_places_that_data_choose_count_what_is_stored_there() -> None:
    code = """
    __global__ void put(const float *a, const int *slot, float *pool) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < 1024) pool[slot[i]] = a[i];
    }
    int main() {
        float *a, *pool; int *slot;
        cudaMalloc(&a, 4096); cudaMalloc(&slot, 4096); cudaMalloc(&pool, 400000);
        put<<<4, 256>>>(a, slot, pool);
    }
    """
    (found,) = classify_text(code, function="put")
    assert str(found.found) == "1024|element ∧ 1024|element → 100000|shared"
    moved = (found.element_bytes or 0) * (found.found.elements_in + found.found.elements_out)
    assert moved == pytest.approx(3 * 4096)


CELLS = """
struct Cells { const int *start, *count; };
__global__ void sums(Cells c, const float *p, const int *kind, float *out) {
    int k = blockIdx.x, first = c.start[k], n = c.count[k];
    for (int i = threadIdx.x; i < n; i += 32) {
        float s = 0.0f;
        for (int j = 0; j < n; j++) s += p[first + j] * p[first + i];
        out[first + i] = kind[k] == 3 ? s : 0.0f;
    }
}
int main() {
    int *start, *count, *kind; float *p, *out;
    cudaMallocManaged(&start, 256 * 4); cudaMallocManaged(&count, 256 * 4); cudaMallocManaged(&kind, 256 * 4);
    cudaMallocManaged(&p, 3072 * 4); cudaMallocManaged(&out, 3072 * 4);
    for (int k = 0, at = 0; k < 256; k++) { start[k] = at; count[k] = 12; kind[k] = 3; at += count[k]; }
    Cells c; c.start = start; c.count = count;
    sums<<<256, 32>>>(c, p, kind, out);
}
"""


def test_rows_begin_where_the_host_says() -> None:
    (found,) = classify_or_count(CELLS, "c", {}, "sums", False)
    parts = sorted(f"{p.elements}|{p.pattern}{p.extent or ''}" for p in found.found.inputs)
    # What is compared is data, whatever the host knows of it.
    assert parts == ["256|element", "256|element", "256|element", "3072|tile(12,)"]
    assert str(found.found).endswith("→ 3072|tile(12)")
