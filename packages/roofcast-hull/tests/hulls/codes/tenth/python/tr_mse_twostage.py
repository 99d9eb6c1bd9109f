"""Mean squared error in two launches: partial sums of blocks, then one program for the rest.

By hand: difference, square and sum for an element; the second launch adds 4096 partial sums and scales.
Verified: counted twice by reading; py_compile only.
"""
import torch
import triton
import triton.language as tl

BLOCK = 4096


@triton.jit
def mse_partial_kernel(pred_ptr, target_ptr, partial_ptr, n, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offs < n
    p = tl.load(pred_ptr + offs, mask=mask, other=0.0)
    t = tl.load(target_ptr + offs, mask=mask, other=0.0)
    diff = p - t
    tl.store(partial_ptr + pid, tl.sum(diff * diff, axis=0))


@triton.jit
def mse_final_kernel(partial_ptr, out_ptr, n_partials, inv_n, BLOCK_SIZE: tl.constexpr):
    offs = tl.arange(0, BLOCK_SIZE)
    vals = tl.load(partial_ptr + offs, mask=offs < n_partials, other=0.0)
    tl.store(out_ptr, tl.sum(vals, axis=0) * inv_n)


def mse_loss(pred: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    n = pred.numel()
    n_partials = triton.cdiv(n, BLOCK)
    partial = torch.empty(n_partials, device=pred.device, dtype=torch.float32)
    out = torch.empty((), device=pred.device, dtype=torch.float32)
    mse_partial_kernel[(n_partials,)](pred, target, partial, n, BLOCK_SIZE=BLOCK, num_warps=8)
    mse_final_kernel[(1,)](partial, out, n_partials, 1.0 / n, BLOCK_SIZE=triton.next_power_of_2(n_partials))
    return out


if __name__ == "__main__":
    pred = torch.randn(64, 512, 512, device="cuda")
    target = torch.randn_like(pred)
    print(mse_loss(pred, target).item(), torch.nn.functional.mse_loss(pred, target).item())
