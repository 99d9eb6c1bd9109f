"""Python programs as people write them: own helpers, classes, sizes of options, calls in ``main``."""

from __future__ import annotations

import io

import pytest

from hulls.test_codes import are_alike
from roofcast.core.errors import UnknownFormatError
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.notation import parse_class
from roofcast_hull.source import code_rows
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.found_class import Found
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")


def count_bytes(classes: list[Found]) -> float:
    """B that classes move."""
    return sum(
        (f.element_bytes or ELEMENT_TYPES[f.element or "fp32"][0]) * (f.found.elements_in + f.found.elements_out)
        for f in classes
    )


HELPERS = """import numpy as np
def cnd(d):
    k = 1.0 / (1.0 + 0.2316419 * np.abs(d))
    w = 0.39894228 * np.exp(-0.5 * d * d) * k
    return np.where(d > 0, 1.0 - w, w)
def call(s, x, t):
    d = np.log(s / x) / np.sqrt(t)
    return s * cnd(d)
def main():
    n = 1_000_000
    rng = np.random.default_rng(42)
    call(rng.uniform(10, 50, n), rng.uniform(10, 50, n), rng.uniform(1, 2, n))
if __name__ == "__main__":
    main()
"""
BRANCHES = """import numpy as np
from numba import njit
@njit
def slope(a, b):
    if a * b <= 0.0:
        return 0.0
    return min(abs(a), abs(b))
@njit
def limit(u, out):
    for i in range(1, u.shape[0] - 1):
        out[i] = slope(u[i] - u[i - 1], u[i + 1] - u[i])
u = np.random.rand(400000)
limit(u, np.zeros_like(u))
"""
OWN_ARRAYS = """import numpy as np
class Model:
    def __init__(self, n, m):
        self.w = np.random.default_rng(0).normal(size=(n, m)) / np.sqrt(n)
        self.turn = np.array([[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]])
    def apply(self, u):
        return self.w @ u
    def rotate(self, p):
        return p @ self.turn.T
model = Model(300, 500)
weights = np.random.default_rng(1).dirichlet(np.ones(500), size=20)
out = [model.apply(u) for u in weights]
model.rotate(np.random.rand(4000, 2))
"""
"""What a class makes in its first method, rows of an array that a list goes through, numbers of functions."""
NESTED = """import numpy as np
from dataclasses import dataclass
@dataclass
class State:
    u: np.ndarray
    v: np.ndarray
class Solver:
    def __init__(self, ny, nx):
        self.state = State(np.zeros((ny, nx)), np.zeros((ny, nx)))
    def advance(self, dt):
        s = self.state
        s.u += dt * (s.v - s.u)
Solver(600, 800).advance(0.1)
"""
"""Objects inside of objects, and names for them."""
CALLS = """import numpy as np
def windows(x):
    return np.lib.stride_tricks.sliding_window_view(x, 16).mean(axis=1)
def along(x, i):
    return np.take_along_axis(x, i[:, None], axis=1)
def least(x):
    return np.minimum.reduce(x, axis=0)
def contracted(a, b):
    return np.tensordot(a, b, axes=1)
def selected(x):
    return np.select([x < 0, x < 1], [0.0, x], default=1.0)
def kept(x, m):
    return x[m].sum()
def running(x):
    return np.cumsum(x * x, axis=1) / 2.0
r = np.random.default_rng(1)
windows(r.random(100000))
along(r.random((4000, 30)), r.integers(0, 30, 4000))
least(r.random((80, 900)))
contracted(r.random((30, 40, 50)), r.random((50, 60)))
selected(r.random(40000))
kept(r.random(30000), r.random(30000) > 0.3)
running(r.random((200, 1000)))
"""
MADE_OF_TENSORS = """import torch
import triton
import triton.language as tl
@triton.jit
def scale(x_ptr, s_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.arange(0, BLOCK)
    mask = k < n
    x = tl.load(x_ptr + row * n + k, mask=mask, other=0.0)
    tl.store(y_ptr + row * n + k, x / tl.load(s_ptr + row), mask=mask)
def normalise(x, s):
    y = torch.empty_like(x)
    scale[(x.shape[0],)](x, s, y, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y
def test(rows=3000, n=700):
    x = torch.softmax(torch.randn(rows, n, device="cuda"), dim=-1).cumsum(1)
    s = x.abs().amax(dim=1) / 7
    assert torch.allclose(normalise(x, s), x / s[:, None])
if __name__ == "__main__":
    test()
"""
"""Tensors that Torch computes, and a launch below a check."""
SHARED_TILES = """import numpy as np
from numba import cuda, float32
@cuda.jit
def product(A, B, C):
    sA = cuda.shared.array((16, 16), float32)
    sB = cuda.shared.array((16, 16), float32)
    col, row = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    acc = float32(0.0)
    for t in range((A.shape[1] + 15) // 16):
        sA[ty, tx] = A[row, t * 16 + tx] if row < A.shape[0] and t * 16 + tx < A.shape[1] else 0.0
        sB[ty, tx] = B[t * 16 + ty, col] if t * 16 + ty < B.shape[0] and col < B.shape[1] else 0.0
        cuda.syncthreads()
        for j in range(16):
            acc += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    if row < C.shape[0] and col < C.shape[1]:
        C[row, col] = acc
A = cuda.to_device(np.ones((300, 500), dtype=np.float32))
B = cuda.to_device(np.ones((500, 220), dtype=np.float32))
product[(14, 19), (16, 16)](A, B, cuda.device_array((300, 220), dtype=np.float32))
"""
"""Tiles of which the last one is padded with zeros."""
OPTIONS = """import argparse
import numpy as np
def step(u, v):
    v[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
def run(n, steps):
    u = np.zeros((n, n))
    v = np.empty_like(u)
    for _ in range(steps):
        step(u, v)
        u, v = v, u
if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", "--n", type=int, default=1500)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    run(args.n, args.steps)
"""
MEMBERS = """from dataclasses import dataclass
import numpy as np
@dataclass
class Config:
    paths: int = 20000
    steps: int = 250
class Model:
    def __init__(self, cfg):
        self.drift = np.zeros(cfg.steps)
        self.vol = 0.2
    def damp(self, z):
        return self.vol * z
    def move(self, z):
        return self.drift + self.damp(z)
cfg = Config(paths=30000)
Model(cfg).move(np.random.default_rng(0).standard_normal((cfg.paths, cfg.steps), dtype=np.float32))
"""
PARTS = """import numpy as np
class Heat:
    def __init__(self, n, alpha=0.1):
        self.u = np.zeros((n, n))
        self.alpha = alpha
    def laplace(self):
        u = self.u
        return u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    def step(self):
        self.u[1:-1, 1:-1] += self.alpha * self.laplace()
Heat(1024).step()
"""
CHOICE = """import numpy as np
from numba import vectorize
@vectorize
def clamp(x):
    if x < 0.0:
        return 0.0
    elif x > 1.0:
        return 1.0
    return x * np.pi
clamp(np.random.rand(300000))
"""
PLACES = """import numpy as np
def confusion(y, p, k=10):
    m = np.zeros((k, k), dtype=np.int64)
    np.add.at(m, (y, p), 1)
    return m
def pick(table, y, p):
    return table[y, p] * np.arange(y.size)
rng = np.random.default_rng(0)
y, p = (rng.integers(0, 10, 60000) for _ in range(2))
confusion(y, p)
pick(rng.random((10, 10)), y, p)
"""
CASES = {
    "places": (PLACES, "confusion", ["60000|element & 60000|element -> 100|shared"], 60000, 0.9608),
    "picked": (PLACES, "pick", ["60000|element & 60000|element & 10x10|gather -> 60000|element"], 60000, 1.4408),
    # The right side sees a part of what is overwritten as it was.
    "parts": (PARTS, "step", ["1024x1024|neighbourhood(3x3) -> 1024x1024|element"], 7 * 1022 * 1022, 16 * 1.0486),
    "choice": (CHOICE, "clamp", ["300000|element -> 300000|element"], 3 * 300000, 4.8),
    # 20 - 8 operations of cnd less the polynomial: 4 + 5 + 2 (comparison, difference); 3 of d; a product.
    "helpers": (HELPERS, "call", ["1000000|element & 1000000|element & 1000000|element -> 1000000|element"], None, 32),
    "branches": (BRANCHES, "limit", ["400000|neighbourhood(3) -> 400000|element"], None, 6.4),
    "options": (OPTIONS, "step", ["1500x1500|neighbourhood(3x3) -> 1500x1500|element"], 4 * 1498 * 1498, 36),
    "own_arrays": (OWN_ARRAYS, "apply", ["300x500|tile(1x500) & 500|full -> 300|element"], 300000, 1.2064),
    "rotated": (OWN_ARRAYS, "rotate", ["4000x2|tile(1x2) & 2x2|tile(1x2) -> 4000x2|element"], 4 * 8000, 0.128),
    "nested": (NESTED, "advance", ["600x800|element & 600x800|element -> 600x800|element"], 3 * 480000, 11.52),
    "windows": (CALLS, "windows", ["99985|neighbourhood(16) -> 99985|element"], 17 * 99985, 1.6),
    "taken_along": (CALLS, "along", ["4000|element & 4000x30|gather -> 4000|element"], 0, 1.024),
    "reduced": (CALLS, "least", ["80x900|tile(80x1) -> 900|element"], 72000, 0.5832),
    "contracted": (
        CALLS,
        "contracted",
        ["30x40x50|tile(1x1x50) & 50x60|tile(50x1) -> 30x40x60|element"],
        7_200_000,
        1.08,
    ),
    "selected": (CALLS, "selected", ["40000|element -> 40000|element"], 80000, 0.64),
    # A mask is no index.
    "kept": (CALLS, "kept", ["30000|element & 30000|element -> 1|shared"], 30000, 0.27),
    # Running sums of what their units compute, and what follows from them.
    "running": (
        CALLS,
        "running",
        ["200x1000|tile(1x1000) -> 200x1000|scan(1x1000)", "200000|element -> 200000|element"],
        600000,
        6.4,
    ),
    "tensors": (
        MADE_OF_TENSORS,
        "scale",
        ["3000x700|element & 3000|element -> 3000x700|element"],
        3000 * 700,
        16.8,
    ),
    "shared_tiles": (
        SHARED_TILES,
        "product",
        ["300x500|tile(1x500) & 500x220|tile(500x1) -> 300x220|element"],
        66_000_000,
        1.304,
    ),
    "members": (MEMBERS, "move", ["30000x250|element & 250|element -> 30000x250|element"], 15 * 10**6, 90),
}


@pytest.mark.parametrize("case", CASES)
def test_programs(case: str) -> None:
    code, function, wanted, operations, megabytes = CASES[case]
    found = classify_text(code, "python", function=function)
    classes = [str(f.found) for f in found]
    assert len(found) == len(wanted), classes
    assert all(are_alike(f.found, parse_class(w), 0.02) for f, w in zip(found, wanted, strict=True)), classes
    if operations is not None:
        assert sum(f.operations for f in found) == pytest.approx(operations, rel=0.02)
    assert count_bytes(found) == pytest.approx(megabytes * 1e6, rel=0.02)


def test_sizes_that_the_call_does_not_know_are_asked_for() -> None:
    code = "import numpy as np\ndef f(a):\n    return a - a.min()\nf(np.load('x.npy'))\n"
    with pytest.raises(SourceError, match=r"give --size 'len\(a\)=N'"):
        classify_text(code, "python")
    assert str(classify_text(code, "python", {"len(a)": 5000})[0].found) == "5000|element → 1|shared"


def test_a_file_without_kernels_says_so() -> None:
    with pytest.raises(UnknownFormatError, match="without a kernel"):
        code_rows.read(io.BytesIO(b"from numba import cuda\nx = 1\n"), "plain.py")
