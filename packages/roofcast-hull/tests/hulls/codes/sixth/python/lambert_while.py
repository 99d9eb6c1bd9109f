# Principal branch of the Lambert W function by Halley steps until a whole block has converged.
# The number of steps depends on the values: no class (refused).
import torch
import triton
import triton.language as tl


@triton.jit
def lambert_w_kernel(x_ptr, w_ptr, n, tol, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    w = tl.log(1.0 + x)
    worst = tl.max(x, axis=0) + 1.0
    while worst > tol:
        e = tl.exp(w)
        f = w * e - x
        step = f / (e * (w + 1.0) - (w + 2.0) * f / (2.0 * w + 2.0))
        w = w - step
        worst = tl.max(tl.abs(step), axis=0)
    tl.store(w_ptr + offs, w, mask=mask)


def lambert_w(x, tol=1e-6):
    w = torch.empty_like(x)
    n = x.numel()
    lambert_w_kernel[(triton.cdiv(n, 512),)](x, w, n, tol, BLOCK=512)
    return w


if __name__ == "__main__":
    x = torch.rand(250_000, device="cuda") * 50
    w = lambert_w(x)
    print((w * torch.exp(w) - x).abs().max().item())
