#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct Mat4 {
    float m[16];
};

__global__ void determinant4(const Mat4* mats, float* dets, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float* a = mats[i].m;
    float s0 = a[0] * a[5] - a[1] * a[4];
    float s1 = a[0] * a[6] - a[2] * a[4];
    float s2 = a[0] * a[7] - a[3] * a[4];
    float s3 = a[1] * a[6] - a[2] * a[5];
    float s4 = a[1] * a[7] - a[3] * a[5];
    float s5 = a[2] * a[7] - a[3] * a[6];
    float c5 = a[10] * a[15] - a[11] * a[14];
    float c4 = a[9] * a[15] - a[11] * a[13];
    float c3 = a[9] * a[14] - a[10] * a[13];
    float c2 = a[8] * a[15] - a[11] * a[12];
    float c1 = a[8] * a[14] - a[10] * a[12];
    float c0 = a[8] * a[13] - a[9] * a[12];
    dets[i] = s0 * c5 - s1 * c4 + s2 * c3 + s3 * c2 - s4 * c1 + s5 * c0;
}

int main()
{
    const int n = 100000;
    std::vector<Mat4> h(n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 16; ++j) h[i].m[j] = (float)((i + j * j) % 7);
    Mat4* mats;
    float* dets;
    cudaMalloc(&mats, n * sizeof(Mat4));
    cudaMalloc(&dets, n * sizeof(float));
    cudaMemcpy(mats, h.data(), n * sizeof(Mat4), cudaMemcpyHostToDevice);
    determinant4<<<(n + 127) / 128, 128>>>(mats, dets, n);
    std::vector<float> d(n);
    cudaMemcpy(d.data(), dets, n * sizeof(float), cudaMemcpyDeviceToHost);
    std::printf("%f\n", d[n - 1]);
    cudaFree(mats);
    cudaFree(dets);
    return 0;
}
