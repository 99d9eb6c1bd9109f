"""Binary embeddings of 1024 bits: distances of a query to all codes, bits counted by the usual masks."""
import torch
import triton
import triton.language as tl

CODES, WORDS = 262144, 32


@triton.jit
def code_distance(codes_ptr, query_ptr, dist_ptr, WORDS: tl.constexpr, ROWS: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    w = tl.arange(0, WORDS)
    code = tl.load(codes_ptr + r[:, None] * WORDS + w[None, :])
    q = tl.load(query_ptr + w)
    x = code ^ q[None, :]
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    x = x + (x >> 8)
    x = (x + (x >> 16)) & 0x3F
    tl.store(dist_ptr + r, tl.sum(x, axis=1))


if __name__ == "__main__":
    codes = torch.randint(-2**31, 2**31 - 1, (CODES, WORDS), dtype=torch.int32, device="cuda")
    query = torch.randint(-2**31, 2**31 - 1, (WORDS,), dtype=torch.int32, device="cuda")
    dist = torch.empty(CODES, dtype=torch.int32, device="cuda")
    code_distance[(CODES // 64,)](codes, query, dist, WORDS=WORDS, ROWS=64)
    print(dist.float().mean())
