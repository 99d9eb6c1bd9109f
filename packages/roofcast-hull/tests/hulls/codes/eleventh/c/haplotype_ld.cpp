// Linkage disequilibrium of biallelic sites; haplotypes are bits, 64 in a word.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

constexpr int SITES = 384;
constexpr int WORDS = 40;
constexpr double HAPS = 64.0 * WORDS;

using Row = std::array<std::uint64_t, WORDS>;

static Row site[SITES];
static double freq[SITES];
static float r2[SITES][SITES];
static float score[SITES];

void allele_freq()
{
    for (int s = 0; s < SITES; ++s) {
        int n = 0;
        for (int w = 0; w < WORDS; ++w)
            n += __builtin_popcountll(site[s][w]);
        freq[s] = n / HAPS;
    }
}

void ld_matrix()
{
#pragma omp parallel for schedule(dynamic, 8)
    for (int a = 0; a < SITES; ++a)
        for (int b = 0; b < SITES; ++b) {
            int n = 0;
            for (int w = 0; w < WORDS; ++w)
                n += __builtin_popcountll(site[a][w] & site[b][w]);
            const double pa = freq[a], pb = freq[b];
            const double d = n / HAPS - pa * pb;
            const double var = pa * (1.0 - pa) * pb * (1.0 - pb);
            r2[a][b] = static_cast<float>(d * d / var);
        }
}

// sum over the sites at most 50 away
template <int REACH>
void ld_score(const float (*m)[SITES], float *out)
{
    for (int a = REACH; a < SITES - REACH; ++a) {
        float s = 0.0f;
        for (int o = -REACH; o <= REACH; ++o)
            s += m[a][a + o];
        out[a] = s;
    }
}

int main()
{
    for (auto &row : site)
        for (auto &w : row)
            w = (static_cast<std::uint64_t>(std::rand()) << 33) ^ (static_cast<std::uint64_t>(std::rand()) << 5);
    allele_freq();
    ld_matrix();
    ld_score<50>(r2, score);
    std::printf("%g %g %g\n", freq[3], r2[3][3], score[100]);
}
