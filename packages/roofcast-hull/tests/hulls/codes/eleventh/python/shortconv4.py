"""Short causal convolution over time of each channel, with SiLU (batch, time, channel)."""
import torch
import triton
import triton.language as tl


@triton.jit
def causal_conv4_silu(x_ptr, w_ptr, b_ptr, y_ptr, T, D, BT: tl.constexpr, BD: tl.constexpr):
    t = tl.program_id(0) * BT + tl.arange(0, BT)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    base = tl.program_id(2) * T * D
    acc = tl.zeros((BT, BD), dtype=tl.float32) + tl.load(b_ptr + d)[None, :]
    for k in tl.static_range(4):
        s = t + k - 3
        x = tl.load(x_ptr + base + s[:, None] * D + d[None, :], mask=(s >= 0)[:, None], other=0.0)
        w = tl.load(w_ptr + d * 4 + k)
        acc += x * w[None, :]
    y = acc / (1.0 + tl.exp(-acc))
    tl.store(y_ptr + base + t[:, None] * D + d[None, :], y)


B, T, D = 4, 4096, 1024
x = torch.randn(B, T, D, device="cuda")
w = torch.randn(D, 4, device="cuda")
bias = torch.randn(D, device="cuda")
y = torch.empty_like(x)
causal_conv4_silu[(T // 32, D // 64, B)](x, w, bias, y, T, D, BT=32, BD=64)
torch.cuda.synchronize()
