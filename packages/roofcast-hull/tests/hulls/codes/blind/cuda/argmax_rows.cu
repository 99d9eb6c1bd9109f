#include <cfloat>
#include <cuda_runtime.h>

// one block for each row; ties go to the lower column
template <int BLOCK>
__global__ void argmax_rows(const float *scores, int *best, int cols)
{
    __shared__ float val[BLOCK];
    __shared__ int pos[BLOCK];
    const int t = threadIdx.x;
    const float *row = scores + (size_t)blockIdx.x * cols;
    float v = -FLT_MAX;
    int p = -1;
    for (int c = t; c < cols; c += BLOCK) {
        float s = row[c];
        if (s > v) {
            v = s;
            p = c;
        }
    }
    val[t] = v;
    pos[t] = p;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (t < half && val[t + half] > val[t]) {
            val[t] = val[t + half];
            pos[t] = pos[t + half];
        }
        __syncthreads();
    }
    if (t == 0) best[blockIdx.x] = pos[0];
}

int main()
{
    const int rows = 4096, cols = 1000;
    float *scores;
    int *best;
    cudaMalloc(&scores, sizeof(float) * rows * cols);
    cudaMalloc(&best, sizeof(int) * rows);
    argmax_rows<128><<<rows, 128>>>(scores, best, cols);
    cudaDeviceSynchronize();
    return 0;
}
