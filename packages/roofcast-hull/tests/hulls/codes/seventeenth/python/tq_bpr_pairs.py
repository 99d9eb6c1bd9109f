"""Bayesian personalised ranking: loss of each (user, liked, unseen) triple, then sums of blocks."""
import torch
import triton
import triton.language as tl

TRIPLES = 1 << 20
USERS = 200_000
ITEMS = 80_000
RANK = 64
CHUNK = 1024


@triton.jit
def triple_loss(user_ptr, item_ptr, u_ptr, p_ptr, n_ptr, loss_ptr, D: tl.constexpr):
    i = tl.program_id(0)
    d = tl.arange(0, D)
    u = tl.load(u_ptr + i)
    p = tl.load(p_ptr + i)
    n = tl.load(n_ptr + i)
    who = tl.load(user_ptr + u * D + d)
    liked = tl.load(item_ptr + p * D + d)
    unseen = tl.load(item_ptr + n * D + d)
    margin = tl.sum(who * (liked - unseen), axis=0)
    tl.store(loss_ptr + i, tl.log(1.0 + tl.exp(-margin)))


@triton.jit
def chunk_sums(loss_ptr, part_ptr, CHUNK: tl.constexpr):
    pid = tl.program_id(0)
    x = tl.load(loss_ptr + pid * CHUNK + tl.arange(0, CHUNK))
    tl.store(part_ptr + pid, tl.sum(x, axis=0))


def main():
    torch.manual_seed(1)
    dev = "cuda"
    users = torch.randn(USERS, RANK, device=dev) * 0.2
    items = torch.randn(ITEMS, RANK, device=dev) * 0.2
    u = torch.randint(0, USERS, (TRIPLES,), device=dev, dtype=torch.int32)
    p = torch.randint(0, ITEMS, (TRIPLES,), device=dev, dtype=torch.int32)
    n = torch.randint(0, ITEMS, (TRIPLES,), device=dev, dtype=torch.int32)
    loss = torch.empty(TRIPLES, device=dev, dtype=torch.float32)
    part = torch.empty(TRIPLES // CHUNK, device=dev, dtype=torch.float32)
    triple_loss[(TRIPLES,)](users, items, u, p, n, loss, D=RANK)
    chunk_sums[(TRIPLES // CHUNK,)](loss, part, CHUNK=CHUNK)
    print(part.sum().item() / TRIPLES)


if __name__ == "__main__":
    main()
