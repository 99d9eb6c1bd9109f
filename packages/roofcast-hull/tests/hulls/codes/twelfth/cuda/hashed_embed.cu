// Compositional embedding (quotient and remainder tables) of categorical columns, and its gradient for the remainder table.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

enum { IDS = 200000, DIM = 32, QUOT = 512, REM = 2000 };

__global__ void qr_lookup(const int *ids, const float *quot, const float *rem, float *out) {
    int d = threadIdx.x;
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i < IDS) {
        int id = ids[i];
        out[i * DIM + d] = quot[(id / REM) * DIM + d] * rem[(id % REM) * DIM + d];
    }
}

__global__ void qr_grad_rem(const int *ids, const float *quot, const float *grad, float *grad_rem) {
    int d = threadIdx.x;
    int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= IDS) return;
    int id = ids[i];
    atomicAdd(&grad_rem[(id % REM) * DIM + d], grad[i * DIM + d] * quot[(id / REM) * DIM + d]);
}

template <class T>
T *on_device(const std::vector<T> &h) {
    T *d = nullptr;
    cudaMalloc(&d, h.size() * sizeof(T));
    cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

int main() {
    std::vector<int> ids(IDS);
    for (int i = 0; i < IDS; i++) ids[i] = (int)(i * 2654435761ull % (QUOT * REM));
    std::vector<float> q(QUOT * DIM, 0.5f), r(REM * DIM, 1.5f), g(IDS * DIM, 0.01f), zero(REM * DIM, 0.f);
    int *di = on_device(ids);
    float *dq = on_device(q), *dr = on_device(r), *dg = on_device(g), *dz = on_device(zero), *o;
    cudaMalloc(&o, sizeof(float) * IDS * DIM);
    dim3 block(DIM, 8);
    qr_lookup<<<IDS / 8, block>>>(di, dq, dr, o);
    qr_grad_rem<<<IDS / 8, block>>>(di, dq, dg, dz);
    printf("%d\n", (int)cudaDeviceSynchronize());
}
