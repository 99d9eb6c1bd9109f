"""Charge of macro-particles per cell (nearest grid point) of a plasma: atomics."""
import torch
import triton
import triton.language as tl

PARTICLES, CELLS = 2_000_000, 65536


@triton.jit
def charge_ngp(cell_ptr, weight_ptr, rho_ptr, qv, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    cell = tl.load(cell_ptr + i, mask=live, other=0)
    w = tl.load(weight_ptr + i, mask=live, other=0.0)
    tl.atomic_add(rho_ptr + cell, w * qv, mask=live)


cell = torch.randint(0, CELLS, (PARTICLES,), dtype=torch.int32, device="cuda")
weight = torch.rand(PARTICLES, dtype=torch.float32, device="cuda")
rho = torch.zeros(CELLS, dtype=torch.float32, device="cuda")
charge_ngp[(triton.cdiv(PARTICLES, 512),)](cell, weight, rho, -1.6e-2, PARTICLES, BLOCK=512)
print(rho.sum().item())
