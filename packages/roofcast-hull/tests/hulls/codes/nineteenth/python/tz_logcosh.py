import torch
import triton
import triton.language as tl


@triton.jit
def logcosh_both(pred, target, loss, grad, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    d = tl.load(pred + offsets, mask=mask) - tl.load(target + offsets, mask=mask)
    a = tl.abs(d)
    e = tl.exp(-2.0 * a)
    q = 1.0 + e
    tl.store(loss + offsets, a + tl.log(q) - 0.6931472, mask=mask)
    tl.store(grad + offsets, (1.0 - e) / q * (d / (a + 1e-6)), mask=mask)


@triton.jit
def signum(p_ptr, m_ptr, g_ptr, lr, decay, b1, b2, n, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    ok = offs < n
    p = tl.load(p_ptr + offs, mask=ok)
    m = tl.load(m_ptr + offs, mask=ok)
    g = tl.load(g_ptr + offs, mask=ok)
    c = b1 * m + (1.0 - b1) * g
    s = tl.where(c > 0, 1.0, tl.where(c < 0, -1.0, 0.0))
    tl.store(p_ptr + offs, p * (1.0 - lr * decay) - lr * s, mask=ok)
    tl.store(m_ptr + offs, b2 * m + (1.0 - b2) * g, mask=ok)


N = 3_000_000
p = torch.randn(N, device="cuda", dtype=torch.float32)
t = torch.randn(N, device="cuda", dtype=torch.float32)
loss = torch.empty_like(p)
grad = torch.empty_like(p)
mom = torch.zeros_like(p)
grid = lambda meta: (triton.cdiv(N, meta["BLOCK_SIZE"]),)
logcosh_both[grid](p, t, loss, grad, N, BLOCK_SIZE=1024)
signum[grid](p, mom, grad, 1e-3, 0.01, 0.9, 0.99, N, BLOCK_SIZE=512)
print(loss.mean().item(), p.std().item())
