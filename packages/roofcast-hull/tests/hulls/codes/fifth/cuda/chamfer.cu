#include <stdio.h>
#include <stdlib.h>
#include <float.h>
#include <cuda.h>
#include <cuda_runtime.h>

#define BATCH 512   // points of the second cloud kept in shared memory

// for each point of the first cloud the nearest one of the second: squared distance and which
__global__ void nearest_in_other(int n, const float *xyz, int m, const float *xyz2, float *result, int *result_i)
{
    __shared__ float buf[BATCH * 3];
    const int b = blockIdx.y;
    const int j = threadIdx.x + blockIdx.x * blockDim.x;
    float x1 = xyz[(b * n + j) * 3 + 0];
    float y1 = xyz[(b * n + j) * 3 + 1];
    float z1 = xyz[(b * n + j) * 3 + 2];
    float best = FLT_MAX;
    int best_i = 0;
    for (int k2 = 0; k2 < m; k2 += BATCH) {
        for (int l = threadIdx.x; l < BATCH * 3; l += blockDim.x)
            buf[l] = xyz2[(b * m + k2) * 3 + l];
        __syncthreads();
        for (int k = 0; k < BATCH; k++) {
            float x2 = buf[k * 3 + 0] - x1;
            float y2 = buf[k * 3 + 1] - y1;
            float z2 = buf[k * 3 + 2] - z1;
            float d = x2 * x2 + y2 * y2 + z2 * z2;
            if (d < best) {
                best = d;
                best_i = k + k2;
            }
        }
        __syncthreads();
    }
    result[b * n + j] = best;
    result_i[b * n + j] = best_i;
}

static void cloud(float *p, int count)
{
    for (int i = 0; i < count * 3; i++) p[i] = (float)drand48();
}

int main()
{
    const int b = 8, n = 2048, m = 1536;
    float *h1 = (float *)malloc(sizeof(float) * b * n * 3);
    float *h2 = (float *)malloc(sizeof(float) * b * m * 3);
    float *hd = (float *)malloc(sizeof(float) * b * n);
    int *hi = (int *)malloc(sizeof(int) * b * n);
    srand48(1);
    cloud(h1, b * n);
    cloud(h2, b * m);

    float *xyz1, *xyz2, *dist;
    int *idx;
    cudaMalloc((void **)&xyz1, sizeof(float) * b * n * 3);
    cudaMalloc((void **)&xyz2, sizeof(float) * b * m * 3);
    cudaMalloc((void **)&dist, sizeof(float) * b * n);
    cudaMalloc((void **)&idx, sizeof(int) * b * n);
    cudaMemcpy(xyz1, h1, sizeof(float) * b * n * 3, cudaMemcpyHostToDevice);
    cudaMemcpy(xyz2, h2, sizeof(float) * b * m * 3, cudaMemcpyHostToDevice);

    nearest_in_other<<<dim3(n / 256, b, 1), 256>>>(n, xyz1, m, xyz2, dist, idx);

    cudaError_t err = cudaGetLastError();
    if (err != cudaSuccess) {
        printf("error in nearest_in_other: %s\n", cudaGetErrorString(err));
        return 0;
    }
    cudaMemcpy(hd, dist, sizeof(float) * b * n, cudaMemcpyDeviceToHost);
    cudaMemcpy(hi, idx, sizeof(int) * b * n, cudaMemcpyDeviceToHost);
    float best = FLT_MAX;
    int at = -1;
    for (int k = 0; k < m; k++) {
        float d = 0;
        for (int c = 0; c < 3; c++) d += (h2[k * 3 + c] - h1[c]) * (h2[k * 3 + c] - h1[c]);
        if (d < best) best = d, at = k;
    }
    printf("point 0: %d at %f, by the host %d at %f\n", hi[0], hd[0], at, best);
    cudaFree(xyz1); cudaFree(xyz2); cudaFree(dist); cudaFree(idx);
    free(h1); free(h2); free(hd); free(hi);
    return 0;
}
