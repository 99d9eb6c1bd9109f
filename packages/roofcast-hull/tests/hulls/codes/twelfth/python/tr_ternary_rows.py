"""Ternary weights, four to a byte (00: -1, 01: 0, 10: 1), with a scale for each row: expansion to half precision,
and the product with a vector straight from the packed bytes."""
import torch
import triton
import triton.language as tl

ROWS, PACKED = 4096, 1024


@triton.jit
def expand_ternary(q_ptr, scale_ptr, w_ptr, packed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    k = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    q = tl.load(q_ptr + row * packed + k).to(tl.int32)
    s = tl.load(scale_ptr + row)
    to = w_ptr + (row * packed + k) * 4
    tl.store(to, (((q & 3) - 1).to(tl.float32) * s).to(tl.float16))
    tl.store(to + 1, ((((q >> 2) & 3) - 1).to(tl.float32) * s).to(tl.float16))
    tl.store(to + 2, ((((q >> 4) & 3) - 1).to(tl.float32) * s).to(tl.float16))
    tl.store(to + 3, (((q >> 6) - 1).to(tl.float32) * s).to(tl.float16))


@triton.jit
def ternary_gemv(q_ptr, scale_ptr, x_ptr, y_ptr, packed, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for k0 in range(0, packed, BLOCK):
        k = k0 + tl.arange(0, BLOCK)
        q = tl.load(q_ptr + row * packed + k).to(tl.int32)
        for lane in tl.static_range(4):
            x = tl.load(x_ptr + k * 4 + lane)
            total += (((q >> (2 * lane)) & 3) - 1).to(tl.float32) * x
    tl.store(y_ptr + row, tl.sum(total, axis=0) * tl.load(scale_ptr + row))


def main():
    q = torch.randint(0, 256, (ROWS, PACKED), dtype=torch.uint8, device="cuda")
    scale = torch.rand(ROWS, dtype=torch.float32, device="cuda")
    w = torch.empty(ROWS, PACKED * 4, dtype=torch.float16, device="cuda")
    expand_ternary[(ROWS, PACKED // 256)](q, scale, w, PACKED, BLOCK=256)
    x = torch.randn(PACKED * 4, dtype=torch.float32, device="cuda")
    y = torch.empty(ROWS, dtype=torch.float32, device="cuda")
    ternary_gemv[(ROWS,)](q, scale, x, y, PACKED, BLOCK=512)
    print(y[:4])


main()
