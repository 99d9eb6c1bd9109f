# Damped Jacobi sweep for the Poisson equation on the interior of a grid, one 2D tile per program.
# Verified: 9 operations per interior point by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size.
import torch
import triton
import triton.language as tl


@triton.jit
def relax_kernel(u_ptr, f_ptr, out_ptr, ny, nx, h2, omega, BY: tl.constexpr, BX: tl.constexpr):
    y = 1 + tl.program_id(1) * BY + tl.arange(0, BY)[:, None]
    x = 1 + tl.program_id(0) * BX + tl.arange(0, BX)[None, :]
    inside = (y < ny - 1) & (x < nx - 1)
    here = y * nx + x
    centre = tl.load(u_ptr + here, mask=inside, other=0.0)
    north = tl.load(u_ptr + here - nx, mask=inside, other=0.0)
    south = tl.load(u_ptr + here + nx, mask=inside, other=0.0)
    west = tl.load(u_ptr + here - 1, mask=inside, other=0.0)
    east = tl.load(u_ptr + here + 1, mask=inside, other=0.0)
    rhs = tl.load(f_ptr + here, mask=inside, other=0.0)
    jacobi = 0.25 * (north + south + west + east - h2 * rhs)
    tl.store(out_ptr + here, centre + omega * (jacobi - centre), mask=inside)


def smooth(u, f, sweeps=4, omega=0.8):
    ny, nx = u.shape
    h2 = (1.0 / (nx - 1)) ** 2
    tmp = u.clone()
    BY, BX = 8, 128
    grid = (triton.cdiv(nx - 2, BX), triton.cdiv(ny - 2, BY))
    for _ in range(sweeps):
        relax_kernel[grid](u, f, tmp, ny, nx, h2, omega, BY=BY, BX=BX)
        u, tmp = tmp, u
    return u


def main():
    ny, nx = 1000, 1200
    u = torch.zeros(ny, nx, device="cuda")
    u[0, :] = 1.0
    f = torch.randn(ny, nx, device="cuda")
    u = smooth(u, f)
    print(u.sum().item())


if __name__ == "__main__":
    main()
