// Prices a day's parcels: the carrier charges for the larger of the true and the volumetric weight.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Manifest {
    std::vector<float> kg, len, wid, hgt;
    std::vector<std::uint8_t> zone;
    std::vector<std::uint16_t> lane;
    std::vector<float> price;

    explicit Manifest(std::size_t n)
        : kg(n), len(n), wid(n), hgt(n), zone(n), lane(n), price(n) {}
    std::size_t size() const { return kg.size(); }
};

constexpr std::size_t kParcels = 250000;
constexpr int kZones = 8;
constexpr int kLanes = 96;
constexpr float kDivisor = 5000.0f;

void charge_parcels(Manifest& m, const float (&rate)[kZones])
{
    for (std::size_t i = 0; i < kParcels; ++i) {
        const float volume = m.len[i] * m.wid[i] * m.hgt[i];
        const float billed = std::max(m.kg[i], volume / kDivisor);
        m.price[i] = billed * rate[m.zone[i]] + 2.95f;
    }
}

void lane_revenue(const Manifest& m, std::vector<double>& total)
{
    std::fill(total.begin(), total.end(), 0.0);
    for (std::size_t i = 0; i != kParcels; ++i)
        total[m.lane[i]] += m.price[i];
}

int main()
{
    Manifest m(kParcels);
    const float rate[kZones] = {0.8f, 0.9f, 1.1f, 1.4f, 1.9f, 2.4f, 3.1f, 4.f};
    for (std::size_t i = 0; i < kParcels; ++i) {
        m.kg[i] = 0.1f * (i % 311);
        m.len[i] = 10.f + i % 70; m.wid[i] = 8.f + i % 41; m.hgt[i] = 3.f + i % 29;
        m.zone[i] = (i * 7) % kZones;
        m.lane[i] = (i * 13) % kLanes;
    }
    std::vector<double> total(kLanes);
    charge_parcels(m, rate);
    lane_revenue(m, total);
    std::printf("%.2f\n", total[5]);
}
