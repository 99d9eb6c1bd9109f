import torch
import triton
import triton.language as tl


@triton.jit
def proj_sigmoid_gate(a_ptr, w_ptr, bias_ptr, value_ptr, out_ptr, M, N, K,
                      BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    a_at = a_ptr + m[:, None] * K + k[None, :]
    w_at = w_ptr + k[:, None] * N + n[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(a_at), tl.load(w_at), acc)
        a_at += BK
        w_at += BK * N
    gate = tl.sigmoid(acc + tl.load(bias_ptr + n)[None, :])
    here = m[:, None] * N + n[None, :]
    value = tl.load(value_ptr + here).to(tl.float32)
    tl.store(out_ptr + here, (gate * value).to(tl.float16))


M, N, K = 4096, 2048, 1024
a = torch.randn(M, K, device="cuda", dtype=torch.float16)
w = torch.randn(K, N, device="cuda", dtype=torch.float16) * 0.03
bias = torch.randn(N, device="cuda", dtype=torch.float32)
value = torch.randn(M, N, device="cuda", dtype=torch.float16)
out = torch.empty_like(value)
grid = (triton.cdiv(M, 128), triton.cdiv(N, 128))
proj_sigmoid_gate[grid](a, w, bias, value, out, M, N, K, BM=128, BN=128, BK=32, num_warps=8)
print((out.float() - torch.sigmoid(a.float() @ w.float() + bias) * value.float()).abs().max())
