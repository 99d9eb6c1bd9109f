"""Row kernels of a small recommender: centring, temperature, top logit."""
import torch
import triton
import triton.language as tl

ROWS, COLS = 8192, 768


@triton.jit
def centre_rows(x_ptr, gain_ptr, out_ptr, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < cols
    x = tl.load(x_ptr + row * stride + c, mask=m, other=0.0)
    mu = tl.sum(x, axis=0) / cols
    g = tl.load(gain_ptr + c, mask=m, other=0.0)
    tl.store(out_ptr + row * stride + c, (x - mu) * g, mask=m)


@triton.jit
def range_rows(x_ptr, lo_ptr, hi_ptr, stride, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < cols
    p = x_ptr + row * stride + c
    hi = tl.max(tl.load(p, mask=m, other=-float("inf")), axis=0)
    lo = tl.min(tl.load(p, mask=m, other=float("inf")), axis=0)
    tl.store(lo_ptr + row, lo)
    tl.store(hi_ptr + row, hi)


@triton.jit
def pick_rows(table_ptr, ids_ptr, scale_ptr, out_ptr, D: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    idx = tl.load(ids_ptr + i)
    s = tl.load(scale_ptr + i)
    c = tl.arange(0, BLOCK)
    m = c < D
    v = tl.load(table_ptr + idx * D + c, mask=m)
    tl.store(out_ptr + i * D + c, v * s, mask=m)


def main():
    dev = "cuda"
    x = torch.randn(ROWS, COLS, device=dev)
    gain = torch.rand(COLS, device=dev)
    out = torch.empty_like(x)
    centre_rows[(ROWS,)](x, gain, out, x.stride(0), COLS, BLOCK=1024)
    lo = torch.empty(ROWS, device=dev)
    hi = torch.empty(ROWS, device=dev)
    range_rows[(ROWS,)](out, lo, hi, out.stride(0), COLS, BLOCK=1024)
    table = torch.randn(100000, 256, device=dev)
    ids = torch.randint(0, 100000, (32768,), device=dev)
    scale = torch.rand(32768, device=dev)
    picked = torch.empty(32768, 256, device=dev)
    pick_rows[(32768,)](table, ids, scale, picked, D=256, BLOCK=256)
    print(lo.min().item(), hi.max().item(), picked.norm().item())


if __name__ == "__main__":
    main()
