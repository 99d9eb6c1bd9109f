// Leaky neurons that fire.
#include <cuda_runtime.h>

struct Neuron { float rest, threshold, reset, tau; int pause; };

__global__ void lif_step(float *voltage, const float *current, int *waiting, unsigned char *spike, Neuron k, float dt, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float v = voltage[i];
    int left = waiting[i];
    unsigned char fired = 0;
    if (left > 0) {
        left--;
    } else {
        v += dt * (k.rest - v + current[i]) / k.tau;
        if (v > k.threshold) {
            v = k.reset;
            left = k.pause;
            fired = 1;
        }
    }
    voltage[i] = v;
    waiting[i] = left;
    spike[i] = fired;
}

int main()
{
    const int n = 1000000;
    Neuron k = {-65.f, -50.f, -65.f, 20.f, 20};
    float *voltage, *current;
    int *waiting;
    unsigned char *spike;
    cudaMalloc(&voltage, n * sizeof(float));
    cudaMalloc(&current, n * sizeof(float));
    cudaMalloc(&waiting, n * sizeof(int));
    cudaMalloc(&spike, n);
    for (int t = 0; t < 1000; t++) lif_step<<<(n + 255) / 256, 256>>>(voltage, current, waiting, spike, k, 0.1f, n);
    cudaDeviceSynchronize();
    return 0;
}
