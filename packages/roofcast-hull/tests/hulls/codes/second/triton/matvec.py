"""A matrix times a vector, some rows a program."""

import torch
import triton
import triton.language as tl


@triton.jit
def matvec_kernel(a_ptr, x_ptr, y_ptr, M, N, stride_am, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    acc = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for n in range(0, N, BLOCK_N):
        cols = n + tl.arange(0, BLOCK_N)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        a = tl.load(a_ptr + rows[:, None] * stride_am + cols[None, :], mask=mask, other=0.0)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0)
        acc += tl.sum(a * x[None, :], axis=1)
    tl.store(y_ptr + rows, acc, mask=rows < M)


if __name__ == "__main__":
    M, N = 4096, 3072
    a = torch.randn((M, N), device="cuda")
    x = torch.randn(N, device="cuda")
    y = torch.empty(M, device="cuda")
    matvec_kernel[(triton.cdiv(M, 16),)](a, x, y, M, N, a.stride(0), BLOCK_M=16, BLOCK_N=128)
