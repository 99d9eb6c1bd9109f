"""Spherical interpolation of noise for diffusion sampling: cosine of each pair, then the mixture."""
import torch
import triton
import triton.language as tl

PAIRS = 1024
DIM = 16384


@triton.jit
def pair_cosine(a_ptr, b_ptr, cos_ptr, D: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    ab = tl.zeros((BLOCK,), dtype=tl.float32)
    aa = tl.zeros((BLOCK,), dtype=tl.float32)
    bb = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, D, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        a = tl.load(a_ptr + row * D + offs)
        b = tl.load(b_ptr + row * D + offs)
        ab += a * b
        aa += a * a
        bb += b * b
    norm = tl.sqrt(tl.sum(aa, axis=0) * tl.sum(bb, axis=0))
    tl.store(cos_ptr + row, tl.sum(ab, axis=0) / norm)


@triton.jit
def mix(a_ptr, b_ptr, wa_ptr, wb_ptr, out_ptr, D: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = row * D + tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    wa = tl.load(wa_ptr + row)
    wb = tl.load(wb_ptr + row)
    a = tl.load(a_ptr + offs)
    b = tl.load(b_ptr + offs)
    tl.store(out_ptr + offs, wa * a + wb * b)


def slerp(a, b, t):
    cos = torch.empty(PAIRS, device="cuda", dtype=torch.float32)
    pair_cosine[(PAIRS,)](a, b, cos, D=DIM, BLOCK=2048)
    angle = torch.acos(cos.clamp(-0.9999, 0.9999))
    wa = torch.sin((1.0 - t) * angle) / torch.sin(angle)
    wb = torch.sin(t * angle) / torch.sin(angle)
    out = torch.empty_like(a)
    mix[(PAIRS, DIM // 1024)](a, b, wa, wb, out, D=DIM, BLOCK=1024)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    a = torch.randn(PAIRS, DIM, device="cuda", dtype=torch.float32)
    b = torch.randn(PAIRS, DIM, device="cuda", dtype=torch.float32)
    print(slerp(a, b, 0.3).std().item())
