import torch
import triton
import triton.language as tl


@triton.jit
def dequant(q_ptr, scale_ptr, out_ptr, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(scale_ptr + r)
    q = tl.load(q_ptr + r * cols + c)
    tl.store(out_ptr + r * cols + c, (q.to(tl.float32) * s).to(tl.float16))


q = torch.zeros((4096, 8192), device="cuda", dtype=torch.int8)
scale = torch.ones(4096, device="cuda")
out = torch.empty((4096, 8192), device="cuda", dtype=torch.float16)
dequant[(4096, 8)](q, scale, out, 8192, BLOCK=1024)
