// Largest of 2 x 2, and where it was.
#include <cuda_runtime.h>
#include <cfloat>

__global__ void pool_max(const float *in, float *out, int *where, int planes, int oh, int ow)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= planes * oh * ow) return;
    int x = t % ow;
    int y = (t / ow) % oh;
    int p = t / (ow * oh);
    int w = 2 * ow;
    const float *plane = in + p * 4 * oh * ow;
    float best = -FLT_MAX;
    int at = 0;
    for (int dy = 0; dy < 2; dy++)
        for (int dx = 0; dx < 2; dx++) {
            int k = (2 * y + dy) * w + 2 * x + dx;
            if (plane[k] > best) {
                best = plane[k];
                at = k;
            }
        }
    out[t] = best;
    where[t] = at;
}

int main()
{
    const int planes = 128, oh = 32, ow = 32;
    float *in, *out;
    int *where;
    cudaMalloc(&in, planes * oh * ow * 4 * sizeof(float));
    cudaMalloc(&out, planes * oh * ow * sizeof(float));
    cudaMalloc(&where, planes * oh * ow * sizeof(int));
    const int n = planes * oh * ow;
    pool_max<<<(n + 127) / 128, 128>>>(in, out, where, planes, oh, ow);
    cudaDeviceSynchronize();
    return 0;
}
