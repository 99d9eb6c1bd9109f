import torch
import triton
import triton.language as tl

NLAT, NLON = 1801, 3600


@triton.jit
def gust_kernel(u_ptr, v_ptr, rough_ptr, gust_ptr, dyn_ptr, n_lon, BLOCK: tl.constexpr):
    # one program per latitude and chunk of longitudes
    lat = tl.program_id(0)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = col < n_lon
    at = lat * n_lon + col
    u = tl.load(u_ptr + at, mask=ok)
    v = tl.load(v_ptr + at, mask=ok)
    z0 = tl.load(rough_ptr + at, mask=ok, other=1.0)
    sq = u * u + v * v
    tl.store(gust_ptr + at, tl.sqrt(sq) * (1.0 + 0.4 / tl.log(10.0 / z0)), mask=ok)
    tl.store(dyn_ptr + at, 0.6125 * sq, mask=ok)


def gusts(u, v, z0):
    gust, dyn = torch.empty_like(u), torch.empty_like(u)
    grid = (NLAT, triton.cdiv(NLON, 512))
    gust_kernel[grid](u, v, z0, gust, dyn, NLON, BLOCK=512)
    return gust, dyn


u = torch.randn((NLAT, NLON), device="cuda")
v = torch.randn((NLAT, NLON), device="cuda")
z0 = torch.rand((NLAT, NLON), device="cuda") * 0.5 + 0.01
g, d = gusts(u, v, z0)
print(g.mean().item(), d.max().item())
