# backward of GEGLU where gate and value come out of one projection, [tokens, 2 * ff]
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

ROOT_2_OVER_PI = tl.constexpr(0.7978845608028654)
CUBIC = tl.constexpr(0.044715)
CUBIC3 = tl.constexpr(0.134145)


@triton.jit
def _geglu_bwd(DY, GU, DGU, stride_dy, stride_gu, FF, BLOCK: tl.constexpr):
    tok = tl.program_id(0).to(tl.int64)
    blk = tl.program_id(1)
    offs = blk * BLOCK + tl.arange(0, BLOCK)
    m = offs < FF

    g = tl.load(GU + tok * stride_gu + offs, mask=m, other=0.0).to(tl.float32)
    u = tl.load(GU + tok * stride_gu + FF + offs, mask=m, other=0.0).to(tl.float32)
    dy = tl.load(DY + tok * stride_dy + offs, mask=m, other=0.0).to(tl.float32)

    t = libdevice.tanh(ROOT_2_OVER_PI * (g + CUBIC * g * g * g))
    act = 0.5 * g * (1.0 + t)
    inner_grad = ROOT_2_OVER_PI * (1.0 + CUBIC3 * g * g)
    act_grad = 0.5 * (1.0 + t) + 0.5 * g * (1.0 - t * t) * inner_grad

    dg = dy * u * act_grad
    du = dy * act
    tl.store(DGU + tok * stride_gu + offs, dg.to(tl.bfloat16), mask=m)
    tl.store(DGU + tok * stride_gu + FF + offs, du.to(tl.bfloat16), mask=m)


class GEGLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gu):
        ctx.save_for_backward(gu)
        gate, up = gu.chunk(2, dim=-1)
        return torch.nn.functional.gelu(gate, approximate="tanh") * up

    @staticmethod
    def backward(ctx, dy):
        (gu,) = ctx.saved_tensors
        return geglu_backward(dy.contiguous(), gu)


def geglu_backward(dy, gu):
    n_tok, ff = dy.shape
    assert gu.shape[1] == 2 * ff
    dgu = torch.empty_like(gu)
    BLOCK = 1024
    grid = (n_tok, triton.cdiv(ff, BLOCK))
    _geglu_bwd[grid](dy, gu, dgu, dy.stride(0), gu.stride(0), ff, BLOCK=BLOCK, num_warps=4)
    return dgu


if __name__ == "__main__":
    torch.manual_seed(0)
    gu = torch.randn(3072, 2 * 2304, device="cuda", dtype=torch.bfloat16)
    dy = torch.randn(3072, 2304, device="cuda", dtype=torch.bfloat16)
    got = geglu_backward(dy, gu)
    print(got.shape, got.float().abs().max().item())
