"""Current source density along a silicon probe: second difference over channels of the field potential."""
import torch
import triton
import triton.language as tl

CHANNELS, SAMPLES = 384, 65536


@triton.jit
def csd(lfp, out, k, samples, BLOCK: tl.constexpr):
    c = tl.program_id(0)
    t = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    ok = t < samples
    base = lfp + c * samples + t
    above = tl.load(base, mask=ok)
    here = tl.load(base + samples, mask=ok)
    below = tl.load(base + 2 * samples, mask=ok)
    tl.store(out + c * samples + t, k * (above - 2.0 * here + below), mask=ok)


def run():
    lfp = torch.randn(CHANNELS, SAMPLES, device="cuda")
    out = torch.empty(CHANNELS - 2, SAMPLES, device="cuda")
    grid = (CHANNELS - 2, triton.cdiv(SAMPLES, 1024))
    csd[grid](lfp, out, -750.0, SAMPLES, BLOCK=1024)
    return out


if __name__ == "__main__":
    print(run().abs().mean().item())
