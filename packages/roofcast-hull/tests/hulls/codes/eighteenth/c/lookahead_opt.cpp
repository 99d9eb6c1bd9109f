// Slow weights of a lookahead optimiser with decoupled decay, stochastic weight averaging beside it.
#include <cstdio>
#include <vector>

struct Params {
    static constexpr long count = 1500000;
    std::vector<float> fast, slow, swa;
    Params() : fast(count, 0.5f), slow(count, 0.4f), swa(count) {}
};

template <class F>
static inline void for_each_param(F&& f)
{
    #pragma omp parallel for simd
    for (long i = 0; i < Params::count; ++i)
        f(i);
}

void sync_slow(Params& p, float alpha)
{
    float* fast = p.fast.data();
    float* slow = p.slow.data();
    for_each_param([=](long i) {
        slow[i] += alpha * (fast[i] - slow[i]);
        fast[i] = slow[i];
    });
}

void average_weights(Params& p, int seen)
{
    float* swa = p.swa.data();
    const float* slow = p.slow.data();
    const float keep = seen / (seen + 1.0f);
    for_each_param([=](long i) { swa[i] = swa[i] * keep + slow[i] * (1.0f - keep); });
}

int main()
{
    Params p;
    for (int k = 0; k < 3; ++k) {
        sync_slow(p, 0.5f);
        average_weights(p, k);
    }
    std::printf("%f\n", p.swa[7]);
}
