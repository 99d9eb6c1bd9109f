"""Weights in FP8 (e4m3) with one float32 scale for each 128 x 128 block, there and back.

Checked by hand: quantising is |x|, maximum, division for each element (3), restoring 1.
Compiled for sm_90 (Triton 3.9) and run in Triton's interpreter at a small size against PyTorch.
"""
from typing import Tuple

import torch
import triton
import triton.language as tl

FP8_MAX = 448.0


@triton.jit
def block_quant_kernel(x_ptr, y_ptr, s_ptr, M, N, FP8_MAX: tl.constexpr, BLOCK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    nb = tl.cdiv(N, BLOCK)
    rm = pid_m * BLOCK + tl.arange(0, BLOCK)
    rn = pid_n * BLOCK + tl.arange(0, BLOCK)
    offs = rm[:, None] * N + rn[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    x = tl.load(x_ptr + offs, mask=mask, other=0.0).to(tl.float32)
    amax = tl.max(tl.max(tl.abs(x), axis=1), axis=0)
    s = tl.maximum(amax, 1e-12) / FP8_MAX
    y = x / s
    tl.store(y_ptr + offs, y.to(y_ptr.dtype.element_ty), mask=mask)
    tl.store(s_ptr + pid_m * nb + pid_n, s)


@triton.jit
def block_dequant_kernel(y_ptr, s_ptr, x_ptr, M, N, BLOCK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    nb = tl.cdiv(N, BLOCK)
    rm = pid_m * BLOCK + tl.arange(0, BLOCK)
    rn = pid_n * BLOCK + tl.arange(0, BLOCK)
    offs = rm[:, None] * N + rn[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    y = tl.load(y_ptr + offs, mask=mask).to(tl.float32)
    s = tl.load(s_ptr + pid_m * nb + pid_n)
    tl.store(x_ptr + offs, (y * s).to(x_ptr.dtype.element_ty), mask=mask)


def quantise(w: torch.Tensor, block: int = 128) -> Tuple[torch.Tensor, torch.Tensor]:
    assert w.is_contiguous() and w.dim() == 2
    M, N = w.shape
    y = torch.empty_like(w, dtype=torch.float8_e4m3fn)
    s = w.new_empty(triton.cdiv(M, block), triton.cdiv(N, block), dtype=torch.float32)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK"]), triton.cdiv(N, meta["BLOCK"]))
    block_quant_kernel[grid](w, y, s, M, N, FP8_MAX=FP8_MAX, BLOCK=block, num_warps=8)
    return y, s


def restore(y: torch.Tensor, s: torch.Tensor, block: int = 128) -> torch.Tensor:
    M, N = y.shape
    x = torch.empty((M, N), dtype=torch.bfloat16, device=y.device)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK"]), triton.cdiv(N, meta["BLOCK"]))
    block_dequant_kernel[grid](y, s, x, M, N, BLOCK=block, num_warps=8)
    return x


if __name__ == "__main__":
    w = torch.randn(7168, 16384, device="cuda", dtype=torch.bfloat16)
    y, s = quantise(w)
    back = restore(y, s)
    rel = (back.float() - w.float()).abs().mean() / w.float().abs().mean()
    print(f"mean relative error {rel.item():.4f}")
