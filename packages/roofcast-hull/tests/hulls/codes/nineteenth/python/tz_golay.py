"""Five-point Savitzky-Golay smoothing of a spectrum, and the pinball loss of a forecast of it."""
import torch
import triton
import triton.language as tl

POINTS = 1 << 20
BLOCK = 1024


@triton.jit
def golay5(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(x_ptr + i - 2, mask=inside & (i >= 2), other=0.0)
    b = tl.load(x_ptr + i - 1, mask=inside & (i >= 1), other=0.0)
    c = tl.load(x_ptr + i, mask=inside, other=0.0)
    d = tl.load(x_ptr + i + 1, mask=i + 1 < n, other=0.0)
    e = tl.load(x_ptr + i + 2, mask=i + 2 < n, other=0.0)
    s = 17.0 * c + 12.0 * (b + d) - 3.0 * (a + e)
    tl.store(y_ptr + i, s / 35.0, mask=inside)


@triton.jit
def pinball(pred_ptr, true_ptr, loss_ptr, n, q, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    p = tl.load(pred_ptr + i, mask=m, other=0.0)
    t = tl.load(true_ptr + i, mask=m, other=0.0)
    d = t - p
    l = tl.maximum(q * d, (q - 1.0) * d)
    tl.atomic_add(loss_ptr, tl.sum(l, axis=0))


def main():
    torch.manual_seed(0)
    x = torch.randn(POINTS, device="cuda")
    y = torch.empty_like(x)
    loss = torch.zeros(1, device="cuda")
    grid = (triton.cdiv(POINTS, BLOCK),)
    golay5[grid](x, y, POINTS, BLOCK=BLOCK)
    pinball[grid](y, x, loss, POINTS, 0.9, BLOCK=BLOCK)
    torch.cuda.synchronize()
    print(loss.item() / POINTS)


if __name__ == "__main__":
    main()
