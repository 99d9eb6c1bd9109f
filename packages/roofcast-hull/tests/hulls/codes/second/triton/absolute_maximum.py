"""The largest absolute value of a tensor."""

import torch
import triton
import triton.language as tl


@triton.jit
def absmax_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.atomic_max(out_ptr, tl.max(tl.abs(x), axis=0))


if __name__ == "__main__":
    x = torch.randn(6_000_000, device="cuda")
    out = torch.zeros(1, device="cuda")
    absmax_kernel[(triton.cdiv(x.numel(), 4096),)](x, out, x.numel(), BLOCK=4096)
