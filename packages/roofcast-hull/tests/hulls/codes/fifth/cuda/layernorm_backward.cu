/* Gradient of layer normalisation with respect to its input, a warp for each row.
   nvcc -O3 layernorm_backward.cu && ./a.out */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))
void cuda_check(cudaError_t error, const char* file, int line) {
    if (error != cudaSuccess) {
        printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
        exit(EXIT_FAILURE);
    }
}
#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))

__device__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) {
        val += __shfl_xor_sync(0xFFFFFFFF, val, offset);
    }
    return val;
}

__global__ void layernorm_backward_input(float* dinp, const float* dout, const float* inp, const float* weight,
                                         const float* mean, const float* rstd, int N, int C) {
    int warps = blockDim.x / 32;
    int warpId = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    int row = blockIdx.x * warps + warpId;
    if (row >= N) return;

    const float* dout_row = dout + row * C;
    const float* inp_row = inp + row * C;
    float* dinp_row = dinp + row * C;
    const float mean_row = mean[row];
    const float rstd_row = rstd[row];

    float dnorm_mean = 0.0f;
    float dnorm_norm_mean = 0.0f;
    for (int i = lane; i < C; i += 32) {
        float norm = (inp_row[i] - mean_row) * rstd_row;
        float dnorm = weight[i] * dout_row[i];
        dnorm_mean += dnorm;
        dnorm_norm_mean += dnorm * norm;
    }
    dnorm_mean = warpReduceSum(dnorm_mean) / C;
    dnorm_norm_mean = warpReduceSum(dnorm_norm_mean) / C;

    for (int i = lane; i < C; i += 32) {
        float norm = (inp_row[i] - mean_row) * rstd_row;
        float dnorm = weight[i] * dout_row[i];
        float dval = 0.0f;
        dval += dnorm;
        dval -= dnorm_mean;
        dval -= norm * dnorm_norm_mean;
        dval *= rstd_row;
        dinp_row[i] = dval;
    }
}

float* make_random(int n, float shift) {
    float* a = (float*)malloc(n * sizeof(float));
    for (int i = 0; i < n; i++) a[i] = ((float)rand() / RAND_MAX) * 2.0f - 1.0f + shift;
    return a;
}
float* to_device(const float* h, int n) {
    float* d;
    cudaCheck(cudaMalloc(&d, n * sizeof(float)));
    cudaCheck(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
    return d;
}

int main(int argc, char** argv) {
    int B = 4;
    int T = 1024;
    int C = 768;
    int N = B * T;
    float* inp = make_random(N * C, 0.0f);
    float* dout = make_random(N * C, 0.0f);
    float* weight = make_random(C, 1.0f);
    float* mean = make_random(N, 0.0f);
    float* rstd = make_random(N, 2.0f);
    float *d_dinp, *d_inp = to_device(inp, N * C), *d_dout = to_device(dout, N * C), *d_weight = to_device(weight, C);
    float *d_mean = to_device(mean, N), *d_rstd = to_device(rstd, N);
    cudaCheck(cudaMalloc(&d_dinp, N * C * sizeof(float)));

    const int block_size = 256;
    const int grid_size = CEIL_DIV(N, block_size / 32);
    layernorm_backward_input<<<grid_size, block_size>>>(d_dinp, d_dout, d_inp, d_weight, d_mean, d_rstd, N, C);
    cudaCheck(cudaGetLastError());

    float* dinp = (float*)malloc(N * C * sizeof(float));
    cudaCheck(cudaMemcpy(dinp, d_dinp, N * C * sizeof(float), cudaMemcpyDeviceToHost));
    // gradients of a row times nothing but a constant vanish in sum only for true means; print a few to look at
    for (int i = 0; i < 5; i++) printf("%f\n", dinp[i]);
    free(inp); free(dout); free(weight); free(mean); free(rstd); free(dinp);
    cudaFree(d_dinp); cudaFree(d_inp); cudaFree(d_dout); cudaFree(d_weight); cudaFree(d_mean); cudaFree(d_rstd);
    return 0;
}
