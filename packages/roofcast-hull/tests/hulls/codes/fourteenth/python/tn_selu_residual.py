import torch
import triton
import triton.language as tl

LAM = tl.constexpr(1.0507009873554805)
LAM_ALPHA = tl.constexpr(1.7580993408473766)


@triton.jit
def selu_add_kernel(x_ptr, res_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask)
    res = tl.load(res_ptr + offs, mask=mask)
    neg = LAM_ALPHA * (tl.exp(x) - 1.0)
    y = tl.where(x > 0, LAM * x, neg) + res
    tl.store(y_ptr + offs, y, mask=mask)


def selu_add(x, res):
    y = torch.empty_like(x)
    n = x.numel()
    selu_add_kernel[(triton.cdiv(n, 1024),)](x, res, y, n, BLOCK=1024)
    return y


if __name__ == "__main__":
    x = torch.randn(3_000_000, device="cuda", dtype=torch.float32)
    res = torch.randn(3_000_000, device="cuda", dtype=torch.float32)
    y = selu_add(x, res)
    torch.testing.assert_close(y, torch.selu(x) + res, rtol=1e-4, atol=1e-5)
    print(y.mean().item())
