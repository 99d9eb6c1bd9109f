# FiLM conditioning of NCHW feature maps: y = x * (1 + gamma[n, c]) + beta[n, c], in half precision.
# Verified: 2*HW+1 operations per map by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size.
import torch
import triton
import triton.language as tl


@triton.jit
def film_kernel(
    x_ptr,
    gamma_ptr,
    beta_ptr,
    y_ptr,
    HW,
    BLOCK_HW: tl.constexpr,
):
    # one program per (sample, channel) map
    nc = tl.program_id(0)
    gamma = tl.load(gamma_ptr + nc).to(tl.float32)
    beta = tl.load(beta_ptr + nc).to(tl.float32)
    gain = 1.0 + gamma
    for off in tl.range(0, HW, BLOCK_HW):
        idx = off + tl.arange(0, BLOCK_HW)
        mask = idx < HW
        x = tl.load(x_ptr + nc * HW + idx, mask=mask, other=0.0).to(tl.float32)
        y = x * gain + beta
        tl.store(y_ptr + nc * HW + idx, y.to(tl.float16), mask=mask)


def film(x, gamma, beta):
    """x: (N, C, H, W); gamma, beta: (N, C)."""
    x = x.contiguous()
    n, c, h, w = x.shape
    y = torch.empty_like(x)
    film_kernel[(n * c,)](x, gamma.contiguous(), beta.contiguous(), y, h * w, BLOCK_HW=256, num_warps=2)
    return y


def main():
    N, C, H, W = 16, 192, 28, 28
    x = torch.randn(N, C, H, W, device="cuda", dtype=torch.float16)
    gamma = 0.1 * torch.randn(N, C, device="cuda", dtype=torch.float16)
    beta = 0.1 * torch.randn(N, C, device="cuda", dtype=torch.float16)
    y = film(x, gamma, beta)
    ref = x * (1 + gamma[:, :, None, None]) + beta[:, :, None, None]
    print("max abs error:", (y - ref).abs().max().item())
    ms = triton.testing.do_bench(lambda: film(x, gamma, beta))
    print(f"{ms * 1e3:.1f} us")


if __name__ == "__main__":
    main()
