"""Chi-square of many observed spectra against one template: a block for each spectrum."""
import numpy as np
from numba import cuda, float32

THREADS = 128


@cuda.jit
def chi_square(flux, ivar, template, chi2):
    partial = cuda.shared.array(THREADS, dtype=float32)
    row = cuda.blockIdx.x
    tid = cuda.threadIdx.x
    acc = float32(0.0)
    for k in range(tid, flux.shape[1], THREADS):
        r = flux[row, k] - template[k]
        acc += r * r * ivar[row, k]
    partial[tid] = acc
    cuda.syncthreads()
    stride = THREADS // 2
    while stride > 0:
        if tid < stride:
            partial[tid] += partial[tid + stride]
        cuda.syncthreads()
        stride //= 2
    if tid == 0:
        chi2[row] = partial[0]


def main():
    n_spectra, n_pixels = 3000, 900
    rng = np.random.default_rng(10)
    template = (1.0 + 0.3 * np.sin(np.linspace(0, 20, n_pixels))).astype(np.float32)
    flux = (template + 0.1 * rng.normal(size=(n_spectra, n_pixels))).astype(np.float32)
    ivar = np.full((n_spectra, n_pixels), 100.0, dtype=np.float32)
    chi2 = cuda.device_array(n_spectra, dtype=np.float32)
    chi_square[n_spectra, THREADS](cuda.to_device(flux), cuda.to_device(ivar), cuda.to_device(template), chi2)
    print(chi2.copy_to_host()[:4])


if __name__ == "__main__":
    main()
