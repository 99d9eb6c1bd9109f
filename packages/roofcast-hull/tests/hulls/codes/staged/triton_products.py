"""Products of tiles in Triton, as people write them: a matrix product, one with block pointers, attention."""

import torch
import triton
import triton.language as tl

LOG2E: tl.constexpr = 1.44269504


@triton.jit
def relu(x):
    return tl.where(x > 0, x, 0.0)


@triton.autotune(
    configs=[
        triton.Config({"BM": 128, "BN": 128, "BK": 32}, num_warps=8, num_stages=3),
        triton.Config({"BM": 64, "BN": 64, "BK": 32}, num_warps=4, num_stages=4),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def gemm(
    a,
    b,
    c,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    scm,
    scn,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr = 8,
    ACT: tl.constexpr = "",
):
    pid = tl.program_id(axis=0)
    pids_m = tl.cdiv(M, BM)
    pids_n = tl.cdiv(N, BN)
    in_group = GROUP * pids_n
    group = pid // in_group
    first = group * GROUP
    rows = min(pids_m - first, GROUP)
    pid_m = first + ((pid % in_group) % rows)
    pid_n = (pid % in_group) // rows
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    pa = a + (offs_m[:, None] * sam + offs_k[None, :] * sak)
    pb = b + (offs_k[:, None] * sbk + offs_n[None, :] * sbn)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=offs_k[None, :] < K - k * BK, other=0.0)
        y = tl.load(pb, mask=offs_k[:, None] < K - k * BK, other=0.0, eviction_policy="evict_last")
        acc = tl.dot(x, y, acc)
        pa += BK * sak
        pb += BK * sbk
    if ACT == "relu":
        acc = relu(acc)
    out = acc.to(tl.float16)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    tl.store(c + scm * rm[:, None] + scn * rn[None, :], out, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def gemm_blocks(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0)
    n = tl.program_id(1)
    pa = tl.make_block_ptr(
        base=a, shape=(M, K), strides=(K, 1), offsets=(m * BM, 0), block_shape=(BM, BK), order=(1, 0)
    )
    pb = tl.make_block_ptr(
        base=b, shape=(K, N), strides=(N, 1), offsets=(0, n * BN), block_shape=(BK, BN), order=(1, 0)
    )
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(pa, boundary_check=(0, 1)), tl.load(pb, boundary_check=(0, 1)))
        pa = tl.advance(pa, (0, BK))
        pb = tl.advance(pb, (BK, 0))
    pc = tl.make_block_ptr(
        base=c, shape=(M, N), strides=(N, 1), offsets=(m * BM, n * BN), block_shape=(BM, BN), order=(1, 0)
    )
    tl.store(pc, acc, boundary_check=(0, 1))


@triton.jit
def attention(q, k, v, o, scale, sz, sh, sm, T, H: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    start = tl.program_id(0)
    zh = tl.program_id(1)
    z = zh // H
    h = zh % H
    base = z * sz + h * sh
    offs_m = start * BM + tl.arange(0, BM)
    offs_n = tl.arange(0, BN)
    offs_d = tl.arange(0, D)
    qt = tl.load(q + base + offs_m[:, None] * sm + offs_d[None, :], mask=offs_m[:, None] < T)
    best = tl.zeros((BM,), dtype=tl.float32) - float("inf")
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for n in range(0, T, BN):
        kt = tl.load(k + base + (n + offs_n)[:, None] * sm + offs_d[None, :])
        s = tl.dot(qt, tl.trans(kt)) * (scale * LOG2E)
        larger = tl.maximum(best, tl.max(s, 1))
        p = tl.math.exp2(s - larger[:, None])
        alpha = tl.math.exp2(best - larger)
        total = total * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        vt = tl.load(v + base + (n + offs_n)[:, None] * sm + offs_d[None, :])
        acc = tl.dot(p.to(vt.dtype), vt, acc)
        best = larger
    acc = acc / total[:, None]
    tl.store(o + base + offs_m[:, None] * sm + offs_d[None, :], acc.to(o.dtype.element_ty), mask=offs_m[:, None] < T)


def matmul(x, y, act=""):
    M, K = x.shape
    K, N = y.shape
    c = torch.empty((M, N), device=x.device, dtype=x.dtype)
    grid = lambda META: (triton.cdiv(M, META["BM"]) * triton.cdiv(N, META["BN"]),)
    gemm[grid](x, y, c, M, N, K, x.stride(0), x.stride(1), y.stride(0), y.stride(1), c.stride(0), c.stride(1), ACT=act)
    return c


def main():
    x = torch.randn((4096, 2048), device="cuda", dtype=torch.float16)
    y = torch.randn((2048, 1024), device="cuda", dtype=torch.float16)
    matmul(x, y, act="relu")
    a = torch.randn((1000, 512), device="cuda", dtype=torch.float32)
    b = torch.randn((512, 768), device="cuda", dtype=torch.float32)
    c = torch.empty((1000, 768), device="cuda", dtype=torch.float32)

    def grid(meta):
        return triton.cdiv(1000, meta["BM"]), triton.cdiv(768, meta["BN"])

    gemm_blocks[grid](a, b, c, 1000, 768, 512, BM=64, BN=64, BK=32, num_warps=4, num_stages=2)
    Z, H, T, D = 4, 16, 2048, 64
    q = torch.randn((Z, H, T, D), device="cuda", dtype=torch.bfloat16)
    k = torch.randn_like(q)
    v = torch.randn_like(q)
    o = torch.empty_like(q)
    attention[(triton.cdiv(T, 128), Z * H)](
        q, k, v, o, 0.125, q.stride(0), q.stride(1), q.stride(2), T, H=H, D=D, BM=128, BN=64, num_warps=4, num_stages=3
    )


if __name__ == "__main__":
    main()
