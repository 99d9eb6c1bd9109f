"""Quasi-hyperbolic momentum on one flat bucket of parameters, gradients in bf16."""
import torch
import triton
import triton.language as tl

NUMEL = 24 * 1024 * 1024


@triton.jit
def qhm_kernel(p_ptr, g_ptr, m_ptr, lr, nu, alpha, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    idx = pid * BLOCK + tl.arange(0, BLOCK)
    live = idx < n
    p = tl.load(p_ptr + idx, mask=live)
    g = tl.load(g_ptr + idx, mask=live).to(tl.float32)
    m = tl.load(m_ptr + idx, mask=live)
    m = m + alpha * (g - m)
    step = g + nu * (m - g)
    tl.store(m_ptr + idx, m, mask=live)
    tl.store(p_ptr + idx, p - lr * step, mask=live)


def main():
    p = torch.randn(NUMEL, device="cuda", dtype=torch.float32)
    g = torch.randn(NUMEL, device="cuda", dtype=torch.bfloat16)
    m = torch.zeros(NUMEL, device="cuda", dtype=torch.float32)
    grid = lambda meta: (triton.cdiv(NUMEL, meta["BLOCK"]),)
    qhm_kernel[grid](p, g, m, 1e-3, 0.7, 0.001, NUMEL, BLOCK=1024)
    print(p.std().item())


if __name__ == "__main__":
    main()
