import torch
import triton
import triton.language as tl


@triton.jit
def rope_kernel(x_ptr, cos_ptr, sin_ptr, n_heads, HALF: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    h = tl.program_id(1)
    i = tl.arange(0, BLOCK)
    m = i < HALF
    c = tl.load(cos_ptr + t * HALF + i, mask=m)
    s = tl.load(sin_ptr + t * HALF + i, mask=m)
    base = x_ptr + (t * n_heads + h) * 2 * HALF
    a = tl.load(base + i, mask=m)
    b = tl.load(base + HALF + i, mask=m)
    tl.store(base + i, a * c - b * s, mask=m)
    tl.store(base + HALF + i, b * c + a * s, mask=m)


def rope_(x, cos, sin):
    """In place."""
    time, heads, dim = x.shape
    rope_kernel[(time, heads)](x, cos, sin, heads, HALF=dim // 2, BLOCK=64, num_warps=1)


x = torch.randn(1500, 12, 80, device="cuda")
angle = torch.outer(torch.arange(1500, device="cuda").float(), 10000.0 ** (-torch.arange(40, device="cuda") / 40))
cos = torch.cos(angle)
sin = torch.sin(angle)
rope_(x, cos, sin)
print(x.norm())
