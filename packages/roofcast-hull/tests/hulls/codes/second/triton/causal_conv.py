"""A causal convolution of four steps, each channel by itself."""

import torch
import triton
import triton.language as tl


@triton.jit
def causal_conv_kernel(x_ptr, w_ptr, y_ptr, T, C, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < C
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in tl.static_range(WIDTH):
        source = t - (WIDTH - 1) + k
        x = tl.load(x_ptr + source * C + c, mask=mask & (source >= 0), other=0.0)
        w = tl.load(w_ptr + k * C + c, mask=mask, other=0.0)
        acc += x * w
    tl.store(y_ptr + t * C + c, acc, mask=mask)


if __name__ == "__main__":
    T, C = 4096, 1536
    x = torch.randn(T, C, device="cuda")
    w = torch.randn(4, C, device="cuda")
    y = torch.empty_like(x)
    causal_conv_kernel[(T, triton.cdiv(C, 256))](x, w, y, T, C, WIDTH=4, BLOCK=256)
