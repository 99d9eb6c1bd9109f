"""Entropy of each position's distribution over words, from logits."""
import torch
import triton
import triton.language as tl

TOKENS, VOCAB = 1024, 16384


@triton.jit
def entropy_rows(logits, out, VOCAB: tl.constexpr):
    pid = tl.program_id(axis=0)
    x = tl.load(logits + pid * VOCAB + tl.arange(0, VOCAB))
    x = x - tl.max(x, axis=0)
    e = tl.exp(x)
    z = tl.sum(e, axis=0)
    tl.store(out + pid, tl.log(z) - tl.sum(e * x, axis=0) / z)


logits = 3.0 * torch.randn(TOKENS, VOCAB, device="cuda")
out = torch.empty(TOKENS, device="cuda")
entropy_rows[(TOKENS,)](logits, out, VOCAB=VOCAB, num_warps=16)
print(out.mean().item())
