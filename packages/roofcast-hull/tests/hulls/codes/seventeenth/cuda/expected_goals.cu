// Expected goals of shots by logistic regression; how many of them were big chances.
#include <cstdio>
#include <vector>

struct Model { float bias, by_distance, by_angle, by_header; };

__device__ __forceinline__ float logistic(float z) { return 1.0f / (1.0f + expf(-z)); }

__global__ void rate_shots(const float *x, const float *y, const unsigned char *header, float *xg, unsigned *big,
                           Model m, float big_from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r2 = x[i] * x[i] + y[i] * y[i];
    float dist = sqrtf(r2);
    float angle = atan2f(7.32f * x[i], r2 - 13.4f);
    float p = logistic(m.bias + m.by_distance * dist + m.by_angle * angle + m.by_header * header[i]);
    xg[i] = p;
    unsigned votes = __ballot_sync(0xffffffffu, p >= big_from);
    if ((threadIdx.x & 31) == 0) atomicAdd(big, __popc(votes));
}

// season table: goals expected of each team and match, 16 shots a match
__global__ void match_totals(const float *xg, float *total, float *none, int matches)
{
    int m = blockIdx.x * blockDim.x + threadIdx.x;
    if (m >= matches) return;
    float sum = 0.0f, miss = 1.0f;
#pragma unroll
    for (int s = 0; s < 16; s++) {
        float p = xg[16 * m + s];
        sum += p;
        miss *= 1.0f - p;
    }
    total[m] = sum;
    none[m] = miss;
}

int main()
{
    const int shots = 1 << 19;
    std::vector<float> x(shots), y(shots);
    std::vector<unsigned char> h(shots);
    for (int i = 0; i < shots; ++i) {
        x[i] = 4.0f + (i % 251) * 0.1f;
        y[i] = -15.0f + (i % 307) * 0.1f;
        h[i] = i % 5 == 0;
    }
    float *dx, *dy, *xg, *total, *none; unsigned char *dh; unsigned *big;
    cudaMalloc(&dx, shots * 4); cudaMalloc(&dy, shots * 4); cudaMalloc(&xg, shots * 4);
    cudaMalloc(&dh, shots); cudaMalloc(&big, 4);
    cudaMalloc(&total, shots / 16 * 4); cudaMalloc(&none, shots / 16 * 4);
    cudaMemcpy(dx, x.data(), shots * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), shots * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dh, h.data(), shots, cudaMemcpyHostToDevice);
    cudaMemset(big, 0, 4);
    rate_shots<<<shots / 256, 256>>>(dx, dy, dh, xg, big, Model{-1.2f, -0.11f, 1.4f, -0.8f}, 0.3f);
    match_totals<<<(shots / 16 + 127) / 128, 128>>>(xg, total, none, shots / 16);
    unsigned n;
    cudaMemcpy(&n, big, 4, cudaMemcpyDeviceToHost);
    printf("%u\n", n);
}
