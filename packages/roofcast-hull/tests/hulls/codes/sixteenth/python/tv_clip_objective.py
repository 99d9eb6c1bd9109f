"""The clipped objective of a policy step, a sequence a program, and the k3 estimate of divergence."""
import torch
import triton
import triton.language as tl

SEQS, LEN = 2048, 2048


@triton.jit
def clipped_objective(logp, old, mask, adv, loss, low, high, LEN: tl.constexpr):
    s = tl.program_id(0)
    at = s * LEN + tl.arange(0, LEN)
    m = tl.load(mask + at)
    ratio = tl.exp(tl.load(logp + at) - tl.load(old + at))
    a = tl.load(adv + s)
    gain = tl.minimum(ratio * a, tl.minimum(tl.maximum(ratio, low), high) * a)
    tl.store(loss + s, 0.0 - tl.sum(gain * m, axis=0) / tl.sum(m, axis=0))


@triton.jit
def k3_divergence(logp, ref, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    d = tl.load(ref + i, mask=keep) - tl.load(logp + i, mask=keep)
    tl.store(out + i, tl.exp(d) - d - 1.0, mask=keep)


def main():
    shape = (SEQS, LEN)
    logp = -torch.rand(shape, device="cuda")
    old = logp + 0.05 * torch.randn(shape, device="cuda")
    mask = (torch.rand(shape, device="cuda") < 0.9).float()
    adv = torch.randn(SEQS, device="cuda")
    loss = torch.empty(SEQS, device="cuda")
    clipped_objective[(SEQS,)](logp, old, mask, adv, loss, 0.8, 1.28, LEN=LEN)
    kl = torch.empty(shape, device="cuda")
    n = SEQS * LEN
    k3_divergence[(triton.cdiv(n, 1024),)](logp, old, kl, n, BLOCK=1024)
    print(loss.mean().item(), kl.mean().item())


if __name__ == "__main__":
    main()
