// Radial distribution of a periodic box: distances of all pairs in bins, tiles of positions in shared memory.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define ATOMS 16384
#define BINS 256
#define THREADS 128

__global__ void rdf(const float4 *pos, unsigned int *hist, float box, float inv_box, float cut2, float bins_per_length)
{
    __shared__ unsigned int local[BINS];
    __shared__ float4 other[THREADS];
    for (int b = threadIdx.x; b < BINS; b += THREADS) local[b] = 0;
    const int i = blockIdx.x * THREADS + threadIdx.x;
    const float4 p = pos[i];
    for (int first = 0; first < ATOMS; first += THREADS) {
        __syncthreads();
        other[threadIdx.x] = pos[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < THREADS; k++) {
            float dx = p.x - other[k].x;
            float dy = p.y - other[k].y;
            float dz = p.z - other[k].z;
            dx -= box * rintf(dx * inv_box);
            dy -= box * rintf(dy * inv_box);
            dz -= box * rintf(dz * inv_box);
            float r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < cut2 && first + k != i)
                atomicAdd(&local[(int)(sqrtf(r2) * bins_per_length)], 1u);
        }
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += THREADS) atomicAdd(&hist[b], local[b]);
}

int main()
{
    float4 *h = (float4 *)malloc(ATOMS * sizeof(float4));
    const float box = 40.0f, cut = 19.9f;
    for (int i = 0; i < ATOMS; i++)
        h[i] = make_float4(box * rand() / RAND_MAX, box * rand() / RAND_MAX, box * rand() / RAND_MAX, 0.f);
    float4 *pos;
    unsigned int *hist, out[BINS];
    cudaMalloc(&pos, ATOMS * sizeof(float4));
    cudaMalloc(&hist, sizeof(out));
    cudaMemcpy(pos, h, ATOMS * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemset(hist, 0, sizeof(out));
    rdf<<<ATOMS / THREADS, THREADS>>>(pos, hist, box, 1.0f / box, cut * cut, BINS / 20.0f);
    cudaMemcpy(out, hist, sizeof(out), cudaMemcpyDeviceToHost);
    for (int b = 0; b < BINS; b += 32) printf("%u\n", out[b]);
    free(h);
    return 0;
}
