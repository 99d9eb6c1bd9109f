"""a * b + c, tuned."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_SIZE": 512}, num_warps=4),
        triton.Config({"BLOCK_SIZE": 2048}, num_warps=8),
    ],
    key=["n"],
)
@triton.jit
def multiply_add_kernel(a, b, c, out, n, BLOCK_SIZE: tl.constexpr):
    start = tl.program_id(0) * BLOCK_SIZE
    i = start + tl.arange(0, BLOCK_SIZE)
    m = i < n
    tl.store(out + i, tl.load(a + i, m) * tl.load(b + i, m) + tl.load(c + i, m), m)


def multiply_add(a, b, c):
    out = torch.empty_like(a)
    n = out.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)
    multiply_add_kernel[grid](a, b, c, out, n)
    return out


if __name__ == "__main__":
    a, b, c = (torch.rand(10_000_000, device="cuda") for _ in range(3))
    multiply_add(a, b, c)
