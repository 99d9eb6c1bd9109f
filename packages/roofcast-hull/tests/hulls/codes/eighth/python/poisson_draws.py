"""Poisson random numbers by inversion: walk up the distribution until its sum passes the uniform number.

How far a program walks depends on its data (rates and draws): no fixed amount of work.
Compiled for sm_90 (Triton 3.9) and run in Triton's interpreter: the mean count is the mean rate within noise.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def poisson_inverse_kernel(rate_ptr, u_ptr, count_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    lam = tl.load(rate_ptr + i, mask=mask, other=0.0)
    u = tl.load(u_ptr + i, mask=mask, other=0.0)
    p = tl.exp(-lam)
    cdf = p
    k = tl.zeros((BLOCK,), dtype=tl.int32)
    walking = (u > cdf) & (p > 1e-20)
    while tl.max(walking.to(tl.int32), axis=0) > 0:
        k = tl.where(walking, k + 1, k)
        p = tl.where(walking, p * lam / k.to(tl.float32), p)
        cdf = tl.where(walking, cdf + p, cdf)
        walking = walking & (u > cdf) & (p > 1e-20)
    tl.store(count_ptr + i, k, mask=mask)


def poisson_draws(rate: torch.Tensor, generator=None) -> torch.Tensor:
    rate = rate.contiguous()
    u = torch.rand(rate.shape, device=rate.device, generator=generator)
    count = torch.empty(rate.shape, dtype=torch.int32, device=rate.device)
    n = rate.numel()
    poisson_inverse_kernel[(triton.cdiv(n, 256),)](rate, u, count, n, BLOCK=256, num_warps=4)
    return count


if __name__ == "__main__":
    rate = 0.5 + 20.0 * torch.rand(16 * 1024 * 1024, device="cuda")
    k = poisson_draws(rate)
    print("mean rate %.4f mean count %.4f" % (rate.mean().item(), k.float().mean().item()))
