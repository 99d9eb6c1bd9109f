"""Factored second moments of Adafactor: running means of g*g + eps along the rows and along the columns.

By hand: three operations an element for each of the two kernels, four a row (column).
Verified: counted twice by reading; py_compile only.
"""
import torch
import triton
import triton.language as tl

ROWS, COLS = 4096, 2048


@triton.jit
def row_moment_kernel(grad_ptr, row_ptr, cols, beta, one_minus_beta, inv_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, cols, BLOCK):
        offs = start + tl.arange(0, BLOCK)
        g = tl.load(grad_ptr + row * cols + offs, mask=offs < cols, other=0.0)
        acc += tl.where(offs < cols, g * g + eps, 0.0)
    mean = tl.sum(acc, axis=0) * inv_cols
    old = tl.load(row_ptr + row)
    tl.store(row_ptr + row, beta * old + one_minus_beta * mean)


@triton.jit
def col_moment_kernel(
    grad_ptr, col_ptr, rows, cols, beta, one_minus_beta, inv_rows, eps,
    BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr,
):
    cs = tl.program_id(0) * BLOCK_C + tl.arange(0, BLOCK_C)
    acc = tl.zeros((BLOCK_R, BLOCK_C), dtype=tl.float32)
    for start in range(0, rows, BLOCK_R):
        rs = start + tl.arange(0, BLOCK_R)
        mask = (rs[:, None] < rows) & (cs[None, :] < cols)
        g = tl.load(grad_ptr + rs[:, None] * cols + cs[None, :], mask=mask, other=0.0)
        acc += tl.where(mask, g * g + eps, 0.0)
    mean = tl.sum(acc, axis=0) * inv_rows
    old = tl.load(col_ptr + cs, mask=cs < cols, other=0.0)
    tl.store(col_ptr + cs, beta * old + one_minus_beta * mean, mask=cs < cols)


class FactoredMoments:
    def __init__(self, rows: int, cols: int, beta: float = 0.999, eps: float = 1e-30):
        self.row = torch.zeros(rows, device="cuda")
        self.col = torch.zeros(cols, device="cuda")
        self.beta, self.eps = beta, eps

    def update(self, grad: torch.Tensor):
        rows, cols = grad.shape
        row_moment_kernel[(rows,)](
            grad, self.row, cols, self.beta, 1 - self.beta, 1.0 / cols, self.eps, BLOCK=1024
        )
        col_moment_kernel[(triton.cdiv(cols, 32),)](
            grad, self.col, rows, cols, self.beta, 1 - self.beta, 1.0 / rows, self.eps, BLOCK_R=64, BLOCK_C=32
        )


def main():
    moments = FactoredMoments(ROWS, COLS)
    grad = 1e-2 * torch.randn(ROWS, COLS, device="cuda")
    for _ in range(3):
        moments.update(grad)
    print(moments.row.mean().item(), moments.col.mean().item())


if __name__ == "__main__":
    main()
