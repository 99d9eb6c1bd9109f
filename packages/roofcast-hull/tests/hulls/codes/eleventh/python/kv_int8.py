import torch
import triton
import triton.language as tl


@triton.jit
def quant_kv_rows(kv_ptr, q_ptr, scale_ptr, HEAD: tl.constexpr):
    row = tl.program_id(0)
    col = tl.arange(0, HEAD)
    x = tl.load(kv_ptr + row * HEAD + col).to(tl.float32)
    top = tl.max(tl.abs(x), axis=0)
    scale = tl.maximum(top / 127.0, 1e-8)
    q = tl.floor(x / scale + 0.5)
    tl.store(q_ptr + row * HEAD + col, q.to(tl.int8))
    tl.store(scale_ptr + row, scale)


def quantise_cache(kv):
    rows, head = kv.shape
    q = torch.empty((rows, head), device=kv.device, dtype=torch.int8)
    scale = torch.empty(rows, device=kv.device, dtype=torch.float32)
    quant_kv_rows[(rows,)](kv, q, scale, HEAD=head, num_warps=1)
    return q, scale


cache = torch.randn(131072, 128, device="cuda", dtype=torch.float16)
q, scale = quantise_cache(cache)
print((q.float() * scale[:, None] - cache.float()).abs().max())
