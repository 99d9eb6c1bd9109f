# W8A8: integers multiplied, then one scale of each row of A and one of each column of B
import torch
import triton
import triton.language as tl


@triton.jit
def w8a8_kernel(a_ptr, b_ptr, sa_ptr, sb_ptr, c_ptr, M, N, K,
                BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a_ptrs = a_ptr + rm[:, None] * K + rk[None, :]
    b_ptrs = b_ptr + rk[:, None] * N + rn[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.int32)
    for _ in range(0, K, BK):
        a = tl.load(a_ptrs)
        b = tl.load(b_ptrs)
        acc += tl.dot(a, b, out_dtype=tl.int32)
        a_ptrs += BK
        b_ptrs += BK * N
    sa = tl.load(sa_ptr + rm)
    sb = tl.load(sb_ptr + rn)
    c = acc.to(tl.float32) * sa[:, None] * sb[None, :]
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], c.to(tl.float16))


def w8a8(a, b, sa, sb):
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    w8a8_kernel[grid](a, b, sa, sb, c, M, N, K, BM=64, BN=64, BK=64)
    return c


if __name__ == "__main__":
    a = torch.randint(-128, 127, (768, 1024), device="cuda", dtype=torch.int8)
    b = torch.randint(-128, 127, (1024, 640), device="cuda", dtype=torch.int8)
    sa = torch.rand(768, device="cuda")
    sb = torch.rand(640, device="cuda")
    print(w8a8(a, b, sa, sb).shape)
