"""Product of a Gaussian kernel matrix with a vector, without the matrix
(KeOps-like): out_i = sum_j exp(-gamma |x_i - y_j|^2) b_j with points in 3-D.

Operation count of a pair: self-counting scalar translation.
"""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def gauss_reduction_kernel(x_ptr, y_ptr, b_ptr, out_ptr, gamma, N, M,
                           BLOCK_I: tl.constexpr, BLOCK_J: tl.constexpr):
    i = tl.program_id(0) * BLOCK_I + tl.arange(0, BLOCK_I)
    mask_i = i < N
    xi0 = tl.load(x_ptr + 3 * i, mask=mask_i, other=0.0)
    xi1 = tl.load(x_ptr + 3 * i + 1, mask=mask_i, other=0.0)
    xi2 = tl.load(x_ptr + 3 * i + 2, mask=mask_i, other=0.0)

    acc = tl.zeros((BLOCK_I,), dtype=tl.float32)
    for start in range(0, M, BLOCK_J):
        j = start + tl.arange(0, BLOCK_J)
        mask_j = j < M
        yj0 = tl.load(y_ptr + 3 * j, mask=mask_j, other=0.0)
        yj1 = tl.load(y_ptr + 3 * j + 1, mask=mask_j, other=0.0)
        yj2 = tl.load(y_ptr + 3 * j + 2, mask=mask_j, other=0.0)
        bj = tl.load(b_ptr + j, mask=mask_j, other=0.0)

        d0 = xi0[:, None] - yj0[None, :]
        d1 = xi1[:, None] - yj1[None, :]
        d2 = xi2[:, None] - yj2[None, :]
        dist2 = d0 * d0 + d1 * d1 + d2 * d2
        w = tl.exp(dist2 * gamma)
        acc += tl.sum(w * bj[None, :], axis=1)

    tl.store(out_ptr + i, acc, mask=mask_i)


def gauss_matvec(x: torch.Tensor, y: torch.Tensor, b: torch.Tensor, sigma: float) -> torch.Tensor:
    N, M = x.shape[0], y.shape[0]
    out = torch.empty(N, device=x.device, dtype=torch.float32)
    gamma = -1.0 / (2.0 * sigma * sigma)
    grid = (triton.cdiv(N, 64),)
    gauss_reduction_kernel[grid](x, y, b, out, gamma, N, M, BLOCK_I=64, BLOCK_J=64, num_warps=4)
    return out


def main():
    N, M, sigma = 16384, 8192, 0.2
    x = torch.rand(N, 3, device="cuda")
    y = torch.rand(M, 3, device="cuda")
    b = torch.randn(M, device="cuda") / math.sqrt(M)
    out = gauss_matvec(x, y, b, sigma)
    ref = torch.exp(-torch.cdist(x, y) ** 2 / (2 * sigma ** 2)) @ b
    print("rel. error", ((out - ref).norm() / ref.norm()).item())


if __name__ == "__main__":
    main()
