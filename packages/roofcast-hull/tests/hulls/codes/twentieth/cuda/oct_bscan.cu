// swept source OCT: background, k-linearisation, window
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

template <typename T> T *to_device(const std::vector<T> &h)
{
    T *d; cudaMalloc(&d, h.size() * sizeof(T));
    cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

const int LINES = 1024;   // A-scans of a frame
const int SAMP = 2048;

__global__ void mean_spectrum(const unsigned short *raw, float *bg)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= SAMP) return;
    float sum = 0;
    for (int a = 0; a < LINES; a++) sum += raw[a * SAMP + k];
    bg[k] = sum * (1.0f / LINES);
}

template <typename RAW>
__global__ void linearise(const RAW *raw, const float *bg, const int *left, const float *frac, const float *win, float2 *out)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    int a = blockIdx.y;
    int i = left[k];
    float f = frac[k];
    float y0 = raw[a * SAMP + i] - bg[i];
    float y1 = raw[a * SAMP + i + 1] - bg[i + 1];
    out[a * SAMP + k] = make_float2((y0 + f * (y1 - y0)) * win[k], 0.f);
}

int main()
{
    std::vector<unsigned short> raw(LINES * SAMP);
    std::vector<int> left(SAMP); std::vector<float> frac(SAMP), win(SAMP);
    for (int a = 0; a < LINES; a++)
        for (int k = 0; k < SAMP; k++) raw[a * SAMP + k] = (unsigned short)(2000 + 800 * sinf(k * 0.11f + a * 0.003f));
    for (int k = 0; k < SAMP; k++) {
        double p = k + 12.0 * sin(M_PI * k / SAMP);
        left[k] = p > SAMP - 2 ? SAMP - 2 : (int)p;
        frac[k] = (float)(p - left[k]);
        win[k] = 0.5f - 0.5f * cosf(2 * (float)M_PI * k / SAMP);
    }
    auto *draw = to_device(raw); auto *dl = to_device(left); auto *df = to_device(frac); auto *dw = to_device(win);
    float *bg; float2 *out;
    cudaMalloc(&bg, SAMP * sizeof(float));
    cudaMalloc(&out, LINES * SAMP * sizeof(float2));
    mean_spectrum<<<SAMP / 128, 128>>>(draw, bg);
    linearise<unsigned short><<<dim3(SAMP / 256, LINES), 256>>>(draw, bg, dl, df, dw, out);
    float2 z;
    cudaMemcpy(&z, out + 777, sizeof z, cudaMemcpyDeviceToHost);
    printf("%f\n", z.x);
}
