// Two light layers of a mobile vision network, NCHW, ShuffleNetV2-1x stage 2 shape:
// the gate of squeeze-and-excite (hard sigmoid) and the channel shuffle.
// 5 operations a pixel for the gate (add, max, min, divide, multiply); the shuffle only copies.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

struct Shape {
    int n, c, h, w;
    __host__ __device__ int plane() const { return h * w; }
    __host__ __device__ int count() const { return n * c * h * w; }
};

__global__ void se_gate(const float *x, const float *squeezed, float *y, Shape sh)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < sh.count()) {
        float s = squeezed[i / sh.plane()];
        float gate = fminf(fmaxf(s + 3.0f, 0.0f), 6.0f) / 6.0f;
        y[i] = x[i] * gate;
    }
}

__global__ void channel_shuffle(const float *__restrict__ x, float *__restrict__ y, Shape sh, int groups)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= sh.count()) return;
    int p = i % sh.plane();
    int c = (i / sh.plane()) % sh.c;
    int n = i / (sh.plane() * sh.c);
    int per = sh.c / groups;
    int to = (c % per) * groups + c / per;
    y[(n * sh.c + to) * sh.plane() + p] = x[i];
}

int main()
{
    const Shape sh = {4, 116, 28, 28};
    std::vector<float> hx(sh.count()), hs(sh.n * sh.c, 0.0f), hy(sh.count());
    for (int i = 0; i < sh.count(); i++) hx[i] = (float)(i / sh.plane() % sh.c);

    float *x, *s, *t, *y;
    cudaMalloc(&x, hx.size() * sizeof(float));
    cudaMalloc(&t, hx.size() * sizeof(float));
    cudaMalloc(&y, hx.size() * sizeof(float));
    cudaMalloc(&s, hs.size() * sizeof(float));
    cudaMemcpy(x, hx.data(), hx.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(s, hs.data(), hs.size() * sizeof(float), cudaMemcpyHostToDevice);

    const int threads = 192;
    const int blocks = (sh.count() + threads - 1) / threads;
    se_gate<<<blocks, threads>>>(x, s, t, sh);
    channel_shuffle<<<blocks, threads>>>(t, y, sh, 2);

    cudaMemcpy(hy.data(), y, hy.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("channels 0..3 of y: %g %g %g %g (expect 0 29 0.5 29.5)\n", hy[0], hy[sh.plane()],
           hy[2 * sh.plane()], hy[3 * sh.plane()]);
    cudaFree(x); cudaFree(s); cudaFree(t); cudaFree(y);
    return 0;
}
