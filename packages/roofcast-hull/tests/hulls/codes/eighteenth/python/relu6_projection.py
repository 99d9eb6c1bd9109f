import torch
import triton
import triton.language as tl


@triton.jit
def proj_kernel(a_ptr, b_ptr, bias_ptr, out_ptr, M, N, K,
                sam, sak, sbk, sbn, som, son,
                BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * sam + rk[None, :] * sak
    b = b_ptr + rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc = tl.dot(tl.load(a), tl.load(b), acc)
        a += BK * sak
        b += BK * sbk
    acc += tl.load(bias_ptr + rn)[None, :]
    acc = tl.minimum(tl.maximum(acc, 0.0), 6.0)
    tl.store(out_ptr + rm[:, None] * som + rn[None, :] * son, acc.to(tl.float16))


def project(a, b, bias):
    M, K = a.shape
    K, N = b.shape
    out = torch.empty((M, N), device=a.device, dtype=torch.float16)
    proj_kernel[(M // 64, N // 64)](a, b, bias, out, M, N, K,
                                    a.stride(0), a.stride(1), b.stride(0), b.stride(1), out.stride(0), out.stride(1),
                                    BM=64, BN=64, BK=32)
    return out


a = torch.randn((2048, 512), device="cuda", dtype=torch.float16)
b = torch.randn((512, 1024), device="cuda", dtype=torch.float16)
bias = torch.randn((1024,), device="cuda", dtype=torch.float32)
print(project(a, b, bias).float().mean())
