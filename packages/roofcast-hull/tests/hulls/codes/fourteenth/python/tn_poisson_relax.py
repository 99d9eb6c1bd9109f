"""One damped Jacobi sweep of the Poisson equation on the inside of a square."""
import torch
import triton
import triton.language as tl

SIDE = 1024


@triton.jit
def relax(u, f, out, h2, SIDE: tl.constexpr, BY: tl.constexpr, BX: tl.constexpr):
    x = tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    y = tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    inner = (x > 0) & (x < SIDE - 1) & (y > 0) & (y < SIDE - 1)
    at = y * SIDE + x
    north = tl.load(u + at - SIDE, mask=inner, other=0.0)
    south = tl.load(u + at + SIDE, mask=inner, other=0.0)
    west = tl.load(u + at - 1, mask=inner, other=0.0)
    east = tl.load(u + at + 1, mask=inner, other=0.0)
    here = tl.load(u + at, mask=inner, other=0.0)
    rhs = tl.load(f + at, mask=inner, other=0.0)
    jac = 0.25 * (north + south + west + east + h2 * rhs)
    tl.store(out + at, here + 0.8 * (jac - here), mask=inner)


@triton.jit
def square_error(a, b, total, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.load(a + i, mask=i < n, other=0.0) - tl.load(b + i, mask=i < n, other=0.0)
    tl.atomic_add(total, tl.sum(d * d, axis=0))


if __name__ == "__main__":
    u = torch.rand(SIDE, SIDE, device="cuda")
    f = torch.rand(SIDE, SIDE, device="cuda")
    new = u.clone()
    relax[(SIDE // 64, SIDE // 16)](u, f, new, 1.0 / SIDE ** 2, SIDE=SIDE, BY=16, BX=64)
    total = torch.zeros(1, device="cuda")
    n = SIDE * SIDE
    square_error[(triton.cdiv(n, 1024),)](u, new, total, n, BLOCK=1024)
    print(total.item())
