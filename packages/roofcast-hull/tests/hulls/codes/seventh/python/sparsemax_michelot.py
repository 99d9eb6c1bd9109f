"""Sparsemax of rows by Michelot's algorithm: the support shrinks until it changes no more.
Data decide how often the while loop runs: no class."""
import torch
import triton
import triton.language as tl


@triton.jit
def sparsemax_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    valid = cols < n_cols
    z = tl.load(x_ptr + row * n_cols + cols, mask=valid, other=0.0)
    inside = valid.to(tl.float32)
    count = tl.sum(inside, axis=0)
    tau = (tl.sum(z * inside, axis=0) - 1.0) / count
    previous = count + 1.0
    while count < previous:
        previous = count
        inside = tl.where(z > tau, inside, 0.0)
        count = tl.sum(inside, axis=0)
        tau = (tl.sum(z * inside, axis=0) - 1.0) / count
    p = tl.maximum(z - tau, 0.0)
    tl.store(out_ptr + row * n_cols + cols, p, mask=valid)


def sparsemax(x: torch.Tensor) -> torch.Tensor:
    rows, cols = x.shape
    out = torch.empty_like(x)
    sparsemax_kernel[(rows,)](x, out, cols, BLOCK=triton.next_power_of_2(cols))
    return out


if __name__ == "__main__":
    scores = torch.randn(4096, 1000, device="cuda")
    p = sparsemax(scores)
    print("row sums", p.sum(dim=1)[:4].tolist(), "nonzero share", (p > 0).float().mean().item())
