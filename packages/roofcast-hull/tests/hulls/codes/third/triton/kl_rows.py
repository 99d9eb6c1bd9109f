import torch
import triton
import triton.language as tl


@triton.jit
def kl_kernel(log_p, log_q, out, V, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, V, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        ok = cols < V
        lp = tl.load(log_p + row * V + cols, mask=ok, other=0.0)
        lq = tl.load(log_q + row * V + cols, mask=ok, other=0.0)
        acc += tl.exp(lp) * (lp - lq)
    tl.store(out + row, tl.sum(acc))


B, V = 1024, 32000
p = torch.randn(B, V, device="cuda")
q = torch.randn(B, V, device="cuda")
out = torch.empty(B, device="cuda")
kl_kernel[(B,)](p, q, out, V, BLOCK=1280)
