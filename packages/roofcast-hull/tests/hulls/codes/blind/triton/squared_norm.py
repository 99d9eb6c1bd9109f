import torch
import triton
import triton.language as tl


@triton.jit
def squared_norm(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x * x, axis=0))


@triton.jit
def block_max(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=float("-inf"))
    tl.store(out_ptr + pid, tl.max(x, 0))


n = 1 << 23
x = torch.randn(n, device="cuda")
out = torch.zeros(1, device="cuda")
squared_norm[(n // 4096,)](x, out, n, BLOCK=4096)
tops = torch.empty(n // 2048, device="cuda")
block_max[(n // 2048,)](x, tops, n, BLOCK=2048)
