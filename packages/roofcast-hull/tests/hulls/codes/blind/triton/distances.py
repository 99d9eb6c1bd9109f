import torch
import triton
import triton.language as tl


@triton.jit
def distances(x_ptr, y_ptr, d_ptr, NX, NY, D, BX: tl.constexpr, BY: tl.constexpr):
    i = tl.program_id(0) * BX + tl.arange(0, BX)
    j = tl.program_id(1) * BY + tl.arange(0, BY)
    acc = tl.zeros((BX, BY), dtype=tl.float32)
    for k in range(D):
        a = tl.load(x_ptr + i * D + k, mask=i < NX, other=0.0)
        b = tl.load(y_ptr + j * D + k, mask=j < NY, other=0.0)
        t = a[:, None] - b[None, :]
        acc += t * t
    tl.store(d_ptr + i[:, None] * NY + j[None, :], tl.sqrt(acc), mask=(i[:, None] < NX) & (j[None, :] < NY))


x = torch.rand((2000, 24), device="cuda")
y = torch.rand((1000, 24), device="cuda")
d = torch.empty((2000, 1000), device="cuda")
distances[(triton.cdiv(2000, 32), triton.cdiv(1000, 64))](x, y, d, 2000, 1000, 24, BX=32, BY=64)
