"""Hyperbolic distances of pairs of embeddings in the Poincare ball."""
import torch
import triton
import triton.language as tl


@triton.jit
def poincare_distance(u_ptr, v_ptr, dist_ptr, pairs, DIM: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    col = tl.arange(0, DIM)
    at = row[:, None] * DIM + col[None, :]
    ok = row < pairs
    u = tl.load(u_ptr + at, mask=ok[:, None], other=0.0)
    v = tl.load(v_ptr + at, mask=ok[:, None], other=0.0)
    diff = u - v
    d2 = tl.sum(diff * diff, axis=1)
    u2 = tl.sum(u * u, axis=1)
    v2 = tl.sum(v * v, axis=1)
    c = 1.0 + 2.0 * d2 / ((1.0 - u2) * (1.0 - v2))
    tl.store(dist_ptr + row, tl.log(c + tl.sqrt(c * c - 1.0)), mask=ok)


pairs, dim = 200_000, 64
u = torch.rand(pairs, dim, device="cuda") * 0.1
v = torch.rand(pairs, dim, device="cuda") * 0.1
dist = torch.empty(pairs, device="cuda")
poincare_distance[(triton.cdiv(pairs, 16),)](u, v, dist, pairs, DIM=dim, ROWS=16)
print(dist.mean())
