# L1 norm of every column (importance of features for pruning), by 2D tiles and atomic additions.
# Verified: 2 operations per element (absolute value, addition) by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size.
import torch
import triton
import triton.language as tl


@triton.jit
def col_l1_kernel(x_ptr, out_ptr, M, N, stride_m, stride_n, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tile = tl.load(x_ptr + rm[:, None] * stride_m + rn[None, :] * stride_n, mask=mask, other=0.0)
    part = tl.sum(tl.abs(tile), axis=0)
    tl.atomic_add(out_ptr + rn, part, mask=rn < N)


def column_l1(x: torch.Tensor, block_m: int = 64, block_n: int = 128) -> torch.Tensor:
    M, N = x.shape
    out = torch.zeros(N, dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(M, block_m), triton.cdiv(N, block_n))
    col_l1_kernel[grid](x, out, M, N, x.stride(0), x.stride(1), BLOCK_M=block_m, BLOCK_N=block_n)
    return out


if __name__ == "__main__":
    activations = torch.randn((5000, 700), device="cuda", dtype=torch.float32)
    norms = column_l1(activations)
    torch.testing.assert_close(norms, activations.abs().sum(0), rtol=1e-4, atol=1e-2)
    keep = torch.topk(norms, 350).indices
    print(keep[:10].tolist())
