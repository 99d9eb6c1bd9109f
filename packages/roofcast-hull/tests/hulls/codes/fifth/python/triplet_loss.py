import torch
import triton
import triton.language as tl


@triton.jit
def triplet_kernel(A, P, N, LOSS, margin, dim, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    acc_p = tl.zeros((BLOCK,), tl.float32)
    acc_n = tl.zeros((BLOCK,), tl.float32)
    for off in range(0, dim, BLOCK):
        j = off + tl.arange(0, BLOCK)
        m = j < dim
        a = tl.load(A + i * stride + j, mask=m, other=0.0)
        p = tl.load(P + i * stride + j, mask=m, other=0.0)
        n = tl.load(N + i * stride + j, mask=m, other=0.0)
        dp = a - p
        dn = a - n
        acc_p += dp * dp
        acc_n += dn * dn
    d_pos = tl.sqrt(tl.sum(acc_p, axis=0))
    d_neg = tl.sqrt(tl.sum(acc_n, axis=0))
    tl.store(LOSS + i, tl.maximum(d_pos - d_neg + margin, 0.0))


def triplet_margin(anchor, positive, negative, margin=0.2):
    rows, dim = anchor.shape
    loss = torch.empty(rows, device=anchor.device, dtype=anchor.dtype)
    triplet_kernel[(rows,)](anchor, positive, negative, loss, margin, dim, anchor.stride(0), BLOCK=128)
    return loss


if __name__ == "__main__":
    anchor = torch.randn(4096, 300, device="cuda")
    positive = anchor + 0.1 * torch.randn(4096, 300, device="cuda")
    negative = torch.randn(4096, 300, device="cuda")
    positive = positive.contiguous()
    print(triplet_margin(anchor, positive, negative).mean())
