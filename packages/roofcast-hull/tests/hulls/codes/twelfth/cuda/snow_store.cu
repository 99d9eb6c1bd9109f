// HBV-like snow routine, one thread a cell, a year of days; threshold temperature 0 and refreezing left out.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Forcing {
    const float *precip;
    const float *temp;
};

template <int DAYS>
__global__ void snow_year(Forcing in, const float *ddf, float *outflow, int cells) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cells) return;
    const float factor = ddf[c];
    float store = 0.0f;
    for (int day = 0; day < DAYS; ++day) {
        const float p = in.precip[day * cells + c];
        const float t = in.temp[day * cells + c];
        const float snow = t < 0.0f ? p : 0.0f;
        store += snow;
        const float melt = fminf(store, factor * fmaxf(t, 0.0f));
        store -= melt;
        outflow[day * cells + c] = p - snow + melt;
    }
}

int main() {
    constexpr int cells = 65536, days = 365;
    std::vector<float> p(cells * days), t(cells * days), k(cells);
    for (int i = 0; i < cells * days; ++i) {
        p[i] = (i * 31 % 97) * 0.1f;
        t[i] = (i / cells - 100) * 0.05f + (i % 13) * 0.1f;
    }
    for (int c = 0; c < cells; ++c) k[c] = 2.0f + (c % 30) * 0.1f;
    float *dp, *dt, *dk, *dq;
    const size_t bytes = sizeof(float) * cells * days;
    cudaMalloc(&dp, bytes);
    cudaMalloc(&dt, bytes);
    cudaMalloc(&dq, bytes);
    cudaMalloc(&dk, sizeof(float) * cells);
    cudaMemcpy(dp, p.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dt, t.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dk, k.data(), sizeof(float) * cells, cudaMemcpyHostToDevice);
    snow_year<days><<<cells / 256, 256>>>(Forcing{dp, dt}, dk, dq, cells);
    cudaMemcpy(p.data(), dq, bytes, cudaMemcpyDeviceToHost);
    printf("%f\n", p[cells * 200]);
}
