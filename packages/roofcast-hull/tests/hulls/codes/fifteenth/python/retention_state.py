"""Recurrent form of retention, one token: fade the state, add k v^T, read with q."""
import torch
import triton
import triton.language as tl

HEADS = 2048       # batch times heads
D = 64


@triton.jit
def fade_and_write(state, decay, k, v, DK: tl.constexpr, DV: tl.constexpr):
    h = tl.program_id(0)
    i = tl.arange(0, DK)
    j = tl.arange(0, DV)
    cell = state + h * DK * DV + i[:, None] * DV + j[None, :]
    gamma = tl.load(decay + h)
    kk = tl.load(k + h * DK + i)
    vv = tl.load(v + h * DV + j)
    s = tl.load(cell)
    s = gamma * s + kk[:, None] * vv[None, :]
    tl.store(cell, s)


@triton.jit
def read_state(state, q, out, DK: tl.constexpr, DV: tl.constexpr):
    h = tl.program_id(0)
    i = tl.arange(0, DK)
    j = tl.arange(0, DV)
    s = tl.load(state + h * DK * DV + i[:, None] * DV + j[None, :])
    qq = tl.load(q + h * DK + i)
    tl.store(out + h * DV + j, tl.sum(qq[:, None] * s, axis=0))


if __name__ == "__main__":
    dev = "cuda"
    state = torch.randn(HEADS, D, D, device=dev)
    decay = torch.rand(HEADS, device=dev)
    q, k, v = (torch.randn(HEADS, D, device=dev) for _ in range(3))
    out = torch.empty(HEADS, D, device=dev)
    fade_and_write[(HEADS,)](state, decay, k, v, DK=D, DV=D)
    read_state[(HEADS,)](state, q, out, DK=D, DV=D)
    print(out.norm().item())
