import torch
import triton
import triton.language as tl

GROUP = 128


@triton.jit
def quant_group_kernel(x_ptr, q_ptr, scale_ptr, GROUP: tl.constexpr):
    g = tl.program_id(0)
    offs = g * GROUP + tl.arange(0, GROUP)
    x = tl.load(x_ptr + offs).to(tl.float32)
    scale = tl.max(tl.abs(x), axis=0) / 127.0
    q = tl.floor(x / scale + 0.5)
    tl.store(q_ptr + offs, q.to(tl.int8))
    tl.store(scale_ptr + g, scale)


def quantise(x):
    rows, cols = x.shape
    groups = cols // GROUP
    q = torch.empty((rows, cols), dtype=torch.int8, device=x.device)
    scales = torch.empty((rows, groups), dtype=torch.float32, device=x.device)
    quant_group_kernel[(rows * groups,)](x, q, scales, GROUP=GROUP)
    return q, scales


weights = torch.randn((3000, 1280), dtype=torch.float16, device="cuda")
q, scales = quantise(weights)
print(q.min(), q.max(), scales.mean())
