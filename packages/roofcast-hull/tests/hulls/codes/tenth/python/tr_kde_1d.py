"""Gaussian kernel density estimate in one dimension.

Each program keeps BLOCK_Q query points and walks over all samples.
By hand: 6 operations for a query and a sample, one more a query.
Verified: counted twice by reading; py_compile only.
"""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def kde_kernel(
    query_ptr, sample_ptr, out_ptr,
    n_query, n_samples,
    inv_h, norm,
    BLOCK_Q: tl.constexpr, BLOCK_N: tl.constexpr,
):
    q_idx = tl.program_id(0) * BLOCK_Q + tl.arange(0, BLOCK_Q)
    q = tl.load(query_ptr + q_idx, mask=q_idx < n_query, other=0.0)
    acc = tl.zeros((BLOCK_Q,), dtype=tl.float32)
    for start in range(0, n_samples, BLOCK_N):
        s_idx = start + tl.arange(0, BLOCK_N)
        s = tl.load(sample_ptr + s_idx, mask=s_idx < n_samples, other=float("inf"))
        z = (q[:, None] - s[None, :]) * inv_h
        acc += tl.sum(tl.exp(-0.5 * (z * z)), axis=1)
    tl.store(out_ptr + q_idx, acc * norm, mask=q_idx < n_query)


def gaussian_kde(samples: torch.Tensor, queries: torch.Tensor, bandwidth: float) -> torch.Tensor:
    out = torch.empty_like(queries)
    n_query, n_samples = queries.numel(), samples.numel()
    norm = 1.0 / (n_samples * bandwidth * math.sqrt(2 * math.pi))
    kde_kernel[(triton.cdiv(n_query, 32),)](
        queries, samples, out, n_query, n_samples, 1.0 / bandwidth, norm,
        BLOCK_Q=32, BLOCK_N=256, num_warps=8,
    )
    return out


def main():
    samples = torch.randn(65536, device="cuda", dtype=torch.float32)
    queries = torch.linspace(-4, 4, 4096, device="cuda", dtype=torch.float32)
    density = gaussian_kde(samples, queries, bandwidth=0.15)
    exact = torch.exp(-0.5 * queries**2) / math.sqrt(2 * math.pi)
    print(f"largest deviation from N(0,1): {(density - exact).abs().max().item():.4f}")


if __name__ == "__main__":
    main()
