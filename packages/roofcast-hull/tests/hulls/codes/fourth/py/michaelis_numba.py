"""Rates of an enzyme in a dish, cell by cell."""
import numpy as np
from numba import cuda


@cuda.jit
def rates(substrate, enzyme, rate, kcat, km):
    i, j = cuda.grid(2)
    if i < rate.shape[0] and j < rate.shape[1]:
        s = substrate[i, j]
        rate[i, j] = kcat * enzyme[i, j] * s / (km + s)


def main():
    shape = (500, 700)
    substrate = cuda.to_device(np.full(shape, 2.0, dtype=np.float32))
    enzyme = cuda.to_device(np.full(shape, 0.01, dtype=np.float32))
    rate = cuda.device_array(shape, dtype=np.float32)
    threads = (16, 16)
    blocks = ((shape[0] + threads[0] - 1) // threads[0], (shape[1] + threads[1] - 1) // threads[1])
    rates[blocks, threads](substrate, enzyme, rate, np.float32(120.0), np.float32(0.5))
    print(rate.copy_to_host()[0, 0])


if __name__ == "__main__":
    main()
