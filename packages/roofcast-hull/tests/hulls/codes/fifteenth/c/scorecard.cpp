// credit scorecard: sum of weights of evidence, logistic default probability, and its distribution by outcome
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int APPLICANTS = 200000;
constexpr int FEATURES = 12;
constexpr int BINS = 16;
constexpr int BUCKETS = 100;

using Card = std::array<std::array<float, BINS>, FEATURES>;

void score(const uint8_t *bin, const Card &woe, float intercept, float *pd)
{
    for (int i = 0; i < APPLICANTS; i++) {
        float s = intercept;
        for (int j = 0; j < FEATURES; j++)
            s += woe[j][bin[i * FEATURES + j]];
        pd[i] = 1.0f / (1.0f + std::exp(-s));
    }
}

void tabulate(const float *pd, const uint8_t *bad, int *counts)
{
    for (int i = 0; i < APPLICANTS; i++) {
        int b = (int)(pd[i] * BUCKETS);
        counts[bad[i] * BUCKETS + b]++;
    }
}

int main()
{
    std::vector<uint8_t> bin(APPLICANTS * FEATURES), bad(APPLICANTS);
    std::vector<float> pd(APPLICANTS);
    std::vector<int> counts(2 * BUCKETS, 0);
    Card woe;
    for (int j = 0; j < FEATURES; j++)
        for (int b = 0; b < BINS; b++) woe[j][b] = 0.05f * (b - 8) + 0.01f * j;
    for (size_t i = 0; i < bin.size(); i++) bin[i] = (i * 7919 >> 5) & 15;
    for (int i = 0; i < APPLICANTS; i++) bad[i] = i % 17 == 0;
    score(bin.data(), woe, -2.0f, pd.data());
    tabulate(pd.data(), bad.data(), counts.data());
    std::printf("%f %d\n", pd[1], counts[10]);
}
