"""How many scores of a ranking model fall into each of 64 calibration buckets."""
import torch
import triton
import triton.language as tl

SCORES = 1 << 22


@triton.jit
def bucket_counts(score_ptr, count_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = i < n
    s = tl.load(score_ptr + i, mask=live, other=0.0)
    bucket = tl.minimum(s * 64.0, 63.0).to(tl.int32)
    tl.atomic_add(count_ptr + bucket, 1, mask=live)


scores = torch.rand(SCORES, device="cuda")
counts = torch.zeros(64, device="cuda", dtype=torch.int32)
bucket_counts[(triton.cdiv(SCORES, 512),)](scores, counts, SCORES, BLOCK=512)
print(counts.sum().item() == SCORES)
