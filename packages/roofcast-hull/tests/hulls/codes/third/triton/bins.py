import torch
import triton
import triton.language as tl


@triton.jit
def bins_kernel(labels_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    labels = tl.load(labels_ptr + offs, mask=mask, other=0)
    tl.atomic_add(counts_ptr + labels, 1, mask=mask)


if __name__ == "__main__":
    n = 2_500_000
    labels = torch.randint(0, 1000, (n,), device="cuda", dtype=torch.int32)
    counts = torch.zeros(1000, device="cuda", dtype=torch.int32)
    bins_kernel[(triton.cdiv(n, 2048),)](labels, counts, n, BLOCK=2048)
