import torch
import triton
import triton.language as tl


@triton.jit
def adamw_kernel(p_ptr, g_ptr, m_ptr, v_ptr, lr, beta1, beta2, eps, decay, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask=mask)
    g = tl.load(g_ptr + offs, mask=mask)
    m = tl.load(m_ptr + offs, mask=mask)
    v = tl.load(v_ptr + offs, mask=mask)
    m = m + (g - m) * beta1
    v = v + (g * g - v) * beta2
    p = p - lr * (m / (tl.sqrt(v) + eps) + decay * p)
    tl.store(p_ptr + offs, p, mask=mask)
    tl.store(m_ptr + offs, m, mask=mask)
    tl.store(v_ptr + offs, v, mask=mask)


def step(p, g, m, v):
    n = p.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    adamw_kernel[grid](p, g, m, v, 1e-3, 0.1, 0.001, 1e-8, 0.01, n, BLOCK=1024)


if __name__ == "__main__":
    tensors = [torch.zeros(7_000_000, device="cuda") for _ in range(4)]
    step(*tensors)
