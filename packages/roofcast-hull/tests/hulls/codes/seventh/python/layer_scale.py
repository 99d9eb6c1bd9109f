"""LayerScale + stochastic depth + residual of a vision transformer: out = x + keep[sample] * gamma[channel] * branch.
3 operations an element (by hand and with counting numbers)."""
from dataclasses import dataclass

import torch
import triton
import triton.language as tl


@dataclass
class ViTConfig:
    batch: int = 16
    tokens: int = 196
    dim: int = 768
    drop_path: float = 0.1


@triton.jit
def layer_scale_kernel(x_ptr, branch_ptr, gamma_ptr, keep_ptr, out_ptr,
                       T, C, BLOCK_C: tl.constexpr):
    row = tl.program_id(0)          # token of the whole batch
    sample = row // T
    keep = tl.load(keep_ptr + sample)
    c = tl.arange(0, BLOCK_C)
    mask = c < C
    gamma = tl.load(gamma_ptr + c, mask=mask, other=0.0)
    y = tl.load(branch_ptr + row * C + c, mask=mask, other=0.0)
    x = tl.load(x_ptr + row * C + c, mask=mask, other=0.0)
    tl.store(out_ptr + row * C + c, x + y * gamma * keep, mask=mask)


def layer_scale_residual(x, branch, gamma, keep):
    B, T, C = x.shape
    out = torch.empty_like(x)
    layer_scale_kernel[(B * T,)](x, branch, gamma, keep, out, T, C,
                                 BLOCK_C=triton.next_power_of_2(C), num_warps=4)
    return out


def main(cfg: ViTConfig = ViTConfig()):
    dev = torch.device("cuda")
    x = torch.randn(cfg.batch, cfg.tokens, cfg.dim, device=dev)
    branch = torch.randn_like(x)
    gamma = torch.full((cfg.dim,), 1e-4, device=dev)
    p = 1.0 - cfg.drop_path
    keep = torch.bernoulli(torch.full((cfg.batch,), p, device=dev)) / p
    y = layer_scale_residual(x, branch, gamma, keep)
    ref = x + branch * gamma * keep[:, None, None]
    torch.testing.assert_close(y, ref)
    print("ok")


if __name__ == "__main__":
    main()
