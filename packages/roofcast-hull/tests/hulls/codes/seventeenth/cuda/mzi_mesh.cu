// Columns of Mach-Zehnder interferometers joined by perfect shuffles: amplitudes of many inputs at once.
#include <cstdio>
#include <cstdlib>
#include <utility>

using amp = float2;
__device__ __forceinline__ amp operator*(amp a, amp b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ __forceinline__ amp operator*(float s, amp a) { return make_float2(s * a.x, s * a.y); }
__device__ __forceinline__ amp operator+(amp a, amp b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ __forceinline__ amp operator-(amp a, amp b) { return make_float2(a.x - b.x, a.y - b.y); }

#define MODES 256
#define PAIRS (MODES / 2)
#define BATCH 4096
#define DEPTH 8

__global__ void mzi_column(const amp *in, amp *out, const float *theta, const float *phi)
{
    const int p = threadIdx.x;
    const int b = blockIdx.x;
    const amp *row = in + b * MODES;
    amp *dst = out + b * MODES;
    amp upper = row[2 * p], lower = row[2 * p + 1];
    amp turn = make_float2(cosf(phi[p]), sinf(phi[p]));
    float c = cosf(theta[p]), s = sinf(theta[p]);
    amp u = turn * upper;
    dst[p] = c * u - s * lower;
    dst[p + PAIRS] = s * u + c * lower;
}

int main()
{
    size_t bytes = sizeof(amp) * BATCH * MODES;
    amp *host = (amp *)malloc(bytes);
    float *angles = (float *)malloc(sizeof(float) * DEPTH * PAIRS);
    for (int i = 0; i < BATCH * MODES; i++) host[i] = make_float2((i % 13) * 0.1f, (i % 7) * -0.05f);
    for (int i = 0; i < DEPTH * PAIRS; i++) angles[i] = 0.01f * (i % 300);
    amp *a, *b; float *th, *ph;
    cudaMalloc((void **)&a, bytes); cudaMalloc((void **)&b, bytes);
    cudaMalloc((void **)&th, sizeof(float) * DEPTH * PAIRS); cudaMalloc((void **)&ph, sizeof(float) * DEPTH * PAIRS);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(th, angles, sizeof(float) * DEPTH * PAIRS, cudaMemcpyHostToDevice);
    cudaMemcpy(ph, angles, sizeof(float) * DEPTH * PAIRS, cudaMemcpyHostToDevice);
    for (int layer = 0; layer < DEPTH; layer++) {
        mzi_column<<<BATCH, PAIRS>>>(a, b, th + layer * PAIRS, ph + layer * PAIRS);
        std::swap(a, b);
    }
    cudaMemcpy(host, a, bytes, cudaMemcpyDeviceToHost);
    printf("%f %f\n", host[5].x, host[5].y);
    return 0;
}
