// SGD with momentum; Nesterov or not is a matter of the template.
#include <cuda_runtime.h>
#include <vector>

struct Hyper {
    float rate;
    float momentum;
    float decay;
};

template <typename T, bool NESTEROV>
__global__ void sgd_update(T *__restrict__ weight, T *__restrict__ velocity, const T *__restrict__ gradient, Hyper h, size_t n)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        T g = gradient[i] + h.decay * weight[i];
        T v = h.momentum * velocity[i] + g;
        velocity[i] = v;
        if (NESTEROV)
            g += h.momentum * v;
        else
            g = v;
        weight[i] -= h.rate * g;
    }
}

int main()
{
    const size_t n = 3 << 20;
    std::vector<float> host(n, 0.5f);
    float *w, *v, *g;
    cudaMalloc(&w, n * sizeof(float));
    cudaMalloc(&v, n * sizeof(float));
    cudaMalloc(&g, n * sizeof(float));
    cudaMemcpy(w, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(v, 0, n * sizeof(float));
    Hyper h{0.01f, 0.9f, 1e-4f};
    for (int step = 0; step < 10; ++step)
        sgd_update<float, true><<<1024, 256>>>(w, v, g, h, n);
    cudaMemcpy(host.data(), w, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(w);
    cudaFree(v);
    cudaFree(g);
}
