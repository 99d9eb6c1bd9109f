# Multi-label binary cross entropy on logits with a positive weight per class:
# a fused forward that sums with one atomic per program, and the backward.
# Counts checked by a scalar translation with counting numbers (one element each).
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def bce_fwd_kernel(x_ptr, y_ptr, pw_ptr, out_ptr, n_elements, n_classes, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n_elements
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    y = tl.load(y_ptr + offs, mask=mask, other=0.0)
    pw = tl.load(pw_ptr + offs % n_classes, mask=mask, other=1.0)

    softplus = tl.log(1.0 + tl.exp(-tl.abs(x))) + tl.maximum(-x, 0.0)
    weight = 1.0 + (pw - 1.0) * y
    loss = (1.0 - y) * x + weight * softplus
    loss = tl.where(mask, loss, 0.0)
    tl.atomic_add(out_ptr, tl.sum(loss, axis=0))


@triton.jit
def bce_bwd_kernel(dout_ptr, x_ptr, y_ptr, pw_ptr, dx_ptr, inv_n, n_elements, n_classes, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n_elements
    g = tl.load(dout_ptr) * inv_n
    x = tl.load(x_ptr + offs, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask)
    pw = tl.load(pw_ptr + offs % n_classes, mask=mask)
    s = 1.0 / (1.0 + tl.exp(-x))
    pwy = pw * y
    dx = ((pwy + 1.0 - y) * s - pwy) * g
    tl.store(dx_ptr + offs, dx, mask=mask)


class _BCEWithLogits(torch.autograd.Function):
    @staticmethod
    def forward(ctx, logits, target, pos_weight):
        logits, target = logits.contiguous(), target.contiguous()
        n = logits.numel()
        total = torch.zeros(1, device=logits.device, dtype=torch.float32)
        grid = (triton.cdiv(n, BLOCK),)
        bce_fwd_kernel[grid](logits, target, pos_weight, total, n, logits.shape[-1], BLOCK=BLOCK)
        ctx.save_for_backward(logits, target, pos_weight)
        return total[0] / n

    @staticmethod
    def backward(ctx, dout):
        logits, target, pos_weight = ctx.saved_tensors
        n = logits.numel()
        dx = torch.empty_like(logits)
        grid = (triton.cdiv(n, BLOCK),)
        bce_bwd_kernel[grid](dout.contiguous(), logits, target, pos_weight, dx, 1.0 / n, n,
                             logits.shape[-1], BLOCK=BLOCK)
        return dx, None, None


def bce_with_logits(logits, target, pos_weight):
    return _BCEWithLogits.apply(logits, target, pos_weight)


if __name__ == "__main__":
    torch.manual_seed(3)
    samples, classes = 8192, 1000
    logits = torch.randn(samples, classes, device="cuda", requires_grad=True)
    target = (torch.rand(samples, classes, device="cuda") > 0.9).float()
    pos_weight = torch.rand(classes, device="cuda") * 4 + 1
    loss = bce_with_logits(logits, target, pos_weight)
    loss.backward()
    ref = torch.nn.functional.binary_cross_entropy_with_logits(logits, target, pos_weight=pos_weight)
    print(f"loss {loss.item():.6f}  torch {ref.item():.6f}")
