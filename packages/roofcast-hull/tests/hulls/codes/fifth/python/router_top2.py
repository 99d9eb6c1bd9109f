"""Top-2 gate of a mixture of experts: softmax over the experts, the best two, weights that add up to one."""
import torch
import triton
import triton.language as tl


@triton.jit
def top2_gate(logits_ptr, weight_ptr, index_ptr, stride, N_EXPERTS: tl.constexpr):
    token = tl.program_id(0)
    e = tl.arange(0, N_EXPERTS)
    logits = tl.load(logits_ptr + token * stride + e)
    z = tl.exp(logits - tl.max(logits, axis=0))
    p = z / tl.sum(z, axis=0)

    p1 = tl.max(p, axis=0)
    e1 = tl.argmax(p, axis=0)
    rest = tl.where(e == e1, -1.0, p)
    p2 = tl.max(rest, axis=0)
    e2 = tl.argmax(rest, axis=0)

    norm = p1 + p2
    tl.store(weight_ptr + token * 2, p1 / norm)
    tl.store(weight_ptr + token * 2 + 1, p2 / norm)
    tl.store(index_ptr + token * 2, e1)
    tl.store(index_ptr + token * 2 + 1, e2)


def route(logits):
    tokens, experts = logits.shape
    weights = torch.empty((tokens, 2), device=logits.device, dtype=torch.float32)
    indices = torch.empty((tokens, 2), device=logits.device, dtype=torch.int32)
    top2_gate[(tokens,)](logits, weights, indices, logits.stride(0), N_EXPERTS=experts, num_warps=1)
    return weights, indices


if __name__ == "__main__":
    logits = torch.randn((6000, 64), device="cuda", dtype=torch.float32)
    w, i = route(logits)
    ref_w, ref_i = torch.topk(logits.softmax(-1), 2)
    print(torch.equal(i.long(), ref_i))
