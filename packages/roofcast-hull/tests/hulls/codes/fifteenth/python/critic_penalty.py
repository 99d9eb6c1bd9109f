"""Gradient penalty of a critic: the norm of each sample's gradient against one."""
import torch
import triton
import triton.language as tl


@triton.jit
def penalty_kernel(grad_ptr, out_ptr, stride, D, weight, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = grad_ptr + row * stride
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, D, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        g = tl.load(base + cols, mask=cols < D, other=0.0)
        acc += g * g
    gap = tl.sqrt(tl.sum(acc, axis=0)) - 1.0
    tl.store(out_ptr + row, weight * gap * gap)


def gradient_penalty(grad, weight=10.0):
    batch, d = grad.shape
    out = torch.empty(batch, device=grad.device, dtype=torch.float32)
    penalty_kernel[(batch,)](grad, out, grad.stride(0), d, weight, BLOCK=2048, num_warps=8)
    return out


grad = torch.randn(512, 12288, device="cuda") * 0.01
print(gradient_penalty(grad).mean().item())
