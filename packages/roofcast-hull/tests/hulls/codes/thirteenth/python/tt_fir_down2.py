"""Halve the rate of many channels with the taps 1 3 3 1."""
import torch
import triton
import triton.language as tl

CHANNELS, LENGTH = 512, 8192


@triton.jit
def down2(x_ptr, y_ptr, length, BLOCK: tl.constexpr):
    ch = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    half = length // 2
    live = i < half
    row = x_ptr + ch * length + 2 * i
    a = tl.load(row - 1, mask=live & (i > 0), other=0.0)
    b = tl.load(row, mask=live, other=0.0)
    c = tl.load(row + 1, mask=live, other=0.0)
    d = tl.load(row + 2, mask=live & (2 * i + 2 < length), other=0.0)
    tl.store(y_ptr + ch * half + i, 0.125 * (a + d) + 0.375 * (b + c), mask=live)


x = torch.randn(CHANNELS, LENGTH, device="cuda")
y = torch.empty(CHANNELS, LENGTH // 2, device="cuda")
down2[(CHANNELS, triton.cdiv(LENGTH // 2, 1024))](x, y, LENGTH, BLOCK=1024)
print(y.std().item())
