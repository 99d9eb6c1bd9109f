import torch
import triton
import triton.language as tl


@triton.jit
def upsample2x_kernel(src, dst, H, W, total, BLOCK: tl.constexpr):
    """nearest neighbour, twice as high and as wide; one lane for every pixel of the result"""
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = o < total
    ow = 2 * W
    oh = 2 * H
    x = o % ow
    y = (o // ow) % oh
    plane = o // (ow * oh)
    v = tl.load(src + plane * H * W + (y // 2) * W + x // 2, mask=live)
    tl.store(dst + o, v, mask=live)


def upsample2x(t):
    n, c, h, w = t.shape
    out = t.new_empty((n, c, 2 * h, 2 * w))
    total = out.numel()
    upsample2x_kernel[(triton.cdiv(total, 1024),)](t, out, h, w, total, BLOCK=1024)
    return out


if __name__ == "__main__":
    feat = torch.randn(8, 64, 40, 40, device="cuda", dtype=torch.half)
    big = upsample2x(feat)
    assert torch.equal(big, torch.nn.functional.interpolate(feat, scale_factor=2, mode="nearest"))
