"""Last step of a mixture-of-experts layer: bring the experts' rows back to their tokens
and add them up with the router's weights.

    out[t, :] = sum_k  w[t, k] * expert_out[slot[t, k], :]

Checked with counting loops: 2*TOPK operations a result.
Compiled for sm_90 (Triton 3.9) and run in Triton's interpreter at a small size against PyTorch.
"""
import torch
import triton
import triton.language as tl


@triton.jit
def combine_kernel(
    expert_out_ptr, slot_ptr, weight_ptr, out_ptr,
    hidden,
    stride_e, stride_o,
    TOPK: tl.constexpr,
    BLOCK_H: tl.constexpr,
):
    token = tl.program_id(0)
    h = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    mask = h < hidden

    acc = tl.zeros((BLOCK_H,), dtype=tl.float32)
    for k in tl.static_range(TOPK):
        slot = tl.load(slot_ptr + token * TOPK + k).to(tl.int64)
        w = tl.load(weight_ptr + token * TOPK + k)
        row = tl.load(expert_out_ptr + slot * stride_e + h, mask=mask, other=0.0)
        acc += w * row.to(tl.float32)

    tl.store(out_ptr + token * stride_o + h, acc.to(out_ptr.dtype.element_ty), mask=mask)


def combine(expert_out: torch.Tensor, slots: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    tokens, topk = slots.shape
    hidden = expert_out.shape[1]
    out = torch.empty((tokens, hidden), device=expert_out.device, dtype=expert_out.dtype)
    BLOCK_H = 1024
    grid = (tokens, triton.cdiv(hidden, BLOCK_H))
    combine_kernel[grid](
        expert_out, slots, weights, out, hidden,
        expert_out.stride(0), out.stride(0),
        TOPK=topk, BLOCK_H=BLOCK_H, num_warps=4,
    )
    return out


if __name__ == "__main__":
    TOKENS, TOPK, HIDDEN = 8192, 8, 2048
    torch.manual_seed(0)
    expert_out = torch.randn(TOKENS * TOPK, HIDDEN, device="cuda", dtype=torch.bfloat16)
    slots = torch.randperm(TOKENS * TOPK, device="cuda").view(TOKENS, TOPK).to(torch.int32)
    weights = torch.softmax(torch.randn(TOKENS, TOPK, device="cuda"), dim=-1)
    got = combine(expert_out, slots, weights)
    want = (expert_out[slots.long()].float() * weights[..., None]).sum(1)
    print("max error", (got.float() - want).abs().max().item())
