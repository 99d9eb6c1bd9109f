import torch
import triton
import triton.language as tl


@triton.jit
def transpose(src, dst, rows, cols, T: tl.constexpr):
    r = tl.program_id(0) * T + tl.arange(0, T)
    c = tl.program_id(1) * T + tl.arange(0, T)
    tile = tl.load(src + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols))
    tl.store(dst + c[:, None] * rows + r[None, :], tl.trans(tile), mask=(c[:, None] < cols) & (r[None, :] < rows))


rows, cols = 3000, 5000
src = torch.rand(rows, cols, device="cuda")
dst = torch.empty(cols, rows, device="cuda")
transpose[(triton.cdiv(rows, 32), triton.cdiv(cols, 32))](src, dst, rows, cols, T=32)
