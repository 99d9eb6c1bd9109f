# Sophia-G: clipped second-order step, and the moving average of the diagonal
# Gauss-Newton estimate that is refreshed every few steps. Parameters live in one flat buffer.
# Counts: self-counting scalar translation.
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_SIZE": 512}, num_warps=4),
        triton.Config({"BLOCK_SIZE": 1024}, num_warps=4),
        triton.Config({"BLOCK_SIZE": 2048}, num_warps=8),
    ],
    key=["n_elements"],
    restore_value=["p_ptr", "m_ptr"],
)
@triton.jit
def sophia_update_kernel(
    p_ptr, g_ptr, m_ptr, h_ptr,
    lr, beta1, rho, wd, bs, eps,
    n_elements,
    BLOCK_SIZE: tl.constexpr,
):
    pid = tl.program_id(0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n_elements

    p = tl.load(p_ptr + offs, mask=mask)
    g = tl.load(g_ptr + offs, mask=mask)
    m = tl.load(m_ptr + offs, mask=mask)
    h = tl.load(h_ptr + offs, mask=mask)

    p = p * (1 - lr * wd)
    m = beta1 * m + (1 - beta1) * g
    u = m / ((rho * bs) * h + eps)
    u = tl.minimum(tl.maximum(u, -1.0), 1.0)
    p = p - lr * u

    tl.store(p_ptr + offs, p, mask=mask)
    tl.store(m_ptr + offs, m, mask=mask)


@triton.jit
def sophia_hessian_kernel(h_ptr, ghat_ptr, beta2, bs, n_elements, BLOCK_SIZE: tl.constexpr):
    offs = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n_elements
    h = tl.load(h_ptr + offs, mask=mask)
    g = tl.load(ghat_ptr + offs, mask=mask)
    h = beta2 * h + ((1 - beta2) * bs) * g * g
    tl.store(h_ptr + offs, h, mask=mask)


class FlatSophia:
    def __init__(self, params, lr=2e-4, betas=(0.965, 0.99), rho=0.04, weight_decay=0.1, batch_size=480, eps=1e-15):
        self.p = params
        self.m = torch.zeros_like(params)
        self.h = torch.zeros_like(params)
        self.lr, self.betas, self.rho = lr, betas, rho
        self.wd, self.bs, self.eps = weight_decay, float(batch_size), eps

    @torch.no_grad()
    def update_hessian(self, ghat):
        n = self.p.numel()
        sophia_hessian_kernel[(triton.cdiv(n, 1024),)](
            self.h, ghat, self.betas[1], self.bs, n, BLOCK_SIZE=1024)

    @torch.no_grad()
    def step(self, grad):
        n = self.p.numel()
        grid = lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)
        sophia_update_kernel[grid](
            self.p, grad, self.m, self.h,
            self.lr, self.betas[0], self.rho, self.wd, self.bs, self.eps, n)


def main():
    n = 24 * 1024 * 1024
    params = torch.randn(n, device="cuda")
    opt = FlatSophia(params)
    for it in range(20):
        grad = torch.randn(n, device="cuda") * 1e-2
        if it % 10 == 0:
            opt.update_hessian(grad)
        opt.step(grad)
    torch.cuda.synchronize()
    print("norm", params.norm().item())


if __name__ == "__main__":
    main()
