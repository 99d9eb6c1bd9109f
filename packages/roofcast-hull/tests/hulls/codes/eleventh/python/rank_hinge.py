"""Mean hinge of a positive item's score against sampled negatives, for each user."""
import torch
import triton
import triton.language as tl


@triton.jit
def hinge_rows(pos_ptr, neg_ptr, loss_ptr, margin, users, K, BK: tl.constexpr, stride: tl.constexpr):
    user = tl.program_id(0)
    while user < users:
        lift = margin - tl.load(pos_ptr + user)
        k = tl.arange(0, BK)
        neg = tl.load(neg_ptr + user * K + k, mask=k < K, other=-1e30)
        total = tl.sum(tl.maximum(neg + lift, 0.0), axis=0)
        tl.store(loss_ptr + user, total / K)
        user += stride


users, negatives = 100_000, 200
pos = torch.randn(users, device="cuda")
neg = torch.randn(users, negatives, device="cuda")
loss = torch.empty(users, device="cuda")
hinge_rows[(2112,)](pos, neg, loss, 0.5, users, negatives, BK=256, stride=2112)
want = torch.relu(neg + 0.5 - pos[:, None]).mean(1)
print((loss - want).abs().max())
