"""Unproject a depth frame (16-bit millimetres) to a point cloud with tables of rays.

By hand: metres, x and y: three operations a pixel.
Verified: counted twice by reading; py_compile only.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def unproject_kernel(depth_ptr, ray_x_ptr, ray_y_ptr, points_ptr, width, depth_scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < width
    z = tl.load(depth_ptr + row * width + cols, mask=mask, other=0).to(tl.float32) * depth_scale
    rx = tl.load(ray_x_ptr + cols, mask=mask, other=0.0)
    ry = tl.load(ray_y_ptr + row)
    base = points_ptr + (row * width + cols) * 3
    tl.store(base + 0, rx * z, mask=mask)
    tl.store(base + 1, ry * z, mask=mask)
    tl.store(base + 2, z, mask=mask)


class Unprojector:
    """Keeps the ray tables of one pinhole camera."""

    def __init__(self, height: int, width: int, fx: float, fy: float, cx: float, cy: float, device: str = "cuda"):
        self.height, self.width = height, width
        self.ray_x = (torch.arange(width, device=device, dtype=torch.float32) - cx) / fx
        self.ray_y = (torch.arange(height, device=device, dtype=torch.float32) - cy) / fy

    def __call__(self, depth: torch.Tensor, depth_scale: float = 1e-3) -> torch.Tensor:
        points = torch.empty((self.height, self.width, 3), device=depth.device, dtype=torch.float32)
        BLOCK = 256
        grid = (self.height, triton.cdiv(self.width, BLOCK))
        unproject_kernel[grid](depth, self.ray_x, self.ray_y, points, self.width, depth_scale, BLOCK=BLOCK)
        return points


if __name__ == "__main__":
    camera = Unprojector(1080, 1920, fx=1400.0, fy=1400.0, cx=959.5, cy=539.5)
    depth = torch.randint(400, 8000, (1080, 1920), device="cuda", dtype=torch.int16)
    cloud = camera(depth)
    print(cloud.shape, cloud[..., 2].mean().item())
