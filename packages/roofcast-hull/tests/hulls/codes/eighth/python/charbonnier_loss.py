"""Charbonnier loss (a smooth L1 of image restoration), summed by a persistent kernel: as many
programs as multiprocessors, each walks over blocks with the grid's stride, one atomic at the end.

Checked with counting loops: 5 operations a pixel value.
Compiled for sm_90 (Triton 3.9) and run in Triton's interpreter at a small size against PyTorch.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def charbonnier_kernel(
    pred_ptr, target_ptr, loss_ptr,
    n_elements, eps2, inv_n,
    NUM_PROGRAMS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    pid = tl.program_id(0)
    n_blocks = tl.cdiv(n_elements, BLOCK)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for block in range(pid, n_blocks, NUM_PROGRAMS):
        offs = block * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n_elements
        p = tl.load(pred_ptr + offs, mask=mask, other=0.0)
        t = tl.load(target_ptr + offs, mask=mask, other=0.0)
        d = p - t
        v = tl.sqrt(d * d + eps2)
        acc += tl.where(mask, v, 0.0)
    tl.atomic_add(loss_ptr, tl.sum(acc, axis=0) * inv_n)


def charbonnier_loss(pred: torch.Tensor, target: torch.Tensor, eps: float = 1e-3) -> torch.Tensor:
    assert pred.shape == target.shape
    pred, target = pred.contiguous(), target.contiguous()
    loss = torch.zeros((), device=pred.device, dtype=torch.float32)
    n = pred.numel()
    sms = torch.cuda.get_device_properties(pred.device).multi_processor_count
    charbonnier_kernel[(4 * sms,)](
        pred, target, loss, n, eps * eps, 1.0 / n,
        NUM_PROGRAMS=4 * sms, BLOCK=2048, num_warps=8,
    )
    return loss


def main():
    pred = torch.rand(16, 3, 1024, 1024, device="cuda")
    target = torch.rand(16, 3, 1024, 1024, device="cuda")
    loss = charbonnier_loss(pred, target)
    ref = torch.sqrt((pred - target) ** 2 + 1e-6).mean()
    print(loss.item(), ref.item())


if __name__ == "__main__":
    main()
