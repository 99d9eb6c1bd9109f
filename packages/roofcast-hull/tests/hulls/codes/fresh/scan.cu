#include <cuda_runtime.h>
#define N 1024

__global__ void prescan(const float *g_idata, float *g_odata, int n) {
    extern __shared__ float temp[];
    int thid = threadIdx.x;
    int offset = 1;
    const float *in = g_idata + blockIdx.x * n;
    float *out = g_odata + blockIdx.x * n;
    temp[2 * thid] = in[2 * thid];
    temp[2 * thid + 1] = in[2 * thid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1;
            int bi = offset * (2 * thid + 2) - 1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    out[2 * thid] = temp[2 * thid];
    out[2 * thid + 1] = temp[2 * thid + 1];
}

int main() {
    const int parts = 2048;
    float *in, *out;
    cudaMalloc(&in, parts * N * sizeof(float));
    cudaMalloc(&out, parts * N * sizeof(float));
    prescan<<<parts, N / 2, N * sizeof(float)>>>(in, out, N);
    cudaDeviceSynchronize();
}
