"""Entropy and log-sum-exp of each row of logits (policy-gradient losses), one program a row.
Counting numbers at reduced size without padding: 7 operations an element and 4 a row.  Padded lanes are not counted."""
import torch
import triton
import triton.language as tl


@triton.jit
def entropy_kernel(logits_ptr, ent_ptr, lse_ptr, row_stride, n_cols, inv_temp, BLOCK_V: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_V)
    mask = cols < n_cols
    z = tl.load(logits_ptr + row * row_stride + cols, mask=mask, other=-float("inf")) * inv_temp
    m = tl.max(z, axis=0)
    shifted = tl.where(mask, z - m, 0.0)
    e = tl.where(mask, tl.exp(shifted), 0.0)
    s = tl.sum(e, axis=0)
    es = tl.sum(e * shifted, axis=0)
    log_s = tl.log(s)
    tl.store(ent_ptr + row, log_s - es / s)
    tl.store(lse_ptr + row, m + log_s)


def logit_entropy(logits: torch.Tensor, temperature: float = 1.0):
    rows, vocab = logits.shape
    ent = torch.empty(rows, device=logits.device, dtype=torch.float32)
    lse = torch.empty_like(ent)
    block = triton.next_power_of_2(vocab)
    entropy_kernel[(rows,)](logits, ent, lse, logits.stride(0), vocab, 1.0 / temperature,
                            BLOCK_V=block, num_warps=8)
    return ent, lse


if __name__ == "__main__":
    x = torch.randn(2048, 5000, device="cuda")
    ent, lse = logit_entropy(x, temperature=0.7)
    ref = torch.distributions.Categorical(logits=x / 0.7).entropy()
    print("max error", (ent - ref).abs().max().item())
