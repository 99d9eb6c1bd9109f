import torch
import triton
import triton.language as tl


@triton.jit
def _instance_norm(x_ptr, y_ptr, pixels, eps, BLOCK: tl.constexpr):
    plane = tl.program_id(axis=0)
    offs = tl.arange(0, BLOCK)
    mask = offs < pixels
    x = tl.load(x_ptr + plane * pixels + offs, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / pixels
    xc = tl.where(mask, x - mean, 0.0)
    var = tl.sum(xc * xc, axis=0) / pixels
    y = xc * tl.rsqrt(var + eps)
    tl.store(y_ptr + plane * pixels + offs, y.to(y_ptr.dtype.element_ty), mask=mask)


def instance_norm(x, eps=1e-5):
    n, c, h, w = x.shape
    y = torch.empty_like(x)
    pixels = h * w
    _instance_norm[(n * c,)](x, y, pixels, eps, BLOCK=triton.next_power_of_2(pixels), num_warps=8)
    return y


pictures = torch.rand((32, 48, 56, 56), device="cuda").to(torch.bfloat16)
print(instance_norm(pictures).float().std())
