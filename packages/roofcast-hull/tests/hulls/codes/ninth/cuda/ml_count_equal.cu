// How many predictions equal their labels (an accuracy counter): each block counts its
// chunk, a warp sums, one 64-bit atomic per block.
// Counts by hand: a comparison and an addition an element.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CUDA_CHECK(err) do { cuda_check((err), #err, __FILE__, __LINE__); } while (0)

static void cuda_check(cudaError_t err, const char * stmt, const char * file, int line) {
    if (err != cudaSuccess) {
        fprintf(stderr, "CUDA error: %s\n  %s at %s:%d\n", cudaGetErrorString(err), stmt, file, line);
        exit(1);
    }
}

#define WARP_SIZE 32
#define COUNT_EQUAL_CHUNK_SIZE 128

template <int width = WARP_SIZE>
static __device__ __forceinline__ int warp_reduce_sum(int x) {
#pragma unroll
    for (int offset = width / 2; offset > 0; offset >>= 1) {
        x += __shfl_xor_sync(0xffffffff, x, offset, width);
    }
    return x;
}

template <typename T>
static __global__ void count_equal(const T * __restrict__ x, const T * __restrict__ y, int64_t * __restrict__ dst,
                                   const int64_t dk, const int64_t k) {
    const int64_t i0 = (int64_t) blockIdx.x * dk;
    const int64_t i1 = min(i0 + dk, k);

    int nequal = 0;

    for (int64_t i = i0 + threadIdx.x; i < i1; i += WARP_SIZE) {
        const T xi = x[i];
        const T yi = y[i];
        nequal += xi == yi;
    }

    nequal = warp_reduce_sum(nequal);

    if (threadIdx.x != 0) {
        return;
    }

    atomicAdd((unsigned long long *) dst, (unsigned long long) nequal);
}

int main() {
    const int64_t ne = 1 << 24;
    std::vector<int32_t> pred(ne), label(ne);
    int64_t expected = 0;
    uint32_t r = 1;
    for (int64_t i = 0; i < ne; ++i) {
        r = r * 747796405u + 2891336453u;
        label[i] = (r >> 12) % 1000;
        pred[i]  = (r >> 28) < 11 ? label[i] : (label[i] + 1) % 1000;
        expected += pred[i] == label[i];
    }

    int32_t * x_d;
    int32_t * y_d;
    int64_t * dst_d;
    CUDA_CHECK(cudaMalloc(&x_d, ne * sizeof(int32_t)));
    CUDA_CHECK(cudaMalloc(&y_d, ne * sizeof(int32_t)));
    CUDA_CHECK(cudaMalloc(&dst_d, sizeof(int64_t)));
    CUDA_CHECK(cudaMemcpy(x_d, pred.data(), ne * sizeof(int32_t), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(y_d, label.data(), ne * sizeof(int32_t), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemset(dst_d, 0, sizeof(int64_t)));

    int device, nsm;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&nsm, cudaDevAttrMultiProcessorCount, device));

    const int64_t want = (ne + COUNT_EQUAL_CHUNK_SIZE - 1) / COUNT_EQUAL_CHUNK_SIZE;
    const int64_t blocks_most = 16 * (int64_t) nsm;
    const int64_t nblocks = want < blocks_most ? want : blocks_most;
    const int64_t dk = (ne + nblocks - 1) / nblocks;

    const dim3 blocks_dim(WARP_SIZE, 1, 1);
    const dim3 blocks_num((unsigned) nblocks, 1, 1);
    count_equal<int32_t><<<blocks_num, blocks_dim>>>(x_d, y_d, dst_d, dk, ne);
    CUDA_CHECK(cudaGetLastError());

    int64_t found = 0;
    CUDA_CHECK(cudaMemcpy(&found, dst_d, sizeof(int64_t), cudaMemcpyDeviceToHost));
    printf("%lld of %lld equal (expected %lld)\n", (long long) found, (long long) ne, (long long) expected);

    CUDA_CHECK(cudaFree(x_d));
    CUDA_CHECK(cudaFree(y_d));
    CUDA_CHECK(cudaFree(dst_d));
    return 0;
}
