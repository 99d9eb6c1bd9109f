#include <cuda_runtime.h>

#define VOXELS 32768
#define SAMPLES 2048

struct Sample { float x, y, z, phi; };

// Q at each voxel: a sum over the samples of k space
__global__ void computeQ(const Sample *k, const float *x, const float *y, const float *z, float *Qr, float *Qi)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    const float px = x[v], py = y[v], pz = z[v];
    float re = 0.0f, im = 0.0f;
    for (int s = 0; s < SAMPLES; s++) {
        Sample q = k[s];
        float arg = 6.2831853f * (q.x * px + q.y * py + q.z * pz);
        re += q.phi * cosf(arg);
        im += q.phi * sinf(arg);
    }
    Qr[v] = re;
    Qi[v] = im;
}

int main()
{
    Sample *k;
    float *xyz, *q;
    cudaMalloc(&k, SAMPLES * sizeof(Sample));
    cudaMalloc(&xyz, 3 * VOXELS * sizeof(float));
    cudaMalloc(&q, 2 * VOXELS * sizeof(float));
    computeQ<<<VOXELS / 256, 256>>>(k, xyz, xyz + VOXELS, xyz + 2 * VOXELS, q, q + VOXELS);
    cudaDeviceSynchronize();
}
