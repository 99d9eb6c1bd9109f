import torch
import triton
import triton.language as tl


@triton.jit
def absmax_quant(x_ptr, q_ptr, s_ptr, COLS: tl.constexpr):
    r = tl.program_id(axis=0)
    c = tl.arange(0, COLS)
    x = tl.load(x_ptr + r * COLS + c)
    amax = tl.max(tl.abs(x), axis=0)
    amax = tl.maximum(amax, 1e-8)
    q = tl.floor(x * (127.0 / amax) + 0.5)
    tl.store(q_ptr + r * COLS + c, q.to(tl.int8))
    tl.store(s_ptr + r, amax / 127.0)


@triton.jit
def dequant(q_ptr, s_ptr, y_ptr, n, COLS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    q = tl.load(q_ptr + i, mask=ok, other=0).to(tl.float32)
    s = tl.load(s_ptr + i // COLS, mask=ok, other=0.0)
    tl.store(y_ptr + i, q * s, mask=ok)


def main():
    rows, cols = 4096, 1024
    x = torch.randn(rows, cols, device="cuda")
    q = torch.empty(rows, cols, device="cuda", dtype=torch.int8)
    s = torch.empty(rows, device="cuda", dtype=torch.float32)
    absmax_quant[(rows,)](x, q, s, COLS=cols)
    y = torch.empty_like(x)
    n = rows * cols
    dequant[(triton.cdiv(n, 2048),)](q, s, y, n, COLS=cols, BLOCK=2048)
    print("error", (x - y).abs().max().item())


if __name__ == "__main__":
    main()
