#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* two levels of a pyramid at once: the mean of 4 x 4 pixels */
__global__ void shrink_rgba4(const float4 *in, float4 *out, int out_w, int out_h)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ox >= out_w || oy >= out_h) return;
    float4 s = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            float4 p = in[(oy * 4 + j) * (out_w * 4) + ox * 4 + i];
            s.x += p.x;
            s.y += p.y;
            s.z += p.z;
            s.w += p.w;
        }
    s.x *= 0.0625f;
    s.y *= 0.0625f;
    s.z *= 0.0625f;
    s.w *= 0.0625f;
    out[oy * out_w + ox] = s;
}

int main()
{
    const int w = 1920, h = 1080;
    float4 *in, *out;
    cudaMalloc((void **)&in, w * h * sizeof(float4));
    cudaMalloc((void **)&out, (w / 4) * (h / 4) * sizeof(float4));
    cudaMemset(in, 0, w * h * sizeof(float4));
    dim3 threads(16, 16);
    dim3 blocks((w / 4 + 15) / 16, (h / 4 + 15) / 16);
    shrink_rgba4<<<blocks, threads>>>(in, out, w / 4, h / 4);
    float4 *res = (float4 *)malloc((w / 4) * (h / 4) * sizeof(float4));
    cudaMemcpy(res, out, (w / 4) * (h / 4) * sizeof(float4), cudaMemcpyDeviceToHost);
    printf("%f\n", res[3].y);
    free(res);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
