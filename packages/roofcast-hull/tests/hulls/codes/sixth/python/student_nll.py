# Negative log-likelihood of a Student-t output layer, the scale through a softplus (DeepAR style).
# Verified: 18 operations per value by running the kernel itself on counting numbers (a stand-in for triton.language),
# reduced size; a negation and an absolute value are among them: border.
import math

import torch
import triton
import triton.language as tl


@triton.jit
def softplus(x):
    return tl.maximum(x, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(x)))


@triton.jit
def student_term(z, nu, half):
    return half * tl.log(1.0 + z * z / nu)


@triton.heuristics(
    {
        "BLOCK": lambda args: 1024 if args["n"] >= 1 << 16 else 256,
    }
)
@triton.jit
def student_nll_kernel(y_ptr, mu_ptr, raw_ptr, nll_ptr, n, nu, half, log_const, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    y = tl.load(y_ptr + i, mask=ok, other=0.0)
    mu = tl.load(mu_ptr + i, mask=ok, other=0.0)
    raw = tl.load(raw_ptr + i, mask=ok, other=0.0)
    sigma = softplus(raw) + 1e-4
    z = (y - mu) / sigma
    nll = log_const + tl.log(sigma) + student_term(z, nu, half)
    tl.store(nll_ptr + i, nll, mask=ok)


def student_nll(y, mu, raw, nu: float = 5.0):
    out = torch.empty_like(y)
    n = y.numel()
    log_const = 0.5 * math.log(nu * math.pi) + math.lgamma(nu / 2) - math.lgamma((nu + 1) / 2)
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    student_nll_kernel[grid](y, mu, raw, out, n, nu, 0.5 * (nu + 1.0), log_const)
    return out


if __name__ == "__main__":
    series, horizon = 400, 1800
    y = torch.randn(series, horizon, device="cuda")
    mu = torch.zeros_like(y)
    raw = torch.randn_like(y)
    nll = student_nll(y, mu, raw)
    dist = torch.distributions.StudentT(5.0, mu, torch.nn.functional.softplus(raw) + 1e-4)
    print((nll + dist.log_prob(y)).abs().max().item())
