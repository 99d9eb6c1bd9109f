"""Residual add and RMSNorm together, both in place, as inference engines do it:

    residual <- x + residual ;  x <- residual * rsqrt(mean(residual^2) + eps) * weight

Checked with counting loops: 5 operations an element and a few a row.
Compiled for sm_90 (Triton 3.9) and run in Triton's interpreter at a small size against PyTorch.
"""
import torch
import triton
import triton.language as tl


@triton.heuristics(
    {
        "BLOCK_D": lambda args: triton.next_power_of_2(args["dim"]),
        "num_warps": lambda args: 8 if args["dim"] > 2048 else 4,
    }
)
@triton.jit
def add_rmsnorm_kernel(x_ptr, res_ptr, w_ptr, stride, dim, eps, BLOCK_D: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    res_ptr += row * stride
    d = tl.arange(0, BLOCK_D)
    keep = d < dim

    x = tl.load(x_ptr + d, mask=keep, other=0.0).to(tl.float32)
    r = tl.load(res_ptr + d, mask=keep, other=0.0).to(tl.float32)
    h = x + r
    tl.store(res_ptr + d, h.to(res_ptr.dtype.element_ty), mask=keep)

    var = tl.sum(h * h, axis=0) / dim
    rstd = tl.rsqrt(var + eps)
    w = tl.load(w_ptr + d, mask=keep, other=0.0).to(tl.float32)
    tl.store(x_ptr + d, (h * rstd * w).to(x_ptr.dtype.element_ty), mask=keep)


def fused_add_rms_norm(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float = 1e-6) -> None:
    assert x.is_contiguous() and residual.is_contiguous() and x.shape == residual.shape
    dim = x.shape[-1]
    rows = x.numel() // dim
    add_rmsnorm_kernel[(rows,)](x, residual, weight, dim, dim, eps)


def bench(rows: int = 16384, dim: int = 5120, reps: int = 20) -> float:
    x = torch.randn(rows, dim, device="cuda", dtype=torch.bfloat16)
    res = torch.randn(rows, dim, device="cuda", dtype=torch.bfloat16)
    w = torch.ones(dim, device="cuda", dtype=torch.bfloat16)
    for _ in range(3):
        fused_add_rms_norm(x, res, w)
    torch.cuda.synchronize()
    a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    a.record()
    for _ in range(reps):
        fused_add_rms_norm(x, res, w)
    b.record()
    torch.cuda.synchronize()
    return a.elapsed_time(b) / reps


if __name__ == "__main__":
    print(f"{bench():.3f} ms")
