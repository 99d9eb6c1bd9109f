"""Volume rendering of NeRF samples: weights w = T * (1 - exp(-sigma * dt)) along a ray, and the colour of the ray.

By hand for a sample: optical depth 1, running sum 1, two exponentials with their arguments 4, weight 1,
three channels of multiply and add.
Verified: counted twice by reading; py_compile only.
"""
from dataclasses import dataclass

import torch
import triton
import triton.language as tl


@dataclass
class RenderConfig:
    rays: int = 16384
    samples: int = 128
    near: float = 2.0
    far: float = 6.0


@triton.jit
def composite_kernel(sigma_ptr, dt_ptr, rgb_ptr, weight_ptr, colour_ptr, S: tl.constexpr):
    ray = tl.program_id(0)
    s = tl.arange(0, S)
    sigma = tl.load(sigma_ptr + ray * S + s)
    dt = tl.load(dt_ptr + ray * S + s)
    optical = sigma * dt
    through = tl.cumsum(optical, axis=0)
    transmittance = tl.exp(optical - through)
    weight = transmittance * (1.0 - tl.exp(-optical))
    tl.store(weight_ptr + ray * S + s, weight)

    rgb = rgb_ptr + (ray * S + s) * 3
    red = tl.sum(weight * tl.load(rgb + 0), axis=0)
    green = tl.sum(weight * tl.load(rgb + 1), axis=0)
    blue = tl.sum(weight * tl.load(rgb + 2), axis=0)
    tl.store(colour_ptr + ray * 3 + 0, red)
    tl.store(colour_ptr + ray * 3 + 1, green)
    tl.store(colour_ptr + ray * 3 + 2, blue)


def composite(sigma: torch.Tensor, dt: torch.Tensor, rgb: torch.Tensor):
    rays, samples = sigma.shape
    assert samples & (samples - 1) == 0, "samples must be a power of two"
    weight = torch.empty_like(sigma)
    colour = torch.empty((rays, 3), device=sigma.device, dtype=sigma.dtype)
    composite_kernel[(rays,)](sigma, dt, rgb, weight, colour, S=samples, num_warps=1)
    return colour, weight


def main(cfg: RenderConfig = RenderConfig()):
    sigma = torch.rand(cfg.rays, cfg.samples, device="cuda") * 3
    dt = torch.full((cfg.rays, cfg.samples), (cfg.far - cfg.near) / cfg.samples, device="cuda")
    rgb = torch.rand(cfg.rays, cfg.samples, 3, device="cuda")
    colour, weight = composite(sigma, dt, rgb)
    print(colour.mean(dim=0).tolist(), weight.sum(dim=1).max().item())


if __name__ == "__main__":
    main()
