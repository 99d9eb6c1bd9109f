"""x @ w + b through a hard swish, half precision in and out; int8 weights times a vector for the last token."""
import torch
import triton
import triton.language as tl

M, K, N = 512, 256, 1024
OUT, IN = 4096, 2048


@triton.jit
def mm_hardswish(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
                 stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a_ptrs = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b_ptrs = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc += tl.dot(tl.load(a_ptrs), tl.load(b_ptrs))
        a_ptrs += BK * stride_ak
        b_ptrs += BK * stride_bk
    acc += tl.load(bias_ptr + rn)[None, :]
    acc = acc * tl.minimum(tl.maximum(acc + 3.0, 0.0), 6.0) / 6.0
    tl.store(c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn, acc.to(tl.float16))


@triton.jit
def int8_matvec(w_ptr, x_ptr, scale_ptr, y_ptr, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for k in range(0, cols, BLOCK):
        i = k + tl.arange(0, BLOCK)
        w = tl.load(w_ptr + row * cols + i).to(tl.float32)
        acc += w * tl.load(x_ptr + i)
    tl.store(y_ptr + row, tl.sum(acc, axis=0) * tl.load(scale_ptr + row))


def main():
    a = torch.randn(M, K, device="cuda", dtype=torch.float16)
    b = torch.randn(K, N, device="cuda", dtype=torch.float16)
    bias = torch.randn(N, device="cuda", dtype=torch.float16)
    c = torch.empty(M, N, device="cuda", dtype=torch.float16)
    mm_hardswish[(M // 64, N // 64)](a, b, bias, c, M, N, K,
                                     a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
                                     BM=64, BN=64, BK=32)
    w = torch.randint(-127, 128, (OUT, IN), device="cuda", dtype=torch.int8)
    x = torch.randn(IN, device="cuda")
    scale = torch.rand(OUT, device="cuda") / 127
    y = torch.empty(OUT, device="cuda")
    int8_matvec[(OUT,)](w, x, scale, y, IN, BLOCK=512)
    print(c.float().mean().item(), y.std().item())


if __name__ == "__main__":
    main()
