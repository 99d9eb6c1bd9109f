"""Two pieces of a mixture-of-experts decoder: attention rows with a sink, and a clamped SiLU product."""
import torch
import triton
import triton.language as tl

HEADS = 64
QUERIES = 128
KEYS = 2048
M, N, K = 2048, 4096, 2048


@triton.jit
def sink_softmax(x_ptr, sink_ptr, y_ptr, heads: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = row * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs)
    sink = tl.load(sink_ptr + row % heads)
    m = tl.maximum(tl.max(x, axis=0), sink)
    e = tl.exp(x - m)
    denom = tl.sum(e, axis=0) + tl.exp(sink - m)
    tl.store(y_ptr + offs, e / denom)


@triton.jit
def clamped_silu_mm(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
                    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a_at = a_ptr + rm[:, None] * K + rk[None, :]
    b_at = b_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc += tl.dot(tl.load(a_at), tl.load(b_at))
        a_at += BK
        b_at += BK * N
    v = acc + tl.load(bias_ptr + rn)[None, :]
    v = tl.minimum(v, 7.0)
    v = v * tl.sigmoid(1.702 * v)
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], v.to(tl.float16))


def main():
    torch.manual_seed(3)
    x = torch.randn(QUERIES * HEADS, KEYS, device="cuda", dtype=torch.float32)
    sink = torch.randn(HEADS, device="cuda", dtype=torch.float32)
    y = torch.empty_like(x)
    sink_softmax[(QUERIES * HEADS,)](x, sink, y, heads=HEADS, BLOCK=KEYS)
    a = torch.randn(M, K, device="cuda", dtype=torch.float16)
    b = torch.randn(K, N, device="cuda", dtype=torch.float16) * 0.02
    bias = torch.randn(N, device="cuda", dtype=torch.float16)
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    grid = (M // 128, N // 128)
    clamped_silu_mm[grid](a, b, bias, c, M, N, K, BM=128, BN=128, BK=64)
    print(y.sum(dim=1).mean().item(), c.float().mean().item())


if __name__ == "__main__":
    main()
