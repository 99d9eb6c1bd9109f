// Quotient-remainder trick: an id's vector is the product of a row of each of two small tables of its field.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define BATCH 8192
#define FIELDS 26
#define DIM 32
#define QUOT 4096
#define REM 256

__global__ void compose(const int* ids, const float* quot, const float* rem, float* out)
{
    int d = threadIdx.x;
    int f = blockIdx.y;
    int b = blockIdx.x * blockDim.y + threadIdx.y;
    int id = ids[b * FIELDS + f];
    int q = id / REM, r = id % REM;
    out[(b * FIELDS + f) * DIM + d] = quot[(f * QUOT + q) * DIM + d] * rem[(f * REM + r) * DIM + d];
}

int main()
{
    std::vector<int> hi(BATCH * FIELDS);
    std::vector<float> hq(FIELDS * QUOT * DIM), hr(FIELDS * REM * DIM);
    for (auto& i : hi) i = rand() % (QUOT * REM);
    for (size_t i = 0; i < hq.size(); i++) hq[i] = 0.001f * (i % 1013);
    for (size_t i = 0; i < hr.size(); i++) hr[i] = 0.003f * (i % 511);
    int* ids;
    float *q, *r, *o;
    cudaMalloc(&ids, BATCH * FIELDS * sizeof(int));
    cudaMalloc(&q, FIELDS * QUOT * DIM * sizeof(float));
    cudaMalloc(&r, FIELDS * REM * DIM * sizeof(float));
    cudaMalloc(&o, BATCH * FIELDS * DIM * sizeof(float));
    cudaMemcpy(ids, hi.data(), hi.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(q, hq.data(), hq.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(r, hr.data(), hr.size() * sizeof(float), cudaMemcpyHostToDevice);
    compose<<<dim3(BATCH / 8, FIELDS), dim3(DIM, 8)>>>(ids, q, r, o);
    float first;
    cudaMemcpy(&first, o, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", first);
}
