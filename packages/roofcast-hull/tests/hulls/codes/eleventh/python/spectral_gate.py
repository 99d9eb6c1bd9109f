"""Noise reduction of speech by spectral subtraction, and levels of the frames that are left."""
import torch
import triton
import triton.language as tl


@triton.jit
def gate_bins(re, im, noise, re_out, im_out, alpha, least, BINS: tl.constexpr):
    frame = tl.program_id(0)
    k = tl.arange(0, BINS)
    a = tl.load(re + frame * BINS + k)
    b = tl.load(im + frame * BINS + k)
    size = tl.sqrt(a * a + b * b)
    gain = tl.maximum(1.0 - alpha * tl.load(noise + k) / (size + 1e-8), least)
    tl.store(re_out + frame * BINS + k, a * gain)
    tl.store(im_out + frame * BINS + k, b * gain)


@triton.jit
def frame_level(re, im, level, BINS: tl.constexpr):
    frame = tl.program_id(0)
    k = frame * BINS + tl.arange(0, BINS)
    a = tl.load(re + k)
    b = tl.load(im + k)
    energy = tl.sum(a * a + b * b, axis=0)
    tl.store(level + frame, 10.0 * tl.log(energy + 1e-10))


frames, bins = 16384, 512
re = torch.randn(frames, bins, device="cuda")
im = torch.randn(frames, bins, device="cuda")
noise = torch.rand(bins, device="cuda")
re2, im2 = torch.empty_like(re), torch.empty_like(im)
level = torch.empty(frames, device="cuda")
gate_bins[(frames,)](re, im, noise, re2, im2, 1.5, 0.1, BINS=bins)
frame_level[(frames,)](re2, im2, level, BINS=bins)
print(level.mean())
