"""Linear reservoir of many sub-catchments: a day follows from the one before; a program takes 128 of them."""
import torch
import triton
import triton.language as tl


@triton.jit
def reservoir_kernel(rain_ptr, evap_ptr, k_ptr, flow_ptr, n, DAYS: tl.constexpr, BLOCK: tl.constexpr):
    c = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    k = tl.load(k_ptr + c)
    store = tl.zeros((BLOCK,), dtype=tl.float32)
    for day in range(DAYS):
        at = day * n + c
        store += tl.load(rain_ptr + at)
        store = tl.maximum(store - tl.load(evap_ptr + at), 0.0)
        q = k * store
        store -= q
        tl.store(flow_ptr + at, q)


catchments, days = 32768, 730
rain = torch.rand(days, catchments, device="cuda") * 10
evap = torch.rand(days, catchments, device="cuda") * 3
k = torch.rand(catchments, device="cuda") * 0.3
flow = torch.empty(days, catchments, device="cuda")
reservoir_kernel[(catchments // 128,)](rain, evap, k, flow, catchments, DAYS=days, BLOCK=128)
print(flow.mean())
