"""Planar 4:2:0 frames to planar RGB on the GPU."""
import torch
import triton
import triton.language as tl

H, W = 1080, 1920


@triton.jit
def yuv420_rgb(y_ptr, u_ptr, v_ptr, r_ptr, g_ptr, b_ptr, W: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    col = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    m = col < W
    at = row * W + col
    half = (row // 2) * (W // 2) + col // 2
    y = tl.load(y_ptr + at, mask=m, other=0.0)
    u = tl.load(u_ptr + half, mask=m, other=0.0) - 128.0
    v = tl.load(v_ptr + half, mask=m, other=0.0) - 128.0
    tl.store(r_ptr + at, y + 1.402 * v, mask=m)
    tl.store(g_ptr + at, y - 0.344 * u - 0.714 * v, mask=m)
    tl.store(b_ptr + at, y + 1.772 * u, mask=m)


def main():
    y = torch.rand(H, W, device="cuda") * 255
    u = torch.rand(H // 2, W // 2, device="cuda") * 255
    v = torch.rand(H // 2, W // 2, device="cuda") * 255
    r, g, b = torch.empty_like(y), torch.empty_like(y), torch.empty_like(y)
    yuv420_rgb[(H, triton.cdiv(W, 512))](y, u, v, r, g, b, W=W, BLOCK=512)
    torch.cuda.synchronize()
    print(g.mean().item(), b.mean().item(), r.mean().item())


main()
