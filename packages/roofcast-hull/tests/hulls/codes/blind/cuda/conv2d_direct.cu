#include <cuda_runtime.h>

#define NB 4
#define CI 16
#define CO 32
#define HW 64

// 3x3, padded by one
__global__ void conv3x3(const float *__restrict__ in, const float *__restrict__ w, const float *__restrict__ bias, float *__restrict__ out)
{
    int x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y;
    int co = blockIdx.y, b = blockIdx.z;
    float acc = bias[co];
    for (int ci = 0; ci < CI; ci++)
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) {
                int yy = y + r - 1, xx = x + s - 1;
                if (yy >= 0 && yy < HW && xx >= 0 && xx < HW)
                    acc += in[((b * CI + ci) * HW + yy) * HW + xx] * w[((co * CI + ci) * 3 + r) * 3 + s];
            }
    out[((b * CO + co) * HW + y) * HW + x] = acc;
}

int main()
{
    float *in, *w, *bias, *out;
    cudaMalloc(&in, sizeof(float) * NB * CI * HW * HW);
    cudaMalloc(&w, sizeof(float) * CO * CI * 9);
    cudaMalloc(&bias, sizeof(float) * CO);
    cudaMalloc(&out, sizeof(float) * NB * CO * HW * HW);
    conv3x3<<<dim3(HW / 4, CO, NB), dim3(HW, 4)>>>(in, w, bias, out);
    cudaDeviceSynchronize();
}
