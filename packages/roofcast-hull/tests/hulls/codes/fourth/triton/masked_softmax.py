import torch
import triton
import triton.language as tl

BATCH, HEADS, TIME = 8, 6, 384


@triton.jit
def masked_softmax(scores, key_bias, probs, rows_per_batch, n_keys, scale, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    batch = row // rows_per_batch
    keys = tl.arange(0, BLOCK)
    ok = keys < n_keys
    s = tl.load(scores + row * n_keys + keys, mask=ok, other=-float("inf")).to(tl.float32)
    bias = tl.load(key_bias + batch * n_keys + keys, mask=ok, other=0.0)
    s = s * scale + bias
    s = s - tl.max(s, axis=0)
    e = tl.exp(s)
    p = e / tl.sum(e, axis=0)
    tl.store(probs + row * n_keys + keys, p.to(tl.float16), mask=ok)


def main():
    scores = torch.randn((BATCH, HEADS, TIME, TIME), dtype=torch.float16, device="cuda")
    key_bias = torch.zeros((BATCH, TIME), dtype=torch.float32, device="cuda")
    key_bias[:, 300:] = -10000.0
    probs = torch.empty_like(scores)
    rows = BATCH * HEADS * TIME
    masked_softmax[(rows,)](scores, key_bias, probs, HEADS * TIME, TIME, 0.125, BLOCK=512, num_warps=4)
    print(probs.sum().item() / rows)


if __name__ == "__main__":
    main()
