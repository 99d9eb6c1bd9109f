"""Cosine similarity between rows of two tables of embeddings; a program handles 4 rows."""
import torch
import triton
import triton.language as tl


@triton.jit
def cosine_rows(a_ptr, b_ptr, out_ptr, D: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.arange(0, D)
    where = rows[:, None] * D + cols[None, :]
    a = tl.load(a_ptr + where)
    b = tl.load(b_ptr + where)
    ab = tl.sum(a * b, axis=1)
    aa = tl.sum(a * a, axis=1)
    bb = tl.sum(b * b, axis=1)
    tl.store(out_ptr + rows, ab / tl.sqrt(aa * bb + 1e-12))


def similarity(a, b):
    n, d = a.shape
    out = torch.empty(n, device=a.device, dtype=a.dtype)
    cosine_rows[(n // 4,)](a, b, out, D=d, ROWS=4)
    return out


a = torch.randn(16384, 256, device="cuda")
b = torch.randn(16384, 256, device="cuda")
got = similarity(a, b)
print((got - torch.cosine_similarity(a, b)).abs().max())
