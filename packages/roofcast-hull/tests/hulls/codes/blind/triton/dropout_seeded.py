import torch
import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, o_ptr, n, p, seed, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    keep = tl.rand(seed, offs) > p
    tl.store(o_ptr + offs, tl.where(keep, x / (1 - p), 0.0), mask=mask)


x = torch.randn(1 << 20, device="cuda")
o = torch.empty_like(x)
dropout[(1024,)](x, o, x.numel(), 0.1, 123, BLOCK=1024)
