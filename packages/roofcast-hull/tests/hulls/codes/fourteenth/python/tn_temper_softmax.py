"""Sampling distribution of a small vocabulary: softmax of logits over a temperature."""
import torch
import triton
import triton.language as tl


@triton.jit
def temper_softmax(logits, probs, stride, n_cols, inv_temp, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    keep = cols < n_cols
    z = tl.load(logits + row * stride + cols, mask=keep, other=-float("inf"))
    z = z * inv_temp
    z = z - tl.max(z, axis=0)
    e = tl.exp(z)
    p = e / tl.sum(e, axis=0)
    tl.store(probs + row * stride + cols, p, mask=keep)


def main():
    rows, cols = 4096, 1000
    logits = torch.randn((rows, cols), device="cuda")
    probs = torch.empty_like(logits)
    temper_softmax[(rows,)](logits, probs, logits.stride(0), cols, 1.0 / 0.7, BLOCK=1024, num_warps=4)
    torch.testing.assert_close(probs, torch.softmax(logits / 0.7, dim=1), rtol=1e-4, atol=1e-6)


main()
