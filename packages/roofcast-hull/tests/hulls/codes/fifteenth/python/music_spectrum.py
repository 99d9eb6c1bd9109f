"""MUSIC over an array's steering vectors: projections on the noise space, then the pseudo-spectrum."""
import torch
import triton
import triton.language as tl

ANGLES, SENSORS, NOISE = 4096, 64, 256


@triton.jit
def project(a_re, a_im, v_re, v_im, power, N, K: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, K)
    ar = tl.load(a_re + m[:, None] * K + k[None, :])
    ai = tl.load(a_im + m[:, None] * K + k[None, :])
    vr = tl.load(v_re + k[:, None] * N + n[None, :])
    vi = tl.load(v_im + k[:, None] * N + n[None, :])
    re = tl.dot(ar, vr) + tl.dot(ai, vi)
    im = tl.dot(ar, vi) - tl.dot(ai, vr)
    tl.store(power + m[:, None] * N + n[None, :], re * re + im * im)


@triton.jit
def pseudo_spectrum(power, out, N: tl.constexpr):
    row = tl.program_id(0)
    p = tl.load(power + row * N + tl.arange(0, N))
    tl.store(out + row, 1.0 / tl.sum(p, axis=0))


def main():
    a_re, a_im = torch.randn(2, ANGLES, SENSORS, device="cuda").unbind(0)
    v_re = torch.randn(SENSORS, NOISE, device="cuda")
    v_im = torch.randn(SENSORS, NOISE, device="cuda")
    power = torch.empty(ANGLES, NOISE, device="cuda")
    spectrum = torch.empty(ANGLES, device="cuda")
    project[(ANGLES // 64, NOISE // 64)](a_re, a_im, v_re, v_im, power, NOISE, K=SENSORS, BM=64, BN=64)
    pseudo_spectrum[(ANGLES,)](power, spectrum, N=NOISE)
    print(spectrum.max().item())


if __name__ == "__main__":
    main()
