"""INT8 x INT8 product with scales of blocks: activations carry a scale for each
token and 128 columns, weights one for each 128 x 128 block (the layout of the
block-wise quantised checkpoints). Output in bf16.

Checked: the shares of the three kinds of operations, by a reduced loop count.
"""
from typing import List

import torch
import triton
import triton.language as tl


@triton.jit
def _w8a8_block_int8_matmul(
    A, B, C, As, Bs,
    M, N, K,
    group_n, group_k,
    stride_am, stride_ak,
    stride_bk, stride_bn,
    stride_cm, stride_cn,
    stride_As_m, stride_As_k,
    stride_Bs_k, stride_Bs_n,
    BLOCK_SIZE_M: tl.constexpr,
    BLOCK_SIZE_N: tl.constexpr,
    BLOCK_SIZE_K: tl.constexpr,
    GROUP_SIZE_M: tl.constexpr,
):
    pid = tl.program_id(axis=0)
    num_pid_m = tl.cdiv(M, BLOCK_SIZE_M)
    num_pid_n = tl.cdiv(N, BLOCK_SIZE_N)
    num_pid_in_group = GROUP_SIZE_M * num_pid_n
    group_id = pid // num_pid_in_group
    first_pid_m = group_id * GROUP_SIZE_M
    group_size_m = min(num_pid_m - first_pid_m, GROUP_SIZE_M)
    pid_m = first_pid_m + (pid % group_size_m)
    pid_n = (pid % num_pid_in_group) // group_size_m

    offs_am = (pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)) % M
    offs_bn = (pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)) % N
    offs_k = tl.arange(0, BLOCK_SIZE_K)
    a_ptrs = A + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = B + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)

    As_ptrs = As + offs_am * stride_As_m
    offs_bsn = offs_bn // group_n
    Bs_ptrs = Bs + offs_bsn * stride_Bs_n

    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_SIZE_K, other=0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_SIZE_K, other=0)

        k_start = k * BLOCK_SIZE_K
        offs_ks = k_start // group_k
        a_s = tl.load(As_ptrs + offs_ks * stride_As_k)
        b_s = tl.load(Bs_ptrs + offs_ks * stride_Bs_k)

        accumulator += tl.dot(a, b).to(tl.float32) * a_s[:, None] * b_s[None, :]
        a_ptrs += BLOCK_SIZE_K * stride_ak
        b_ptrs += BLOCK_SIZE_K * stride_bk

    c = accumulator.to(C.dtype.element_ty)
    offs_cm = pid_m * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    offs_cn = pid_n * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    c_ptrs = C + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    c_mask = (offs_cm[:, None] < M) & (offs_cn[None, :] < N)
    tl.store(c_ptrs, c, mask=c_mask)


def w8a8_block_int8_matmul(A, B, As, Bs, block_size: List[int], output_dtype=torch.bfloat16):
    block_n, block_k = block_size
    M, K = A.shape
    N, _ = B.shape
    assert As.shape == (M, triton.cdiv(K, block_k))
    assert Bs.shape == (triton.cdiv(N, block_n), triton.cdiv(K, block_k))
    C = A.new_empty((M, N), dtype=output_dtype)
    config = {"BLOCK_SIZE_M": 64, "BLOCK_SIZE_N": block_n, "BLOCK_SIZE_K": block_k, "GROUP_SIZE_M": 32,
              "num_warps": 4, "num_stages": 3}

    def grid(META):
        return (triton.cdiv(M, META["BLOCK_SIZE_M"]) * triton.cdiv(N, META["BLOCK_SIZE_N"]),)

    _w8a8_block_int8_matmul[grid](
        A, B, C, As, Bs,
        M, N, K,
        block_n, block_k,
        A.stride(0), A.stride(1),
        B.stride(1), B.stride(0),
        C.stride(0), C.stride(1),
        As.stride(0), As.stride(1),
        Bs.stride(1), Bs.stride(0),
        **config,
    )
    return C


def main():
    M, N, K = 2048, 4096, 7168
    A = torch.randint(-127, 128, (M, K), device="cuda", dtype=torch.int8)
    B = torch.randint(-127, 128, (N, K), device="cuda", dtype=torch.int8)
    As = torch.rand(M, K // 128, device="cuda") * 1e-2
    Bs = torch.rand(N // 128, K // 128, device="cuda") * 1e-2
    C = w8a8_block_int8_matmul(A, B, As, Bs, [128, 128])
    ms = triton.testing.do_bench(lambda: w8a8_block_int8_matmul(A, B, As, Bs, [128, 128]))
    print(C.shape, f"{2 * M * N * K / ms * 1e-9:.1f} TOPS")


if __name__ == "__main__":
    main()
