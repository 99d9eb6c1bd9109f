"""Direct preference loss and both rewards from four log probabilities of each pair."""
import torch
import triton
import triton.language as tl

PAIRS = 1 << 20
BETA = 0.1


@triton.jit
def dpo_pairs(pc_ptr, pr_ptr, rc_ptr, rr_ptr, loss_ptr, good_ptr, bad_ptr, n, beta, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live = at < n
    pc = tl.load(pc_ptr + at, mask=live)
    pr = tl.load(pr_ptr + at, mask=live)
    rc = tl.load(rc_ptr + at, mask=live)
    rr = tl.load(rr_ptr + at, mask=live)
    m = beta * ((pc - pr) - (rc - rr))
    loss = tl.maximum(-m, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(m)))
    tl.store(loss_ptr + at, loss, mask=live)
    tl.store(good_ptr + at, beta * (pc - rc), mask=live)
    tl.store(bad_ptr + at, beta * (pr - rr), mask=live)


pc = -20.0 * torch.rand(PAIRS, device="cuda")
pr = -20.0 * torch.rand(PAIRS, device="cuda")
rc = -20.0 * torch.rand(PAIRS, device="cuda")
rr = -20.0 * torch.rand(PAIRS, device="cuda")
loss = torch.empty(PAIRS, device="cuda")
good, bad = torch.empty_like(loss), torch.empty_like(loss)
grid = (triton.cdiv(PAIRS, 1024),)
dpo_pairs[grid](pc, pr, rc, rr, loss, good, bad, PAIRS, BETA, BLOCK=1024)
print(loss.mean().item())
