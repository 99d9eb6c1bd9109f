// Speech features: mean and deviation of each cepstral coefficient of an utterance, then normalised slopes.
#include <cstdio>
#include <cmath>
#include <vector>

template <int FRAMES, int COEFS>
struct Feat {
    static constexpr int per_utt = FRAMES * COEFS;
    __host__ __device__ static int at(int utt, int frame, int coef) { return utt * per_utt + frame * COEFS + coef; }
    __device__ static int clamped(int utt, int frame, int coef)
    {
        return at(utt, frame < 0 ? 0 : frame >= FRAMES ? FRAMES - 1 : frame, coef);
    }
};

using F = Feat<1000, 40>;

__global__ void stats(const float *x, float *mean, float *scale)
{
    int utt = blockIdx.x, c = threadIdx.x;
    float s = 0, q = 0;
    for (int t = 0; t < 1000; t++) {
        float v = x[F::at(utt, t, c)];
        s += v;
        q += v * v;
    }
    float m = s / 1000.f;
    mean[utt * 40 + c] = m;
    scale[utt * 40 + c] = rsqrtf(q / 1000.f - m * m + 1e-8f);
}

__global__ void normalise(float *x, const float *mean, const float *scale)
{
    int c = threadIdx.x, t = blockIdx.x * blockDim.y + threadIdx.y, utt = blockIdx.y;
    if (t >= 1000) return;
    float &v = x[F::at(utt, t, c)];
    v = (v - mean[utt * 40 + c]) * scale[utt * 40 + c];
}

__global__ void slopes(const float *x, float *d)
{
    int c = threadIdx.x, t = blockIdx.x * blockDim.y + threadIdx.y, utt = blockIdx.y;
    if (t >= 1000) return;
    float near = x[F::clamped(utt, t + 1, c)] - x[F::clamped(utt, t - 1, c)];
    float far = x[F::clamped(utt, t + 2, c)] - x[F::clamped(utt, t - 2, c)];
    d[F::at(utt, t, c)] = 0.1f * (near + 2.0f * far);
}

int main()
{
    const int utts = 32, n = utts * F::per_utt;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = sinf(0.013f * i) + 0.1f * (i % 40);
    float *x, *d, *m, *s;
    cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&d, n * sizeof(float));
    cudaMalloc(&m, utts * 40 * sizeof(float)); cudaMalloc(&s, utts * 40 * sizeof(float));
    cudaMemcpy(x, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    stats<<<utts, 40>>>(x, m, s);
    dim3 block(40, 8), grid(125, utts);
    normalise<<<grid, block>>>(x, m, s);
    slopes<<<grid, block>>>(x, d);
    float one;
    cudaMemcpy(&one, d + 4321, sizeof one, cudaMemcpyDeviceToHost);
    printf("%f\n", one);
}
