// Cloud cover of columns by maximum-random overlap; layer optical thickness before it. Level-major arrays, top first.
#include <cstdio>
#include <vector>
#include <algorithm>

#define NLEV 60
#define NCOL 65536
#define IDX(k, c) ((size_t)(k) * NCOL + (c))

__global__ void optical_thickness(const float *__restrict__ lwc, const float *__restrict__ radius, const float *__restrict__ dz,
                                  float *__restrict__ tau)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int k = blockIdx.y;
    if (c >= NCOL) return;
    float water = lwc[IDX(k, c)] * dz[k];
    tau[IDX(k, c)] = 1.5f * water / fmaxf(radius[IDX(k, c)], 4.0f);
}

__global__ void total_cover(const float *__restrict__ frac, float *__restrict__ cover)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= NCOL) return;
    float above = 0.0f;
    float clear = 1.0f;
    const float *p = frac + c;
    for (int k = 0; k < NLEV; ++k, p += NCOL) {
        float f = *p;
        clear *= (1.0f - fmaxf(f, above)) / (1.0f - fminf(above, 0.9999f));
        above = f;
    }
    cover[c] = 1.0f - clear;
}

int main()
{
    std::vector<float> h(NLEV * NCOL), r(NLEV * NCOL), z(NLEV);
    for (size_t i = 0; i < h.size(); i++) { h[i] = (i * 7919 % 1000) * 0.0007f; r[i] = 3.0f + i % 15; }
    for (int k = 0; k < NLEV; k++) z[k] = 400.0f - 5.0f * k;
    const size_t bytes = h.size() * sizeof(float);
    float *frac, *rad, *dz, *tau, *cover;
    cudaMalloc(&frac, bytes); cudaMalloc(&rad, bytes); cudaMalloc(&tau, bytes);
    cudaMalloc(&dz, NLEV * sizeof(float));
    cudaMalloc(&cover, NCOL * sizeof(float));
    cudaMemcpy(frac, h.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(rad, r.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(dz, z.data(), NLEV * sizeof(float), cudaMemcpyHostToDevice);
    optical_thickness<<<dim3(NCOL / 256, NLEV), 256>>>(frac, rad, dz, tau);
    total_cover<<<NCOL / 256, 256>>>(frac, cover);
    cudaMemcpy(h.data(), cover, NCOL * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[17]);
    return 0;
}
