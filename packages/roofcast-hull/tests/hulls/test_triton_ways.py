"""Triton as its users write it: rotations of halves, programs that stay, chance, layers that are objects."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from roofcast_hull.source import code_files
from roofcast_hull.source.classify import classify_source
from roofcast_hull.source.triton_expressions import find_digit
from roofcast_hull.source.triton_host import find_triton_launches

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

HEAD = """import torch, triton, triton.language as tl
@triton.jit
"""
ROPE = (
    HEAD
    + """def rope(q, cos, sin, out, seq, heads, D: tl.constexpr):
    pid = tl.program_id(0)
    pos = pid // heads % seq
    at = tl.arange(0, D // 2)
    a = tl.load(q + pid * D + at)
    b = tl.load(q + pid * D + D // 2 + at)
    c = tl.load(cos + pos * (D // 2) + at)
    s = tl.load(sin + pos * (D // 2) + at)
    tl.store(out + pid * D + at, a * c - b * s)
    tl.store(out + pid * D + D // 2 + at, b * c + a * s)
q = torch.randn(2, 512, 16, 128, device="cuda")
c, s = torch.randn(512, 64, device="cuda"), torch.randn(512, 64, device="cuda")
rope[(2 * 512 * 16,)](q, c, s, torch.empty_like(q), 512, 16, D=128)
"""
)
STAYS = (
    HEAD
    + """def scale(out, x, rows, cols, B: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        at = tl.arange(0, B)
        v = tl.load(x + row * cols + at, mask=at < cols, other=0.0)
        tl.store(out + row * cols + at, v / tl.sum(v, axis=0), mask=at < cols)
x = torch.randn(2640, 781, device="cuda")
rows, cols = x.shape
scale[(264,)](torch.empty_like(x), x, rows, cols, B=triton.next_power_of_2(cols))
"""
)
CHANCE = (
    HEAD
    + """def drop(x, out, n, p, seed, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at, mask=at < n)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, v / (1 - p), 0.0), mask=at < n)
x = torch.randn(1_000_000, device="cuda")
drop[(triton.cdiv(x.numel(), 1024),)](x, torch.empty_like(x), x.numel(), 0.1, 7, B=1024)
"""
)
LAYER = (
    HEAD
    + """def add(x, w, y, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + at, mask=at < n) + tl.load(w + at, mask=at < n), mask=at < n)
class Layer(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(n, device="cuda"))
    def forward(self, x):
        y = torch.empty_like(x)
        add[(triton.cdiv(x.numel(), 256),)](x, self.weight, y, x.numel(), B=256)
        return y
class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return Layer(x.numel())(x)
apply = Fn.apply
apply(torch.randn(5000, device="cuda"))
"""
)
RUN = """    row = tl.program_id(0)
    at = tl.arange(0, N)
    x = tl.load(x_ptr + row * cols + at, mask=at < cols, other=0.0)
"""
ROWS = "x = torch.randn(2048, 1024, device='cuda')\nf[(2048,)](x, torch.empty_like(x), 1024, N=1024)\n"
SHORT = "x = torch.randn(2048, 1024, device='cuda')\nf[(2048,)](x, torch.empty(2048, device='cuda'), 1024, N=1024)\n"
HELPERS = (
    HEAD
    + "def stats(x, n):\n    mean = tl.sum(x, axis=0) / n\n    d = x - mean\n    return mean, tl.sum(d * d) / n\n"
    + "@triton.jit\ndef f(x_ptr, y_ptr, cols, N: tl.constexpr):\n"
    + RUN
    + "    mean, var = stats(x, cols)\n"
    + "    tl.store(y_ptr + row * cols + at, (x - mean) * tl.rsqrt(var + 1e-5), mask=at < cols)\n"
    + ROWS
)
LARGEST = (
    HEAD
    + "def f(x_ptr, y_ptr, cols, N: tl.constexpr):\n"
    + RUN
    + "    best, where = tl.max(x, axis=0, return_indices=True)\n    tl.store(y_ptr + row, where)\n"
    + SHORT
)
SCAN = (
    HEAD
    + "def add(a, b):\n    return a + b\n@triton.jit\ndef f(x_ptr, y_ptr, cols, N: tl.constexpr):\n"
    + RUN
    + "    tl.store(y_ptr + row * cols + at, tl.associative_scan(x, 0, add), mask=at < cols)\n"
    + ROWS
)
SORT = (
    HEAD
    + "def f(x_ptr, y_ptr, cols, N: tl.constexpr):\n"
    + RUN
    + "    tl.store(y_ptr + row * cols + at, tl.sort(2.0 * x), mask=at < cols)\n"
    + ROWS
)
COUNTS = (
    HEAD
    + """def f(x_ptr, h_ptr, n, BINS: tl.constexpr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    h = tl.histogram(tl.load(x_ptr + at, mask=at < n, other=0), BINS)
    tl.atomic_add(h_ptr + tl.arange(0, BINS), h)
n = 1 << 20
x = torch.randint(0, 256, (n,), device="cuda", dtype=torch.int32)
f[(n // 4096,)](x, torch.zeros(256, device="cuda", dtype=torch.int32), n, BINS=256, B=4096)
"""
)
ONLINE = (
    HEAD
    + """def f(x_ptr, y_ptr, cols, N: tl.constexpr):
    row = tl.program_id(0)
    m = -1e30
    d = 0.0
    for start in range(0, cols, 256):
        x = tl.load(x_ptr + row * cols + start + tl.arange(0, 256))
        m_new = tl.maximum(m, tl.max(x))
        d = d * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new))
        m = m_new
    if d > 0.0:
        tl.store(y_ptr + row, m + tl.log(d))
"""
    + SHORT
)
RING = (
    HEAD
    + """def f(u, v, h, w, B: tl.constexpr):
    y = tl.program_id(1)
    x = tl.program_id(0) * B + tl.arange(0, B)
    m = x < w
    south = tl.load(u + (y + 1) % h * w + x, mask=m)
    west = tl.load(u + y * w + (x + w - 1) % w, mask=m)
    tl.store(v + y * w + x, 0.5 * (south + west), mask=m)
u = torch.randn(600, 1000, device="cuda")
f[(2, 600)](u, torch.empty_like(u), 600, 1000, B=512)
"""
)
MEMBERS = (
    HEAD
    + """def f(y_ptr, uv_ptr, out, W, B: tl.constexpr):
    row = tl.program_id(0)
    x = tl.program_id(1) * B + tl.arange(0, B)
    m = x < W
    y = tl.load(y_ptr + row * W + x, mask=m)
    at = uv_ptr + row // 2 * W + x // 2 * 2
    u, v = tl.load(at, mask=m), tl.load(at + 1, mask=m)
    rgb = out + (row * W + x) * 3
    tl.store(rgb, y + 1.4 * v, mask=m)
    tl.store(rgb + 1, y - 0.3 * u - 0.7 * v, mask=m)
    tl.store(rgb + 2, y + 1.8 * u, mask=m)
y, uv = torch.randn(540, 960, device="cuda"), torch.randn(270, 960, device="cuda")
f[(540, 4)](y, uv, torch.empty(540, 960, 3, device="cuda"), 960, B=256)
"""
)
BOUNDED = (
    HEAD
    + """def f(out, w, h, step, LAST: tl.constexpr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    c = (at % w) * step - 2.0
    z = c * 0.0
    n = tl.zeros((B,), dtype=tl.int32)
    k = 0
    alive = 1
    while (k < LAST) and (alive > 0):
        z = z * z + c
        near = z < 2.0
        n += near.to(tl.int32)
        alive = tl.max(near.to(tl.int32), axis=0)
        k += 1
    tl.store(out + at, n, mask=at < w * h)
f[(4096,)](torch.empty(512, 2048, dtype=torch.int32, device="cuda"), 2048, 512, 0.01, LAST=50, B=256)
"""
)
TABLE = (
    HEAD
    + """def f(x, c, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + at, tl.load(x + at, mask=at < n) * tl.load(c + at, mask=at < n), mask=at < n)
x = torch.randn(50000, device="cuda")
f[(50,)](x, torch.where(x > 0, 0.25, 0.1), torch.empty_like(x), 50000, B=1024)
"""
)
WINDOWS = (
    HEAD
    + """def f(x, y, W, OW, B: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, B)
    best = tl.full((B,), -1e30, dtype=tl.float32)
    for i in tl.static_range(3):
        for j in tl.static_range(3):
            v = tl.load(x + (2 * row + i) * W + 2 * at + j, mask=at < OW, other=-1e30)
            best = tl.maximum(best, v)
    tl.store(y + row * OW + at, best, mask=at < OW)
x = torch.randn(401, 401, device="cuda")
f[(200,)](x, torch.empty(200, 200, device="cuda"), 401, 200, B=256)
"""
)
TRIANGLE = (
    HEAD
    + """def f(x, k, o, T, D: tl.constexpr, B: tl.constexpr):
    first = tl.program_id(0) * B
    rows = first + tl.arange(0, B)
    d = tl.arange(0, D)
    q = tl.load(x + rows[:, None] * D + d[None, :])
    best = tl.full((B,), -1e30, tl.float32)
    for n in range(0, first + B, B):
        cols = n + tl.arange(0, B)
        s = tl.dot(q, tl.trans(tl.load(k + cols[:, None] * D + d[None, :])))
        s = tl.where(rows[:, None] >= cols[None, :], s, -float("inf"))
        best = tl.maximum(best, tl.max(s, axis=1))
    tl.store(o + rows, best)
k = torch.randn(1024, 64, device="cuda")
f[(16,)](torch.randn_like(k), k, torch.empty(1024, device="cuda"), 1024, D=64, B=64)
"""
)
PAIRS = (
    HEAD
    + """def f(a, b, o, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + 2 * at, tl.load(a + at, mask=at < n), mask=at < n)
    tl.store(o + 2 * at + 1, tl.load(b + at, mask=at < n), mask=at < n)
a, b = torch.randn(100000, device="cuda"), torch.randn(100000, device="cuda")
f[(391,)](a, b, torch.empty(200000, device="cuda"), 100000, B=256)
"""
)
BESIDE = (
    HEAD
    + """def f(p, near, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    x = tl.load(p + i, mask=m)
    s = tl.zeros((B,), tl.float32)
    for k in range(8):
        s += tl.load(p + tl.load(near + i * 8 + k, mask=m, other=0), mask=m) - x
    tl.store(o + i, s, mask=m)
p = torch.randn(50000, device="cuda")
f[(196,)](p, torch.randint(0, 50000, (50000, 8), device="cuda"), torch.empty_like(p), 50000, B=256)
"""
)
RAGGED = (
    HEAD
    + """def f(starts, cols, vals, x, y, B: tl.constexpr):
    r = tl.program_id(0)
    first = tl.load(starts + r)
    last = tl.load(starts + r + 1)
    s = tl.zeros((B,), tl.float32)
    for k in range(first, last, B):
        at = k + tl.arange(0, B)
        c = tl.load(cols + at, mask=at < last, other=0)
        s += tl.load(vals + at, mask=at < last, other=0.0) * tl.load(x + c, mask=at < last, other=0.0)
    tl.store(y + r, tl.sum(s, axis=0))
n, each = 5000, 24
starts = torch.arange(0, (n + 1) * each, each, device="cuda", dtype=torch.int32)
cols, vals = torch.randint(0, n, (n * each,), device="cuda"), torch.randn(n * each, device="cuda")
x = torch.randn(n, device="cuda")
f[(n,)](starts, cols, vals, x, torch.empty_like(x), B=32)
"""
)
WAYS = {
    RAGGED: (
        "120000|tile(24) ∧ 120000|tile(24) ∧ 5000|neighbourhood(2) ∧ 5000|gather(24) → 5000|element",
        2 * 24 * 5000,
    ),
    BESIDE: ("50000x8|tile(1x8) ∧ 50000|element ∧ 50000|gather(8) → 50000|element", 16 * 50000),
    WINDOWS: ("401x401|neighbourhood(3x3) → 200x200|element", 9 * 40000),
    PAIRS: ("100000|element ∧ 100000|element → 200000|tile(2)", 0),
    TRIANGLE: ("1024x64|full ∧ 1024x64|tile(1x64) → 1024|element", 1024 * 1025 / 2 * 129),
    # Neighbours across the ends of rows; four operations and what two places take modulo.
    RING: ("600x1000|neighbourhood(2x2) → 600x1000|element", 2 * 600000),
    MEMBERS: ("270x960|tile(1x2) ∧ 540x960|element → 540x960x3|tile(1x1x3)", 8 * 540 * 960),
    BOUNDED: ("void → 512x2048|element", (3 + 4 * 50) * 2**20),
    TABLE: ("50000|element ∧ 50000|element → 50000|element", 50000),
    HELPERS: ("2048x1024|tile(1x1024) → 2048x1024|tile(1x1024)", 6 * 2**21),
    LARGEST: ("2048x1024|tile(1x1024) → 2048|element", 2**21),
    SCAN: ("2048x1024|tile(1x1024) → 2048x1024|scan(1x1024)", 2**21),
    # Ten comparisons of each, and the product.
    SORT: ("2048x1024|tile(1x1024) → 2048x1024|sort(1x1024)", 11 * 2**21),
    COUNTS: ("1048576|element → 256|shared", 2**20),
    # A maximum, a difference, an exponential and a sum of each.
    ONLINE: ("2048x1024|tile(1x1024) → 2048|element", 4 * 2**21),
    ROPE: (
        "512x64|element ∧ 2x512x16x2x64|tile(1x1x1x2x1) ∧ 512x64|element → 2x512x16x2x64|tile(1x1x1x2x1)",
        6 * 2**20,
    ),
    STAYS: ("2640x781|tile(1x781) → 2640x781|tile(1x781)", 2 * 2640 * 781),
    CHANCE: ("1000000|element → 1000000|element", 122 * 10**6),
    LAYER: ("5000|element ∧ 5000|element → 5000|element", 5000),
}


@pytest.mark.parametrize("code", WAYS, ids=range(len(WAYS)))
def test_classes_of_kernels(code: str, tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(code, encoding="utf-8")
    (read,) = classify_source(str(tmp_path / "kernel.py"), {})
    assert str(read.found) == WAYS[code][0]
    assert read.operations == pytest.approx(WAYS[code][1], rel=0.01)


def test_numbers_of_python_make_no_wider_type(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(TABLE, encoding="utf-8")
    (read,) = classify_source(str(tmp_path / "kernel.py"), {})
    assert read.bytes_each == (4, 4, 4)


def test_an_object_hands_over_what_it_holds() -> None:
    (launch,) = find_triton_launches(ast.parse(LAYER))
    assert launch.grid == (20,)
    assert launch.arguments["w"].shape == (5000,)


@pytest.mark.parametrize(
    "line", ["import triton", "import torch, triton", "from triton import jit", "  import triton.language as tl"]
)
def test_an_import_of_triton_is_seen(line: str) -> None:
    assert code_files.recognises(line.encode(), "kernels.py")
    assert not code_files.recognises(b"import torch", "kernels.py")


def test_what_is_no_digit() -> None:
    assert find_digit([k // 3 % 5 for k in range(30)]) == (3, 5)
    assert find_digit([0, 2, 1, 0]) is None
