"""How many tokens does each expert get?"""
import torch
import triton
import triton.language as tl

EXPERTS = 64


@triton.jit
def expert_load(choice, load, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    e = tl.load(choice + i, mask=i < n, other=0)
    tl.atomic_add(load + e, 1, mask=i < n)


def count_tokens(choice):
    n = choice.numel()
    load = torch.zeros(EXPERTS, dtype=torch.int32, device=choice.device)
    expert_load[(triton.cdiv(n, 512),)](choice, load, n, BLOCK=512)
    return load


choice = torch.randint(0, EXPERTS, (2_000_000,), device="cuda", dtype=torch.int32)
load = count_tokens(choice)
assert load.sum().item() == choice.numel()
