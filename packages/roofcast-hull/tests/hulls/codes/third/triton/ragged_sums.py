"""Sums of sequences of different length, packed one behind the other."""

import torch
import triton
import triton.language as tl


@triton.jit
def ragged_kernel(values, lengths, begins, out, BLOCK: tl.constexpr):
    seq = tl.program_id(0)
    begin = tl.load(begins + seq)
    length = tl.load(lengths + seq)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, length, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        acc += tl.load(values + begin + cols, mask=cols < length, other=0.0)
    tl.store(out + seq, tl.sum(acc, axis=0))


if __name__ == "__main__":
    values = torch.randn(1_000_000, device="cuda")
    lengths = torch.randint(1, 2000, (1000,), device="cuda", dtype=torch.int32)
    begins = torch.zeros(1000, device="cuda", dtype=torch.int32)
    out = torch.empty(1000, device="cuda")
    ragged_kernel[(1000,)](values, lengths, begins, out, BLOCK=256)
