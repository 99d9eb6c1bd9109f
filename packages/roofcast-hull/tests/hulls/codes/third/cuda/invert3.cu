#include <cuda_runtime.h>

struct Mat3 { float m[9]; };

// inverses of many 3x3 matrices by cofactors
__global__ void invert3x3(const Mat3 *a, Mat3 *inv, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const float *m = a[i].m;
    float c0 = m[4] * m[8] - m[5] * m[7];
    float c1 = m[5] * m[6] - m[3] * m[8];
    float c2 = m[3] * m[7] - m[4] * m[6];
    float d = 1.0f / (m[0] * c0 + m[1] * c1 + m[2] * c2);
    float *o = inv[i].m;
    o[0] = c0 * d;
    o[1] = (m[2] * m[7] - m[1] * m[8]) * d;
    o[2] = (m[1] * m[5] - m[2] * m[4]) * d;
    o[3] = c1 * d;
    o[4] = (m[0] * m[8] - m[2] * m[6]) * d;
    o[5] = (m[2] * m[3] - m[0] * m[5]) * d;
    o[6] = c2 * d;
    o[7] = (m[1] * m[6] - m[0] * m[7]) * d;
    o[8] = (m[0] * m[4] - m[1] * m[3]) * d;
}

int main()
{
    int count = 300000;
    Mat3 *a, *b;
    cudaMalloc(&a, count * sizeof(Mat3));
    cudaMalloc(&b, count * sizeof(Mat3));
    invert3x3<<<(count + 255) / 256, 256>>>(a, b, count);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
