# Batched LoRA at decode: each row of the batch has an adapter of its own, chosen by an index
# (punica's bgmv). shrink: t = scale * A[idx] x; expand: y += B[idx] t.
# Counts: by hand, loop translation at a small size.
import torch
import triton
import triton.language as tl


@triton.jit
def _bgmv_shrink_kernel(
    input_ptr,
    lora_ptr,
    out_ptr,
    K,
    lora_indices,
    scaling,
    xm_stride,
    l0_stride,
    lora_n_stride,
    cm_stride,
    N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    cur_batch = tl.program_id(axis=0)
    lora_index = tl.load(lora_indices + cur_batch)

    offset_n = tl.arange(0, N)
    offset_k = tl.arange(0, BLOCK_K)
    a_ptr = input_ptr + cur_batch * xm_stride
    b_ptr = lora_ptr + l0_stride * lora_index
    accumulator = tl.zeros((N,), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        current_k = k + offset_k
        tiled_a = tl.load(a_ptr + current_k, mask=current_k < K, other=0.0).to(tl.float32)
        tiled_b = tl.load(
            b_ptr + offset_n[:, None] * lora_n_stride + current_k[None, :],
            mask=current_k[None, :] < K,
            other=0.0,
        ).to(tl.float32)
        accumulator += tl.sum(tiled_a[None, :] * tiled_b, 1)
    accumulator *= scaling
    tl.store(out_ptr + cur_batch * cm_stride + offset_n, accumulator)


@triton.jit
def _bgmv_expand_kernel(
    input_ptr,
    lora_ptr,
    out_ptr,
    N,
    lora_indices,
    xm_stride,
    l0_stride,
    lora_n_stride,
    cm_stride,
    K: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    pid_n = tl.program_id(axis=0)
    cur_batch = tl.program_id(axis=1)
    lora_index = tl.load(lora_indices + cur_batch)

    offset_k = tl.arange(0, K)
    offset_n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    n_mask = offset_n < N
    tiled_a = tl.load(input_ptr + cur_batch * xm_stride + offset_k)
    tiled_b = tl.load(
        lora_ptr + l0_stride * lora_index + offset_n[:, None] * lora_n_stride + offset_k[None, :],
        mask=n_mask[:, None],
        other=0.0,
    ).to(tl.float32)
    c_ptr = out_ptr + cur_batch * cm_stride + offset_n
    acc = tl.load(c_ptr, mask=n_mask, other=0.0).to(tl.float32)
    acc += tl.sum(tiled_a[None, :] * tiled_b, 1)
    tl.store(c_ptr, acc.to(out_ptr.dtype.element_ty), mask=n_mask)


def bgmv(y, x, lora_a, lora_b, indices, scaling):
    batch, hidden = x.shape
    _, rank, _ = lora_a.shape
    out_dim = y.shape[1]
    t = torch.empty(batch, rank, device=x.device, dtype=torch.float32)
    _bgmv_shrink_kernel[(batch,)](
        x, lora_a, t, hidden, indices, scaling,
        x.stride(0), lora_a.stride(0), lora_a.stride(1), t.stride(0),
        N=rank, BLOCK_K=512,
    )
    BLOCK_N = 256
    _bgmv_expand_kernel[(triton.cdiv(out_dim, BLOCK_N), batch)](
        t, lora_b, y, out_dim, indices,
        t.stride(0), lora_b.stride(0), lora_b.stride(1), y.stride(0),
        K=rank, BLOCK_N=BLOCK_N,
    )
    return y


def main():
    batch, hidden, out_dim, rank, num_loras = 512, 4096, 11008, 16, 64
    dtype = torch.float16
    x = torch.randn(batch, hidden, device="cuda", dtype=dtype)
    y = torch.randn(batch, out_dim, device="cuda", dtype=dtype)
    lora_a = torch.randn(num_loras, rank, hidden, device="cuda", dtype=dtype) * 0.02
    lora_b = torch.randn(num_loras, out_dim, rank, device="cuda", dtype=dtype) * 0.02
    indices = torch.randint(0, num_loras, (batch,), device="cuda")

    ref = y.float() + 0.5 * torch.einsum(
        "bnr,br->bn", lora_b[indices].float(), torch.einsum("brk,bk->br", lora_a[indices].float(), x.float())
    )
    bgmv(y, x, lora_a, lora_b, indices, 0.5)
    print("max err", (y.float() - ref).abs().max().item())


if __name__ == "__main__":
    main()
