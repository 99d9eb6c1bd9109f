"""A layer: product, bias, rectifier; halves in and out."""

import torch
import triton
import triton.language as tl


@triton.jit
def linear_relu_kernel(
    x_ptr, w_ptr, b_ptr, y_ptr, M, N, K,
    stride_xm, stride_xk, stride_wk, stride_wn, stride_ym, stride_yn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    xs = x_ptr + rm[:, None] * stride_xm + rk[None, :] * stride_xk
    ws = w_ptr + rk[:, None] * stride_wk + rn[None, :] * stride_wn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(xs)
        w = tl.load(ws)
        acc += tl.dot(x, w)
        xs += BK * stride_xk
        ws += BK * stride_wk
    acc += tl.load(b_ptr + rn)[None, :]
    acc = tl.maximum(acc, 0.0)
    ys = y_ptr + rm[:, None] * stride_ym + rn[None, :] * stride_yn
    tl.store(ys, acc.to(tl.float16))


def main():
    M, N, K = 1024, 768, 512
    x = torch.randn((M, K), device="cuda", dtype=torch.float16)
    w = torch.randn((K, N), device="cuda", dtype=torch.float16)
    b = torch.randn((N,), device="cuda", dtype=torch.float16)
    y = torch.empty((M, N), device="cuda", dtype=torch.float16)
    grid = (M // 64, N // 64)
    linear_relu_kernel[grid](
        x, w, b, y, M, N, K,
        x.stride(0), x.stride(1), w.stride(0), w.stride(1), y.stride(0), y.stride(1),
        BM=64, BN=64, BK=32,
    )


if __name__ == "__main__":
    main()
