import math

import torch
import triton
import triton.language as tl

BATCH = 4
HIN = 518
HOUT = 512
TAPS = 7


@triton.jit
def conv7_valid(img, filt, out, HIN: tl.constexpr, HOUT: tl.constexpr, TAPS: tl.constexpr, BX: tl.constexpr):
    x = tl.program_id(0) * BX + tl.arange(0, BX)
    y = tl.program_id(1)
    b = tl.program_id(2)
    acc = tl.zeros((BX,), dtype=tl.float32)
    for dy in tl.static_range(TAPS):
        for dx in tl.static_range(TAPS):
            w = tl.load(filt + dy * TAPS + dx)
            v = tl.load(img + b * HIN * HIN + (y + dy) * HIN + x + dx)
            acc += w * v
    tl.store(out + b * HOUT * HOUT + y * HOUT + x, acc)


def gabor(theta, sigma=2.0, lam=4.0):
    r = torch.arange(TAPS, dtype=torch.float32) - TAPS // 2
    yy, xx = torch.meshgrid(r, r, indexing="ij")
    u = xx * math.cos(theta) + yy * math.sin(theta)
    return torch.exp(-(xx ** 2 + yy ** 2) / (2 * sigma ** 2)) * torch.cos(2 * math.pi * u / lam)


if __name__ == "__main__":
    img = torch.rand(BATCH, HIN, HIN, device="cuda")
    filt = gabor(0.6).cuda()
    out = torch.empty(BATCH, HOUT, HOUT, device="cuda")
    conv7_valid[(HOUT // 128, HOUT, BATCH)](img, filt, out, HIN=HIN, HOUT=HOUT, TAPS=TAPS, BX=128)
    ref = torch.nn.functional.conv2d(img[:, None], filt[None, None])[:, 0]
    print((out - ref).abs().max().item())
