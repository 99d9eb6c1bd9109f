import torch
import triton
import triton.language as tl


@triton.jit
def dropout_add(x_ptr, keep_ptr, residual_ptr, out_ptr, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    x = tl.load(x_ptr + i, mask=live)
    keep = tl.load(keep_ptr + i, mask=live).to(tl.float32)
    r = tl.load(residual_ptr + i, mask=live)
    tl.store(out_ptr + i, x * keep * scale + r, mask=live)


n = 1_750_000
x = torch.randn(n, device="cuda")
residual = torch.randn(n, device="cuda")
keep = (torch.rand(n, device="cuda") > 0.15).to(torch.uint8)
out = torch.empty_like(x)
grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
dropout_add[grid](x, keep, residual, out, n, 1.0 / 0.85, BLOCK=1024)
print(out.mean())
