# tall-K product, split along K, partial products meet by atomics in fp32
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BM": 64, "BN": 64, "BK": 64}, num_stages=4, num_warps=4),
        triton.Config({"BM": 128, "BN": 64, "BK": 32}, num_stages=3, num_warps=8),
    ],
    key=["M", "N", "K"],
    reset_to_zero=["c_ptr"],
)
@triton.jit
def splitk_kernel(a_ptr, b_ptr, c_ptr, M, N, K,
                  sam, sak, sbk, sbn, scm, scn,
                  SPLIT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    part = tl.program_id(1)
    tiles_n = tl.cdiv(N, BN)
    pid_m = pid // tiles_n
    pid_n = pid % tiles_n
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = part * BK + tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sam + rk[None, :] * sak
    b = b_ptr + rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK * SPLIT)):
        acc += tl.dot(tl.load(a), tl.load(b))
        a += BK * SPLIT * sak
        b += BK * SPLIT * sbk
    c = c_ptr + rm[:, None] * scm + rn[None, :] * scn
    tl.atomic_add(c, acc, mask=(rm < M)[:, None] & (rn < N)[None, :])


def matmul_splitk(a, b, split=8):
    M, K = a.shape
    _, N = b.shape
    c = torch.zeros((M, N), device=a.device, dtype=torch.float32)
    grid = lambda META: (triton.cdiv(M, META["BM"]) * triton.cdiv(N, META["BN"]), split)
    splitk_kernel[grid](
        a, b, c, M, N, K,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        SPLIT=split,
    )
    return c


if __name__ == "__main__":
    a = torch.randn((256, 8192), device="cuda", dtype=torch.float16)
    b = torch.randn((8192, 512), device="cuda", dtype=torch.float16)
    c = matmul_splitk(a, b)
    print((c - a.float() @ b.float()).abs().max())
    print(triton.testing.do_bench(lambda: matmul_splitk(a, b)))
