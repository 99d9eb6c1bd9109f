#include <cuda_runtime.h>

struct Hyper { float lr, mu, damping, decay; };

__global__ void sgd_momentum(float *w, const float *g, float *v, float lr, float mu, float damping, float decay, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    float grad = g[i] + decay * w[i];
    float vel = mu * v[i] + (1.0f - damping) * grad;
    v[i] = vel;
    w[i] -= lr * vel;
}

void step(float *w, const float *g, float *v, size_t n, const Hyper &h, cudaStream_t stream) {
    const int threads = 512;
    const int blocks = static_cast<int>((n + threads - 1) / threads);
    sgd_momentum<<<blocks, threads, 0, stream>>>(w, g, v, h.lr, h.mu, h.damping, h.decay, n);
}

int main() {
    const size_t params = 5000000;
    float *w, *g, *v;
    cudaMallocManaged(&w, params * sizeof(float));
    cudaMallocManaged(&g, params * sizeof(float));
    cudaMallocManaged(&v, params * sizeof(float));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    Hyper h{1e-3f, 0.9f, 0.1f, 1e-4f};
    for (int epoch = 0; epoch < 10; ++epoch) step(w, g, v, params, h, stream);
    cudaStreamSynchronize(stream);
}
