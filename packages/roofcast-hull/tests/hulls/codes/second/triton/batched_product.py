"""Products of many small matrices."""

import torch
import triton
import triton.language as tl


@triton.jit
def bmm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2)
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a = a_ptr + batch * M * K + m[:, None] * K + k[None, :]
    b = b_ptr + batch * K * N + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK * N
    c = c_ptr + batch * M * N + m[:, None] * N + n[None, :]
    tl.store(c, acc.to(tl.float16))


if __name__ == "__main__":
    B, M, N, K = 32, 256, 128, 192
    a = torch.randn(B, M, K, device="cuda", dtype=torch.float16)
    b = torch.randn(B, K, N, device="cuda", dtype=torch.float16)
    c = torch.empty(B, M, N, device="cuda", dtype=torch.float16)
    bmm_kernel[(M // 64, N // 64, B)](a, b, c, M, N, K, BM=64, BN=64, BK=32)
