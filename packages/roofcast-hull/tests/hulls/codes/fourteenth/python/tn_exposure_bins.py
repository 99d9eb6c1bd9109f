import torch
import triton
import triton.language as tl

BINS = 64
N = 4_000_000


@triton.jit
def exposure_bins(lum_ptr, hist_ptr, n, scale, NBINS: tl.constexpr, BLOCK: tl.constexpr):
    """Counts of luminances for auto-exposure."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    lum = tl.load(lum_ptr + i, mask=inside, other=0.0)
    k = (lum * scale).to(tl.int32)
    k = tl.minimum(tl.maximum(k, 0), NBINS - 1)
    tl.atomic_add(hist_ptr + k, 1, mask=inside)


def main():
    lum = torch.rand(N, device="cuda")
    hist = torch.zeros(BINS, device="cuda", dtype=torch.int32)
    exposure_bins[(triton.cdiv(N, 1024),)](lum, hist, N, float(BINS), NBINS=BINS, BLOCK=1024)
    assert hist.sum().item() == N
    print(hist[:8].tolist())


main()
