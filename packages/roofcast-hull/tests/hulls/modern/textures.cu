#include <cuda_runtime.h>
#define W 2048
#define H 1024
__global__ void blur(cudaTextureObject_t tex, float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float s = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) s += tex2D<float>(tex, x + dx + 0.5f, y + dy + 0.5f);
    out[y * w + x] = s / 9.0f;
}
__global__ void fetch(cudaTextureObject_t t, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * tex1Dfetch<float>(t, i);
}
__global__ void fill(cudaSurfaceObject_t s, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) surf2Dwrite(1.0f * x, s, x * sizeof(float), y);
}
int main()
{
    cudaArray_t arr;
    cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
    cudaMallocArray(&arr, &d, W, H);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray; r.res.array.array = arr;
    cudaTextureDesc td = {};
    cudaTextureObject_t tex = 0, lin = 0;
    cudaCreateTextureObject(&tex, &r, &td, NULL);
    float *out, *v;
    cudaMalloc(&out, W * H * sizeof(float));
    cudaMalloc(&v, 1000000 * sizeof(float));
    cudaResourceDesc rl = {};
    rl.resType = cudaResourceTypeLinear; rl.res.linear.devPtr = v; rl.res.linear.sizeInBytes = 1000000 * sizeof(float);
    cudaCreateTextureObject(&lin, &rl, &td, NULL);
    dim3 b(16, 16), g(W / 16, H / 16);
    blur<<<g, b>>>(tex, out, W, H);
    fetch<<<(1000000 + 255) / 256, 256>>>(lin, out, 1000000);
    cudaSurfaceObject_t so = 0;
    cudaCreateSurfaceObject(&so, &r);
    fill<<<g, b>>>(so, W, H);
    return 0;
}
