#include <cuda_runtime.h>
#include <cuComplex.h>

typedef float2 cplx;

static __device__ __forceinline__ cplx c_mul(cplx a, cplx b)
{
    cplx r;
    r.x = a.x * b.x - a.y * b.y;
    r.y = a.x * b.y + a.y * b.x;
    return r;
}

static __device__ __forceinline__ cplx c_scale(cplx a, float s) { return make_float2(s * a.x, s * a.y); }

/* pointwise product of two spectra, normalised for the inverse transform */
__global__ void PointwiseMulScale(cplx *a, const cplx *b, int size, float scale)
{
    const int numThreads = blockDim.x * gridDim.x;
    const int threadID = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = threadID; i < size; i += numThreads)
        a[i] = c_scale(c_mul(a[i], b[i]), scale);
}

#define SIGNAL (1 << 21)

int main(int argc, char **argv)
{
    cplx *signal, *kernel;
    cudaMalloc((void **)&signal, sizeof(cplx) * SIGNAL);
    cudaMalloc((void **)&kernel, sizeof(cplx) * SIGNAL);
    PointwiseMulScale<<<32, 256>>>(signal, kernel, SIGNAL, 1.0f / SIGNAL);
    cudaDeviceSynchronize();
    cudaFree(signal);
    cudaFree(kernel);
    return 0;
}
