"""Muskingum routing: hydrographs of many reaches, each with its own storage constants."""
import numpy as np
import numba

DT = 1.0


@numba.njit(parallel=True)
def route(inflow, k, x, outflow):
    reaches, steps = inflow.shape
    for r in numba.prange(reaches):
        wedge = 2.0 * k[r] * x[r]
        prism = 2.0 * k[r] * (1.0 - x[r])
        den = prism + DT
        c0 = (DT - wedge) / den
        c1 = (DT + wedge) / den
        c2 = (prism - DT) / den
        q = inflow[r, 0]
        outflow[r, 0] = q
        for t in range(1, steps):
            q = c0 * inflow[r, t] + c1 * inflow[r, t - 1] + c2 * q
            outflow[r, t] = q


def main():
    reaches, steps = 3000, 1000
    rng = np.random.default_rng(10)
    inflow = 50.0 + 30.0 * rng.random((reaches, steps))
    k = rng.uniform(1.0, 3.0, reaches)
    x = rng.uniform(0.1, 0.3, reaches)
    outflow = np.empty_like(inflow)
    route(inflow, k, x, outflow)
    print(outflow[:, -1].mean())


if __name__ == "__main__":
    main()
