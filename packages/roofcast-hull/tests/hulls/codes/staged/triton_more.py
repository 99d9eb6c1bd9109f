import torch
import triton
import triton.language as tl


@triton.jit
def scan_rows(x, y, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + cols, mask=cols < n, other=0.0)
    tl.store(y + row * stride + cols, tl.cumsum(v, axis=0), mask=cols < n)


@triton.jit
def sort_rows(x, y, n, BLOCK: tl.constexpr = 512):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + cols)
    tl.store(y + row * n + cols, tl.sort(v))


@triton.jit
def count(ids, weights, out, n, BLOCK: tl.constexpr = 1024):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = at < n
    which = tl.load(ids + at, mask=ok, eviction_policy="evict_first")
    w = tl.load(weights + at, mask=ok, other=0.0, cache_modifier=".cg")
    tl.atomic_add(out + which, w, mask=ok)


def run():
    x = torch.randn(4096, 1000, device="cuda")
    y = torch.empty_like(x)
    scan_rows[(4096,)](x, y, x.stride(0), 1000, BLOCK=1024)
    a = torch.randn(8192, 512, device="cuda")
    b = torch.empty_like(a)
    sort_rows[(8192,)](a, b, 512)
    n = 5000000
    ids = torch.randint(0, 4096, (n,), device="cuda", dtype=torch.int32)
    w = torch.rand(n, device="cuda")
    out = torch.zeros(4096, device="cuda")
    count[lambda m: (triton.cdiv(n, m["BLOCK"]),)](ids, w, out, n)


run()
