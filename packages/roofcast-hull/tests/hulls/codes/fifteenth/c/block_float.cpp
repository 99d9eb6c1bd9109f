// block floating point: sixteen numbers share an exponent and keep eight-bit mantissas
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int BLOCKS = 65536;
constexpr int K = 16;

void encode(const float *src, int8_t *mant, int8_t *expo)
{
    for (int b = 0; b < BLOCKS; ++b) {
        const float *x = src + b * K;
        float top = 0.0f;
        for (int i = 0; i < K; ++i)
            top = std::max(top, std::fabs(x[i]));
        const int e = std::ilogb(top);
        const float scale = std::ldexp(1.0f, 6 - e);
        expo[b] = static_cast<int8_t>(e);
        for (int i = 0; i < K; ++i)
            mant[b * K + i] = static_cast<int8_t>(std::floor(x[i] * scale));
    }
}

void decode(const int8_t *mant, const int8_t *expo, float *dst)
{
    for (int b = 0; b < BLOCKS; ++b) {
        const float step = std::ldexp(1.0f, expo[b] - 6);
        for (int i = 0; i < K; ++i)
            dst[b * K + i] = mant[b * K + i] * step;
    }
}

int main()
{
    std::vector<float> x(BLOCKS * K), y(BLOCKS * K);
    std::vector<int8_t> m(BLOCKS * K), e(BLOCKS);
    for (int i = 0; i < BLOCKS * K; ++i) x[i] = std::sin(0.7f * i) * (1 + i / K % 9);
    encode(x.data(), m.data(), e.data());
    decode(m.data(), e.data(), y.data());
    std::printf("%f %f\n", x[21], y[21]);
}
