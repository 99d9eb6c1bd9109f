"""Vorticity and divergence of a periodic wind field by central differences."""
import torch
import triton
import triton.language as tl

NY, NX = 1024, 1024


@triton.jit
def curl_div(u_ptr, v_ptr, curl_ptr, div_ptr, ny, nx, rate, BLOCK: tl.constexpr):
    y = tl.program_id(0)
    x = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    east = y * nx + (x + 1) % nx
    west = y * nx + (x + nx - 1) % nx
    north = ((y + 1) % ny) * nx + x
    south = ((y + ny - 1) % ny) * nx + x
    ue, uw = tl.load(u_ptr + east), tl.load(u_ptr + west)
    un, us = tl.load(u_ptr + north), tl.load(u_ptr + south)
    ve, vw = tl.load(v_ptr + east), tl.load(v_ptr + west)
    vn, vs = tl.load(v_ptr + north), tl.load(v_ptr + south)
    at = y * nx + x
    tl.store(curl_ptr + at, ((ve - vw) - (un - us)) * rate)
    tl.store(div_ptr + at, ((ue - uw) + (vn - vs)) * rate)


u = torch.randn(NY, NX, device="cuda")
v = torch.randn(NY, NX, device="cuda")
curl = torch.empty_like(u)
div = torch.empty_like(u)
curl_div[(NY, NX // 256)](u, v, curl, div, NY, NX, 0.5, BLOCK=256)
print(curl.sum().item(), div.sum().item())
