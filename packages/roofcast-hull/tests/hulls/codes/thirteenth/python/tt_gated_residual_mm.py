"""Projection back into the residual stream, each column with its gate (DiT)."""
import torch
import triton
import triton.language as tl

M, N, K = 1024, 2048, 1536


@triton.jit
def project_back(a_ptr, b_ptr, res_ptr, gate_ptr, c_ptr, M, N, K,
                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        a = tl.load(a_ptr + rm[:, None] * K + (k + rk)[None, :])
        b = tl.load(b_ptr + (k + rk)[:, None] * N + rn[None, :])
        acc += tl.dot(a, b)
    at = rm[:, None] * N + rn[None, :]
    gate = tl.load(gate_ptr + rn)
    tl.store(c_ptr + at, tl.load(res_ptr + at) + acc * gate[None, :])


a = torch.randn(M, K, device="cuda", dtype=torch.float16)
b = torch.randn(K, N, device="cuda", dtype=torch.float16)
res = torch.randn(M, N, device="cuda", dtype=torch.float32)
gate = torch.rand(N, device="cuda", dtype=torch.float32)
c = torch.empty(M, N, device="cuda", dtype=torch.float32)
project_back[(M // 64, N // 128)](a, b, res, gate, c, M, N, K, BM=64, BN=128, BK=32)
print((c - (res + (a.float() @ b.float()) * gate)).abs().max().item())
