# One Adagrad step with L2 weight decay over a whole parameter tensor, in place.
# Verified: 9 operations per parameter by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size.
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_SIZE": 256}, num_warps=2),
        triton.Config({"BLOCK_SIZE": 1024}, num_warps=4),
        triton.Config({"BLOCK_SIZE": 4096}, num_warps=8),
    ],
    key=["n_elements"],
    restore_value=["param_ptr", "state_ptr"],
)
@triton.jit
def adagrad_kernel(param_ptr, grad_ptr, state_ptr, lr, weight_decay, eps, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n_elements
    p = tl.load(param_ptr + offs, mask=mask)
    g = tl.load(grad_ptr + offs, mask=mask)
    s = tl.load(state_ptr + offs, mask=mask)
    g = g + weight_decay * p
    s = s + g * g
    p = p - lr * g / (tl.sqrt(s) + eps)
    tl.store(state_ptr + offs, s, mask=mask)
    tl.store(param_ptr + offs, p, mask=mask)


class TritonAdagrad:
    def __init__(self, param, lr=1e-2, weight_decay=1e-4, eps=1e-10):
        self.param = param
        self.lr, self.weight_decay, self.eps = lr, weight_decay, eps
        self.state = torch.zeros_like(param)

    @torch.no_grad()
    def step(self, grad):
        n = self.param.numel()
        grid = lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)
        adagrad_kernel[grid](self.param, grad, self.state, self.lr, self.weight_decay, self.eps, n)


def main():
    torch.manual_seed(0)
    weight = torch.randn(1152, 3000, device="cuda", dtype=torch.float32)
    expected = weight.clone()
    opt = TritonAdagrad(weight)
    grad = torch.randn_like(weight)
    opt.step(grad)
    g = grad + 1e-4 * expected
    expected = expected - 1e-2 * g / (torch.sqrt(g * g) + 1e-10)
    print("max difference", (expected - weight).abs().max().item())


if __name__ == "__main__":
    main()
