# Passive dendritic cable, explicit Euler.
import numpy as np

N = 8192
STEPS = 400
DT = 0.01
D = 12.0
E_LEAK = -65.0
TAU = 10.0


def march(v, inj, steps):
    for _ in range(steps):
        v[1:-1] += DT * (D * (v[2:] - 2.0 * v[1:-1] + v[:-2]) - (v[1:-1] - E_LEAK) / TAU + inj[1:-1])
    return v


if __name__ == "__main__":
    v = np.full(N, E_LEAK)
    inj = np.zeros(N)
    inj[N // 2 - 20:N // 2 + 20] = 4.0
    march(v, inj, STEPS)
    print("peak", v.max())
