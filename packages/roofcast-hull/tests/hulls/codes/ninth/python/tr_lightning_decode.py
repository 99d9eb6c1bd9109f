# One decode step of lightning (linear) attention: the state of each head decays,
# takes the outer product k v^T, and is read by q. State [B, H, D, D] in fp32, updated in place.
# Counts: self-counting scalar translation of one head at D = 8.
import torch
import triton
import triton.language as tl


@triton.jit
def _linear_attn_decode_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    kv_cache_ptr,
    slope_rate,
    output_ptr,
    qkv_b_stride,
    qkv_h_stride,
    cache_b_stride,
    cache_h_stride,
    cache_d0_stride,
    cache_d1_stride,
    D: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    pid_b = tl.program_id(0)
    pid_h = tl.program_id(1)
    pid_d = tl.program_id(2)

    ratio = tl.exp(-tl.load(slope_rate + pid_h))

    qk_d_offsets = tl.arange(0, D)
    v_d_offsets = tl.arange(0, BLOCK_SIZE) + pid_d * BLOCK_SIZE
    cache_d_offsets = qk_d_offsets[:, None] * cache_d0_stride + v_d_offsets[None, :] * cache_d1_stride

    base = pid_b * qkv_b_stride + pid_h * qkv_h_stride
    q = tl.load(q_ptr + base + qk_d_offsets).to(tl.float32)
    k = tl.load(k_ptr + base + qk_d_offsets).to(tl.float32)
    v = tl.load(v_ptr + base + v_d_offsets).to(tl.float32)

    kv_ptrs = kv_cache_ptr + pid_b * cache_b_stride + pid_h * cache_h_stride + cache_d_offsets
    kv_outer = k[:, None] * v[None, :]
    kv = kv_outer + ratio * tl.load(kv_ptrs)
    output = tl.sum(q[:, None] * kv, axis=0)

    tl.store(kv_ptrs, kv)
    tl.store(output_ptr + base + v_d_offsets, output.to(output_ptr.dtype.element_ty))


def linear_decode_forward_triton(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    kv_caches: torch.Tensor,
    slope_rate: torch.Tensor,
    BLOCK_SIZE: int = 32,
) -> torch.Tensor:
    B, H, D = q.shape
    assert k.shape == (B, H, D) and v.shape == (B, H, D)
    assert kv_caches.shape == (B, H, D, D)
    output = torch.empty_like(q)
    grid = (B, H, D // BLOCK_SIZE)
    _linear_attn_decode_kernel[grid](
        q, k, v, kv_caches, slope_rate, output,
        q.stride(0), q.stride(1),
        kv_caches.stride(0), kv_caches.stride(1), kv_caches.stride(2), kv_caches.stride(3),
        D=D, BLOCK_SIZE=BLOCK_SIZE,
    )
    return output


def build_slopes(n_heads: int) -> torch.Tensor:
    start = 2.0 ** (-8.0 / n_heads)
    return torch.tensor([start ** (i + 1) for i in range(n_heads)], dtype=torch.float32)


if __name__ == "__main__":
    B, H, D = 64, 32, 128
    dtype = torch.bfloat16
    q = torch.randn(B, H, D, device="cuda", dtype=dtype)
    k = torch.randn(B, H, D, device="cuda", dtype=dtype)
    v = torch.randn(B, H, D, device="cuda", dtype=dtype)
    state = torch.zeros(B, H, D, D, device="cuda", dtype=torch.float32)
    slopes = build_slopes(H).cuda()
    for _ in range(4):
        out = linear_decode_forward_triton(q, k, v, state, slopes)
    torch.cuda.synchronize()
    print(out.float().abs().mean().item())
