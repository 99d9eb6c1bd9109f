"""Gradient of a softmax over rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_backward_kernel(dx_ptr, dy_ptr, y_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * row_stride + cols, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + row * row_stride + cols, mask=mask, other=0.0)
    inner = tl.sum(y * dy, axis=0)
    tl.store(dx_ptr + row * row_stride + cols, (dy - inner) * y, mask=mask)


if __name__ == "__main__":
    y = torch.rand(4096, 1024, device="cuda")
    dy = torch.rand_like(y)
    dx = torch.empty_like(y)
    softmax_backward_kernel[(y.shape[0],)](dx, dy, y, y.stride(0), y.shape[1], BLOCK=1024)
