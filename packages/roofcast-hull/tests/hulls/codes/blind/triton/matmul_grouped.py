import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BM)
    num_n = tl.cdiv(N, BN)
    per_group = GROUP * num_n
    first = (pid // per_group) * GROUP
    size = min(num_m - first, GROUP)
    pid_m = first + (pid % per_group) % size
    pid_n = (pid % per_group) // size
    offs_m = (pid_m * BM + tl.arange(0, BM)) % M
    offs_n = (pid_n * BN + tl.arange(0, BN)) % N
    offs_k = tl.arange(0, BK)
    a = a_ptr + offs_m[:, None] * sam + offs_k[None, :] * sak
    b = b_ptr + offs_k[:, None] * sbk + offs_n[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a, mask=offs_k[None, :] < K - k * BK, other=0.0)
        w = tl.load(b, mask=offs_k[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(x, w, acc)
        a += BK * sak
        b += BK * sbk
    c = c_ptr + scm * (pid_m * BM + tl.arange(0, BM))[:, None] + scn * (pid_n * BN + tl.arange(0, BN))[None, :]
    tl.store(c, acc.to(tl.float16))


def matmul(a, b):
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    grid = lambda META: (triton.cdiv(M, META["BM"]) * triton.cdiv(N, META["BN"]),)
    matmul_kernel[grid](a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
                        BM=128, BN=64, BK=32, GROUP=8)
    return c


matmul(torch.randn((1024, 768), device="cuda", dtype=torch.float16), torch.randn((768, 2048), device="cuda", dtype=torch.float16))
