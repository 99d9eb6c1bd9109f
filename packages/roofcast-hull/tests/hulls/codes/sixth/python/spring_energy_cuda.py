# Elastic energy of all bonds with numba.cuda: grid-stride loop, sum of a block in shared memory, one atomic addition a block.
# Verified: 5 operations per bond (n terms of the sum) and the result by running the kernel in lock-step threads on counting
# numbers, reduced size.
import numpy as np
from numba import cuda, float64

THREADS = 256
BLOCKS = 160


@cuda.jit
def bond_energy(stiffness, length, rest, total):
    part = cuda.shared.array(THREADS, float64)
    tid = cuda.threadIdx.x
    acc = 0.0
    for i in range(cuda.grid(1), length.size, cuda.gridsize(1)):
        d = length[i] - rest[i]
        acc += 0.5 * stiffness[i] * d * d
    part[tid] = acc
    cuda.syncthreads()
    s = THREADS // 2
    while s > 0:
        if tid < s:
            part[tid] += part[tid + s]
        cuda.syncthreads()
        s //= 2
    if tid == 0:
        cuda.atomic.add(total, 0, part[0])


def main():
    n_bonds = 750_000
    rng = np.random.default_rng(6)
    rest = np.full(n_bonds, 1.5)
    length = rest + rng.normal(scale=0.05, size=n_bonds)
    stiffness = rng.uniform(200.0, 400.0, size=n_bonds)
    total = cuda.to_device(np.zeros(1))
    bond_energy[BLOCKS, THREADS](
        cuda.to_device(stiffness), cuda.to_device(length), cuda.to_device(rest), total
    )
    print(total.copy_to_host()[0], (0.5 * stiffness * (length - rest) ** 2).sum())


if __name__ == "__main__":
    main()
