// Texture class of a soil map from sand and clay percentages, area of each class, mean carbon stock by class.
#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

enum class Soil : std::uint8_t { Sand, Loam, ClayLoam, Clay, SiltLoam, Silt };
constexpr std::size_t kCells = 900 * 700;

static Soil classify(float sand, float clay)
{
    const float silt = 100.f - sand - clay;
    if (clay >= 40.f) return Soil::Clay;
    if (clay >= 27.f) return Soil::ClayLoam;
    if (silt >= 80.f && clay < 12.f) return Soil::Silt;
    if (silt >= 50.f) return Soil::SiltLoam;
    return sand >= 85.f ? Soil::Sand : Soil::Loam;
}

void texture_map(const std::vector<float>& sand, const std::vector<float>& clay, std::vector<Soil>& out)
{
    for (std::size_t c = 0; c < kCells; ++c)
        out[c] = classify(sand[c], clay[c]);
}

void stock_by_class(const std::vector<Soil>& kind, const std::vector<float>& carbon,
                    std::array<double, 6>& stock, std::array<long, 6>& cells)
{
    stock.fill(0.0);
    cells.fill(0);
    for (std::size_t c = 0; c < kCells; ++c) {
        const int k = static_cast<int>(kind[c]);
        stock[k] += carbon[c];
        cells[k] += 1;
    }
}

int main()
{
    std::vector<float> sand(kCells), clay(kCells), carbon(kCells);
    std::vector<Soil> kind(kCells);
    for (std::size_t c = 0; c < kCells; ++c) {
        sand[c] = float(c * 37 % 100);
        clay[c] = (100.f - sand[c]) * float(c % 11) / 11.f;
        carbon[c] = 1.f + c % 9;
    }
    std::array<double, 6> stock;
    std::array<long, 6> cells;
    texture_map(sand, clay, kind);
    stock_by_class(kind, carbon, stock, cells);
    std::printf("%g %ld\n", stock[1], cells[1]);
}
