// Scores of triples of a knowledge graph by TransE: a warp for each, L1 distance of head + relation to tail.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define DIM 128
#define ENTITIES 15000
#define RELATIONS 237
#define TRIPLES 20000

struct Triple { int head, rel, tail; };

__global__ void score_triples(const Triple *triple, const float *ent, const float *rel, float *score)
{
    int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (w >= TRIPLES) return;
    Triple t = triple[w];
    float s = 0.f;
    for (int d = lane; d < DIM; d += 32)
        s += fabsf(ent[t.head * DIM + d] + rel[t.rel * DIM + d] - ent[t.tail * DIM + d]);
    for (int o = 16; o > 0; o /= 2)
        s += __shfl_xor_sync(0xffffffff, s, o);
    if (lane == 0) score[w] = s;
}

int main()
{
    std::vector<Triple> ht(TRIPLES);
    std::vector<float> he(ENTITIES * DIM), hr(RELATIONS * DIM);
    for (auto &t : ht) t = {rand() % ENTITIES, rand() % RELATIONS, rand() % ENTITIES};
    for (auto &v : he) v = rand() / (float)RAND_MAX - .5f;
    for (auto &v : hr) v = rand() / (float)RAND_MAX - .5f;
    Triple *t; float *e, *r, *s;
    cudaMalloc(&t, sizeof(Triple) * TRIPLES);
    cudaMalloc(&e, sizeof(float) * ENTITIES * DIM);
    cudaMalloc(&r, sizeof(float) * RELATIONS * DIM);
    cudaMalloc(&s, sizeof(float) * TRIPLES);
    cudaMemcpy(t, ht.data(), sizeof(Triple) * TRIPLES, cudaMemcpyHostToDevice);
    cudaMemcpy(e, he.data(), sizeof(float) * ENTITIES * DIM, cudaMemcpyHostToDevice);
    cudaMemcpy(r, hr.data(), sizeof(float) * RELATIONS * DIM, cudaMemcpyHostToDevice);
    score_triples<<<TRIPLES * 32 / 256, 256>>>(t, e, r, s);
    float x;
    cudaMemcpy(&x, s, sizeof x, cudaMemcpyDeviceToHost);
    printf("%g\n", x);
}
