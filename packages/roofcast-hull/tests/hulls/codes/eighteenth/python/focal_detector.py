"""Dense detector head: focal loss per anchor, alpha = 0.25, gamma = 2 (hard coded, we never tuned them)."""
import torch
import triton
import triton.language as tl

ANCHORS = 76725
CLASSES = 80


@triton.jit
def focal_kernel(logit_ptr, target_ptr, loss_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(logit_ptr + offs, mask=mask, other=0.0)
    t = tl.load(target_ptr + offs, mask=mask, other=0.0)
    p = tl.sigmoid(x)
    pt = t * p + (1.0 - t) * (1.0 - p)
    a = 0.75 - 0.5 * t
    miss = 1.0 - pt
    loss = a * miss * miss * tl.log(pt + 1e-8)
    tl.store(loss_ptr + offs, loss, mask=mask)


def focal_loss(logit, target):
    loss = torch.empty_like(logit)
    n = logit.numel()
    focal_kernel[(triton.cdiv(n, 1024),)](logit, target, loss, n, BLOCK=1024)
    return -loss.sum()


if __name__ == "__main__":
    logit = torch.randn(ANCHORS, CLASSES, device="cuda", dtype=torch.float32)
    target = (torch.rand(ANCHORS, CLASSES, device="cuda") > 0.98).to(torch.float32)
    print(focal_loss(logit, target))
