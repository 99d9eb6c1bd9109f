# Second half of a Newton-Schulz step of Muon: C = alpha * A @ A^T + beta * A for a
# symmetric A (so A @ A^T is A @ A and both operands are read along rows).
# Amounts by hand.
import torch
import triton
import triton.language as tl


def _get_autotune_configs():
    return [
        triton.Config(
            {"BLOCK_SIZE_M": bm, "BLOCK_SIZE_N": bn, "BLOCK_SIZE_K": bk, "GROUP_SIZE_M": 8},
            num_stages=stages, num_warps=warps,
        )
        for bm, bn, bk, stages, warps in [
            (128, 128, 64, 4, 8),
            (128, 64, 64, 4, 4),
            (64, 64, 64, 4, 4),
        ]
    ]


@triton.jit
def _pid_to_block(pid, M, BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, GROUP_SIZE_M: tl.constexpr):
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(M, BLOCK_SIZE_N)
    pid_m = pid // num_pid_n
    pid_n = pid % num_pid_n
    pid_m, pid_n = tl.swizzle2d(pid_m, pid_n, num_pid_m, num_pid_n, GROUP_SIZE_M)
    return pid_m * BLOCK_SIZE_M, pid_n * BLOCK_SIZE_N


@triton.autotune(configs=_get_autotune_configs(), key=["M", "a_stride_r", "c_stride_r"])
@triton.jit
def ba_plus_cAA_kernel(
    A_ptr, C_ptr,
    M,
    a_stride_r, a_stride_c,
    c_stride_r, c_stride_c,
    alpha, beta,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    m_idx, n_idx = _pid_to_block(pid, M, BLOCK_SIZE_M, BLOCK_SIZE_N, GROUP_SIZE_M)

    offs_m = (m_idx + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_n = (n_idx + tl.arange(0, BLOCK_SIZE_N)) % M
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = A_ptr + (offs_m[:, None] * a_stride_r + offs_k[None, :] * a_stride_c)
    at_ptrs = A_ptr + (offs_k[:, None] * a_stride_c + offs_n[None, :] * a_stride_r)

    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(M, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < M - k * BLOCK_SIZE_K, other=0.0)
        at = tl.load(at_ptrs, mask=offs_k[:, None] < M - k * BLOCK_SIZE_K, other=0.0)
        accumulator = tl.dot(a, at, accumulator)
        a_ptrs += BLOCK_SIZE_K * a_stride_c
        at_ptrs += BLOCK_SIZE_K * a_stride_c

    offs_am = m_idx + tl.arange(0, BLOCK_SIZE_M)
    offs_an = n_idx + tl.arange(0, BLOCK_SIZE_N)
    mask = (offs_am[:, None] < M) & (offs_an[None, :] < M)
    a_add = tl.load(A_ptr + offs_am[:, None] * a_stride_r + offs_an[None, :] * a_stride_c, mask=mask, other=0.0)

    accumulator *= alpha
    accumulator += a_add.to(tl.float32) * beta

    c_ptrs = C_ptr + offs_am[:, None] * c_stride_r + offs_an[None, :] * c_stride_c
    tl.store(c_ptrs, accumulator.to(C_ptr.dtype.element_ty), mask=mask)


def ba_plus_cAA(A: torch.Tensor, alpha: float, beta: float) -> torch.Tensor:
    assert A.ndim == 2 and A.size(0) == A.size(1)
    M = A.size(0)
    out = torch.empty_like(A)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_SIZE_M"]) * triton.cdiv(M, meta["BLOCK_SIZE_N"]),)
    ba_plus_cAA_kernel[grid](
        A, out, M,
        A.stride(0), A.stride(1), out.stride(0), out.stride(1),
        alpha, beta,
    )
    return out


if __name__ == "__main__":
    a, b, c = 3.4445, -4.7750, 2.0315
    G = torch.randn(2048, 4096, device="cuda", dtype=torch.bfloat16)
    X = G / (G.norm() + 1e-7)
    for _ in range(5):
        A = X @ X.mT
        B = ba_plus_cAA(A, alpha=c, beta=b)
        X = a * X + B @ X
    print("orthogonal?", (X @ X.mT).float().diagonal().mean().item())
