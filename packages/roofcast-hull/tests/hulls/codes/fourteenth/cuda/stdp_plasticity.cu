// Spike-timing-dependent plasticity of a dense synapse matrix, one time step.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

const int PRE = 2048, POST = 4096;

struct Rule { float up, down, w_max; };

__global__ void decay_traces(float *trace, const unsigned char *fired, float keep, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) trace[i] = trace[i] * keep + fired[i];
}

__global__ void learn(float *w, const float *pre_trace, const float *post_trace,
                      const unsigned char *pre_fired, const unsigned char *post_fired, Rule rule)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y;
    if (j >= POST) return;
    float gain = rule.up * pre_trace[i] * (float)post_fired[j];
    float loss = rule.down * post_trace[j] * (float)pre_fired[i];
    float v = w[i * POST + j] + gain - loss;
    v = v < 0.0f ? 0.0f : v;
    v = v > rule.w_max ? rule.w_max : v;
    w[i * POST + j] = v;
}

int main()
{
    float *hw = new float[PRE * POST];
    unsigned char *hf = new unsigned char[POST];
    for (int k = 0; k < PRE * POST; k++) hw[k] = rand() / (float)RAND_MAX;
    for (int k = 0; k < POST; k++) hf[k] = rand() % 50 == 0;
    float *w, *tp, *tq;
    unsigned char *fp, *fq;
    cudaMalloc(&w, sizeof(float) * PRE * POST);
    cudaMalloc(&tp, sizeof(float) * PRE);
    cudaMalloc(&tq, sizeof(float) * POST);
    cudaMalloc(&fp, PRE);
    cudaMalloc(&fq, POST);
    cudaMemcpy(w, hw, sizeof(float) * PRE * POST, cudaMemcpyHostToDevice);
    cudaMemcpy(tp, hw, sizeof(float) * PRE, cudaMemcpyHostToDevice);
    cudaMemcpy(tq, hw + PRE, sizeof(float) * POST, cudaMemcpyHostToDevice);
    cudaMemcpy(fp, hf, PRE, cudaMemcpyHostToDevice);
    cudaMemcpy(fq, hf, POST, cudaMemcpyHostToDevice);
    Rule rule = {0.01f, 0.012f, 1.0f};
    decay_traces<<<POST / 256, 256>>>(tq, fq, 0.95f, POST);
    dim3 grid(POST / 256, PRE);
    learn<<<grid, 256>>>(w, tp, tq, fp, fq, rule);
    cudaMemcpy(hw, w, sizeof(float) * PRE * POST, cudaMemcpyDeviceToHost);
    printf("%f\n", hw[17]);
    delete[] hw; delete[] hf;
    return 0;
}
