"""Pages of a cache of keys put one behind the other for each sequence."""
import torch
import triton
import triton.language as tl

PAGES, PAGE, DIM = 2048, 16, 128
SEQS, PER_SEQ = 32, 64


@triton.jit
def gather_pages(cache_ptr, table_ptr, out_ptr, per_seq, SIZE: tl.constexpr):
    seq = tl.program_id(0)
    slot = tl.program_id(1)
    page = tl.load(table_ptr + seq * per_seq + slot)
    e = tl.arange(0, SIZE)
    values = tl.load(cache_ptr + page * SIZE + e)
    tl.store(out_ptr + (seq * per_seq + slot) * SIZE + e, values)


cache = torch.randn(PAGES, PAGE * DIM, device="cuda", dtype=torch.float16)
table = torch.randperm(PAGES, device="cuda").to(torch.int32).reshape(SEQS, PER_SEQ).contiguous()
out = torch.empty(SEQS, PER_SEQ, PAGE * DIM, device="cuda", dtype=torch.float16)
gather_pages[(SEQS, PER_SEQ)](cache, table, out, PER_SEQ, SIZE=PAGE * DIM)
print(bool((out[0, 0] == cache[table[0, 0].item()]).all()))
