// Pieces of a small transformer: embedding, residual, gelu backward.
#include <cuda_runtime.h>
#include <assert.h>
#include <math.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

__global__ void encoder_forward(float* out, const int* inp, const float* wte, const float* wpe, int B, int T, int C)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int N = B * T * C;
    if (idx < N) {
        int bt = idx / C;
        int b = bt / T;
        int t = bt % T;
        int c = idx % C;
        int ix = inp[b * T + t];
        out[b * T * C + t * C + c] = wte[ix * C + c] + wpe[t * C + c];
    }
}

__global__ void residual_forward(float* out, const float* inp1, const float* inp2, int N)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N) {
        out[idx] = inp1[idx] + inp2[idx];
    }
}

#define GELU_SCALING_FACTOR 0.7978845608f
__global__ void gelu_backward(float* dinp, const float* inp, const float* dout, const int N)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        float x = inp[i];
        float cube = 0.044715f * x * x * x;
        float arg = GELU_SCALING_FACTOR * (x + cube);
        float th = tanhf(arg);
        float ch = coshf(arg);
        float sech = 1.0f / (ch * ch);
        float local = 0.5f * (1.0f + th) + x * 0.5f * sech * GELU_SCALING_FACTOR * (1.0f + 0.134145f * x * x);
        dinp[i] = local * dout[i];
    }
}

int main()
{
    const int B = 4, T = 256, C = 768, V = 50257;
    float *wte, *wpe, *a, *b, *c, *h, *dh, *dx;
    int* tokens;
    cudaMalloc((void**)&wte, (size_t)V * C * sizeof(float));
    cudaMalloc((void**)&wpe, T * C * sizeof(float));
    cudaMalloc((void**)&a, B * T * C * sizeof(float));
    cudaMalloc((void**)&b, B * T * C * sizeof(float));
    cudaMalloc((void**)&c, B * T * C * sizeof(float));
    cudaMalloc((void**)&h, B * T * 4 * C * sizeof(float));
    cudaMalloc((void**)&dh, B * T * 4 * C * sizeof(float));
    cudaMalloc((void**)&dx, B * T * 4 * C * sizeof(float));
    cudaMalloc((void**)&tokens, B * T * sizeof(int));
    const int block_size = 256;
    encoder_forward<<<CEIL_DIV(B * T * C, block_size), block_size>>>(a, tokens, wte, wpe, B, T, C);
    residual_forward<<<CEIL_DIV(B * T * C, block_size), block_size>>>(c, a, b, B * T * C);
    gelu_backward<<<CEIL_DIV(B * T * 4 * C, block_size), block_size>>>(dx, h, dh, B * T * 4 * C);
    cudaDeviceSynchronize();
    return 0;
}
