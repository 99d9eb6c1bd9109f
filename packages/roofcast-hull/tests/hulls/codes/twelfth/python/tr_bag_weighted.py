# Embedding bags with weights for each sample: 16 ids a bag, 64 features.
import torch
import triton
import triton.language as tl

BAGS, IDS, DIM, VOCAB = 16384, 16, 64, 30000


@triton.jit
def weighted_bag(ids, weights, table, out, IDS: tl.constexpr, DIM: tl.constexpr):
    bag = tl.program_id(0)
    d = tl.arange(0, DIM)
    acc = tl.zeros([DIM], tl.float32)
    for j in range(IDS):
        row = tl.load(ids + bag * IDS + j)
        w = tl.load(weights + bag * IDS + j)
        acc += w * tl.load(table + row * DIM + d)
    tl.store(out + bag * DIM + d, acc)


ids = torch.randint(0, VOCAB, (BAGS, IDS), dtype=torch.int32, device="cuda")
weights = torch.rand((BAGS, IDS), dtype=torch.float32, device="cuda")
table = torch.randn((VOCAB, DIM), dtype=torch.float32, device="cuda")
out = torch.empty((BAGS, DIM), dtype=torch.float32, device="cuda")
weighted_bag[(BAGS,)](ids, weights, table, out, IDS=IDS, DIM=DIM)
