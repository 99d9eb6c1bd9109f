"""Sums of columns, added up by atomics."""

import torch
import triton
import triton.language as tl


@triton.jit
def column_sums_kernel(x_ptr, out_ptr, rows, cols, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = (r < rows)[:, None] & (c < cols)[None, :]
    x = tl.load(x_ptr + r[:, None] * cols + c[None, :], mask=inside, other=0.0)
    tl.atomic_add(out_ptr + c, tl.sum(x, 0), mask=c < cols)


if __name__ == "__main__":
    x = torch.randn(8192, 1024, device="cuda")
    out = torch.zeros(1024, device="cuda")
    grid = (triton.cdiv(8192, 64), triton.cdiv(1024, 128))
    column_sums_kernel[grid](x, out, 8192, 1024, BR=64, BC=128)
