"""One-way analysis of variance of genes: four groups of 32 samples, F of each gene."""
import torch
import triton
import triton.language as tl

GENES = 40000


@triton.jit
def anova_f(x_ptr, f_ptr, GROUPS: tl.constexpr, SIZE: tl.constexpr):
    gene = tl.program_id(0)
    g = tl.arange(0, GROUPS)
    s = tl.arange(0, SIZE)
    x = tl.load(x_ptr + gene * GROUPS * SIZE + g[:, None] * SIZE + s[None, :])
    mean = tl.sum(x, axis=1) / SIZE
    grand = tl.sum(mean, axis=0) / GROUPS
    d = x - mean[:, None]
    within = tl.sum(tl.sum(d * d, axis=1), axis=0)
    e = mean - grand
    between = SIZE * tl.sum(e * e, axis=0)
    f = (between / (GROUPS - 1)) / (within / (GROUPS * SIZE - GROUPS))
    tl.store(f_ptr + gene, f)


x = torch.randn(GENES, 4, 32, device="cuda", dtype=torch.float32)
f = torch.empty(GENES, device="cuda", dtype=torch.float32)
anova_f[(GENES,)](x, f, GROUPS=4, SIZE=32)
print(f.mean())
