// Receiver of satellites: chips from shift registers, removal of the carrier, correlation at every delay.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int kChips = 1023;
constexpr int kSamples = 200000;

using Code = std::array<std::int8_t, kChips>;

void make_code(Code& out, int tapA, int tapB)
{
    unsigned g1 = 0x3ff, g2 = 0x3ff;
    for (int i = 0; i < kChips; ++i) {
        const unsigned b = ((g2 >> tapA) ^ (g2 >> tapB)) & 1u;
        out[i] = ((g1 >> 9) ^ b) & 1u ? 1 : -1;
        const unsigned f1 = ((g1 >> 2) ^ (g1 >> 9)) & 1u;
        const unsigned f2 = ((g2 >> 1) ^ (g2 >> 2) ^ (g2 >> 5) ^ (g2 >> 7) ^ (g2 >> 8) ^ (g2 >> 9)) & 1u;
        g1 = ((g1 << 1) | f1) & 0x3ff;
        g2 = ((g2 << 1) | f2) & 0x3ff;
    }
}

void wipe_carrier(const std::vector<float>& s, const std::vector<float>& phase, std::vector<float>& I, std::vector<float>& Q)
{
    for (int n = 0; n < kSamples; ++n) {
        const float c = std::cos(phase[n]), d = std::sin(phase[n]);
        I[n] = s[n] * c;
        Q[n] = s[n] * d;
    }
}

void correlate(const std::array<float, kChips>& x, const Code& code, std::array<float, kChips>& r)
{
    for (int delay = 0; delay < kChips; ++delay) {
        float sum = 0.0f;
        for (int i = 0; i < kChips; ++i)
            sum += x[(i + delay) % kChips] * code[i];
        r[delay] = sum;
    }
}

int main()
{
    static Code code;
    make_code(code, 1, 5);
    std::vector<float> s(kSamples), phase(kSamples), I(kSamples), Q(kSamples);
    for (int n = 0; n < kSamples; ++n) {
        phase[n] = 0.37f * static_cast<float>(n % 1000);
        s[n] = std::cos(phase[n]) * code[(n + 40) % kChips];
    }
    wipe_carrier(s, phase, I, Q);
    static std::array<float, kChips> x, r;
    for (int i = 0; i < kChips; ++i)
        x[i] = I[i];
    correlate(x, code, r);
    std::printf("%g %g\n", r[0], r[983]);
}
