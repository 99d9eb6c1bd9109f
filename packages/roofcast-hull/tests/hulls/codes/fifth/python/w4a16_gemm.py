"""Half precision activations times 4-bit weights (eight along K in an int32, symmetric, a scale for 128 of K)."""
import torch
import triton
import triton.language as tl


@triton.jit
def w4a16_kernel(
    x_ptr, qw_ptr, scale_ptr, y_ptr,
    M, N, K,
    GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    offs_m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    shift = (offs_k % 8) * 4
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k0 in range(0, K, BLOCK_K):
        k = k0 + offs_k
        x = tl.load(x_ptr + offs_m[:, None] * K + k[None, :], mask=offs_m[:, None] < M, other=0.0)
        packed = tl.load(qw_ptr + (k // 8)[:, None] * N + offs_n[None, :])
        scale = tl.load(scale_ptr + (k0 // GROUP) * N + offs_n)
        nibble = (packed >> shift[:, None]) & 0xF
        w = ((nibble - 8) * scale[None, :]).to(tl.float16)
        acc += tl.dot(x, w)
    keep = (offs_m[:, None] < M) & (offs_n[None, :] < N)
    tl.store(y_ptr + offs_m[:, None] * N + offs_n[None, :], acc.to(tl.float16), mask=keep)


def linear_w4a16(x, qweight, scales, group=128):
    M, K = x.shape
    N = qweight.shape[1]
    y = torch.empty((M, N), device=x.device, dtype=torch.float16)
    grid = (triton.cdiv(M, 64), triton.cdiv(N, 64))
    w4a16_kernel[grid](x, qweight, scales, y, M, N, K, GROUP=group, BLOCK_M=64, BLOCK_N=64, BLOCK_K=64, num_stages=3)
    return y


if __name__ == "__main__":
    M, N, K, group = 128, 2048, 4096, 128
    x = torch.randn((M, K), device="cuda", dtype=torch.float16)
    qweight = torch.randint(-(2**31), 2**31 - 1, (K // 8, N), device="cuda", dtype=torch.int32)
    scales = torch.rand((K // group, N), device="cuda", dtype=torch.float16)
    print(linear_w4a16(x, qweight, scales).shape)
