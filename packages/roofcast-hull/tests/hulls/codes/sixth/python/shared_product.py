# Matrix product on the GPU with tiles in shared memory (numba.cuda), sizes that are no multiples of the tile.
# Verified: 2*M*N*K operations and the result by running the kernel in lock-step threads on counting numbers, reduced size.
import math

import numpy as np
from numba import cuda, float32

TPB = 16


@cuda.jit
def matmul_shared(A, B, C):
    sA = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    sB = cuda.shared.array(shape=(TPB, TPB), dtype=float32)
    col, row = cuda.grid(2)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    tiles = (A.shape[1] + TPB - 1) // TPB

    acc = float32(0.0)
    for t in range(tiles):
        ka = t * TPB + tx
        kb = t * TPB + ty
        if row < A.shape[0] and ka < A.shape[1]:
            sA[ty, tx] = A[row, ka]
        else:
            sA[ty, tx] = float32(0.0)
        if kb < B.shape[0] and col < B.shape[1]:
            sB[ty, tx] = B[kb, col]
        else:
            sB[ty, tx] = float32(0.0)
        cuda.syncthreads()
        for j in range(TPB):
            acc += sA[ty, j] * sB[j, tx]
        cuda.syncthreads()
    if row < C.shape[0] and col < C.shape[1]:
        C[row, col] = acc


def main():
    M, K, N = 700, 500, 620
    rng = np.random.default_rng(0)
    A = rng.random((M, K), dtype=np.float32)
    B = rng.random((K, N), dtype=np.float32)
    d_a = cuda.to_device(A)
    d_b = cuda.to_device(B)
    d_c = cuda.device_array((M, N), dtype=np.float32)
    threads = (TPB, TPB)
    blocks = (math.ceil(N / TPB), math.ceil(M / TPB))
    matmul_shared[blocks, threads](d_a, d_b, d_c)
    C = d_c.copy_to_host()
    print("max error", np.abs(C - A @ B).max())


if __name__ == "__main__":
    main()
