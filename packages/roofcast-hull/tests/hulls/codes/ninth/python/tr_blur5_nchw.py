# Anti-aliasing blur of feature maps: 5x5 binomial kernel on each channel, zero padding.
# A program takes a 2-D piece of one plane. Counts: loops of the taps, counted in Python.
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _binomial5(i: tl.constexpr):
    # 1 4 6 4 1
    d: tl.constexpr = i - 2
    if d == 0:
        return 6.0
    elif d == 1 or d == -1:
        return 4.0
    else:
        return 1.0


@triton.jit
def blur5_kernel(
    x_ptr, out_ptr,
    C, H, W,
    stride_n, stride_c, stride_h, stride_w,
    BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr,
):
    pid_w = tl.program_id(0)
    pid_h = tl.program_id(1)
    pid_nc = tl.program_id(2)
    n = pid_nc // C
    c = pid_nc % C

    h = pid_h * BLOCK_H + tl.arange(0, BLOCK_H)
    w = pid_w * BLOCK_W + tl.arange(0, BLOCK_W)
    plane = n * stride_n + c * stride_c

    acc = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)
    for r in tl.static_range(5):
        hh = h + r - 2
        for s in tl.static_range(5):
            ww = w + s - 2
            inside = (hh >= 0)[:, None] & (hh < H)[:, None] & (ww >= 0)[None, :] & (ww < W)[None, :]
            v = tl.load(x_ptr + plane + hh[:, None] * stride_h + ww[None, :] * stride_w, mask=inside, other=0.0)
            weight = _binomial5(r) * _binomial5(s) / 256.0
            acc += v * weight

    out_mask = (h < H)[:, None] & (w < W)[None, :]
    tl.store(out_ptr + plane + h[:, None] * stride_h + w[None, :] * stride_w, acc, mask=out_mask)


class BlurPool(nn.Module):
    """Depth-wise binomial blur at stride 1."""

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        out = torch.empty_like(x)
        BLOCK_H, BLOCK_W = 16, 64
        grid = (triton.cdiv(W, BLOCK_W), triton.cdiv(H, BLOCK_H), N * C)
        blur5_kernel[grid](x, out, C, H, W, *x.stride(), BLOCK_H=BLOCK_H, BLOCK_W=BLOCK_W)
        return out


if __name__ == "__main__":
    x = torch.randn(8, 64, 112, 112, device="cuda")
    y = BlurPool()(x)
    k1 = torch.tensor([1.0, 4.0, 6.0, 4.0, 1.0], device="cuda")
    k2 = (k1[:, None] * k1[None, :] / 256).expand(64, 1, 5, 5).contiguous()
    ref = torch.nn.functional.conv2d(x, k2, padding=2, groups=64)
    print("max err", (y - ref).abs().max().item())
