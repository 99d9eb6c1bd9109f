// European calls under Merton's jump diffusion: a Poisson-weighted series of Black-Scholes prices, one option a thread.
// Blind set: class by hand; operations counted in Python for one option (16 terms).
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

struct Contract {
    float spot;
    float strike;
    float years;
    float vol;
};

static const int kOptions = 1 << 22;
#define TERMS 16

#define CUDA_CALL(x) do { if ((x) != cudaSuccess) { \
    printf("Error at %s:%d\n", __FILE__, __LINE__); return EXIT_FAILURE; } } while (0)

__device__ __forceinline__ float normCdf(float x)
{
    return 0.5f * erfcf(x * -0.70710678f);
}

__global__ void mertonCalls(const Contract *__restrict__ book, float *__restrict__ price, int n,
                            float rBase, float lambdaPrime, float logK, float delta2)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n)
        return;

    const Contract c = book[i];
    const float lt = lambdaPrime * c.years;
    float weight = expf(-lt);
    const float moneyness = logf(c.spot / c.strike);
    const float varPerJump = delta2 / c.years;
    const float driftPerJump = logK / c.years;
    const float var0 = c.vol * c.vol;

    float sum = 0.0f;
    for (int k = 0; k < TERMS; ++k) {
        const float v2 = var0 + k * varPerJump;
        const float rk = rBase + k * driftPerJump;
        const float sd = sqrtf(v2 * c.years);
        const float d1 = (moneyness + (rk + 0.5f * v2) * c.years) / sd;
        const float d2 = d1 - sd;
        const float disc = expf(-rk * c.years);
        sum += weight * (c.spot * normCdf(d1) - c.strike * disc * normCdf(d2));
        weight *= lt / (k + 1);
    }
    price[i] = sum;
}

__global__ void makeBook(Contract *book, int n)
{
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) {
        book[i].spot = 80.0f + (i % 41);
        book[i].strike = 100.0f;
        book[i].years = 0.25f + 0.25f * (i % 8);
        book[i].vol = 0.1f + 0.01f * (i % 30);
    }
}

int main()
{
    const float r = 0.03f, lambda = 0.4f, muJ = -0.1f, deltaJ = 0.15f;
    const float k = expf(muJ + 0.5f * deltaJ * deltaJ) - 1.0f;

    Contract *book;
    float *price;
    CUDA_CALL(cudaMalloc((void **)&book, kOptions * sizeof(Contract)));
    CUDA_CALL(cudaMalloc((void **)&price, kOptions * sizeof(float)));
    makeBook<<<kOptions / 256, 256>>>(book, kOptions);

    mertonCalls<<<(kOptions + 127) / 128, 128>>>(book, price, kOptions, r - lambda * k, lambda * (1.0f + k),
                                                 logf(1.0f + k), deltaJ * deltaJ);
    CUDA_CALL(cudaGetLastError());
    CUDA_CALL(cudaDeviceSynchronize());

    float first[4];
    CUDA_CALL(cudaMemcpy(first, price, sizeof(first), cudaMemcpyDeviceToHost));
    printf("%f %f %f %f\n", first[0], first[1], first[2], first[3]);
    cudaFree(book);
    cudaFree(price);
    return EXIT_SUCCESS;
}
