// min-p sampling: what lies more than log(p) below the best logit of its row cannot be drawn
#include <cmath>
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

static const int BATCH = 64;
static const int VOCAB = 32000;

__global__ void row_peak(const float *__restrict__ logits, float *__restrict__ peak, int vocab)
{
    __shared__ float partial[8];
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cta);

    const float *row = logits + (size_t)blockIdx.x * vocab;
    float best = -INFINITY;
    for (int i = cta.thread_rank(); i < vocab; i += cta.size())
        best = fmaxf(best, row[i]);
    best = cg::reduce(warp, best, cg::greater<float>());
    if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = best;
    cta.sync();
    if (cta.thread_rank() == 0) {
        for (int w = 1; w < 8; w++) best = fmaxf(best, partial[w]);
        peak[blockIdx.x] = best;
    }
}

__global__ void drop_below(float *logits, const float *__restrict__ peak, float log_p, int vocab)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y;
    if (i < vocab) {
        float v = logits[(size_t)row * vocab + i];
        logits[(size_t)row * vocab + i] = v < peak[row] + log_p ? -INFINITY : v;
    }
}

int main()
{
    std::vector<float> h((size_t)BATCH * VOCAB);
    for (size_t i = 0; i < h.size(); i++) h[i] = 8.0f * sinf(0.37f * (float)(i % 10007));
    float *logits, *peak;
    cudaMalloc(&logits, h.size() * sizeof(float));
    cudaMalloc(&peak, BATCH * sizeof(float));
    cudaMemcpy(logits, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
    row_peak<<<BATCH, 256>>>(logits, peak, VOCAB);
    drop_below<<<dim3((VOCAB + 255) / 256, BATCH), 256>>>(logits, peak, logf(0.05f), VOCAB);
    cudaMemcpy(h.data(), logits, h.size() * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", h[5]);
    return 0;
}
