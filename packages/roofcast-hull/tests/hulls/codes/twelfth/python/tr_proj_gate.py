"""Output projection of a DiT block with its gate and residual in the epilogue: y = r + g * (a @ w + b)."""
import torch
import triton
import triton.language as tl

M, K, N = 2048, 1024, 1536


@triton.jit
def proj_gate_kernel(a_ptr, w_ptr, b_ptr, g_ptr, r_ptr, y_ptr,
                     M, N, K,
                     BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * K + rk[None, :]
    w = w_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(a), tl.load(w))
        a += BK
        w += BK * N
    bias = tl.load(b_ptr + rn).to(tl.float32)
    gate = tl.load(g_ptr + rn).to(tl.float32)
    at = rm[:, None] * N + rn[None, :]
    res = tl.load(r_ptr + at).to(tl.float32)
    y = res + gate[None, :] * (acc + bias[None, :])
    tl.store(y_ptr + at, y.to(tl.bfloat16))


def run():
    half = dict(device="cuda", dtype=torch.bfloat16)
    a = torch.randn(M, K, **half)
    w = torch.randn(K, N, **half) / 32
    b = torch.randn(N, **half)
    g = torch.randn(N, **half)
    r = torch.randn(M, N, **half)
    y = torch.empty(M, N, **half)
    proj_gate_kernel[(M // 64, N // 128)](a, w, b, g, r, y, M, N, K, BM=64, BN=128, BK=32)
    return y


if __name__ == "__main__":
    print(run().float().mean())
