#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TOTAL_THREADS 256
#define CHECK_CUDA(x) if ((x) != cudaSuccess) { printf("error %s\n", cudaGetErrorString(cudaGetLastError())); exit(-1); }

// the first `nsample` points within `radius` of each centre (point nets); a centre stops looking when it has them
__global__ void ball_query(int b, int n, int m, float radius, int nsample, const float *__restrict__ new_xyz,
                           const float *__restrict__ xyz, int *__restrict__ idx)
{
    int bs_idx = blockIdx.y;
    int pt_idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (bs_idx >= b || pt_idx >= m) return;

    new_xyz += bs_idx * m * 3 + pt_idx * 3;
    xyz += bs_idx * n * 3;
    idx += bs_idx * m * nsample + pt_idx * nsample;

    float radius2 = radius * radius;
    float cx = new_xyz[0];
    float cy = new_xyz[1];
    float cz = new_xyz[2];

    int cnt = 0;
    for (int k = 0; k < n; ++k) {
        float x = xyz[k * 3 + 0];
        float y = xyz[k * 3 + 1];
        float z = xyz[k * 3 + 2];
        float d2 = (cx - x) * (cx - x) + (cy - y) * (cy - y) + (cz - z) * (cz - z);
        if (d2 < radius2) {
            if (cnt == 0) {
                for (int l = 0; l < nsample; ++l) idx[l] = k;
            }
            idx[cnt] = k;
            ++cnt;
            if (cnt >= nsample) break;
        }
    }
}

int main()
{
    const int b = 4, n = 8192, m = 1024, nsample = 32;
    const float radius = 0.2f;
    std::vector<float> xyz(b * n * 3), centres(b * m * 3);
    for (auto &v : xyz) v = (float)rand() / RAND_MAX;
    for (int i = 0; i < b; i++)
        for (int j = 0; j < m * 3; j++) centres[i * m * 3 + j] = xyz[i * n * 3 + j];
    float *d_xyz, *d_new;
    int *d_idx;
    CHECK_CUDA(cudaMalloc(&d_xyz, xyz.size() * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_new, centres.size() * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&d_idx, b * m * nsample * sizeof(int)));
    CHECK_CUDA(cudaMemcpy(d_xyz, xyz.data(), xyz.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(d_new, centres.data(), centres.size() * sizeof(float), cudaMemcpyHostToDevice));
    dim3 blocks((m + TOTAL_THREADS - 1) / TOTAL_THREADS, b);
    dim3 threads(TOTAL_THREADS);
    ball_query<<<blocks, threads>>>(b, n, m, radius, nsample, d_new, d_xyz, d_idx);
    std::vector<int> idx(b * m * nsample);
    CHECK_CUDA(cudaMemcpy(idx.data(), d_idx, idx.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int l = 0; l < 8; l++) printf("%d ", idx[l]);
    printf("\n");
    cudaFree(d_xyz);
    cudaFree(d_new);
    cudaFree(d_idx);
    return 0;
}
