"""Log-partition of router logits and its penalty, a row a program; then the gradient of the penalty."""
import torch
import triton
import triton.language as tl

ROWS, VOCAB = 4096, 8192


@triton.jit
def z_forward(logits, lse_out, loss_out, coef, VOCAB: tl.constexpr):
    row = tl.program_id(0)
    x = tl.load(logits + row * VOCAB + tl.arange(0, VOCAB)).to(tl.float32)
    top = tl.max(x, axis=0)
    lse = top + tl.log(tl.sum(tl.exp(x - top), axis=0))
    tl.store(lse_out + row, lse)
    tl.store(loss_out + row, coef * lse * lse)


@triton.jit
def z_backward(logits, lse_in, grad, scale, VOCAB: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(logits + row * VOCAB + cols).to(tl.float32)
    lse = tl.load(lse_in + row)
    g = scale * lse * tl.exp(x - lse)
    tl.store(grad + row * VOCAB + cols, g.to(tl.float16))


def main():
    logits = torch.randn(ROWS, VOCAB, device="cuda", dtype=torch.float16)
    lse = torch.empty(ROWS, device="cuda", dtype=torch.float32)
    loss = torch.empty_like(lse)
    grad = torch.empty_like(logits)
    z_forward[(ROWS,)](logits, lse, loss, 1e-4, VOCAB=VOCAB, num_warps=8)
    z_backward[(ROWS, VOCAB // 2048)](logits, lse, grad, 2e-4 / ROWS, VOCAB=VOCAB, BLOCK=2048)
    print(loss.mean().item(), grad.abs().max().item())


main()
