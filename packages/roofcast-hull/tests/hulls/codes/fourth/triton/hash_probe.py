import torch
import triton
import triton.language as tl


@triton.jit
def find_keys(queries, table_keys, table_values, found, capacity):
    """Open addressing: goes on until the key or an empty slot comes up."""
    i = tl.program_id(0)
    key = tl.load(queries + i)
    slot = (key * 40503) % capacity
    there = tl.load(table_keys + slot)
    while (there != key) & (there != -1):
        slot = (slot + 1) % capacity
        there = tl.load(table_keys + slot)
    value = tl.load(table_values + slot)
    tl.store(found + i, tl.where(there == key, value, -1))


capacity = 100003
table_keys = torch.full((capacity,), -1, dtype=torch.int32, device="cuda")
table_values = torch.zeros(capacity, dtype=torch.int32, device="cuda")
for k in range(1000):
    table_keys[k * 40503 % capacity] = k
queries = torch.randint(0, 2000, (20000,), dtype=torch.int32, device="cuda")
found = torch.empty_like(queries)
find_keys[(20000,)](queries, table_keys, table_values, found, capacity)
print((found >= 0).sum())
