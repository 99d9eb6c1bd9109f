// ultimate ruin of a small insurer, one random walk a scenario
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kPaths = 20000, kWeeks = 250;

struct Xorshift {
    uint32_t s;
    float operator()()
    {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        return s * 2.3283064e-10f;
    }
};

void lowest_capital(const std::vector<uint32_t>& seed, std::vector<float>& low)
{
#pragma omp parallel for
    for (int p = 0; p < kPaths; ++p) {
        Xorshift rng{seed[p]};
        float capital = 10.f, worst = capital;
        for (int w = 0; w < kWeeks; ++w) {
            capital += rng() < 0.3f ? -2.2f : 1.f;
            worst = std::min(worst, capital);
        }
        low[p] = worst;
    }
}

int main()
{
    std::vector<uint32_t> seed(kPaths);
    std::vector<float> low(kPaths);
    for (int p = 0; p < kPaths; ++p)
        seed[p] = 2654435761u * (p + 1);
    lowest_capital(seed, low);
    std::printf("%ld ruined\n", static_cast<long>(std::count_if(low.begin(), low.end(), [](float l) { return l < 0; })));
}
