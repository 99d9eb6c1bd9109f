"""Mean and variance of a long vector in two launches."""
import torch
import triton
import triton.language as tl

N = 4 * 1024 * 1024
CHUNK = 1024


@triton.jit
def chunk_moments(x, sums, squares, CHUNK: tl.constexpr):
    b = tl.program_id(0)
    v = tl.load(x + b * CHUNK + tl.arange(0, CHUNK))
    tl.store(sums + b, tl.sum(v, 0))
    tl.store(squares + b, tl.sum(v * v, 0))


@triton.jit
def finish(sums, squares, out, n, CHUNKS: tl.constexpr):
    i = tl.arange(0, CHUNKS)
    s = tl.sum(tl.load(sums + i), 0)
    q = tl.sum(tl.load(squares + i), 0)
    mean = s / n
    tl.store(out, mean)
    tl.store(out + 1, q / n - mean * mean)


x = torch.randn(N, device="cuda") * 2.0 + 1.0
sums = torch.empty(N // CHUNK, device="cuda")
squares = torch.empty(N // CHUNK, device="cuda")
out = torch.empty(2, device="cuda")
chunk_moments[(N // CHUNK,)](x, sums, squares, CHUNK=CHUNK)
finish[(1,)](sums, squares, out, N, CHUNKS=N // CHUNK)
print(out.tolist())
