"""Means and inverse deviations of columns, in two launches."""
import torch
import triton
import triton.language as tl


@triton.jit
def partial_moments(x, sums, squares, N, ROWS: tl.constexpr, BR: tl.constexpr, BN: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    first = tl.program_id(1) * ROWS
    s = tl.zeros((BN,), dtype=tl.float32)
    q = tl.zeros((BN,), dtype=tl.float32)
    for r in range(0, ROWS, BR):
        m = first + r + tl.arange(0, BR)
        v = tl.load(x + m[:, None] * N + n[None, :])
        s += tl.sum(v, axis=0)
        q += tl.sum(v * v, axis=0)
    tl.store(sums + tl.program_id(1) * N + n, s)
    tl.store(squares + tl.program_id(1) * N + n, q)


@triton.jit
def finish_moments(sums, squares, mean, rstd, M, N, eps, PARTS: tl.constexpr, BN: tl.constexpr):
    n = tl.program_id(0) * BN + tl.arange(0, BN)
    p = tl.arange(0, PARTS)
    at = p[:, None] * N + n[None, :]
    mu = tl.sum(tl.load(sums + at), axis=0) / M
    var = tl.sum(tl.load(squares + at), axis=0) / M - mu * mu
    tl.store(mean + n, mu)
    tl.store(rstd + n, tl.rsqrt(var + eps))


M, N, ROWS = 16384, 2048, 256
parts = M // ROWS
x = torch.randn(M, N, device="cuda")
sums = torch.empty(parts, N, device="cuda")
squares = torch.empty(parts, N, device="cuda")
mean = torch.empty(N, device="cuda")
rstd = torch.empty(N, device="cuda")
partial_moments[(N // 128, parts)](x, sums, squares, N, ROWS=ROWS, BR=16, BN=128)
finish_moments[(N // 64,)](sums, squares, mean, rstd, M, N, 1e-5, PARTS=parts, BN=64)
print((mean - x.mean(0)).abs().max(), (rstd * x.std(0) - 1).abs().max())
