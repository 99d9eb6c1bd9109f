"""Nucleus sampling without a sort: raise a threshold until what lies above it is no more than top_p."""
import torch
import triton
import triton.language as tl


@triton.jit
def nucleus_kernel(probs, out, top_p, growth, vocab, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < vocab
    p = tl.load(probs + row * vocab + cols, mask=mask, other=0.0)
    cut = tl.max(p, axis=0) * 1e-6
    kept = tl.sum(tl.where(p >= cut, p, 0.0), axis=0)
    while kept > top_p:
        cut = cut * growth
        kept = tl.sum(tl.where(p >= cut, p, 0.0), axis=0)
    chosen = tl.where(p * growth >= cut, p, 0.0)
    tl.store(out + row * vocab + cols, chosen / tl.sum(chosen, axis=0), mask=mask)


def nucleus(probs, top_p=0.9):
    rows, vocab = probs.shape
    out = torch.empty_like(probs)
    nucleus_kernel[(rows,)](probs, out, top_p, 1.05, vocab, BLOCK=triton.next_power_of_2(vocab), num_warps=16)
    return out


if __name__ == "__main__":
    probs = torch.softmax(torch.randn(64, 32000, device="cuda"), dim=-1)
    print((nucleus(probs) > 0).sum(-1))
