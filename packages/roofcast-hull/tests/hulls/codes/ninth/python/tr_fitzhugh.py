#!/usr/bin/env python3
"""FitzHugh-Nagumo excitable medium on a periodic square, explicit Euler in Triton.

    u' = D lap(u) + u - u^3/3 - v + I
    v' = eps (u + a - b v)

Operation count of a cell: self-counting scalar translation.
"""
import argparse

import torch
import triton
import triton.language as tl


@triton.jit
def fhn_step(u_in, v_in, u_out, v_out, n, d_over_h2, dt, eps, a, b, current, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    col = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = col < n

    up = (row + n - 1) % n
    down = (row + 1) % n
    left = (col + n - 1) % n
    right = (col + 1) % n

    u = tl.load(u_in + row * n + col, mask=mask)
    v = tl.load(v_in + row * n + col, mask=mask)
    u_n = tl.load(u_in + up * n + col, mask=mask)
    u_s = tl.load(u_in + down * n + col, mask=mask)
    u_w = tl.load(u_in + row * n + left, mask=mask)
    u_e = tl.load(u_in + row * n + right, mask=mask)

    lap = (u_n + u_s + u_w + u_e - 4.0 * u) * d_over_h2
    du = lap + u - u * u * u / 3.0 - v + current
    dv = eps * (u + a - b * v)

    tl.store(u_out + row * n + col, u + dt * du, mask=mask)
    tl.store(v_out + row * n + col, v + dt * dv, mask=mask)


def simulate(n: int, steps: int):
    device = "cuda"
    u = torch.full((n, n), -1.2, device=device)
    v = torch.full((n, n), -0.62, device=device)
    u[n // 2 - 8 : n // 2 + 8, : n // 2] = 1.5
    v[n // 2 + 8 : n // 2 + 40, : n // 2] = 0.6
    u2, v2 = torch.empty_like(u), torch.empty_like(v)
    grid = (triton.cdiv(n, 512), n)
    for _ in range(steps):
        fhn_step[grid](u, v, u2, v2, n, 1.0, 0.05, 0.08, 0.7, 0.8, 0.0, BLOCK=512)
        u, u2 = u2, u
        v, v2 = v2, v
    return u, v


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", type=int, default=3072, help="cells along a side")
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    u, v = simulate(args.n, args.steps)
    print(f"u in [{u.min().item():.3f}, {u.max().item():.3f}], mean v {v.mean().item():.4f}")
