"""Greedy verification of draft tokens for speculative decoding.

Each request walks over its own draft tokens and keeps them until the first
that differs from the target's argmax; if all were kept, the bonus token follows.
"""
import torch
import triton
import triton.language as tl

PLACEHOLDER_TOKEN_ID = -1


@triton.jit
def rejection_greedy_kernel(
    output_token_ids_ptr,      # [batch, max_spec_len + 1]
    cu_num_draft_tokens_ptr,   # [batch]
    draft_token_ids_ptr,       # [num_tokens]
    target_argmax_ptr,         # [num_tokens]
    bonus_token_ids_ptr,       # [batch]
    max_spec_len,
):
    req_idx = tl.program_id(0)
    start_idx = 0 if req_idx == 0 else tl.load(cu_num_draft_tokens_ptr + req_idx - 1)
    end_idx = tl.load(cu_num_draft_tokens_ptr + req_idx)
    num_draft_tokens = end_idx - start_idx

    rejected = False
    for pos in range(num_draft_tokens):
        if not rejected:
            draft_token_id = tl.load(draft_token_ids_ptr + start_idx + pos)
            target_argmax_id = tl.load(target_argmax_ptr + start_idx + pos)
            tl.store(output_token_ids_ptr + req_idx * (max_spec_len + 1) + pos, target_argmax_id)
            if draft_token_id != target_argmax_id:
                rejected = True

    if not rejected:
        bonus_token_id = tl.load(bonus_token_ids_ptr + req_idx)
        tl.store(output_token_ids_ptr + req_idx * (max_spec_len + 1) + num_draft_tokens, bonus_token_id)


def verify_greedy(draft_token_ids, num_draft_tokens, target_logits, bonus_token_ids):
    batch = len(num_draft_tokens)
    max_spec_len = max(num_draft_tokens)
    device = draft_token_ids.device
    cu = torch.tensor(num_draft_tokens, device=device, dtype=torch.int32).cumsum(0, dtype=torch.int32)
    out = torch.full((batch, max_spec_len + 1), PLACEHOLDER_TOKEN_ID, dtype=torch.int32, device=device)
    target_argmax = target_logits.argmax(dim=-1).to(torch.int32)
    rejection_greedy_kernel[(batch,)](
        out, cu, draft_token_ids, target_argmax, bonus_token_ids, max_spec_len, num_warps=1)
    return out


def main():
    torch.manual_seed(11)
    batch, vocab = 512, 2048
    lengths = [1 + (7 * i) % 8 for i in range(batch)]
    total = sum(lengths)
    logits = torch.randn(total, vocab, device="cuda")
    draft = logits.argmax(-1).to(torch.int32)
    wrong = torch.rand(total, device="cuda") < 0.25
    draft = torch.where(wrong, torch.zeros_like(draft), draft)
    bonus = torch.randint(0, vocab, (batch,), device="cuda", dtype=torch.int32)
    out = verify_greedy(draft, lengths, logits, bonus)
    print("accepted per request", (out != PLACEHOLDER_TOKEN_ID).sum(1).float().mean().item())


if __name__ == "__main__":
    main()
