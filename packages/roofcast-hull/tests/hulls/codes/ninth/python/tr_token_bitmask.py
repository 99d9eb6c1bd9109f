# Masking of logits by a grammar, a bit per token of the vocabulary saying whether it may come next;
# the logits of the others become -inf, in place. 32 tokens share an int32 word.
# Counts by hand: shift, and, comparison of each logit.
from typing import Optional

import torch
import triton
import triton.language as tl


@triton.jit
def apply_token_bitmask_inplace_kernel(
    logits_ptr,
    bitmask_ptr,
    num_rows,
    vocab_size,
    logits_stride,
    bitmask_stride,
    NUM_SMS: tl.constexpr,
    BLOCK_SIZE: tl.constexpr,
):
    pid = tl.program_id(0)
    num_blocks = tl.cdiv(vocab_size, BLOCK_SIZE)
    for work_id in tl.range(pid, num_rows * num_blocks, NUM_SMS):
        row_id = work_id // num_blocks
        block_offset = (work_id % num_blocks) * BLOCK_SIZE
        offsets = block_offset + tl.arange(0, BLOCK_SIZE)
        vocab_mask = offsets < vocab_size
        word_offsets = block_offset // 32 + tl.arange(0, BLOCK_SIZE // 32)
        packed = tl.load(
            bitmask_ptr + row_id * bitmask_stride + word_offsets,
            mask=word_offsets < tl.cdiv(vocab_size, 32),
            other=0,
        )
        blocked = ((packed[:, None] >> tl.arange(0, 32)[None, :]) & 1) == 0
        blocked = blocked.reshape(BLOCK_SIZE)
        logits = tl.load(logits_ptr + row_id * logits_stride + offsets, mask=vocab_mask)
        logits = tl.where(blocked, -float("inf"), logits)
        tl.store(logits_ptr + row_id * logits_stride + offsets, logits, mask=vocab_mask)


def apply_token_bitmask_inplace(logits: torch.Tensor, bitmask: torch.Tensor, vocab_size: Optional[int] = None):
    assert bitmask.dtype == torch.int32, "bitmask must be of type int32"
    if vocab_size is None:
        vocab_size = min(logits.shape[-1], bitmask.shape[-1] * 32)
    num_sms = torch.cuda.get_device_properties(logits.device).multi_processor_count
    BLOCK_SIZE = 4096
    apply_token_bitmask_inplace_kernel[(num_sms,)](
        logits, bitmask, logits.shape[0], vocab_size,
        logits.stride(0), bitmask.stride(0),
        num_sms, BLOCK_SIZE,
        num_warps=BLOCK_SIZE // 32 // (16 // logits.element_size()),
        num_stages=3,
    )


def main():
    batch, vocab = 256, 128256
    logits = torch.randn(batch, vocab, device="cuda", dtype=torch.float32)
    bitmask = torch.randint(-2**31, 2**31 - 1, (batch, vocab // 32), device="cuda", dtype=torch.int32)
    apply_token_bitmask_inplace(logits, bitmask)
    share = torch.isinf(logits).float().mean().item()
    print(f"blocked share {share:.3f}")


if __name__ == "__main__":
    main()
