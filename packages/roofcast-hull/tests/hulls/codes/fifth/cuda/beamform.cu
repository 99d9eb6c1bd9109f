// Power of tied-array beams of a radio telescope: weights of the beams times samples of the antennas (8 bits, complex)
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

#define NANT 48
#define NBEAM 64
#define NTIME 8192
#define NTHREAD 256

#define CUDA_CHECK(x) do { cudaError_t rc = x; if (rc != cudaSuccess) { \
    fprintf(stderr, "%s failed: %s\n", #x, cudaGetErrorString(rc)); exit(1); } } while (0)

__global__ void beamform(const char2 *voltages, const float2 *weights, float *power)
{
    __shared__ float2 w[NANT];

    int t = blockIdx.x * NTHREAD + threadIdx.x;
    int beam = blockIdx.y;

    if (threadIdx.x < NANT)
        w[threadIdx.x] = weights[beam * NANT + threadIdx.x];
    __syncthreads();

    float2 acc = make_float2(0.0f, 0.0f);
    for (int a = 0; a < NANT; a++) {
        char2 s = voltages[a * NTIME + t];
        float re = (float)s.x;
        float im = (float)s.y;
        acc.x += w[a].x * re - w[a].y * im;
        acc.y += w[a].x * im + w[a].y * re;
    }
    power[beam * NTIME + t] = acc.x * acc.x + acc.y * acc.y;
}

int main()
{
    std::vector<char2> h_v(NANT * NTIME);
    std::vector<float2> h_w(NBEAM * NANT);
    std::vector<float> h_p(NBEAM * NTIME);

    // a plane wave that comes in where beam 20 looks
    for (int b = 0; b < NBEAM; b++)
        for (int a = 0; a < NANT; a++) {
            float ph = 2.0f * (float)M_PI * a * (b - NBEAM / 2) / NBEAM;
            h_w[b * NANT + a] = make_float2(cosf(ph) / NANT, -sinf(ph) / NANT);
        }
    for (int a = 0; a < NANT; a++)
        for (int t = 0; t < NTIME; t++) {
            float ph = 2.0f * (float)M_PI * a * (20 - NBEAM / 2) / NBEAM;
            char2 s;
            s.x = (signed char)lrintf(100 * cosf(ph));
            s.y = (signed char)lrintf(100 * sinf(ph));
            h_v[a * NTIME + t] = s;
        }

    char2 *d_v;
    float2 *d_w;
    float *d_p;
    CUDA_CHECK(cudaMalloc(&d_v, h_v.size() * sizeof(char2)));
    CUDA_CHECK(cudaMalloc(&d_w, h_w.size() * sizeof(float2)));
    CUDA_CHECK(cudaMalloc(&d_p, h_p.size() * sizeof(float)));
    CUDA_CHECK(cudaMemcpy(d_v, h_v.data(), h_v.size() * sizeof(char2), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_w, h_w.data(), h_w.size() * sizeof(float2), cudaMemcpyHostToDevice));

    cudaEvent_t a, b;
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventRecord(a);
    beamform<<<dim3(NTIME / NTHREAD, NBEAM), NTHREAD>>>(d_v, d_w, d_p);
    cudaEventRecord(b);
    CUDA_CHECK(cudaEventSynchronize(b));
    float ms;
    cudaEventElapsedTime(&ms, a, b);

    CUDA_CHECK(cudaMemcpy(h_p.data(), d_p, h_p.size() * sizeof(float), cudaMemcpyDeviceToHost));
    int best = 0;
    for (int i = 0; i < NBEAM; i++)
        if (h_p[i * NTIME] > h_p[best * NTIME]) best = i;
    printf("strongest beam %d, %.1f GFLOP/s\n", best, 8.0 * NANT * NBEAM * NTIME / ms / 1e6);
    cudaFree(d_v);
    cudaFree(d_w);
    cudaFree(d_p);
    return best != 20;
}
