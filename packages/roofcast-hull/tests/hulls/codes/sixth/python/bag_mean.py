# Weighted embedding bags of a fixed length: every bag sums eight rows of a table, weighted.
# Verified: 16 operations per output by running the kernel itself on counting numbers (a stand-in for triton.language), reduced size. Bytes take the whole table as
# touched (at most 48000 of its 50000 rows can be): border.
import torch
import triton
import triton.language as tl


@triton.jit
def bag_kernel(table_ptr, ids_ptr, weights_ptr, out_ptr, DIM: tl.constexpr, BAG: tl.constexpr, BLOCK_D: tl.constexpr):
    bag = tl.program_id(0)
    d = tl.arange(0, BLOCK_D)
    mask = d < DIM
    acc = tl.zeros((BLOCK_D,), dtype=tl.float32)
    for j in tl.static_range(BAG):
        row = tl.load(ids_ptr + bag * BAG + j)
        w = tl.load(weights_ptr + bag * BAG + j)
        acc += w * tl.load(table_ptr + row * DIM + d, mask=mask, other=0.0)
    tl.store(out_ptr + bag * DIM + d, acc, mask=mask)


class WeightedBag(torch.nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(rows, dim))

    def forward(self, ids, weights):
        bags, length = ids.shape
        dim = self.table.shape[1]
        out = torch.empty(bags, dim, device=ids.device, dtype=torch.float32)
        bag_kernel[(bags,)](
            self.table, ids, weights, out, DIM=dim, BAG=length, BLOCK_D=triton.next_power_of_2(dim), num_warps=1
        )
        return out


if __name__ == "__main__":
    model = WeightedBag(50000, 96).cuda()
    ids = torch.randint(0, 50000, (6000, 8), device="cuda", dtype=torch.int64)
    weights = torch.softmax(torch.randn(6000, 8, device="cuda"), dim=1)
    out = model(ids, weights)
    ref = (model.table[ids] * weights[..., None]).sum(1)
    print((out - ref).abs().max().item())
