import torch
import triton
import triton.language as tl

VOCAB = 30522
DIM = 768
SEQ = 512
BATCH = 8


@triton.jit
def embed_tokens(ids, tok_table, pos_table, out, SEQ: tl.constexpr, DIM: tl.constexpr, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < DIM
    token = tl.load(ids + t)
    e = tl.load(tok_table + token * DIM + cols, mask=mask, other=0.0)
    p = tl.load(pos_table + (t % SEQ) * DIM + cols, mask=mask, other=0.0)
    tl.store(out + t * DIM + cols, e + p, mask=mask)


if __name__ == "__main__":
    ids = torch.randint(0, VOCAB, (BATCH * SEQ,), device="cuda")
    tok = torch.randn(VOCAB, DIM, device="cuda")
    pos = torch.randn(SEQ, DIM, device="cuda")
    out = torch.empty(BATCH * SEQ, DIM, device="cuda")
    embed_tokens[(BATCH * SEQ,)](ids, tok, pos, out, SEQ=SEQ, DIM=DIM, BLOCK=1024)
    ref = tok[ids] + pos.repeat(BATCH, 1)
    torch.testing.assert_close(out, ref)
