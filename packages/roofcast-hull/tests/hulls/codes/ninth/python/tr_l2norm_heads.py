# L2 normalisation of query/key heads, forward and backward (delta-rule attention needs it).
# Rows of 128; several rows a program. Counts: self-counting scalar translation of one row.
import torch
import triton
import triton.language as tl


@triton.jit
def l2norm_fwd_kernel(x, y, rstd, eps, T, D: tl.constexpr, BT: tl.constexpr):
    i_t = tl.program_id(0)
    p_x = tl.make_block_ptr(x, (T, D), (D, 1), (i_t * BT, 0), (BT, D), (1, 0))
    p_y = tl.make_block_ptr(y, (T, D), (D, 1), (i_t * BT, 0), (BT, D), (1, 0))
    p_r = tl.make_block_ptr(rstd, (T,), (1,), (i_t * BT,), (BT,), (0,))

    b_x = tl.load(p_x, boundary_check=(0,)).to(tl.float32)
    b_r = 1 / tl.sqrt(tl.sum(b_x * b_x, axis=1) + eps)
    b_y = b_x * b_r[:, None]

    tl.store(p_y, b_y.to(p_y.dtype.element_ty), boundary_check=(0,))
    tl.store(p_r, b_r, boundary_check=(0,))


@triton.jit
def l2norm_bwd_kernel(y, rstd, dy, dx, T, D: tl.constexpr, BT: tl.constexpr):
    i_t = tl.program_id(0)
    p_y = tl.make_block_ptr(y, (T, D), (D, 1), (i_t * BT, 0), (BT, D), (1, 0))
    p_r = tl.make_block_ptr(rstd, (T,), (1,), (i_t * BT,), (BT,), (0,))
    p_dy = tl.make_block_ptr(dy, (T, D), (D, 1), (i_t * BT, 0), (BT, D), (1, 0))
    p_dx = tl.make_block_ptr(dx, (T, D), (D, 1), (i_t * BT, 0), (BT, D), (1, 0))

    b_y = tl.load(p_y, boundary_check=(0,)).to(tl.float32)
    b_r = tl.load(p_r, boundary_check=(0,))
    b_dy = tl.load(p_dy, boundary_check=(0,)).to(tl.float32)
    b_s = tl.sum(b_dy * b_y, axis=1)
    b_dx = b_dy * b_r[:, None] - b_s[:, None] * b_y * b_r[:, None]
    tl.store(p_dx, b_dx.to(p_dx.dtype.element_ty), boundary_check=(0,))


class L2NormFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, eps=1e-6):
        shape = x.shape
        D = shape[-1]
        x = x.reshape(-1, D)
        T = x.shape[0]
        y = torch.empty_like(x)
        rstd = torch.empty(T, dtype=torch.float32, device=x.device)
        BT = 32
        l2norm_fwd_kernel[(triton.cdiv(T, BT),)](x, y, rstd, eps, T, D=D, BT=BT, num_warps=4)
        ctx.save_for_backward(y, rstd)
        return y.view(shape)

    @staticmethod
    def backward(ctx, dy):
        y, rstd = ctx.saved_tensors
        shape = dy.shape
        T, D = y.shape
        dy = dy.reshape(T, D).contiguous()
        dx = torch.empty_like(y)
        BT = 32
        l2norm_bwd_kernel[(triton.cdiv(T, BT),)](y, rstd, dy, dx, T, D=D, BT=BT, num_warps=4)
        return dx.view(shape), None


class L2Norm(torch.nn.Module):
    def __init__(self, eps: float = 1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return L2NormFunction.apply(x, self.eps)


def main():
    batch, seqlen, heads, head_dim = 4, 2048, 16, 128
    q = torch.randn(batch, seqlen, heads, head_dim, device="cuda", dtype=torch.float16, requires_grad=True)
    norm = L2Norm()
    y = norm(q)
    y.backward(torch.randn_like(y))
    print("rows have norm", y.float().norm(dim=-1).mean().item(), "grad", q.grad.float().norm().item())


if __name__ == "__main__":
    main()
