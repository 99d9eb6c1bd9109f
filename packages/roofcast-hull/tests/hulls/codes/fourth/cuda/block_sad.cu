#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

// sum of absolute differences of macroblocks of two frames of a film
__global__ void block_sad(const unsigned char *cur, const unsigned char *ref, unsigned int *sad, int pitch)
{
    __shared__ unsigned int s[256];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    int t = threadIdx.y * 16 + threadIdx.x;
    int d = (int)cur[y * pitch + x] - (int)ref[y * pitch + x];
    s[t] = (unsigned int)abs(d);
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0) sad[blockIdx.y * gridDim.x + blockIdx.x] = s[0];
}

int main(void)
{
    const int W = 1920, H = 1088;
    unsigned char *hc = (unsigned char *)malloc(W * H), *hr = (unsigned char *)malloc(W * H);
    for (int i = 0; i < W * H; i++) {
        hc[i] = rand() & 255;
        hr[i] = rand() & 255;
    }
    unsigned char *cur, *ref;
    unsigned int *sad;
    cudaMalloc(&cur, W * H);
    cudaMalloc(&ref, W * H);
    cudaMalloc(&sad, (W / 16) * (H / 16) * sizeof(unsigned int));
    cudaMemcpy(cur, hc, W * H, cudaMemcpyHostToDevice);
    cudaMemcpy(ref, hr, W * H, cudaMemcpyHostToDevice);
    dim3 grid(W / 16, H / 16);
    dim3 block(16, 16);
    block_sad<<<grid, block>>>(cur, ref, sad, W);
    unsigned int first;
    cudaMemcpy(&first, sad, sizeof(first), cudaMemcpyDeviceToHost);
    printf("%u\n", first);
    cudaFree(cur);
    cudaFree(ref);
    cudaFree(sad);
    free(hc);
    free(hr);
    return 0;
}
