"""Second order wave equation on a square, zero outside, one time step a launch.

By hand: 5 operations for the Laplacian, 4 for the leapfrog step. The old level is overwritten by the new one.
Verified: operations with self-counting numbers; py_compile only.
"""
import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def wave_step_kernel(u_ptr, prev_ptr, c2_ptr, H, W, BLOCK_Y: tl.constexpr, BLOCK_X: tl.constexpr):
    ys = tl.program_id(1) * BLOCK_Y + tl.arange(0, BLOCK_Y)
    xs = tl.program_id(0) * BLOCK_X + tl.arange(0, BLOCK_X)
    y = ys[:, None]
    x = xs[None, :]
    inside = (y < H) & (x < W)
    idx = y * W + x

    u = tl.load(u_ptr + idx, mask=inside, other=0.0)
    north = tl.load(u_ptr + idx - W, mask=inside & (y > 0), other=0.0)
    south = tl.load(u_ptr + idx + W, mask=inside & (y < H - 1), other=0.0)
    west = tl.load(u_ptr + idx - 1, mask=inside & (x > 0), other=0.0)
    east = tl.load(u_ptr + idx + 1, mask=inside & (x < W - 1), other=0.0)
    prev = tl.load(prev_ptr + idx, mask=inside, other=0.0)
    c2 = tl.load(c2_ptr + idx, mask=inside, other=0.0)

    lap = north + south + west + east - 4.0 * u
    tl.store(prev_ptr + idx, 2.0 * u - prev + c2 * lap, mask=inside)


def propagate(u, prev, c2, steps):
    H, W = u.shape
    grid = (triton.cdiv(W, 128), triton.cdiv(H, 8))
    for _ in range(steps):
        wave_step_kernel[grid](u, prev, c2, H, W, BLOCK_Y=8, BLOCK_X=128, num_warps=4)
        u, prev = prev, u
    return u, prev


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()

    axis = torch.linspace(-1, 1, args.size, device="cuda")
    u = torch.exp(-400 * (axis[:, None] ** 2 + (axis[None, :] - 0.3) ** 2)).contiguous()
    prev = u.clone()
    c2 = torch.where(axis[None, :] > 0, 0.25, 0.1).expand(args.size, args.size).contiguous()
    u, prev = propagate(u, prev, c2, args.steps)
    print("energy-like norm:", u.square().mean().item())
