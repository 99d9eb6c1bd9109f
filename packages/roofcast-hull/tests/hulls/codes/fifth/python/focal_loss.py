"""Sigmoid focal loss (gamma = 2) of a detector's anchors, summed over the classes of each anchor."""
import torch
import triton
import triton.language as tl


@triton.jit
def _bce_with_logits(x, t):
    return tl.maximum(x, 0.0) - x * t + tl.log(1.0 + tl.exp(-tl.abs(x)))


@triton.jit
def _sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def focal_kernel(
    logits, targets, loss, n_anchors, n_classes,
    alpha: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr,
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, COLS)
    inside = (rows[:, None] < n_anchors) & (cols[None, :] < n_classes)
    offsets = rows[:, None] * n_classes + cols[None, :]
    x = tl.load(logits + offsets, mask=inside, other=0.0)
    t = tl.load(targets + offsets, mask=inside, other=0.0)

    p = _sigmoid(x)
    p_t = p * t + (1.0 - p) * (1.0 - t)
    q = 1.0 - p_t
    a_t = alpha * t + (1.0 - alpha) * (1.0 - t)
    value = a_t * (_bce_with_logits(x, t) * q * q)
    value = tl.where(inside, value, 0.0)
    tl.store(loss + rows, tl.sum(value, axis=1), mask=rows < n_anchors)


def focal_loss(logits, targets, alpha=0.25):
    n_anchors, n_classes = logits.shape
    loss = torch.empty(n_anchors, device=logits.device, dtype=torch.float32)
    ROWS = 16
    focal_kernel[(triton.cdiv(n_anchors, ROWS),)](
        logits, targets, loss, n_anchors, n_classes,
        alpha=alpha, ROWS=ROWS, COLS=triton.next_power_of_2(n_classes),
    )
    return loss


if __name__ == "__main__":
    x = torch.randn(24576, 80, device="cuda")
    t = (torch.rand(24576, 80, device="cuda") > 0.99).float()
    print(focal_loss(x, t).mean())
