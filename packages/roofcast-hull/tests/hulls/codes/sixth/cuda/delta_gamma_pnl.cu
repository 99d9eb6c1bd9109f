// Delta-gamma value at risk: profit and loss of a book under many shock scenarios, then the 1% quantile with Thrust.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <iostream>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

namespace cg = cooperative_groups;

namespace {
constexpr int N_SCENARIOS = 20000;
constexpr int N_FACTORS = 350;
}

template <int LANES>
__global__ void scenario_pnl(float const* __restrict__ shocks,
                             float const* __restrict__ delta,
                             float const* __restrict__ gamma,
                             float* __restrict__ pnl,
                             int scenarios, int factors)
{
    auto tile = cg::tiled_partition<LANES>(cg::this_thread_block());
    int const scenario = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES;
    if (scenario >= scenarios) return;

    float const* row = shocks + size_t(scenario) * factors;
    float acc = 0.f;
    for (int j = tile.thread_rank(); j < factors; j += LANES) {
        float const r = row[j];
        acc += delta[j] * r + 0.5f * gamma[j] * r * r;
    }
    acc = cg::reduce(tile, acc, cg::plus<float>());
    if (tile.thread_rank() == 0) pnl[scenario] = acc;
}

int main()
{
    thrust::host_vector<float> shocks(size_t(N_SCENARIOS) * N_FACTORS), delta(N_FACTORS), gamma(N_FACTORS);
    unsigned state = 12345u;
    for (auto& v : shocks) {
        state = state * 1664525u + 1013904223u;
        v = (float(state >> 8) / float(1 << 24) - 0.5f) * 0.08f;
    }
    for (int j = 0; j < N_FACTORS; ++j) {
        delta[j] = 1000.f - 5.f * j;
        gamma[j] = -20.f + 0.1f * j;
    }

    thrust::device_vector<float> d_shocks = shocks, d_delta = delta, d_gamma = gamma;
    thrust::device_vector<float> d_pnl(N_SCENARIOS);

    constexpr int threads = 256;
    constexpr int perBlock = threads / 32;
    scenario_pnl<32><<<(N_SCENARIOS + perBlock - 1) / perBlock, threads>>>(
        thrust::raw_pointer_cast(d_shocks.data()), thrust::raw_pointer_cast(d_delta.data()),
        thrust::raw_pointer_cast(d_gamma.data()), thrust::raw_pointer_cast(d_pnl.data()),
        N_SCENARIOS, N_FACTORS);
    cudaDeviceSynchronize();

    thrust::sort(d_pnl.begin(), d_pnl.end());
    float const var99 = -d_pnl[N_SCENARIOS / 100];
    std::cout << "99% VaR: " << var99 << '\n';
}
