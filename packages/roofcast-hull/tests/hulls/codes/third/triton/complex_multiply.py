"""Products of complex numbers; real and imaginary parts lie side by side."""

import torch
import triton
import triton.language as tl


@triton.jit
def complex_multiply_kernel(a, b, c, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    ar = tl.load(a + 2 * i, mask=mask)
    ai = tl.load(a + 2 * i + 1, mask=mask)
    br = tl.load(b + 2 * i, mask=mask)
    bi = tl.load(b + 2 * i + 1, mask=mask)
    tl.store(c + 2 * i, ar * br - ai * bi, mask=mask)
    tl.store(c + 2 * i + 1, ar * bi + ai * br, mask=mask)


n = 1 << 21
a = torch.randn(n, 2, device="cuda")
b = torch.randn(n, 2, device="cuda")
c = torch.empty(n, 2, device="cuda")
complex_multiply_kernel[(n // 1024,)](a, b, c, n, BLOCK=1024)
