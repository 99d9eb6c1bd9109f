// Izhikevich neurons, two half steps of the membrane; spikes of a warp leave as one word
#include <cstdio>
#include <vector>

constexpr int NEURONS = 1 << 20;
__constant__ float RS[4] = {0.02f, 0.2f, -65.0f, 8.0f};       // a, b, c, d

__global__ __launch_bounds__(256, 4) void step_neurons(float *__restrict__ v, float *__restrict__ u, const float *__restrict__ current,
                                                       unsigned *__restrict__ spikes)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    float vm = v[i], um = u[i];
    const float in = current[i];
    vm += 0.5f * (0.04f * vm * vm + 5.0f * vm + 140.0f - um + in);
    vm += 0.5f * (0.04f * vm * vm + 5.0f * vm + 140.0f - um + in);
    um += RS[0] * (RS[1] * vm - um);
    const bool fired = vm >= 30.0f;
    if (fired) {
        vm = RS[2];
        um += RS[3];
    }
    v[i] = vm;
    u[i] = um;
    const unsigned word = __ballot_sync(0xffffffffu, fired);
    if ((threadIdx.x & 31) == 0) spikes[i >> 5] = word;
}

int main()
{
    std::vector<float> h(NEURONS, -65.0f), w(NEURONS, -13.0f), c(NEURONS);
    for (int i = 0; i < NEURONS; i++) c[i] = 4.0f + 0.01f * (i % 1000);
    float *v, *u, *cur; unsigned *sp;
    cudaMalloc(&v, NEURONS * 4); cudaMalloc(&u, NEURONS * 4); cudaMalloc(&cur, NEURONS * 4);
    cudaMalloc(&sp, NEURONS / 8);
    cudaMemcpy(v, h.data(), NEURONS * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(u, w.data(), NEURONS * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(cur, c.data(), NEURONS * 4, cudaMemcpyHostToDevice);
    step_neurons<<<NEURONS / 256, 256>>>(v, u, cur, sp);
    cudaMemcpy(h.data(), v, NEURONS * 4, cudaMemcpyDeviceToHost);
    printf("%f\n", h[1234]);
}
