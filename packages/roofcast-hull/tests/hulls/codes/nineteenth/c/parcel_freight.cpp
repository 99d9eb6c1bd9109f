// freight columns: look up tariffs, bill, report
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace freight {

constexpr std::size_t kRows = 1u << 20;
constexpr int kZones = 64;

struct Columns {
    std::vector<uint8_t> zone;
    std::vector<float> kg;
    std::vector<int32_t> stamp;   // seconds
    std::vector<float> fee;
    explicit Columns(std::size_t n) : zone(n), kg(n), stamp(n), fee(n) {}
};

void bill(Columns& c, const float* rate, const float* base)
{
    for (std::size_t r = 0; r < kRows; ++r)
        c.fee[r] = std::max(base[c.zone[r]] + rate[c.zone[r]] * c.kg[r], 2.5f);
}

double heavy_revenue(const Columns& c)
{
    double sum = 0;
    for (std::size_t r = 0; r < kRows; ++r)
        if (c.kg[r] >= 20.f && c.zone[r] != 0)
            sum += c.fee[r];
    return sum;
}

void by_hour(const Columns& c, double* hour)
{
    for (std::size_t r = 0; r < kRows; ++r)
        hour[c.stamp[r] / 3600 % 24] += c.fee[r];
}

}

int main()
{
    using namespace freight;
    Columns c(kRows);
    float rate[kZones], base[kZones];
    double hour[24] = {0};
    for (int z = 0; z < kZones; ++z) { rate[z] = 0.3f + 0.01f * z; base[z] = 3; }
    for (std::size_t r = 0; r < kRows; ++r) {
        c.zone[r] = r * 2654435761u >> 26 & 63;
        c.kg[r] = r % 41;
        c.stamp[r] = static_cast<int32_t>(r * 13);
    }
    bill(c, rate, base);
    by_hour(c, hour);
    std::printf("%.2f %.2f\n", heavy_revenue(c), hour[9]);
}
