"""AdaBelief: the second moment is that of what the first moment did not foresee."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def adabelief_kernel(p_ptr, g_ptr, m_ptr, s_ptr, n, lr, b1, b2, c1, c2, eps, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = pid * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    p = tl.load(p_ptr + i, mask=mask)
    g = tl.load(g_ptr + i, mask=mask)
    m = tl.load(m_ptr + i, mask=mask)
    s = tl.load(s_ptr + i, mask=mask)

    m = b1 * m + (1.0 - b1) * g
    surprise = g - m
    s = b2 * s + (1.0 - b2) * surprise * surprise + eps
    p = p - lr * (m * c1) / (tl.sqrt(s * c2) + eps)

    tl.store(p_ptr + i, p, mask=mask)
    tl.store(m_ptr + i, m, mask=mask)
    tl.store(s_ptr + i, s, mask=mask)


class AdaBelief:
    def __init__(self, p, lr=1e-3, betas=(0.9, 0.999), eps=1e-12):
        self.p, self.lr, self.betas, self.eps = p, lr, betas, eps
        self.m = torch.zeros_like(p)
        self.s = torch.zeros_like(p)
        self.t = 0

    def step(self, grad):
        self.t += 1
        b1, b2 = self.betas
        c1 = 1.0 / (1.0 - b1 ** self.t)
        c2 = 1.0 / (1.0 - b2 ** self.t)
        n = self.p.numel()
        adabelief_kernel[(triton.cdiv(n, 1024),)](self.p, grad, self.m, self.s, n, self.lr, b1, b2, c1, c2,
                                                  self.eps, BLOCK=1024)


if __name__ == "__main__":
    weights = torch.randn(5_000_000, device="cuda")
    opt = AdaBelief(weights)
    opt.step(torch.randn(5_000_000, device="cuda"))
    print(weights.norm().item(), math.isfinite(weights.sum().item()))
