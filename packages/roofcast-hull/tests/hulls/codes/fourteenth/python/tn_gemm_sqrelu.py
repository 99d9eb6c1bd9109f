"""Up-projection with squared ReLU fused behind the product (fp16 in, fp16 out)."""
import torch
import triton
import triton.language as tl

M, N, K = 1024, 2048, 512


@triton.jit
def gemm_sqrelu(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
                stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
                BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rm = pid_m * BM + tl.arange(0, BM)
    rn = pid_n * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a = a_ptr + rm[:, None] * stride_am + rk[None, :] * stride_ak
    b = b_ptr + rk[:, None] * stride_bk + rn[None, :] * stride_bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc += tl.dot(tl.load(a), tl.load(b))
        a += BK * stride_ak
        b += BK * stride_bk
    bias = tl.load(bias_ptr + rn).to(tl.float32)
    h = tl.maximum(acc + bias[None, :], 0.0)
    h = h * h
    c = c_ptr + rm[:, None] * stride_cm + rn[None, :] * stride_cn
    tl.store(c, h.to(tl.float16))


def up_project(x, w, bias):
    out = torch.empty((M, N), device=x.device, dtype=torch.float16)
    grid = (M // 64, N // 128)
    gemm_sqrelu[grid](x, w, bias, out, M, N, K,
                      x.stride(0), x.stride(1), w.stride(0), w.stride(1), out.stride(0), out.stride(1),
                      BM=64, BN=128, BK=32)
    return out


if __name__ == "__main__":
    x = torch.randn((M, K), device="cuda", dtype=torch.float16) * 0.1
    w = torch.randn((K, N), device="cuda", dtype=torch.float16) * 0.1
    bias = torch.randn((N,), device="cuda", dtype=torch.float16)
    y = up_project(x, w, bias)
    ref = torch.relu(x.float() @ w.float() + bias.float()) ** 2
    print((y.float() - ref).abs().max().item())
