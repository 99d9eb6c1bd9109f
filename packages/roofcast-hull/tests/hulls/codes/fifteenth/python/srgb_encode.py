import torch
import triton
import triton.language as tl

HEIGHT, WIDTH = 1080, 1920


@triton.jit
def encode_srgb(src, dst, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offs < n
    x = tl.load(src + offs, mask=inside, other=0.0)
    x = tl.minimum(tl.maximum(x, 0.0), 1.0)
    low = x * 12.92
    high = 1.055 * tl.exp(tl.log(tl.maximum(x, 1e-6)) * 0.4166667) - 0.055
    tl.store(dst + offs, tl.where(x <= 0.0031308, low, high), mask=inside)


@triton.jit
def luminance(rgb, luma, pixels, BLOCK: tl.constexpr):
    p = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = p < pixels
    r = tl.load(rgb + 3 * p, mask=ok)
    g = tl.load(rgb + 3 * p + 1, mask=ok)
    b = tl.load(rgb + 3 * p + 2, mask=ok)
    tl.store(luma + p, 0.2126 * r + 0.7152 * g + 0.0722 * b, mask=ok)


def main():
    linear = torch.rand(HEIGHT * WIDTH * 3, device="cuda", dtype=torch.float32)
    encoded = torch.empty_like(linear)
    luma = torch.empty(HEIGHT * WIDTH, device="cuda", dtype=torch.float32)
    n = linear.numel()
    encode_srgb[(triton.cdiv(n, 1024),)](linear, encoded, n, BLOCK=1024)
    pixels = HEIGHT * WIDTH
    luminance[(triton.cdiv(pixels, 512),)](linear, luma, pixels, BLOCK=512)
    print(encoded.mean().item(), luma.mean().item())


if __name__ == "__main__":
    main()
