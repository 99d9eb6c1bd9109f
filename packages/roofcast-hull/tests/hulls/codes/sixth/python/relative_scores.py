# Attention logits with a position bias per head: S = scale * Q K^T + bias[head], block pointers throughout.
# Verified: 2*D+2 operations per logit by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size; bytes by hand.
import math

import torch
import triton
import triton.language as tl


@triton.jit
def scores_kernel(
    Q, K, Bias, S,
    stride_qb, stride_ql, stride_qd,
    stride_kb, stride_kl, stride_kd,
    stride_bh, stride_bi, stride_bj,
    stride_sb, stride_si, stride_sj,
    seq_len, scale,
    HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    bh = tl.program_id(2)
    head = bh % HEADS

    q_block = tl.make_block_ptr(
        base=Q + bh * stride_qb, shape=(seq_len, HEAD_DIM), strides=(stride_ql, stride_qd),
        offsets=(pid_m * BLOCK_M, 0), block_shape=(BLOCK_M, HEAD_DIM), order=(1, 0),
    )
    # K is read transposed: (HEAD_DIM, seq_len)
    k_block = tl.make_block_ptr(
        base=K + bh * stride_kb, shape=(HEAD_DIM, seq_len), strides=(stride_kd, stride_kl),
        offsets=(0, pid_n * BLOCK_N), block_shape=(HEAD_DIM, BLOCK_N), order=(0, 1),
    )
    bias_block = tl.make_block_ptr(
        base=Bias + head * stride_bh, shape=(seq_len, seq_len), strides=(stride_bi, stride_bj),
        offsets=(pid_m * BLOCK_M, pid_n * BLOCK_N), block_shape=(BLOCK_M, BLOCK_N), order=(1, 0),
    )
    s_block = tl.make_block_ptr(
        base=S + bh * stride_sb, shape=(seq_len, seq_len), strides=(stride_si, stride_sj),
        offsets=(pid_m * BLOCK_M, pid_n * BLOCK_N), block_shape=(BLOCK_M, BLOCK_N), order=(1, 0),
    )
    q = tl.load(q_block, boundary_check=(0,), padding_option="zero")
    k = tl.load(k_block, boundary_check=(1,), padding_option="zero")
    bias = tl.load(bias_block, boundary_check=(0, 1), padding_option="zero").to(tl.float32)
    s = tl.dot(q, k) * scale + bias
    tl.store(s_block, s.to(S.dtype.element_ty), boundary_check=(0, 1))


def biased_scores(q, k, bias):
    batch, heads, seq_len, dim = q.shape
    q3 = q.reshape(batch * heads, seq_len, dim)
    k3 = k.reshape(batch * heads, seq_len, dim)
    s = torch.empty(batch * heads, seq_len, seq_len, device=q.device, dtype=q.dtype)
    BLOCK_M, BLOCK_N = 64, 64
    grid = (triton.cdiv(seq_len, BLOCK_M), triton.cdiv(seq_len, BLOCK_N), batch * heads)
    scores_kernel[grid](
        q3, k3, bias, s,
        *q3.stride(), *k3.stride(), *bias.stride(), *s.stride(),
        seq_len, 1.0 / math.sqrt(dim),
        HEADS=heads, HEAD_DIM=dim, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N,
    )
    return s.view(batch, heads, seq_len, seq_len)


if __name__ == "__main__":
    B, H, L, D = 3, 8, 300, 64
    q = torch.randn(B, H, L, D, device="cuda", dtype=torch.float16)
    k = torch.randn(B, H, L, D, device="cuda", dtype=torch.float16)
    bias = torch.randn(H, L, L, device="cuda", dtype=torch.float16)
    s = biased_scores(q, k, bias)
    ref = q.float() @ k.float().transpose(-1, -2) / math.sqrt(D) + bias.float()
    print((s.float() - ref).abs().max().item())
