"""Fused Adadelta update (one launch for the whole flat parameter buffer).
Expected amounts by hand; the kernel body was run with counting numbers at reduced size (18 operations an element)."""
import torch
import triton
import triton.language as tl


@triton.jit
def adadelta_kernel(p_ptr, g_ptr, sq_ptr, acc_ptr, n, lr, rho, eps, wd, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    p = tl.load(p_ptr + offs, mask=mask)
    g = tl.load(g_ptr + offs, mask=mask)
    sq = tl.load(sq_ptr + offs, mask=mask)
    acc = tl.load(acc_ptr + offs, mask=mask)

    g = g + wd * p
    omr = 1.0 - rho
    sq = rho * sq + omr * g * g
    std = tl.sqrt(sq + eps)
    delta = tl.sqrt(acc + eps) / std * g
    acc = rho * acc + omr * delta * delta
    p = p - lr * delta

    tl.store(p_ptr + offs, p, mask=mask)
    tl.store(sq_ptr + offs, sq, mask=mask)
    tl.store(acc_ptr + offs, acc, mask=mask)


class FusedAdadelta:
    def __init__(self, flat_param: torch.Tensor, lr=1.0, rho=0.9, eps=1e-6, weight_decay=1e-4):
        self.p = flat_param
        self.sq = torch.zeros_like(flat_param)
        self.acc = torch.zeros_like(flat_param)
        self.lr, self.rho, self.eps, self.wd = lr, rho, eps, weight_decay

    @torch.no_grad()
    def step(self, grad: torch.Tensor):
        n = self.p.numel()
        grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
        adadelta_kernel[grid](self.p, grad, self.sq, self.acc, n,
                              self.lr, self.rho, self.eps, self.wd, BLOCK=1024)


def main():
    torch.manual_seed(0)
    n = 3 * 1024 * 1024
    p = torch.randn(n, device="cuda", dtype=torch.float32)
    g = torch.randn(n, device="cuda", dtype=torch.float32)
    opt = FusedAdadelta(p)
    for _ in range(10):
        opt.step(g)
    torch.cuda.synchronize()
    print("mean", p.mean().item())


if __name__ == "__main__":
    main()
