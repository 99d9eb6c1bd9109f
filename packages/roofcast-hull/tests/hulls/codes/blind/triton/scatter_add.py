import torch
import triton
import triton.language as tl


@triton.jit
def embedding_grad(ids, grad, table, dim, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    i = tl.load(ids + t)
    d = tl.arange(0, BLOCK)
    g = tl.load(grad + t * dim + d, mask=d < dim)
    tl.atomic_add(table + i * dim + d, g, mask=d < dim)


ids = torch.randint(0, 10000, (4096,), device="cuda")
grad = torch.randn(4096, 512, device="cuda")
table = torch.zeros(10000, 512, device="cuda")
embedding_grad[(4096,)](ids, grad, table, 512, BLOCK=512)
