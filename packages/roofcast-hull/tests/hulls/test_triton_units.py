"""Classes of Triton kernels from what their programs store, where no loop nest says them."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from roofcast_hull.source.classify import classify_or_count, classify_text
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.triton_host import find_triton_launches
from roofcast_hull.source.triton_steps import follow
from roofcast_hull.source.triton_trace import run_program

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

HEAD = """import torch, triton, triton.language as tl
@triton.jit
"""
DECAY = (
    HEAD
    + """def decay(x, rate, out, steps, width, B: tl.constexpr):
    at = tl.program_id(1) * B + tl.arange(0, B)
    place = tl.program_id(0) * steps * width + at
    held = tl.zeros((B,), tl.float32)
    for t in range(steps):
        keep = tl.load(rate + place, mask=at < width)
        held = keep * held + tl.load(x + place, mask=at < width)
        tl.store(out + place, held, mask=at < width)
        place += width
x = torch.randn(3, 40, 100, device="cuda")
decay[(3, triton.cdiv(100, 64))](x, torch.rand_like(x), torch.empty_like(x), 40, 100, B=64)
"""
)
"""Each of 300 channels goes through its 40 steps: a product and a sum each."""
CHANNELS = (
    HEAD
    + """def shift(x, bias, out, n, plane, channels, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    c = (at // plane) % channels
    v = tl.load(x + at, mask=at < n) + tl.load(bias + c, mask=at < n)
    tl.store(out + at, v, mask=at < n)
def run(x, bias):
    out = x.new_empty(x.shape)
    grid = lambda meta: (triton.cdiv(x.numel(), meta["B"]),)
    shift[grid](x, bias, out, x.numel(), x.shape[2] * x.shape[3], x.size(1), B=256)
    return out
def main():
    x, bias = torch.randn(4, 6, 10, 12, device="cuda"), torch.randn(6, device="cuda")
    print(f"{triton.testing.do_bench(lambda: run(x, bias))} ms")
main()
"""
)
DEPTHWISE = (
    HEAD
    + """def smooth(x, w, out, channels, H, W, B: tl.constexpr):
    plane, row = tl.program_id(0), tl.program_id(1)
    at = tl.arange(0, B)
    acc = tl.zeros((B,), tl.float32)
    for i in tl.static_range(3):
        for j in tl.static_range(3):
            y, z = row + i - 1, at + j - 1
            ok = (y >= 0) & (y < H) & (z >= 0) & (z < W)
            v = tl.load(x + plane * H * W + y * W + z, mask=ok, other=0.0)
            acc += v * tl.load(w + plane % channels * 9 + i * 3 + j)
    tl.store(out + plane * H * W + row * W + at, acc, mask=at < W)
x, w = torch.randn(2, 5, 30, 50, device="cuda"), torch.randn(5, 3, 3, device="cuda")
smooth[(10, 30)](x, w, torch.empty_like(x), 5, 30, 50, B=64)
"""
)
BEST = (
    HEAD
    + """def best(x, value, place, cols, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * cols + at, mask=at < cols, other=-float("inf"))
    tl.store(value + row, tl.max(v, axis=0))
    tl.store(place + row, tl.argmax(v, axis=0))
x = torch.randn(70, 90, device="cuda")
value, place = torch.empty(70, device="cuda"), torch.empty(70, device="cuda", dtype=torch.int32)
best[(70,)](x, value, place, 90, B=128)
"""
)
SPLIT = (
    HEAD
    + """def split(a, b, c, M, N, K, P: tl.constexpr, B: tl.constexpr):
    tile, part = tl.program_id(0), tl.program_id(1)
    m = tile // (N // B) * B + tl.arange(0, B)
    n = tile % (N // B) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for k0 in range(part * B, K, B * P):
        k = k0 + tl.arange(0, B)
        acc = tl.dot(tl.load(a + m[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + n[None, :]), acc)
    tl.atomic_add(c + m[:, None] * N + n[None, :], acc)
a, b = torch.randn(32, 128, device="cuda"), torch.randn(128, 48, device="cuda")
split[(6, 4)](a, b, torch.zeros(32, 48, device="cuda"), 32, 48, 128, P=4, B=16)
"""
)
LOOKS = """import torch, triton, triton.language as tl
@triton.jit
def shift(x):
    return x * 2, x + 1
@triton.jit
def both(x, out, rows, B: tl.constexpr):
    m = tl.arange(0, B)
    one, other = shift(tl.load(x + tl.program_id(0) * B + m).to(tl.float32))
    tl.store(out + tl.program_id(0) * B + m, one / other)
x = torch.randn(64, 128, device="cuda").to(torch.float8_e5m2)
both[(64,)](x, torch.empty(64, 128, device="cuda", dtype=torch.bfloat16), 64, B=128)
"""
STATE = (
    HEAD
    + """def state(k, v, s, z, T, D: tl.constexpr, B: tl.constexpr):
    head, d, e = tl.program_id(0), tl.program_id(1) * 16 + tl.arange(0, 16), tl.arange(0, D)
    acc, total = tl.zeros((16, D), tl.float32), tl.zeros((16,), tl.float32)
    for t0 in range(0, T, B):
        t = t0 + tl.arange(0, B)
        keys = tl.load(k + head * T * D + t[:, None] * D + d[None, :], mask=(t < T)[:, None], other=0.0)
        values = tl.load(v + head * T * D + t[:, None] * D + e[None, :], mask=(t < T)[:, None], other=0.0)
        acc += tl.dot(tl.trans(keys), values)
        total += tl.sum(keys, axis=0)
    tl.store(s + head * D * D + d[:, None] * D + e[None, :], acc)
    tl.store(z + head * D + d, total)
k, v = torch.randn(3, 50, 32, device="cuda"), torch.randn(3, 50, 32, device="cuda")
s, z = torch.empty(3, 32, 32, device="cuda"), torch.empty(3, 32, device="cuda")
state[(3, 2)](k, v, s, z, 50, D=32, B=16)
"""
)
"""A unit writes its row of a product, and the sum of its column: of 50 steps, the last two of a tile of 16."""
SOFTMAX = (
    HEAD
    + """def soften(x, y, rows, n, B: tl.constexpr):
    at = tl.arange(0, B)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        v = tl.load(x + row * n + at, mask=at < n, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(y + row * n + at, e / tl.sum(e, axis=0), mask=at < n)
x = torch.randn(60, 100, device="cuda")
soften[(20,)](x, torch.empty_like(x), 60, 100, B=128)
"""
)
"""What a row is filled up with is infinite, whatever is taken from it: no work."""
CROSS_ENTROPY = (
    HEAD
    + """def loss_in_place(x, y, out, n, ignored, B: tl.constexpr):
    row = tl.program_id(0)
    label = tl.load(y + row)
    x += row * n
    if label == ignored:
        for k in range(0, n, B):
            tl.store(x + k + tl.arange(0, B), 0.0, mask=k + tl.arange(0, B) < n)
        return
    m, d = float("-inf"), 0.0
    own = tl.load(x + label)
    for k in range(0, n, B):
        v = tl.load(x + k + tl.arange(0, B), mask=k + tl.arange(0, B) < n, other=float("-inf"))
        larger = tl.maximum(m, tl.max(v))
        d = d * tl.exp(m - larger) + tl.sum(tl.exp(v - larger))
        m = larger
    for k in range(0, n, B):
        at = k + tl.arange(0, B)
        v = tl.load(x + at, mask=at < n, other=float("-inf"))
        p = tl.exp(v - m) / d
        tl.store(x + at, tl.where(at != label, p, p - 1.0), mask=at < n)
    tl.store(out + row, m + tl.log(d) - own)
x, y = torch.randn(64, 3000, device="cuda"), torch.randint(0, 3000, (64,), device="cuda")
loss_in_place[(64,)](x, y, torch.empty(64, device="cuda"), 3000, -100, B=512)
"""
)
"""Data end a program early: the heavier arm counts. Nine operations of an element, four in the first pass."""
PARTIAL = (
    HEAD
    + """def back(x, dy, dx, dw, rows, n, R: tl.constexpr, B: tl.constexpr):
    part, at = tl.program_id(0), tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for row in range(part * R, min((part + 1) * R, rows)):
        v = tl.load(x + row * n + at, mask=at < n, other=0.0)
        g = tl.load(dy + row * n + at, mask=at < n, other=0.0)
        tl.store(dx + row * n + at, g - v * tl.sum(g * v, axis=0), mask=at < n)
        total += g * v
    tl.store(dw + part * n + at, total, mask=at < n)
x, dy = torch.randn(96, 100, device="cuda"), torch.randn(96, 100, device="cuda")
back[(12,)](x, dy, torch.empty_like(x), torch.empty(12, 100, device="cuda"), 96, 100, R=8, B=128)
"""
)
"""What one row of weights sums up are eight rows of gradients: a program is the unit."""
ENLARGED = (
    HEAD
    + """def enlarge(x, y, H, W, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    ok, row = at < 4 * H * W, at // (2 * W)
    f = (row.to(tl.float32) + 0.5) * 0.5 - 0.5
    low = tl.floor(f).to(tl.int32)
    p = x + tl.program_id(1) * H * W + (at % (2 * W)) // 2
    a = tl.load(p + tl.maximum(low, 0) * W, mask=ok)
    b = tl.load(p + tl.minimum(low + 1, H - 1) * W, mask=ok)
    tl.store(y + tl.program_id(1) * 4 * H * W + at, a + (b - a) * (f - low), mask=ok)
x = torch.randn(5, 40, 48, device="cuda")
enlarge[(triton.cdiv(4 * 40 * 48, 512), 5)](x, torch.empty(5, 80, 96, device="cuda"), 40, 48, B=512)
"""
)
"""Places by way of real numbers that the launch decides."""
GRADIENT = """import torch, triton, triton.language as tl
@triton.jit
def forward(x, a, y, channels, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    tl.store(y + row * n + at, tl.load(x + row * n + at) * tl.load(a + row % channels))
@triton.jit
def gradient(x, dy, a, dx, da, channels, n, B: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, B)
    g = tl.load(dy + row * n + at)
    tl.store(dx + row * n + at, g * tl.load(a + row % channels))
    tl.atomic_add(da + row % channels, tl.sum(g * tl.load(x + row * n + at), axis=0))
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, a):
        ctx.save_for_backward(x, a)
        y = torch.empty_like(x)
        forward[(x.shape[0] * x.shape[1],)](x, a, y, x.shape[1], x.shape[2], B=256)
        return y
    @staticmethod
    def backward(ctx, dy):
        x, a = ctx.saved_tensors
        dx, da = torch.empty_like(x), torch.zeros_like(a)
        gradient[(x.shape[0] * x.shape[1],)](x, dy, a, dx, da, x.shape[1], x.shape[2], B=256)
        return dx, da
Scale.apply(torch.randn(6, 10, 256, device="cuda"), torch.randn(10, device="cuda")).sum().backward()
"""
STATES = (
    HEAD
    + """def keep(x, out, T, D: tl.constexpr, B: tl.constexpr):
    d, h = tl.arange(0, D), tl.zeros((D, D), tl.float32)
    for k in range(T // B):
        at = tl.program_id(0) * T * D + (k * B + tl.arange(0, B))[:, None] * D + d[None, :]
        v = tl.load(x + at)
        tl.store(out + at, tl.dot(v, h))
        h += tl.dot(tl.trans(v), v)
x = torch.randn(3, 256, 16, device="cuda")
keep[(3,)](x, torch.empty_like(x), 256, D=16, B=32)
"""
)
"""A recurrence: work is shared less and less the further elements lie apart, and all of it is the unit."""
CODES = {
    CROSS_ENTROPY: (
        "64x3000|tile(1x3000) ∧ 64|element → 64x3000|tile(1x3000) ∧ 64|element", 9 * 64 * 3000, 1_536_768,
    ),
    PARTIAL: ("96x100|tile(8x100) ∧ 96x100|tile(8x100) → 96x100|tile(8x100) ∧ 12x100|tile(1x100)", 57_600, 120_000),
    ENLARGED: (
        "5x40x48|neighbourhood(1x3x1) → 5x80x96|tile(1x2x2)", 7 * 38_400, 192_000,
    ),
    GRADIENT: (
        "10|element ∧ 6x10x256|element ∧ 6x10x256|element → 6x10x256|element ∧ 10|shared", 3 * 15_360, 184_400,
    ),
    STATES: ("3x256x16|tile(1x256x16) → 3x256x16|tile(1x256x16)", 6 * 7 * 2 * 16 * 16 * 32, 98_304),
    DECAY: ("3x40x100|tile(1x40x1) ∧ 3x40x100|tile(1x40x1) → 3x40x100|tile(1x40x1)", 24_000, 144_000),
    CHANNELS: ("6|element ∧ 4x6x10x12|element → 4x6x10x12|element", 2_880, 23_064),
    DEPTHWISE: ("5x3x3|tile(1x3x3) ∧ 2x5x30x50|neighbourhood(1x1x3x3) → 2x5x30x50|element", 260_480, 120_180),
    BEST: ("70x90|tile(1x90) → 70|element ∧ 70|element", 12_600, 25_760),
    SPLIT: ("32x128|tile(1x128) ∧ 128x48|tile(128x1) → 32x48|element", 2 * 32 * 48 * 128 + 4 * 32 * 48, 47_104),
    STATE: (
        "3x50x32|tile(1x50x1) ∧ 3x50x32|tile(1x50x32) → 3x32x32|tile(1x1x32) ∧ 3x32|element",
        3 * 32 * 50 * (2 * 32 + 1), 51_072,
    ),
    SOFTMAX: ("60x100|tile(1x100) → 60x100|tile(1x100)", 5 * 6000, 48_000),
    LOOKS: ("64x128|element → 64x128|element", 24_576, 24_576),
}  # fmt: skip
"""Code -> class, operations (of the third, products of what lies inside and their sums) and bytes."""


@pytest.mark.parametrize(
    "code",
    CODES,
    ids=(
        "early end",
        "partial sums",
        "enlarged",
        "gradient",
        "states",
        "recurrence",
        "quotient",
        "depthwise",
        "argmax",
        "split",
        "state",
        "softmax",
        "pairs",
    ),
)
def test_classes_from_what_programs_store(code: str) -> None:
    kernel = find_triton_launches(ast.parse(code))[-1].kernel
    (found,) = classify_text(code, "python", {}, kernel)
    text, operations, moved = CODES[code]
    assert str(found.found) == text
    assert found.operations == pytest.approx(operations, rel=0.02)
    sizes = zip(found.bytes_each, (*found.found.inputs, *found.found.outputs), strict=True)
    assert sum(size * part.elements for size, part in sizes) == moved


@pytest.mark.parametrize("code", [DECAY, CHANNELS, BEST], ids=("recurrence", "quotient", "argmax"))
def test_what_no_nest_says_is_classified(code: str) -> None:
    kernel = find_triton_launches(ast.parse(code))[0].kernel
    (found,) = classify_or_count(code, "python", {}, kernel, False)
    assert str(found.found) == CODES[code][0]
    assert found.checked.startswith("checked at 1 size")


def test_a_loaded_bound_is_data() -> None:
    code = DECAY.replace("range(steps)", "range(tl.load(rate))")
    with pytest.raises(SourceError, match="data decide how often the loop over 't' runs"):
        classify_text(code, "python", {}, "decay")


def test_a_part_that_is_stored_is_no_class() -> None:
    code = CHANNELS.replace("tl.store(out + at, v, mask=at < n)", "tl.store(out + at, v, mask=(at < n) & (at % 7 < 3))")
    with pytest.raises(SourceError, match="stores a part of 'out'"):
        classify_text(code, "python", {}, "shift")


GATED = """
import torch, triton
import triton.language as tl
@triton.jit
def gate(x_ptr, n_cols, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(x_ptr + row * stride + at, mask=at < n_cols).to(tl.float32)
    u = tl.load(x_ptr + row * stride + n_cols + at, mask=at < n_cols).to(tl.float32)
    tl.store(x_ptr + row * stride + at, (g * g * u).to(tl.bfloat16), mask=at < n_cols)
def forward(x):
    n = x.shape[1] // 2
    gate[(x.shape[0], triton.cdiv(n, 1024))](x, n, x.stride(0), BLOCK=1024)
    return x[:, :n]
forward(torch.randn(4096, 22016, device="cuda", dtype=torch.bfloat16))
"""


def test_a_box_that_is_stored_is_an_array_of_its_own() -> None:
    (found,) = classify_text(GATED, "python", {}, "gate")
    assert str(found.found) == "4096x2x11008|tile(1x2x1) → 4096x11008|element"
    assert found.operations == 2 * 4096 * 11008
    assert found.arrays == ("x_ptr", "x_ptr")


def test_a_diagonal_is_refused() -> None:
    code = BEST.replace("x + row * cols + at, mask=at < cols", "x + row * cols + row + 0 * at, mask=at < 1")
    with pytest.raises(SourceError, match="diagonal"):
        classify_text(code, "python", {}, "best")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("at = tl.arange(0, 1 << 40)", "a tensor of 1.1e.12 elements"),
        ("n = 1 << (1 << 40)", r"larger than 2\^1024"),
        ("while tl.atomic_cas(bias, 0, 1) == 1: pass", "wait for each other by a lock"),
    ],
)
def test_what_has_no_end_is_refused(line: str, why: str) -> None:
    code = CHANNELS.replace("    c = (at", f"    {line}\n    c = (at")
    with pytest.raises(SourceError, match=f"line 5: .*{why}"):
        classify_text(code, "python", {}, "shift")


def test_one_element_follows_from_its_step_and_those_before() -> None:
    tree = ast.parse(DECAY)
    launch = find_triton_launches(tree)[0]
    trace = run_program(launch.helpers["decay"], launch, (1, 0, 0))
    answer = follow(trace, [{3: np.array([5])}])
    assert answer.taken[0]["x"].tolist() == [4000 + 100 * t + 5 for t in range(4)]
    assert answer.operations[0] == 8


SUMMED = {
    "of products": ("tl.cumsum(v * tl.load(w + r), axis=0)", "scan"),
    "less the element": ("tl.cumsum(v, axis=0) - v", "scan"),
    "in order": ("tl.sort(v * tl.load(w + r))", "sort"),
    "the largest of them": ("v - tl.max(tl.cumsum(v, axis=0), axis=0)", "tile"),
}


@pytest.mark.parametrize("kind", SUMMED)
def test_running_sums_among_other_work(kind: str) -> None:
    value, word = SUMMED[kind]
    code = (
        f"{HEAD}def f(x, w, y, B: tl.constexpr):\n    r = tl.program_id(0)\n    k = r * B + tl.arange(0, B)\n"
        f"    v = tl.load(x + k)\n    tl.store(y + k, {value})\n"
        "x = torch.randn(2000, 128, device='cuda')\nf[(2000,)](x, torch.randn(2000, device='cuda'), x, 128)\n"
    ).replace("x, 128)", "torch.empty_like(x), 128)")
    (result,) = classify_text(code, "python", function="f")
    assert str(result.found.outputs[0]) == f"2000x128|{word}(1x128)"
