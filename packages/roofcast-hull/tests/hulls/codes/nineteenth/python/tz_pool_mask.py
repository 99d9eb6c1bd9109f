import torch
import triton
import triton.language as tl

B, T, D = 32, 256, 512
SIDE = 1024


@triton.jit
def pool_tokens(h_ptr, keep_ptr, inv_ptr, out_ptr, T: tl.constexpr, D: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    acc = tl.zeros((BD,), dtype=tl.float32)
    for t in range(T):
        keep = tl.load(keep_ptr + b * T + t)
        acc += keep * tl.load(h_ptr + (b * T + t) * D + d)
    tl.store(out_ptr + b * D + d, acc * tl.load(inv_ptr + b))


@triton.jit
def add_mirrored(a_ptr, b_ptr, c_ptr, n, TILE: tl.constexpr):
    # c = 0.5 * (a + b^T)
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)
    a = tl.load(a_ptr + i[:, None] * n + j[None, :])
    b = tl.load(b_ptr + j[:, None] * n + i[None, :])
    tl.store(c_ptr + i[:, None] * n + j[None, :], 0.5 * (a + tl.trans(b)))


h = torch.randn(B, T, D, device="cuda")
keep = (torch.rand(B, T, device="cuda") > 0.3).float()
inv = 1.0 / keep.sum(dim=1).clamp(min=1.0)
out = torch.empty(B, D, device="cuda")
pool_tokens[(B, D // 128)](h, keep, inv, out, T=T, D=D, BD=128)

a = torch.randn(SIDE, SIDE, device="cuda")
b = torch.randn(SIDE, SIDE, device="cuda")
c = torch.empty_like(a)
add_mirrored[(SIDE // 32, SIDE // 32)](a, b, c, SIDE, TILE=32)
print(out.std().item(), c.std().item())
