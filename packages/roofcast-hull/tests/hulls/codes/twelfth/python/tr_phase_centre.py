"""Moves the phase centre of visibilities: each baseline's delay times frequency turns re and im."""
import torch
import triton
import triton.language as tl


@triton.jit
def rotate_vis(re, im, delay, freq, out_re, out_im, channels, BLOCK: tl.constexpr):
    b = tl.program_id(0)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = c < channels
    turn = tl.load(delay + b) * tl.load(freq + c, mask=ok, other=0.0)
    angle = 6.283185307179586 * turn
    cs = tl.cos(angle)
    sn = tl.sin(angle)
    at = b * channels + c
    x = tl.load(re + at, mask=ok, other=0.0)
    y = tl.load(im + at, mask=ok, other=0.0)
    tl.store(out_re + at, x * cs - y * sn, mask=ok)
    tl.store(out_im + at, x * sn + y * cs, mask=ok)


def shift_phase(re, im, delay, freq):
    out_re, out_im = torch.empty_like(re), torch.empty_like(im)
    baselines, channels = re.shape
    grid = (baselines, triton.cdiv(channels, 256))
    rotate_vis[grid](re, im, delay, freq, out_re, out_im, channels, BLOCK=256)
    return out_re, out_im


if __name__ == "__main__":
    re = torch.randn(2016, 3000, device="cuda")
    im = torch.randn(2016, 3000, device="cuda")
    delay = torch.randn(2016, device="cuda") * 1e-8
    freq = torch.linspace(1.1e8, 1.9e8, 3000, device="cuda")
    print(shift_phase(re, im, delay, freq)[0].sum())
