// Fourier transforms: of a block's own signal, one radix-2 stage over memory, one radix-4 stage.
#include <cuda_runtime.h>
#include <math.h>

#define LOGN 10
#define PTS (1 << LOGN)
#define SIGNALS 4096

// Bits reversed on the way in, ten stages in shared memory.
__global__ void fft_block(const float2 *x, float2 *y)
{
    __shared__ float2 s[PTS];
    int t = threadIdx.x, base = blockIdx.x * PTS;
    for (int i = t; i < PTS; i += blockDim.x)
        s[__brev(i) >> (32 - LOGN)] = x[base + i];
    __syncthreads();
    for (int half = 1; half < PTS; half *= 2) {
        int k = t & (half - 1), a = 2 * t - k, b = a + half;
        float sn, cs;
        sincosf(-3.14159265358979f * k / half, &sn, &cs);
        float2 u = s[a], w = s[b];
        float re = w.x * cs - w.y * sn, im = w.x * sn + w.y * cs;
        s[a].x = u.x + re; s[a].y = u.y + im;
        s[b].x = u.x - re; s[b].y = u.y - im;
        __syncthreads();
    }
    for (int i = t; i < PTS; i += blockDim.x) y[base + i] = s[i];
}

// A butterfly for each thread, in place.
__global__ void stage2(float *re, float *im, int half)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int k = t & (half - 1), a = 2 * t - k, b = a + half;
    float c = cospif(-(float)k / half), s = sinpif(-(float)k / half);
    float xr = re[b] * c - im[b] * s, xi = re[b] * s + im[b] * c;
    re[b] = re[a] - xr; im[b] = im[a] - xi;
    re[a] += xr; im[a] += xi;
}

// Four elements for each thread, from one array to another (Stockham).
__global__ void stage4(const float2 *in, float2 *out, int n, int done)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, q = n / 4;
    int k = t & (done - 1);
    float2 v[4];
    for (int r = 0; r < 4; r++) {
        float2 z = in[t + r * q];
        float s, c;
        sincospif(-0.5f * r * k / done, &s, &c);
        v[r] = make_float2(z.x * c - z.y * s, z.x * s + z.y * c);
    }
    float2 p = make_float2(v[0].x + v[2].x, v[0].y + v[2].y), m = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    float2 d = make_float2(v[1].x + v[3].x, v[1].y + v[3].y), e = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    int to = 4 * (t - k) + k;
    out[to] = make_float2(p.x + d.x, p.y + d.y);
    out[to + done] = make_float2(m.x + e.x, m.y + e.y);
    out[to + 2 * done] = make_float2(p.x - d.x, p.y - d.y);
    out[to + 3 * done] = make_float2(m.x - e.x, m.y - e.y);
}

int main()
{
    float2 *x, *y, *in, *out;
    float *re, *im;
    cudaMalloc(&x, SIGNALS * PTS * sizeof(float2));
    cudaMalloc(&y, SIGNALS * PTS * sizeof(float2));
    cudaMalloc(&in, (1 << 20) * sizeof(float2));
    cudaMalloc(&out, (1 << 20) * sizeof(float2));
    cudaMalloc(&re, (1 << 20) * sizeof(float));
    cudaMalloc(&im, (1 << 20) * sizeof(float));
    fft_block<<<SIGNALS, PTS / 2>>>(x, y);
    stage2<<<(1 << 19) / 256, 256>>>(re, im, 1 << 6);
    stage4<<<(1 << 18) / 256, 256>>>(in, out, 1 << 20, 256);
    return 0;
}
