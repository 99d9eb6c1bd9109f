import numpy as np
from numba import cuda, int32

READS = 2048
LEN = 150
THREADS = 256


@cuda.jit
def mismatch_table(a, b, table):
    j, i = cuda.grid(2)
    if i < a.shape[0] and j < b.shape[0]:
        bad = 0
        for k in range(LEN):
            if a[i, k] != b[j, k]:
                bad += 1
        table[i, j] = bad


@cuda.jit
def block_total(values, partial):
    tmp = cuda.shared.array(THREADS, dtype=int32)
    t = cuda.threadIdx.x
    g = cuda.blockIdx.x * cuda.blockDim.x + t
    tmp[t] = values[g] if g < values.size else 0
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            tmp[t] += tmp[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = tmp[0]


@cuda.jit
def score_bins(table, bins):
    start = cuda.grid(1)
    stride = cuda.gridsize(1)
    for k in range(start, table.size, stride):
        cuda.atomic.add(bins, table[k], 1)


def main():
    rng = np.random.default_rng(9)
    a = cuda.to_device(rng.integers(0, 4, (READS, LEN)).astype(np.uint8))
    b = cuda.to_device(rng.integers(0, 4, (READS, LEN)).astype(np.uint8))
    table = cuda.device_array((READS, READS), dtype=np.int32)
    mismatch_table[(READS // 32, READS // 8), (32, 8)](a, b, table)
    flat = table.reshape(READS * READS)
    nblk = (READS * READS + THREADS - 1) // THREADS
    partial = cuda.device_array(nblk, dtype=np.int32)
    block_total[nblk, THREADS](flat, partial)
    bins = cuda.to_device(np.zeros(LEN + 1, dtype=np.int32))
    score_bins[1024, THREADS](flat, bins)
    print(partial.copy_to_host().sum(), bins.copy_to_host().argmax())


if __name__ == "__main__":
    main()
