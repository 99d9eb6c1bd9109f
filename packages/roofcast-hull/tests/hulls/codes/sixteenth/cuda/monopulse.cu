// Pulse radar: weighting over pulses while turning corners, then the monopulse ratio of sum and difference beams.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int PULSES = 512;
constexpr int GATES = 4096;
constexpr int T = 32;

__global__ void corner_turn(float2 *__restrict__ by_gate, const float2 *__restrict__ by_pulse, const float *__restrict__ taper)
{
    __shared__ float2 tile[T][T + 1];
    int gate = blockIdx.x * T + threadIdx.x;
    int pulse = blockIdx.y * T + threadIdx.y;
    for (int k = 0; k < T; k += 8) {
        float2 v = by_pulse[(pulse + k) * GATES + gate];
        float w = taper[pulse + k];
        v.x *= w;
        v.y *= w;
        tile[threadIdx.y + k][threadIdx.x] = v;
    }
    __syncthreads();
    pulse = blockIdx.y * T + threadIdx.x;
    gate = blockIdx.x * T + threadIdx.y;
    for (int k = 0; k < T; k += 8)
        by_gate[(gate + k) * PULSES + pulse] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void angle_error(const float2 *__restrict__ sum, const float2 *__restrict__ diff, float *__restrict__ err,
                            float slope, float floor_power, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const float2 s = __ldg(&sum[i]), d = __ldg(&diff[i]);
        const float power = s.x * s.x + s.y * s.y;
        const float cross = d.x * s.x + d.y * s.y;
        err[i] = slope * cross / fmaxf(power, floor_power);
    }
}

int main()
{
    const int n = PULSES * GATES;
    std::vector<float2> h(n);
    std::vector<float> t(PULSES);
    for (int i = 0; i < n; i++) h[i] = make_float2(cosf(0.01f * (i % 4096)), sinf(0.013f * (i % 8192)));
    for (int i = 0; i < PULSES; i++) t[i] = 0.54f - 0.46f * cosf(6.2831853f * i / (PULSES - 1));
    float2 *a, *b, *d; float *taper, *err;
    cudaMalloc(&a, n * sizeof(float2));
    cudaMalloc(&b, n * sizeof(float2));
    cudaMalloc(&d, n * sizeof(float2));
    cudaMalloc(&taper, PULSES * sizeof(float));
    cudaMalloc(&err, n * sizeof(float));
    cudaMemcpy(a, h.data(), n * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(d, h.data(), n * sizeof(float2), cudaMemcpyHostToDevice);
    cudaMemcpy(taper, t.data(), PULSES * sizeof(float), cudaMemcpyHostToDevice);
    corner_turn<<<dim3(GATES / T, PULSES / T), dim3(T, 8)>>>(b, a, taper);
    angle_error<<<528, 256>>>(b, d, err, 1.7f, 1e-6f, n);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
