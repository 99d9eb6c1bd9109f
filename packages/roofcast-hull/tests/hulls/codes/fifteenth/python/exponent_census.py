"""Which exponents the weights of a model use: a census of the eight bits."""
import torch
import triton
import triton.language as tl

WEIGHTS = 1 << 22


@triton.jit
def count_exponents(w, counts, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    bits = tl.load(w + i, mask=ok, other=0).to(tl.int32)
    e = (bits >> 7) & 255
    tl.atomic_add(counts + e, 1, mask=ok)


def main():
    w = torch.randn(WEIGHTS, device="cuda", dtype=torch.bfloat16)
    counts = torch.zeros(256, device="cuda", dtype=torch.int32)
    count_exponents[(WEIGHTS // 1024,)](w.view(torch.int16), counts, WEIGHTS, BLOCK=1024)
    print(counts.nonzero().flatten().tolist())


main()
