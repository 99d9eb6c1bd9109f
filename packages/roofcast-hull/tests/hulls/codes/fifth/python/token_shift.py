"""Token shift of RWKV's time mixing: key, value and receptance see a blend of this token and the one before."""
import torch
import triton
import triton.language as tl


@triton.jit
def token_shift_kernel(x, mk, mv, mr, xk, xv, xr, T, C, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = row % T
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = c < C
    here = tl.load(x + row * C + c, mask=mask).to(tl.float32)
    prev = tl.load(x + (row - 1) * C + c, mask=mask & (t > 0), other=0.0).to(tl.float32)
    diff = here - prev

    a = tl.load(mk + c, mask=mask).to(tl.float32)
    tl.store(xk + row * C + c, (prev + a * diff).to(tl.float16), mask=mask)
    a = tl.load(mv + c, mask=mask).to(tl.float32)
    tl.store(xv + row * C + c, (prev + a * diff).to(tl.float16), mask=mask)
    a = tl.load(mr + c, mask=mask).to(tl.float32)
    tl.store(xr + row * C + c, (prev + a * diff).to(tl.float16), mask=mask)


class TimeMixShift(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.mix_k = torch.nn.Parameter(torch.rand(width, device="cuda", dtype=torch.float16))
        self.mix_v = torch.nn.Parameter(torch.rand(width, device="cuda", dtype=torch.float16))
        self.mix_r = torch.nn.Parameter(torch.rand(width, device="cuda", dtype=torch.float16))

    def forward(self, x):
        B, T, C = x.shape
        xk, xv, xr = torch.empty_like(x), torch.empty_like(x), torch.empty_like(x)
        grid = (B * T, triton.cdiv(C, 256))
        token_shift_kernel[grid](x, self.mix_k, self.mix_v, self.mix_r, xk, xv, xr, T, C, BLOCK=256)
        return xk, xv, xr


if __name__ == "__main__":
    x = torch.randn(8, 1000, 768, device="cuda", dtype=torch.float16)
    for y in TimeMixShift(768)(x):
        print(y.shape, y.float().std())
