/* Down-and-out call, daily monitoring. The normals are drawn beforehand by cuRAND (host API) and stay on the device. */
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include <cuda_runtime.h>
#include <curand.h>

struct Contract {
    float spot, strike, barrier;
    float drift;      // (r - sigma^2/2) dt
    float volSqrtDt;  // sigma sqrt(dt)
    float discount;
};

__global__ void downAndOutCall(const float *normals, float *payoff, Contract c, int paths, int steps)
{
    int path = threadIdx.x + blockIdx.x * blockDim.x;
    if (path < paths) {
        float s = c.spot;
        float lowest = s;
        for (int t = 0; t < steps; t++) {
            float z = normals[t * paths + path];
            s *= expf(c.drift + c.volSqrtDt * z);
            lowest = fminf(lowest, s);
        }
        payoff[path] = (lowest > c.barrier) ? c.discount * fmaxf(s - c.strike, 0.0f) : 0.0f;
    }
}

int main(int argc, char **argv)
{
    int paths = argc > 1 ? atoi(argv[1]) : 100000;
    int steps = argc > 2 ? atoi(argv[2]) : 252;
    const float sigma = 0.25f, rate = 0.03f, dt = 1.0f / 252.0f;

    Contract c;
    c.spot = 100.0f;
    c.strike = 105.0f;
    c.barrier = 80.0f;
    c.drift = (rate - 0.5f * sigma * sigma) * dt;
    c.volSqrtDt = sigma * sqrtf(dt);
    c.discount = expf(-rate * steps * dt);

    float *d_normals, *d_payoff;
    cudaMalloc((void **)&d_normals, (size_t)paths * steps * sizeof(float));
    cudaMalloc((void **)&d_payoff, paths * sizeof(float));

    curandGenerator_t gen;
    curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_PHILOX4_32_10);
    curandSetPseudoRandomGeneratorSeed(gen, 20240229ULL);
    curandGenerateNormal(gen, d_normals, (size_t)paths * steps, 0.0f, 1.0f);

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    downAndOutCall<<<(paths + 255) / 256, 256>>>(d_normals, d_payoff, c, paths, steps);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    float ms;
    cudaEventElapsedTime(&ms, start, stop);

    std::vector<float> payoff(paths);
    cudaMemcpy(payoff.data(), d_payoff, paths * sizeof(float), cudaMemcpyDeviceToHost);
    double price = std::accumulate(payoff.begin(), payoff.end(), 0.0) / paths;
    printf("price %.4f in %.3f ms\n", price, ms);

    curandDestroyGenerator(gen);
    cudaFree(d_normals);
    cudaFree(d_payoff);
    return 0;
}
