"""silu(gate) * up."""

import torch
import triton
import triton.language as tl


@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n_elements
    gate = tl.load(gate_ptr + offs, mask=mask).to(tl.float32)
    up = tl.load(up_ptr + offs, mask=mask).to(tl.float32)
    silu = gate / (1.0 + tl.exp(-gate))
    tl.store(out_ptr + offs, silu * up, mask=mask)


def swiglu(gate, up):
    out = torch.empty_like(gate)
    n = gate.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    swiglu_kernel[grid](gate, up, out, n, BLOCK=1024)
    return out


if __name__ == "__main__":
    gate = torch.randn(2048, 5632, device="cuda", dtype=torch.float16)
    up = torch.randn(2048, 5632, device="cuda", dtype=torch.float16)
    swiglu(gate, up)
