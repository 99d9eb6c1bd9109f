import torch
import triton
import triton.language as tl


@triton.jit
def gelu_fwd(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m).to(tl.float32)
    g = 0.5 * v * (1 + tl.erf(v * 0.70710678))
    tl.store(y + i, g.to(tl.bfloat16), mask=m)


x = torch.randn(4096, 3072, device="cuda", dtype=torch.bfloat16)
y = torch.empty_like(x)
n = x.numel()
gelu_fwd[(triton.cdiv(n, 2048),)](x, y, n, B=2048, num_warps=8)
