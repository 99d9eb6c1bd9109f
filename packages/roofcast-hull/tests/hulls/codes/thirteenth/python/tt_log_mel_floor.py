"""Whisper's log mel: floor eight decades below the peak and bring to about -1 .. 1."""
import torch
import triton
import triton.language as tl

COUNT = 80 * 48000


@triton.jit
def floor_scale(x_ptr, peak_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    least = tl.load(peak_ptr) - 8.0
    v = tl.log2(tl.maximum(tl.load(x_ptr + i, mask=live, other=1.0), 1e-10)) * 0.30103
    tl.store(y_ptr + i, (tl.maximum(v, least) + 4.0) * 0.25, mask=live)


x = torch.rand(COUNT, device="cuda") ** 4
peak = x.max().log10().reshape(1)
y = torch.empty(COUNT, device="cuda")
floor_scale[(triton.cdiv(COUNT, 1024),)](x, peak, y, COUNT, BLOCK=1024)
print(y.min().item(), y.max().item())
