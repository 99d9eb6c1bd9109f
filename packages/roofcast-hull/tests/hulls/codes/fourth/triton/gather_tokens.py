import torch
import triton
import triton.language as tl

@triton.jit
def embed_tokens(ids, table, positions, out, seq_len, DIM: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    d = tl.arange(0, BLOCK)
    mask = d < DIM
    word = tl.load(ids + token)
    e = tl.load(table + word * DIM + d, mask=mask, other=0.0)
    p = tl.load(positions + (token % seq_len) * DIM + d, mask=mask, other=0.0)
    tl.store(out + token * DIM + d, e + p, mask=mask)

if __name__ == "__main__":
    table = torch.randn(30522, 384, device="cuda", dtype=torch.float16)
    positions = torch.randn(200, 384, device="cuda", dtype=torch.float16)
    ids = torch.randint(0, 30522, (16, 200), device="cuda", dtype=torch.int32)
    out = torch.empty(16, 200, 384, device="cuda", dtype=torch.float16)
    embed_tokens[(16 * 200,)](ids, table, positions, out, 200, DIM=384, BLOCK=512)
    print(out[0, 0, :4])
