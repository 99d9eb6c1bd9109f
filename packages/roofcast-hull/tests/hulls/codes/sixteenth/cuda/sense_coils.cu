// SENSE encoding and its adjoint over coils; planes of coils lie one behind another
#include <cstdio>
#include <cuComplex.h>

namespace mri {
constexpr int NX = 320, NY = 320, COILS = 12;
constexpr int VOXELS = NX * NY;

__global__ void spread(const cuFloatComplex *img, const cuFloatComplex *sens, cuFloatComplex *coil)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    int c = blockIdx.y;
    if (v < VOXELS)
        coil[c * VOXELS + v] = cuCmulf(img[v], sens[c * VOXELS + v]);
}

__global__ void combine(const cuFloatComplex *coil, const cuFloatComplex *sens, cuFloatComplex *img, float reg)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= VOXELS) return;
    float re = 0.f, im = 0.f, norm = reg;
    for (int c = 0; c < COILS; ++c) {
        cuFloatComplex s = sens[c * VOXELS + v], x = coil[c * VOXELS + v];
        re += s.x * x.x + s.y * x.y;
        im += s.x * x.y - s.y * x.x;
        norm += s.x * s.x + s.y * s.y;
    }
    img[v] = make_cuFloatComplex(re / norm, im / norm);
}
}

int main()
{
    using namespace mri;
    cuFloatComplex *img, *sens, *coil, *back;
    cudaMallocManaged(&img, VOXELS * sizeof(cuFloatComplex));
    cudaMallocManaged(&back, VOXELS * sizeof(cuFloatComplex));
    cudaMallocManaged(&sens, COILS * VOXELS * sizeof(cuFloatComplex));
    cudaMallocManaged(&coil, COILS * VOXELS * sizeof(cuFloatComplex));
    for (int i = 0; i < VOXELS; i++) img[i] = make_cuFloatComplex(1.f + i % 7, 0.1f * (i % 11));
    for (int i = 0; i < COILS * VOXELS; i++) sens[i] = make_cuFloatComplex(0.3f + 0.01f * (i % 19), 0.02f * (i % 23));
    dim3 grid((VOXELS + 127) / 128, COILS);
    spread<<<grid, 128>>>(img, sens, coil);
    combine<<<(VOXELS + 127) / 128, 128>>>(coil, sens, back, 1e-3f);
    cudaDeviceSynchronize();
    printf("%f %f\n", back[1000].x, img[1000].x);
}
