"""Keys from their latents: C (tokens x rank) times W (rank x heads*dim), a scale for each column, FP16 out."""
import torch
import triton
import triton.language as tl

TOKENS, RANK, OUT = 4096, 512, 2048


@triton.jit
def latent_up(c_ptr, w_ptr, s_ptr, k_ptr, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(1) * BM + tl.arange(0, BM)
    rn = tl.program_id(0) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = c_ptr + rm[:, None] * K + rk[None, :]
    b = w_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK
        b += BK * N
    acc *= tl.load(s_ptr + rn)[None, :]
    tl.store(k_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16))


def main():
    c = torch.randn(TOKENS, RANK, device="cuda", dtype=torch.float16)
    w = torch.randn(RANK, OUT, device="cuda", dtype=torch.float16) * 0.05
    s = torch.rand(OUT, device="cuda", dtype=torch.float32)
    k = torch.empty(TOKENS, OUT, device="cuda", dtype=torch.float16)
    grid = (OUT // 128, TOKENS // 64)
    latent_up[grid](c, w, s, k, OUT, RANK, BM=64, BN=128, BK=32)
    print(k.float().std().item())


if __name__ == "__main__":
    main()
