# Mean squared hinge loss of a binary classifier; blocks add their parts to one number atomically.
# Verified: 5 operations per sample (n terms of the sum) by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size;
# the scaling by 1/n is once per block and below the border.
import torch
import triton
import triton.language as tl


@triton.jit
def squared_hinge_kernel(score_ptr, label_ptr, loss_ptr, n, inv_n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    score = tl.load(score_ptr + offs, mask=mask, other=0.0)
    label = tl.load(label_ptr + offs, mask=mask, other=0).to(tl.float32)
    margin = tl.maximum(1.0 - label * score, 0.0)
    loss = tl.where(mask, margin * margin, 0.0)
    tl.atomic_add(loss_ptr, tl.sum(loss, axis=0) * inv_n)


def squared_hinge(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """labels are -1 or +1 (int32)"""
    n = scores.numel()
    total = torch.zeros(1, device=scores.device, dtype=torch.float32)
    BLOCK = 2048
    squared_hinge_kernel[(triton.cdiv(n, BLOCK),)](scores, labels, total, n, 1.0 / n, BLOCK=BLOCK)
    return total


if __name__ == "__main__":
    n_samples = 1_500_000
    scores = torch.randn(n_samples, device="cuda")
    labels = torch.randint(0, 2, (n_samples,), device="cuda", dtype=torch.int32) * 2 - 1
    mine = squared_hinge(scores, labels)
    ref = torch.clamp(1 - labels * scores, min=0).square().mean()
    print(mine.item(), ref.item())
