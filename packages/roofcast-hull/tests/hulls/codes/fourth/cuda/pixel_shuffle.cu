// Sub-pixel layer: four channels become one of twice the height and width.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define R 2

__global__ void pixel_shuffle(const float *in, float *out, int out_channels, int h, int w)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    int total = out_channels * h * R * w * R;
    if (idx >= total) return;

    int ox = idx % (w * R);
    int oy = (idx / (w * R)) % (h * R);
    int oc = idx / (w * R * h * R);

    int x = ox / R, y = oy / R;
    int ic = oc * R * R + (oy % R) * R + ox % R;
    out[idx] = in[(ic * h + y) * w + x];
}

int main(int argc, char **argv)
{
    int c = 16, h = 90, w = 160;
    size_t bytes = (size_t)c * R * R * h * w * sizeof(float);
    float *host = (float *)malloc(bytes);
    for (int i = 0; i < c * R * R * h * w; i++) host[i] = (float)i;
    float *src, *dst;
    cudaMalloc(&src, bytes);
    cudaMalloc(&dst, bytes);
    cudaMemcpy(src, host, bytes, cudaMemcpyHostToDevice);
    int total = c * R * R * h * w;
    pixel_shuffle<<<(total + 255) / 256, 256>>>(src, dst, c, h, w);
    cudaMemcpy(host, dst, bytes, cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[0], host[1]);
    cudaFree(src);
    cudaFree(dst);
    free(host);
    return 0;
}
