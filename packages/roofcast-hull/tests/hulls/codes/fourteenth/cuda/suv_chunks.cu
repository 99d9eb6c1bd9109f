// PET slices to standardised uptake values, in chunks over four streams so that copies overlap.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e_)); return 1; } } while (0)

const int CHUNK = 1 << 20;
const int CHUNKS = 12;
const int NSTREAMS = 4;

__global__ void to_suv(const short *raw, float *suv, float slope, float intercept, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float activity = fmaxf(raw[i] * slope + intercept, 0.0f);
    suv[i] = activity * factor;
}

int main()
{
    short *h_raw, *d_raw;
    float *h_suv, *d_suv;
    const size_t n = (size_t)CHUNK * CHUNKS;
    CHECK(cudaMallocHost(&h_raw, n * sizeof(short)));
    CHECK(cudaMallocHost(&h_suv, n * sizeof(float)));
    CHECK(cudaMalloc(&d_raw, n * sizeof(short)));
    CHECK(cudaMalloc(&d_suv, n * sizeof(float)));
    for (size_t i = 0; i < n; i++) h_raw[i] = (short)((i * 97) % 30000 - 200);

    cudaStream_t s[NSTREAMS];
    for (int k = 0; k < NSTREAMS; k++) CHECK(cudaStreamCreate(&s[k]));
    for (int c = 0; c < CHUNKS; c++) {
        size_t off = (size_t)c * CHUNK;
        cudaStream_t st = s[c % NSTREAMS];
        CHECK(cudaMemcpyAsync(d_raw + off, h_raw + off, CHUNK * sizeof(short), cudaMemcpyHostToDevice, st));
        to_suv<<<CHUNK / 256, 256, 0, st>>>(d_raw + off, d_suv + off, 1.37f, -2.0f, 70000.0f / 3.7e8f);
        CHECK(cudaMemcpyAsync(h_suv + off, d_suv + off, CHUNK * sizeof(float), cudaMemcpyDeviceToHost, st));
    }
    CHECK(cudaDeviceSynchronize());
    printf("%f\n", h_suv[n / 2]);
    for (int k = 0; k < NSTREAMS; k++) cudaStreamDestroy(s[k]);
    return 0;
}
