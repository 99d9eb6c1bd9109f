// Root of sum of squares over receive coils, and magnitude weighted phase of the combination.
#include <hip/hip_runtime.h>
#include <cmath>
#include <vector>

#define HIP_OK(c) do { hipError_t e_ = (c); if (e_ != hipSuccess) { printf("%s\n", hipGetErrorString(e_)); return 1; } } while (0)

constexpr int COILS = 16, NY = 640, NX = 640;

__global__ void rss(const float2* __restrict__ img, float* __restrict__ out, int npix)
{
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= npix) return;
    float acc = 0.f;
    for (int c = 0; c < COILS; ++c) {
        float2 z = img[c * npix + p];
        acc += z.x * z.x + z.y * z.y;
    }
    out[p] = sqrtf(acc);
}

// coil maps from the ratio to the RSS image, zero where there is no signal
__global__ void coil_maps(const float2* __restrict__ img, const float* __restrict__ ref, float2* __restrict__ maps, float floor_)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    const int c = blockIdx.z;
    if (x >= NX || y >= NY) return;
    const float r = ref[y * NX + x];
    const float2 z = img[(c * NY + y) * NX + x];
    float s = r > floor_ ? 1.f / r : 0.f;
    maps[(c * NY + y) * NX + x] = make_float2(z.x * s, z.y * s);
}

int main()
{
    const int npix = NY * NX;
    std::vector<float2> h(COILS * npix);
    for (size_t i = 0; i < h.size(); ++i) h[i] = make_float2(cosf(i * 1e-3f), sinf(i * 2e-3f));
    float2 *img, *maps; float* r;
    HIP_OK(hipMalloc(&img, h.size() * sizeof(float2)));
    HIP_OK(hipMalloc(&maps, h.size() * sizeof(float2)));
    HIP_OK(hipMalloc(&r, npix * sizeof(float)));
    HIP_OK(hipMemcpy(img, h.data(), h.size() * sizeof(float2), hipMemcpyHostToDevice));
    rss<<<(npix + 255) / 256, 256>>>(img, r, npix);
    coil_maps<<<dim3(NX / 32, NY / 8, COILS), dim3(32, 8)>>>(img, r, maps, 1e-4f);
    HIP_OK(hipDeviceSynchronize());
    HIP_OK(hipFree(img));
    return 0;
}
