"""Matern-3/2 covariance between two sets of points in space."""
import torch
import triton
import triton.language as tl

NX, NY = 2048, 3072
SQRT3 = 1.7320508


@triton.jit
def matern32(x_ptr, y_ptr, k_ptr, nx, ny, rate, BX: tl.constexpr, BY: tl.constexpr):
    i = tl.program_id(0) * BX + tl.arange(0, BX)
    j = tl.program_id(1) * BY + tl.arange(0, BY)
    mi, mj = i < nx, j < ny
    d0 = tl.load(x_ptr + 3 * i, mask=mi)[:, None] - tl.load(y_ptr + 3 * j, mask=mj)[None, :]
    d1 = tl.load(x_ptr + 3 * i + 1, mask=mi)[:, None] - tl.load(y_ptr + 3 * j + 1, mask=mj)[None, :]
    d2 = tl.load(x_ptr + 3 * i + 2, mask=mi)[:, None] - tl.load(y_ptr + 3 * j + 2, mask=mj)[None, :]
    s = tl.sqrt(d0 * d0 + d1 * d1 + d2 * d2) * rate
    k = (1.0 + s) * tl.exp(-s)
    tl.store(k_ptr + i[:, None] * ny + j[None, :], k, mask=mi[:, None] & mj[None, :])


x = torch.rand(NX, 3, device="cuda")
y = torch.rand(NY, 3, device="cuda")
k = torch.empty(NX, NY, device="cuda")
matern32[(NX // 64, NY // 64)](x, y, k, NX, NY, SQRT3 / 0.3, BX=64, BY=64)
print(k.mean().item())
