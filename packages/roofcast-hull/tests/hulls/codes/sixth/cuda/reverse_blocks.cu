/* Exercise 5: reverse an array; reverse inside a block through shared memory,
 * then write the block to the mirrored place.  Only copies. */
#include <stdio.h>
#include <stdlib.h>

#define N 256000
#define BLOCK 256

__global__ void reverseArray(int *d_out, int *d_in)
{
    __shared__ int s_data[BLOCK];
    int in = blockDim.x * blockIdx.x + threadIdx.x;
    s_data[blockDim.x - 1 - threadIdx.x] = d_in[in];
    __syncthreads();
    int out = blockDim.x * (gridDim.x - 1 - blockIdx.x) + threadIdx.x;
    d_out[out] = s_data[threadIdx.x];
}

int main(int argc, char **argv)
{
    int *h_a, *d_a, *d_b;
    int i;
    size_t size = N * sizeof(int);

    h_a = (int *)malloc(size);
    for (i = 0; i < N; i++) h_a[i] = i;
    cudaMalloc((void **)&d_a, size);
    cudaMalloc((void **)&d_b, size);
    cudaMemcpy(d_a, h_a, size, cudaMemcpyHostToDevice);

    reverseArray<<<N / BLOCK, BLOCK>>>(d_b, d_a);

    cudaMemcpy(h_a, d_b, size, cudaMemcpyDeviceToHost);
    for (i = 0; i < N; i++) {
        if (h_a[i] != N - 1 - i) {
            printf("wrong at %d: %d\n", i, h_a[i]);
            return 1;
        }
    }
    printf("Correct!\n");
    cudaFree(d_a);
    cudaFree(d_b);
    free(h_a);
    return 0;
}
