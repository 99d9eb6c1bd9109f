"""Advantages of answers within the group of their prompt: (reward - mean) / (deviation + eps)."""

import torch
import triton
import triton.language as tl

PROMPTS = 65536
GROUP = 16


@triton.jit
def group_advantage(reward, adv, eps, GROUP: tl.constexpr, ROWS: tl.constexpr):
    p = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    offs = p[:, None] * GROUP + tl.arange(0, GROUP)[None, :]
    r = tl.load(reward + offs)
    mean = tl.sum(r, axis=1) / GROUP
    d = r - mean[:, None]
    dev = tl.sqrt(tl.sum(d * d, axis=1) / GROUP)
    tl.store(adv + offs, d / (dev + eps)[:, None])


reward = torch.rand(PROMPTS, GROUP, device="cuda", dtype=torch.float32)
adv = torch.empty_like(reward)
group_advantage[(PROMPTS // 64,)](reward, adv, 1e-4, GROUP=GROUP, ROWS=64)
print(adv.std().item())
