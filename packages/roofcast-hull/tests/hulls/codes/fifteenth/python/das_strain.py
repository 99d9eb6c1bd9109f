"""Strain rate along a fibre: fourth-order difference between channels, a row for each instant."""
import torch
import triton
import triton.language as tl

INSTANTS, CHANNELS = 1024, 8192


@triton.jit
def strain_rate(u, out, channels, scale, BLOCK: tl.constexpr):
    t = tl.program_id(1)
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = (c >= 2) & (c < channels - 2)
    row = u + t * channels + c
    near = tl.load(row + 1, mask=keep, other=0.0) - tl.load(row - 1, mask=keep, other=0.0)
    far = tl.load(row + 2, mask=keep, other=0.0) - tl.load(row - 2, mask=keep, other=0.0)
    tl.store(out + t * channels + c, (8.0 * near - far) * scale, mask=keep)


if __name__ == "__main__":
    u = torch.randn(INSTANTS, CHANNELS, device="cuda", dtype=torch.float32)
    out = torch.zeros_like(u)
    strain_rate[(triton.cdiv(CHANNELS, 256), INSTANTS)](u, out, CHANNELS, 1.0 / 12.0, BLOCK=256)
    print(out.abs().max().item())
