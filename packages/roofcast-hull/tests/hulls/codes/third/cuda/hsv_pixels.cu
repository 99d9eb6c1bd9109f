#include <cuda_runtime.h>
#include <cstdint>

struct Rgb { uint8_t r, g, b; };
struct Hsv { float h, s, v; };

__device__ Hsv convert(Rgb c)
{
    float r = c.r / 255.0f, g = c.g / 255.0f, b = c.b / 255.0f;
    float top = fmaxf(r, fmaxf(g, b));
    float low = fminf(r, fminf(g, b));
    float range = top - low;
    Hsv out;
    out.v = top;
    out.s = top > 0.0f ? range / top : 0.0f;
    float h = 0.0f;
    if (range > 0.0f) {
        if (top == r)
            h = (g - b) / range;
        else if (top == g)
            h = 2.0f + (b - r) / range;
        else
            h = 4.0f + (r - g) / range;
    }
    out.h = h < 0.0f ? h + 6.0f : h;
    return out;
}

__global__ void to_hsv(const Rgb *in, Hsv *out, int count)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < count)
        out[i] = convert(in[i]);
}

int main()
{
    int count = 1280 * 720;
    Rgb *in;
    Hsv *out;
    cudaMalloc(&in, count * sizeof(Rgb));
    cudaMalloc(&out, count * sizeof(Hsv));
    to_hsv<<<(count + 191) / 192, 192>>>(in, out, count);
    cudaDeviceSynchronize();
    return 0;
}
