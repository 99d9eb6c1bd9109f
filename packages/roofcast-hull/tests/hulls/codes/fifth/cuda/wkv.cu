#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <chrono>
#include <cuda_runtime.h>

#define MIN_VALUE (-1e38f)

// "WKV" of an attention-free language model. One thread walks one channel of one sequence; pp keeps the exponent
// so that nothing overflows.
template <typename F>
__global__ void kernel_forward(const int B, const int T, const int C, const F *__restrict__ const _w, const F *__restrict__ const _u,
                               const F *__restrict__ const _k, const F *__restrict__ const _v, F *__restrict__ const _y)
{
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    const int _b = idx / C;
    const int _c = idx % C;
    const int _offset = _b * T * C + _c;

    F u = _u[_c];
    F w = _w[_c];
    const F *__restrict__ const k = _k + _offset;
    const F *__restrict__ const v = _v + _offset;
    F *__restrict__ const y = _y + _offset;

    F aa = 0, bb = 0, pp = MIN_VALUE;
    for (int i = 0; i < T; i++) {
        const int ii = i * C;
        const F kk = k[ii];
        const F vv = v[ii];

        F ww = u + kk;
        F p = max(pp, ww);
        F e1 = exp(pp - p);
        F e2 = exp(ww - p);
        y[ii] = (e1 * aa + e2 * vv) / (e1 * bb + e2);

        ww = w + pp;
        p = max(ww, kk);
        e1 = exp(ww - p);
        e2 = exp(kk - p);
        aa = e1 * aa + e2 * vv;
        bb = e1 * bb + e2;
        pp = p;
    }
}

void cuda_forward(int B, int T, int C, float *w, float *u, float *k, float *v, float *y)
{
    dim3 threadsPerBlock(min(C, 32));
    dim3 numBlocks(B * C / threadsPerBlock.x);
    kernel_forward<<<numBlocks, threadsPerBlock>>>(B, T, C, w, u, k, v, y);
}

int main()
{
    const int B = 8, T = 512, C = 512;
    const size_t n = (size_t)B * T * C;
    std::vector<float> hk(n), hv(n), hw(C), hu(C);
    for (size_t i = 0; i < n; i++) {
        hk[i] = rand() / (float)RAND_MAX - 0.5f;
        hv[i] = rand() / (float)RAND_MAX - 0.5f;
    }
    for (int c = 0; c < C; c++) {
        hw[c] = -0.1f - 0.01f * c;
        hu[c] = 0.3f;
    }
    float *w, *u, *k, *v, *y;
    cudaMalloc(&w, C * sizeof(float));
    cudaMalloc(&u, C * sizeof(float));
    cudaMalloc(&k, n * sizeof(float));
    cudaMalloc(&v, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMemcpy(w, hw.data(), C * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(u, hu.data(), C * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(k, hk.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(v, hv.data(), n * sizeof(float), cudaMemcpyHostToDevice);

    auto t0 = std::chrono::steady_clock::now();
    cuda_forward(B, T, C, w, u, k, v, y);
    cudaDeviceSynchronize();
    auto t1 = std::chrono::steady_clock::now();
    printf("%.3f ms\n", std::chrono::duration<double, std::milli>(t1 - t0).count());

    std::vector<float> out(n);
    cudaMemcpy(out.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("y[0] = %f (should be v[0] = %f)\n", out[0], hv[0]);
    cudaFree(w); cudaFree(u); cudaFree(k); cudaFree(v); cudaFree(y);
}
