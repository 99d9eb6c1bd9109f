import torch
import triton
import triton.language as tl


@triton.jit
def leaky(x):
    return tl.where(x > 0, x, 0.01 * x)


@triton.jit
def bias_leaky(x_ptr, b_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    n = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    mask = (m < M) & (n < N)
    x = tl.load(x_ptr + m * N + n, mask=mask)
    b = tl.load(b_ptr + n, mask=n < N)
    tl.store(x_ptr + m * N + n, leaky(x + b), mask=mask)


M, N = 5000, 3000
x = torch.randn((M, N), device="cuda")
b = torch.randn((N,), device="cuda")
bias_leaky[(triton.cdiv(M, 32), triton.cdiv(N, 128))](x, b, M, N, BM=32, BN=128)
