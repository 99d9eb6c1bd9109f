"""One step of decoding: each (sequence, head) has one query and walks its own keys and values."""
import torch
import triton
import triton.language as tl

HEADS = 128      # 8 sequences of 16 heads
CTX = 2048
DIM = 64


@triton.jit
def decode_head(Q, K, V, O, scale, S, D: tl.constexpr, BLOCK_S: tl.constexpr):
    h = tl.program_id(0)
    d = tl.arange(0, D)
    q = tl.load(Q + h * D + d) * scale
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for start in range(0, S, BLOCK_S):
        s = start + tl.arange(0, BLOCK_S)
        tile = h * S * D + s[:, None] * D + d[None, :]
        k = tl.load(K + tile)
        score = tl.sum(k * q[None, :], axis=1)
        m_new = tl.maximum(m, tl.max(score, axis=0))
        p = tl.exp(score - m_new)
        fade = tl.exp(m - m_new)
        v = tl.load(V + tile)
        l = l * fade + tl.sum(p, axis=0)
        acc = acc * fade + tl.sum(p[:, None] * v, axis=0)
        m = m_new
    tl.store(O + h * D + d, acc / l)


if __name__ == "__main__":
    q = torch.randn(HEADS, DIM, device="cuda")
    k = torch.randn(HEADS, CTX, DIM, device="cuda")
    v = torch.randn(HEADS, CTX, DIM, device="cuda")
    o = torch.empty_like(q)
    decode_head[(HEADS,)](q, k, v, o, DIM ** -0.5, CTX, D=DIM, BLOCK_S=64)
    att = torch.softmax((k @ q[:, :, None])[:, :, 0] * DIM ** -0.5, dim=-1)
    print((o - (att[:, None, :] @ v)[:, 0]).abs().max())
