import torch
import triton
import triton.language as tl

configs = [triton.Config({"BLOCK": b}, num_warps=w) for b, w in [(1024, 4), (2048, 8), (4096, 8)]]


@triton.autotune(configs=configs, key=["n"], restore_value=["ema_ptr"])
@triton.jit
def ema_update_kernel(ema_ptr, param_ptr, n, weight, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    ok = i < n
    old = tl.load(ema_ptr + i, mask=ok)
    new = tl.load(param_ptr + i, mask=ok).to(tl.float32)
    old += weight * (new - old)
    tl.store(ema_ptr + i, old, mask=ok)


@torch.no_grad()
def ema_update(ema: torch.Tensor, param: torch.Tensor, decay: float = 0.999):
    """shadow <- decay * shadow + (1 - decay) * param, shadow in fp32, param in bf16"""
    n = param.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
    ema_update_kernel[grid](ema, param, n, 1.0 - decay)


def bench():
    n = 9437187
    p = torch.randn(n, device="cuda", dtype=torch.bfloat16)
    shadow = torch.zeros(n, device="cuda", dtype=torch.float32)
    ms = triton.testing.do_bench(lambda: ema_update(shadow, p))
    print(f"{ms:.3f} ms, {10 * n / ms * 1e-6:.0f} GB/s")


if __name__ == "__main__":
    bench()
