"""Lidar pillars: offsets from each pillar's mean point, and the largest feature of its points."""
import torch
import triton
import triton.language as tl

PILLARS = 12_000
POINTS = 32
CHANNELS = 64


@triton.jit
def offsets_from_mean(x_ptr, y_ptr, n_ptr, ox_ptr, oy_ptr, P: tl.constexpr):
    pillar = tl.program_id(0)
    at = pillar * P + tl.arange(0, P)
    n = tl.load(n_ptr + pillar)
    x = tl.load(x_ptr + at)
    y = tl.load(y_ptr + at)
    mx = tl.sum(x, axis=0) / n
    my = tl.sum(y, axis=0) / n
    tl.store(ox_ptr + at, x - mx)
    tl.store(oy_ptr + at, y - my)


@triton.jit
def largest_feature(f_ptr, out_ptr, P: tl.constexpr, C: tl.constexpr):
    pillar = tl.program_id(0)
    p = tl.arange(0, P)
    c = tl.arange(0, C)
    f = tl.load(f_ptr + pillar * P * C + p[:, None] * C + c[None, :])
    best = tl.max(f, axis=0)
    tl.store(out_ptr + pillar * C + c, tl.maximum(best, 0.0))


def main():
    g = torch.Generator(device="cuda").manual_seed(4)
    n = torch.randint(1, POINTS + 1, (PILLARS,), device="cuda", generator=g).float()
    filled = torch.arange(POINTS, device="cuda")[None, :] < n[:, None]
    x = torch.rand(PILLARS, POINTS, device="cuda", generator=g) * filled
    y = torch.rand(PILLARS, POINTS, device="cuda", generator=g) * filled
    ox = torch.empty_like(x)
    oy = torch.empty_like(y)
    offsets_from_mean[(PILLARS,)](x, y, n, ox, oy, P=POINTS)
    f = torch.randn(PILLARS, POINTS, CHANNELS, device="cuda", generator=g)
    out = torch.empty(PILLARS, CHANNELS, device="cuda", dtype=torch.float32)
    largest_feature[(PILLARS,)](f, out, P=POINTS, C=CHANNELS)
    print(ox.abs().mean().item(), out.mean().item())


if __name__ == "__main__":
    main()
