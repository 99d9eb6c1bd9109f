"""One new query for each sequence against keys and values that lie in pages of 16 tokens."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def paged_decode_kernel(
    q_ptr, k_cache, v_cache, block_table, context_lens, out_ptr,
    scale, max_pages, n_heads,
    PAGE: tl.constexpr, HEAD: tl.constexpr,
):
    seq = tl.program_id(0)
    head = tl.program_id(1)
    d = tl.arange(0, HEAD)
    slot = tl.arange(0, PAGE)
    q = tl.load(q_ptr + (seq * n_heads + head) * HEAD + d).to(tl.float32) * scale

    length = tl.load(context_lens + seq)
    m_i = -float("inf")
    l_i = 0.0
    acc = tl.zeros([HEAD], dtype=tl.float32)
    for page in range(0, tl.cdiv(length, PAGE)):
        physical = tl.load(block_table + seq * max_pages + page).to(tl.int64)
        where = ((physical * PAGE + slot[:, None]) * n_heads + head) * HEAD + d[None, :]
        valid = page * PAGE + slot < length
        k = tl.load(k_cache + where, mask=valid[:, None], other=0.0).to(tl.float32)
        s = tl.where(valid, tl.sum(k * q[None, :], axis=1), -float("inf"))
        m_new = tl.maximum(m_i, tl.max(s, axis=0))
        p = tl.exp(s - m_new)
        fix = tl.exp(m_i - m_new)
        v = tl.load(v_cache + where, mask=valid[:, None], other=0.0).to(tl.float32)
        acc = acc * fix + tl.sum(p[:, None] * v, axis=0)
        l_i = l_i * fix + tl.sum(p, axis=0)
        m_i = m_new
    tl.store(out_ptr + (seq * n_heads + head) * HEAD + d, (acc / l_i).to(tl.float16))


def paged_decode(q, k_cache, v_cache, block_table, context_lens):
    n_seq, n_heads, head = q.shape
    out = torch.empty_like(q)
    paged_decode_kernel[(n_seq, n_heads)](
        q, k_cache, v_cache, block_table, context_lens, out,
        1.0 / math.sqrt(head), block_table.shape[1], n_heads, PAGE=16, HEAD=head,
    )
    return out


if __name__ == "__main__":
    n_seq, n_heads, head, pages = 32, 16, 128, 4096
    q = torch.randn(n_seq, n_heads, head, device="cuda", dtype=torch.float16)
    k_cache = torch.randn(pages, 16, n_heads, head, device="cuda", dtype=torch.float16)
    v_cache = torch.randn_like(k_cache)
    table = torch.randint(0, pages, (n_seq, 128), device="cuda", dtype=torch.int32)
    lens = torch.randint(1, 128 * 16, (n_seq,), device="cuda", dtype=torch.int32)
    print(paged_decode(q, k_cache, v_cache, table, lens).shape)
