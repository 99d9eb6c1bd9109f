// radiation pattern of an irregular planar array, all angles against all elements
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define NEL   512
#define NTH   181
#define NPH   720
#define CHUNK 128

struct Elem { float x, y, amp, ph; };

__global__ void pattern_power(const Elem *el, const float2 *uv, float *power, int nang)
{
    __shared__ Elem cache[CHUNK];
    int a = blockIdx.x * CHUNK + threadIdx.x;
    float2 dir = a < nang ? uv[a] : make_float2(0.f, 0.f);
    float re = 0.f, im = 0.f;
    for (int base = 0; base < NEL; base += CHUNK) {
        cache[threadIdx.x] = el[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < CHUNK; k++) {
            float arg = cache[k].x * dir.x + cache[k].y * dir.y + cache[k].ph;
            re += cache[k].amp * __cosf(arg);
            im += cache[k].amp * __sinf(arg);
        }
        __syncthreads();
    }
    if (a < nang) power[a] = re * re + im * im;
}

__global__ void pattern_db(const float *power, float *db, float peak, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        float v = 10.f * log10f(power[i] / peak);
        db[i] = v < -60.f ? -60.f : v;
    }
}

int main(void)
{
    const int nang = NTH * NPH;
    Elem *el; float2 *uv; float *power, *db;
    cudaMallocManaged(&el, NEL * sizeof(Elem));
    cudaMallocManaged(&uv, nang * sizeof(float2));
    cudaMallocManaged(&power, nang * sizeof(float));
    cudaMallocManaged(&db, nang * sizeof(float));
    for (int i = 0; i < NEL; i++) {
        el[i].x = 3.1f * (i % 23) + 0.01f * i; el[i].y = 2.7f * (i / 23);
        el[i].amp = 1.f; el[i].ph = 0.002f * (i * 37 % 101);
    }
    for (int t = 0; t < NTH; t++)
        for (int p = 0; p < NPH; p++) {
            float th = (float)(t * M_PI / 180), ph = (float)(p * M_PI / 360);
            uv[t * NPH + p] = make_float2(sinf(th) * cosf(ph), sinf(th) * sinf(ph));
        }
    pattern_power<<<(nang + CHUNK - 1) / CHUNK, CHUNK>>>(el, uv, power, nang);
    pattern_db<<<(nang + 255) / 256, 256>>>(power, db, (float)NEL * NEL, nang);
    cudaDeviceSynchronize();
    printf("%f dB\n", db[1234]);
    return 0;
}
