import torch
import triton
import triton.language as tl


@triton.jit
def row_sum(x_ptr, s_ptr, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    acc = 0.0
    for c in range(0, cols, BLOCK):
        o = c + tl.arange(0, BLOCK)
        acc += tl.sum(tl.load(x_ptr + r * cols + o, mask=o < cols, other=0.0))
    tl.store(s_ptr + r, acc)


@triton.jit
def row_argmax(x_ptr, i_ptr, cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    o = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + r * cols + o, mask=o < cols, other=float("-inf"))
    tl.store(i_ptr + r, tl.argmax(v, axis=0))


x = torch.rand(6000, 5000, device="cuda")
s = torch.empty(6000, device="cuda")
row_sum[(6000,)](x, s, 5000, BLOCK=1024)
z = torch.rand(2000, 1000, device="cuda")
i = torch.empty(2000, device="cuda", dtype=torch.int32)
row_argmax[(2000,)](z, i, 1000, BLOCK=1024)
