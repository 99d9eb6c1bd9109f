import torch
import triton
import triton.language as tl

M, N, K = 2048, 1536, 1024


@triton.jit
def mm_scaled(a, b, row_scale, c, M, N, K, sam, sak, sbk, sbn, scm, scn,
              BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    rm = pm * BM + tl.arange(0, BM)
    rn = pn * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    ap = a + rm[:, None] * sam + rk[None, :] * sak
    bp = b + rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc += tl.dot(tl.load(ap), tl.load(bp))
        ap += BK * sak
        bp += BK * sbk
    s = tl.load(row_scale + rm)
    acc = acc * s[:, None]
    tl.store(c + rm[:, None] * scm + rn[None, :] * scn, acc.to(tl.float16))


@triton.jit
def transpose_gate(src, gate, dst, R, C, BR: tl.constexpr, BC: tl.constexpr):
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    m = (r[:, None] < R) & (c[None, :] < C)
    x = tl.load(src + r[:, None] * C + c[None, :], mask=m)
    g = tl.load(gate + c, mask=c < C)
    y = x * g[None, :]
    tl.store(dst + c[:, None] * R + r[None, :], tl.trans(y),
             mask=(c[:, None] < C) & (r[None, :] < R))


def run():
    a = torch.randn(M, K, device="cuda", dtype=torch.float16)
    b = torch.randn(K, N, device="cuda", dtype=torch.float16)
    s = torch.rand(M, device="cuda", dtype=torch.float32)
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    mm_scaled[(M // 128, N // 64)](a, b, s, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1),
                                   c.stride(0), c.stride(1), BM=128, BN=64, BK=32)
    g = torch.rand(N, device="cuda", dtype=torch.float16)
    ct = torch.empty(N, M, device="cuda", dtype=torch.float16)
    transpose_gate[(triton.cdiv(M, 64), triton.cdiv(N, 64))](c, g, ct, M, N, BR=64, BC=64)
    return ct


if __name__ == "__main__":
    print(run().float().abs().mean().item())
