"""DoRA: rows of merged weights brought to a learnt magnitude."""
import torch
import triton
import triton.language as tl

ROWS, COLS = 4096, 2048


@triton.jit
def dora_rows(w_ptr, mag_ptr, out_ptr, COLS: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, COLS)
    w = tl.load(w_ptr + row * COLS + cols)
    norm = tl.sqrt(tl.sum(w * w, axis=0))
    gain = tl.load(mag_ptr + row) / norm
    tl.store(out_ptr + row * COLS + cols, w * gain)


w = torch.randn(ROWS, COLS, device="cuda", dtype=torch.float32)
mag = torch.rand(ROWS, device="cuda", dtype=torch.float32) + 0.5
out = torch.empty_like(w)
dora_rows[(ROWS,)](w, mag, out, COLS=COLS, num_warps=8)
print(out.norm(dim=1)[:3], mag[:3])
