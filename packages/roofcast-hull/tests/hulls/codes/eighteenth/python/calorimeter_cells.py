"""Fill tower energies from hit lists, then subtract the pile-up estimate of each tower's ring."""
import torch
import triton
import triton.language as tl

HITS = 5_000_000
ETA, PHI = 100, 64
TOWERS = ETA * PHI


@triton.jit
def fill_towers(tower, energy, noise, total, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    where = tl.load(tower + i, mask=m, other=0)
    e = tl.load(energy + i, mask=m, other=0.0) - tl.load(noise + i, mask=m, other=0.0)
    tl.atomic_add(total + where, e, mask=m)


@triton.jit
def ring_subtract(total, clean, PHI: tl.constexpr):
    r = tl.program_id(0)
    p = tl.arange(0, PHI)
    e = tl.load(total + r * PHI + p)
    base = tl.sum(e, axis=0) / PHI
    tl.store(clean + r * PHI + p, tl.maximum(e - base, 0.0))


if __name__ == "__main__":
    tower = torch.randint(0, TOWERS, (HITS,), device="cuda", dtype=torch.int32)
    energy = torch.rand(HITS, device="cuda")
    noise = torch.rand(HITS, device="cuda") * 0.1
    total = torch.zeros(TOWERS, device="cuda")
    clean = torch.empty(TOWERS, device="cuda")
    fill_towers[(triton.cdiv(HITS, 1024),)](tower, energy, noise, total, HITS, BLOCK=1024)
    ring_subtract[(ETA,)](total, clean, PHI)
    print(clean.sum())
