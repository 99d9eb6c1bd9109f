// All-against-all Jaccard index of 1024-bit fingerprints.
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

static constexpr int N = 600;
static constexpr int WORDS = 16;

using Print = std::array<uint64_t, WORDS>;

static inline int pop(uint64_t v) { return __builtin_popcountll(v); }

void all_pairs(const std::vector<Print>& fp, std::vector<float>& sim)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            int both = 0, any = 0;
            for (int w = 0; w < WORDS; w++) {
                both += pop(fp[i][w] & fp[j][w]);
                any += pop(fp[i][w] | fp[j][w]);
            }
            sim[i * N + j] = float(both) / float(any);
        }
    }
}

int main()
{
    std::vector<Print> fp(N);
    std::vector<float> sim(N * N);
    std::mt19937_64 gen(7);
    for (auto& p : fp)
        for (auto& w : p) w = gen() & gen();
    all_pairs(fp, sim);
    std::printf("%f %f\n", sim[0], sim[1]);
}
