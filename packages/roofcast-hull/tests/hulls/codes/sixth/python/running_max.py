# Running maximum along time of many sensor channels (torch.cummax values) with an associative scan.
# Verified: C-1 maxima per row by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size.
import torch
import triton
import triton.language as tl


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def cummax_kernel(x_ptr, y_ptr, n_rows, T, BLOCK_R: tl.constexpr, BLOCK_T: tl.constexpr):
    r = tl.program_id(0) * BLOCK_R + tl.arange(0, BLOCK_R)
    t = tl.arange(0, BLOCK_T)
    ptrs = r[:, None] * T + t[None, :]
    mask = (r[:, None] < n_rows) & (t[None, :] < T)
    x = tl.load(x_ptr + ptrs, mask=mask, other=-float("inf"))
    y = tl.associative_scan(x, 1, _larger)
    tl.store(y_ptr + ptrs, y, mask=mask)


def running_max(x):
    rows, steps = x.shape
    y = torch.empty_like(x)
    BLOCK_R = 4
    cummax_kernel[(triton.cdiv(rows, BLOCK_R),)](
        x, y, rows, steps, BLOCK_R=BLOCK_R, BLOCK_T=triton.next_power_of_2(steps)
    )
    return y


def test(rows=1200, steps=720):
    x = torch.randn(rows, steps, device="cuda").cumsum(1)
    assert torch.equal(running_max(x), torch.cummax(x, dim=1).values)


if __name__ == "__main__":
    test()
    print("running maximum agrees")
