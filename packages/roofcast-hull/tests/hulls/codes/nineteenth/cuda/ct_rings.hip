// Ring artefacts of a tomograph: the mean over the angles, less its own running mean, comes off every projection
#include <hip/hip_runtime.h>
#include <cstdio>
#include <vector>

constexpr int ANGLES = 720, DET = 1024, REACH = 4;

__global__ void angle_mean(const float *sino, float *mean)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0.0f;
    for (int a = 0; a < ANGLES; ++a)
        s += sino[a * DET + d];
    mean[d] = s * (1.0f / ANGLES);
}

__global__ void ring_profile(const float *mean, float *ring)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x;
    if (d >= DET) return;
    float s = 0.0f;
    for (int k = -REACH; k <= REACH; ++k) {
        int e = d + k;
        e = e < 0 ? 0 : (e > DET - 1 ? DET - 1 : e);
        s += mean[e];
    }
    ring[d] = mean[d] - s * (1.0f / (2 * REACH + 1));
}

__global__ void remove_rings(float *sino, const float *ring, float strength)
{
    int d = blockIdx.x * blockDim.x + threadIdx.x, a = blockIdx.y * blockDim.y + threadIdx.y;
    if (a < ANGLES && d < DET)
        sino[a * DET + d] -= strength * ring[d];
}

int main()
{
    std::vector<float> h(ANGLES * DET);
    for (int i = 0; i < ANGLES * DET; i++) h[i] = (i % DET) * 0.001f + ((i % DET) % 37 == 0) * 0.2f + (i / DET) * 1e-4f;
    float *sino, *mean, *ring;
    hipMalloc((void **)&sino, ANGLES * DET * sizeof(float));
    hipMalloc((void **)&mean, DET * sizeof(float));
    hipMalloc((void **)&ring, DET * sizeof(float));
    hipMemcpy(sino, h.data(), ANGLES * DET * sizeof(float), hipMemcpyHostToDevice);
    angle_mean<<<DET / 64, 64>>>(sino, mean);
    ring_profile<<<DET / 256, 256>>>(mean, ring);
    remove_rings<<<dim3(DET / 64, (ANGLES + 3) / 4), dim3(64, 4)>>>(sino, ring, 0.9f);
    hipMemcpy(h.data(), sino, ANGLES * DET * sizeof(float), hipMemcpyDeviceToHost);
    printf("%f %f\n", h[37], h[38]);
    return 0;
}
