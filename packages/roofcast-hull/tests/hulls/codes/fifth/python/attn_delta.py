"""What the backward of attention needs first: for each query the product of output and its gradient, added up."""
import torch
import triton
import triton.language as tl


@triton.heuristics({"EVEN": lambda a: a["seqlen"] % a["BLOCK_S"] == 0})
@triton.jit
def delta_kernel(
    Out, DOut, Delta,
    stride_b, stride_h, stride_s,
    nheads, seqlen,
    BLOCK_S: tl.constexpr, HEAD: tl.constexpr, EVEN: tl.constexpr,
):
    start = tl.program_id(0)
    bh = tl.program_id(1)
    b = bh // nheads
    h = bh % nheads
    s = start * BLOCK_S + tl.arange(0, BLOCK_S)
    d = tl.arange(0, HEAD)
    where = b * stride_b + h * stride_h + s[:, None] * stride_s + d[None, :]
    if EVEN:
        o = tl.load(Out + where).to(tl.float32)
        do = tl.load(DOut + where).to(tl.float32)
        tl.store(Delta + bh * seqlen + s, tl.sum(o * do, axis=1))
    else:
        o = tl.load(Out + where, mask=s[:, None] < seqlen, other=0.0).to(tl.float32)
        do = tl.load(DOut + where, mask=s[:, None] < seqlen, other=0.0).to(tl.float32)
        tl.store(Delta + bh * seqlen + s, tl.sum(o * do, axis=1), mask=s < seqlen)


def attention_delta(out, dout):
    b, h, s, hd = out.shape
    delta = torch.empty((b, h, s), device=out.device, dtype=torch.float32)
    delta_kernel[(triton.cdiv(s, 64), b * h)](
        out, dout, delta, out.stride(0), out.stride(1), out.stride(2), h, s, BLOCK_S=64, HEAD=hd
    )
    return delta


if __name__ == "__main__":
    out = torch.randn(4, 12, 1000, 64, device="cuda", dtype=torch.float16)
    dout = torch.randn_like(out)
    print(attention_delta(out, dout).sum())
