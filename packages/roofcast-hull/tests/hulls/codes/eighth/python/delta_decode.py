"""Decode delta-encoded integer columns: pages of 512 values, each page with its first value,
its smallest delta, and the deltas' rests in 8 bits (frame of reference).

    value[p, i] = first[p] + sum_{j <= i} (rest[p, j] + min_delta[p])

Checked with counting loops: 3 operations a value (two sums and one step of the scan).
Compiled for sm_90 (Triton 3.9) and run in Triton's interpreter at a small size against PyTorch.
"""
import torch
import triton
import triton.language as tl

PAGE = 512


@triton.jit
def delta_decode_kernel(rest_ptr, first_ptr, min_delta_ptr, value_ptr, PAGE: tl.constexpr):
    page = tl.program_id(axis=0)
    i = tl.arange(0, PAGE)
    first = tl.load(first_ptr + page)
    min_delta = tl.load(min_delta_ptr + page)
    rest = tl.load(rest_ptr + page * PAGE + i).to(tl.int32)
    steps = rest + min_delta
    values = first + tl.cumsum(steps, axis=0)
    tl.store(value_ptr + page * PAGE + i, values)


def delta_decode(rest: torch.Tensor, first: torch.Tensor, min_delta: torch.Tensor) -> torch.Tensor:
    pages, page = rest.shape
    assert page == PAGE and rest.dtype == torch.uint8
    values = torch.empty((pages, page), dtype=torch.int32, device=rest.device)
    delta_decode_kernel[(pages,)](rest, first, min_delta, values, PAGE=PAGE, num_warps=4)
    return values


if __name__ == "__main__":
    n_pages = 131072
    gen = torch.Generator(device="cuda").manual_seed(5)
    rest = torch.randint(0, 256, (n_pages, PAGE), dtype=torch.uint8, device="cuda", generator=gen)
    first = torch.randint(-(1 << 20), 1 << 20, (n_pages,), dtype=torch.int32, device="cuda", generator=gen)
    min_delta = torch.randint(-128, 1, (n_pages,), dtype=torch.int32, device="cuda", generator=gen)
    out = delta_decode(rest, first, min_delta)
    ref = first[:64, None] + torch.cumsum(rest[:64].int() + min_delta[:64, None], dim=1)
    assert torch.equal(out[:64], ref.int())
    print("ok", out.shape)
