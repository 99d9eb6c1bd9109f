"""Empirical distribution functions for a Kolmogorov-Smirnov test: how many of the sample lie at or below each grid point."""
import torch
import triton
import triton.language as tl


@triton.jit
def ecdf_kernel(sample_ptr, grid_ptr, cdf_ptr, n, POINTS: tl.constexpr, CHUNK: tl.constexpr):
    g = tl.program_id(0) * POINTS + tl.arange(0, POINTS)
    at = tl.load(grid_ptr + g)
    count = tl.zeros((POINTS,), dtype=tl.float32)
    for i in range(0, n, CHUNK):
        x = tl.load(sample_ptr + i + tl.arange(0, CHUNK))
        count += tl.sum((x[None, :] <= at[:, None]).to(tl.float32), axis=1)
    tl.store(cdf_ptr + g, count / n)


N_SAMPLE, N_GRID = 131072, 8192
sample = torch.randn(N_SAMPLE, device="cuda", dtype=torch.float32)
grid = torch.linspace(-4.0, 4.0, N_GRID, device="cuda", dtype=torch.float32)
cdf = torch.empty(N_GRID, device="cuda", dtype=torch.float32)
ecdf_kernel[(N_GRID // 32,)](sample, grid, cdf, N_SAMPLE, POINTS=32, CHUNK=64)
print(float((cdf - torch.special.ndtr(grid)).abs().max()))
