"""Rotary positions of queries."""

import torch
import triton
import triton.language as tl


@triton.jit
def rotary_kernel(q_ptr, cos_ptr, sin_ptr, out_ptr, HEADS: tl.constexpr, HALF: tl.constexpr):
    token = tl.program_id(0)
    head = tl.program_id(1)
    i = tl.arange(0, HALF)
    base = (token * HEADS + head) * 2 * HALF
    a = tl.load(q_ptr + base + i)
    b = tl.load(q_ptr + base + HALF + i)
    c = tl.load(cos_ptr + token * HALF + i)
    s = tl.load(sin_ptr + token * HALF + i)
    tl.store(out_ptr + base + i, a * c - b * s)
    tl.store(out_ptr + base + HALF + i, b * c + a * s)


if __name__ == "__main__":
    tokens, heads, dim = 2048, 16, 64
    q = torch.randn(tokens, heads, dim, device="cuda")
    cos = torch.randn(tokens, dim // 2, device="cuda")
    sin = torch.randn(tokens, dim // 2, device="cuda")
    out = torch.empty_like(q)
    rotary_kernel[(tokens, heads)](q, cos, sin, out, HEADS=heads, HALF=dim // 2)
