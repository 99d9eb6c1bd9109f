"""Embeddings of documents: mean of token states under a mask, scaled to unit length."""
import torch
import triton
import triton.language as tl

DOCS, TOKENS, WIDTH = 512, 128, 512


@triton.jit
def pool_and_normalise(hidden, mask, emb, TOKENS: tl.constexpr, WIDTH: tl.constexpr):
    doc = tl.program_id(0)
    w = tl.arange(0, WIDTH)
    acc = tl.zeros([WIDTH], dtype=tl.float32)
    live = 0.0
    for t in range(TOKENS):
        m = tl.load(mask + doc * TOKENS + t)
        h = tl.load(hidden + (doc * TOKENS + t) * WIDTH + w).to(tl.float32)
        acc += h * m
        live += m
    acc = acc / live
    norm = tl.sqrt(tl.sum(acc * acc, axis=0))
    tl.store(emb + doc * WIDTH + w, acc / norm)


def main():
    hidden = torch.randn(DOCS, TOKENS, WIDTH, device="cuda", dtype=torch.float16)
    mask = (torch.rand(DOCS, TOKENS, device="cuda") < 0.8).float()
    emb = torch.empty(DOCS, WIDTH, device="cuda", dtype=torch.float32)
    pool_and_normalise[(DOCS,)](hidden, mask, emb, TOKENS=TOKENS, WIDTH=WIDTH)
    print((emb @ emb.T)[0, 1].item())


if __name__ == "__main__":
    main()
