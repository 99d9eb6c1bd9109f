// Low-discrepancy points: radical inverse in base 2 by swapping bits, then mapped onto a disc.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr uint32_t kPoints = 1u << 20;

static inline uint32_t reverse(uint32_t v)
{
    v = (v << 16) | (v >> 16);
    v = ((v & 0x00ff00ffu) << 8) | ((v & 0xff00ff00u) >> 8);
    v = ((v & 0x0f0f0f0fu) << 4) | ((v & 0xf0f0f0f0u) >> 4);
    v = ((v & 0x33333333u) << 2) | ((v & 0xccccccccu) >> 2);
    v = ((v & 0x55555555u) << 1) | ((v & 0xaaaaaaaau) >> 1);
    return v;
}

void radical_inverse(std::vector<float>& u)
{
    for (uint32_t i = 0; i < kPoints; ++i)
        u[i] = float(reverse(i)) * 0x1p-32f;
}

void to_disc(const std::vector<float>& u, const std::vector<float>& v, std::vector<float>& x, std::vector<float>& y)
{
    auto place = [&](size_t i) {
        const float r = std::sqrt(u[i]);
        const float phi = 6.2831853f * v[i];
        x[i] = r * std::cos(phi);
        y[i] = r * std::sin(phi);
    };
    for (size_t i = 0; i < u.size(); ++i) place(i);
}

int main()
{
    std::vector<float> u(kPoints), v(kPoints), x(kPoints), y(kPoints);
    radical_inverse(u);
    for (uint32_t i = 0; i < kPoints; ++i) v[i] = float(i) / kPoints;
    to_disc(u, v, x, y);
    std::printf("%f %f\n", x[12345], y[12345]);
}
