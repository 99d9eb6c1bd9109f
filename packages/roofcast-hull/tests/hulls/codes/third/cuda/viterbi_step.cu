// One step of a Viterbi decoder over a dense graph of states. To be included; the caller owns the memory.
#pragma once
#include <cuda_runtime.h>

static constexpr int kStates = 512;

// from: scores so far; trans: from row to column; emit: of this step.
__global__ void viterbi_step(const float *__restrict__ from, const float *__restrict__ trans, const float *__restrict__ emit,
                             float *__restrict__ to, int *__restrict__ back)
{
    __shared__ float scores[kStates];
    const int s = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = threadIdx.x; i < kStates; i += blockDim.x) scores[i] = from[i];
    __syncthreads();
    float best = -1e30f;
    int arg = 0;
    for (int p = 0; p < kStates; ++p) {
        const float v = scores[p] + trans[p * kStates + s];
        if (v > best) {
            best = v;
            arg = p;
        }
    }
    to[s] = best + emit[s];
    back[s] = arg;
}

inline void decode_step(const float *from, const float *trans, const float *emit, float *to, int *back, cudaStream_t stream)
{
    viterbi_step<<<kStates / 128, 128, 0, stream>>>(from, trans, emit, to, back);
}
