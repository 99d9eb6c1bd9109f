"""Hosts of Triton kernels as people write them: what is ``None``, handed over, held by objects, or a view."""

from __future__ import annotations

import ast

import pytest

from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.triton_host import find_triton_launches
from roofcast_hull.source.triton_units import classify_programs

HEAD = """import functools, torch, triton, triton.language as tl
from typing import NamedTuple
"""
SCALE = """@triton.jit
def scale(x, out, n, stride, HAS_BIAS: tl.constexpr, B: tl.constexpr, bias=None):
    row, at = tl.program_id(0), tl.arange(0, B)
    v = tl.load(x + row * stride + at, mask=at < n, other=0.0) * 2
    if HAS_BIAS:
        v += tl.load(bias + at, mask=at < n, other=0.0)
    tl.store(out + row * n + at, v, mask=at < n)
"""
CALL = "scale[(rows,)](x, out, n, x.stride(0), HAS_BIAS=bias is not None, B=triton.next_power_of_2(n), bias=bias)"
RUN = (
    SCALE
    + f"""def run(x, bias=None):
    rows, n = x.shape
    out = torch.empty((rows, n), device=x.device, dtype=x.dtype)
    {CALL}
    return out
"""
)
PLAIN = "64x100|element → 64x100|element"
HOSTS = {
    "none": (RUN + "run(torch.randn(64, 100, device='cuda'))", PLAIN),
    "chunk": (
        RUN
        + """linear = torch.nn.Linear(32, 300).cuda()
q, k, v = linear(torch.randn(64, 32, device="cuda")).chunk(3, dim=-1)
run(k)
""",
        PLAIN,
    ),
    "partial": (
        RUN + "again = functools.partial(run, bias=torch.ones(100))\nagain(torch.randn(64, 100))",
        "100|element ∧ 64x100|element → 64x100|element",
    ),
    "named tuple": (
        RUN
        + """class Shape(NamedTuple):
    rows: int = 64
    columns: int = 100
rows, columns = Shape()
run(torch.randn(rows, columns))
""",
        PLAIN,
    ),
    "property": (
        RUN
        + """class Layer(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("bias", torch.zeros(n))
        self.n = n
    @property
    def half(self):
        return self.n // 2
    def forward(self, x):
        return run(x[:, : self.half], self.bias[: self.half])
Layer(200)(torch.randn(64, 200))
""",
        "100|element ∧ 64x100|element → 64x100|element",
    ),
    "loop": (
        RUN + "rows = 1\nwhile rows < 64:\n    rows *= 2\nfor t in (torch.randn(rows, 100),):\n    run(t)\n",
        PLAIN,
    ),
    "compiled": (
        SCALE
        + """x = torch.randn(64, 100)
compiled = scale.warmup(x, x, 100, 100, HAS_BIAS=False, B=128, grid=(1,))
compiled[(64,)](x, torch.empty_like(x), 100, 100, False, 128)
""",
        PLAIN,
    ),
    "early return": (
        RUN
        + """def guarded(x):
    if x.numel() == 0:
        return None
    if not x.is_contiguous():
        raise ValueError(x)
    try:
        return run(x)
    finally:
        pass
guarded(torch.randn(64, 100))
""",
        PLAIN,
    ),
}
GRAM = (
    HEAD
    + """@triton.jit
def gram(A, C, M, K, BM: tl.constexpr, BK: tl.constexpr):
    m, n, k = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BM + tl.arange(0, BM), tl.arange(0, BK)
    acc = tl.zeros((BM, BM), tl.float32)
    for first in range(0, K, BK):
        a = tl.load(A + m[:, None] * K + (first + k)[None, :])
        b = tl.load(A + n[:, None] * K + (first + k)[None, :])
        acc += tl.dot(a, tl.trans(b))
    tl.store(C + m[:, None] * M + n[None, :], acc)
A = torch.randn(128, 96)
gram[(4, 4)](A, torch.empty(128, 128), 128, 96, BM=32, BK=32)
"""
)


@pytest.mark.parametrize("host", HOSTS)
def test_classes_of_what_hosts_launch(host: str) -> None:
    code, expected = HOSTS[host]
    assert str(classify_programs(ast.parse(HEAD + code), "scale").found) == expected


def test_loads_of_one_array_that_make_no_box_together_are_told_apart() -> None:
    gram = classify_programs(ast.parse(GRAM), "gram")
    assert str(gram.found) == "128x96|tile(1x96) ∧ 128x96|tile(1x96) → 128x128|element"
    assert gram.operations == 2 * 128 * 128 * 96
    # The array moves once.
    assert (gram.element_bytes or 4) * (gram.found.elements_in + gram.found.elements_out) == 4 * (128 * 96 + 128 * 128)


SHUFFLE = (
    HEAD
    + """@triton.jit
def shuffle(x, y, n, C, H, W, R: tl.constexpr, B: tl.constexpr):
    o = tl.program_id(0) * B + tl.arange(0, B)
    w, h = o % (W * R), (o // (W * R)) % (H * R)
    c, b = (o // (W * R * H * R)) % C, o // (W * R * H * R * C)
    taken = ((b * C * R * R + c * R * R + (h % R) * R + w % R) * H + h // R) * W + w // R
    tl.store(y + o, tl.load(x + taken, mask=o < n), mask=o < n)
shuffle[(512,)](torch.randn(2, 16, 64, 64), torch.empty(2, 4, 128, 128), 131072, 4, 64, 64, R=2, B=256)
"""
)


def test_elements_in_another_order_are_taken_each_once() -> None:
    shuffle = classify_programs(ast.parse(SHUFFLE), "shuffle")
    assert str(shuffle.found) == "unordered 2x16x64x64|element → 2x4x128x128|element"


def test_none_is_what_a_kernel_gets() -> None:
    (launch,) = find_triton_launches(ast.parse(HEAD + HOSTS["none"][0]))
    assert launch.arguments["bias"] is None
    assert launch.arguments["HAS_BIAS"] is False


def test_a_grid_that_the_file_does_not_say_is_refused() -> None:
    code = HEAD + SCALE + "n = input()\nx = torch.randn(64, 100)\nscale[(n,)](x, x, 100, 100, False, 128)\n"
    with pytest.raises(SourceError, match="the grid of the launch depends on what the file does not say"):
        classify_programs(ast.parse(code), "scale")
