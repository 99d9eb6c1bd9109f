# Second-order term of a factorization machine over dense field embeddings,
#   y = 1/2 sum_k [ (sum_f v_fk)^2 - sum_f v_fk^2 ],
# with its backward. One sample a program, the embedding dimension across the lanes.
# Counts: self-counting scalar translation (forward at F = 5, K = 4).
import torch
import triton
import triton.language as tl


@triton.jit
def fm_forward_kernel(v_ptr, s_ptr, y_ptr, F: tl.constexpr, K: tl.constexpr):
    b = tl.program_id(0)
    k = tl.arange(0, K)
    base = v_ptr + b * F * K
    s = tl.zeros((K,), dtype=tl.float32)
    sq = tl.zeros((K,), dtype=tl.float32)
    for f in range(F):
        v = tl.load(base + f * K + k)
        s += v
        sq += v * v
    tl.store(s_ptr + b * K + k, s)
    y = 0.5 * tl.sum(s * s - sq, axis=0)
    tl.store(y_ptr + b, y)


@triton.jit
def fm_backward_kernel(dy_ptr, v_ptr, s_ptr, dv_ptr, F: tl.constexpr, K: tl.constexpr):
    b = tl.program_id(0)
    k = tl.arange(0, K)
    dy = tl.load(dy_ptr + b)
    s = tl.load(s_ptr + b * K + k)
    for f in range(F):
        off = (b * F + f) * K + k
        v = tl.load(v_ptr + off)
        tl.store(dv_ptr + off, dy * (s - v))


class FMInteraction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        B, F, K = v.shape
        v = v.contiguous()
        s = torch.empty(B, K, device=v.device, dtype=torch.float32)
        y = torch.empty(B, device=v.device, dtype=torch.float32)
        fm_forward_kernel[(B,)](v, s, y, F=F, K=K, num_warps=2)
        ctx.save_for_backward(v, s)
        return y

    @staticmethod
    def backward(ctx, dy):
        v, s = ctx.saved_tensors
        B, F, K = v.shape
        dv = torch.empty_like(v)
        fm_backward_kernel[(B,)](dy.contiguous(), v, s, dv, F=F, K=K, num_warps=2)
        return dv


def main():
    batch, fields, dim = 16384, 26, 64
    emb = torch.randn(batch, fields, dim, device="cuda", requires_grad=True)
    y = FMInteraction.apply(emb)
    y.sum().backward()
    with torch.no_grad():
        ref = 0.5 * (emb.sum(1).pow(2) - emb.pow(2).sum(1)).sum(1)
        print("forward err", (y - ref).abs().max().item())
        print("grad err", (emb.grad - (emb.sum(1, keepdim=True) - emb)).abs().max().item())


if __name__ == "__main__":
    main()
